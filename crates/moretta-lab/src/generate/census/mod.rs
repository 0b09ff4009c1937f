//! A census: nine attributes whose domain sizes are those of the large census extracts in the literature.
//!
//! People are drawn along a chain: age and country first, then what depends on them, occupation
//! from gender and schooling, and salary last of all. No occupation and no salary class holds more than 8 % of
//! the people, so that diversity models have room.

mod life;
mod origin;
mod work;

use moretta::internals::data::domain::Domain;

use super::blocks::cut;
use super::draw::Choice;
use super::{Attribute, Generator};

use life::{GENDERS, MARITAL, OLDEST, YOUNGEST};
use origin::{COUNTRIES, RACES};
use work::{BASE, BRANCHES, OCCUPATIONS, PAY_BY_CLASS, PAY_BY_GENDER, SALARY_CLASSES, WORK_CLASSES};

/// The generator that [`census`] makes.
#[derive(Debug)]
pub struct Census {
    seed: u64,
    attributes: Vec<Attribute>,
    age: Choice,
    country: Choice,
    /// By age.
    gender: Vec<Choice>,
    /// By age.
    education: Vec<Choice>,
    /// By age and gender.
    marital: Vec<[Choice; 2]>,
    /// By country.
    race: Vec<Choice>,
    /// By education and gender.
    occupation: Vec<[Choice; 2]>,
    /// By branch and age.
    work_class: Vec<Vec<Choice>>,
    /// By the class around which a person's salary lies.
    salary: Vec<Choice>,
    pay_at: Vec<usize>,
    pay_for: Vec<usize>,
}

/// A census of any number of people: age (78 values), gender (2), education (17), marital (6), race (9), work_class (10),
/// country (83), occupation (50) and salary_class (50).
///
/// Marital status, schooling and work go with age, race with country, occupation with gender and schooling, salary with
/// all of what precedes it. All values occur in a table of 100,000 rows.
pub fn census(seed: u64) -> Census {
    let ages = || YOUNGEST..=OLDEST;
    let levels = || 0..life::education_labels().count() as u64;
    Census {
        seed,
        attributes: attributes(),
        age: Choice::new(ages().map(life::people_of)),
        country: Choice::new(COUNTRIES.iter().map(|&(_, _, people)| people)),
        gender: ages().map(|age| Choice::new(life::genders_at(age))).collect(),
        education: ages().map(|age| Choice::new(life::education_at(age))).collect(),
        marital: ages().map(|age| [0, 1].map(|gender| Choice::new(life::marital_at(age, gender)))).collect(),
        race: COUNTRIES.iter().map(|&(_, region, _)| Choice::new(origin::races_of(region))).collect(),
        occupation: levels().map(|level| [0, 1].map(|gender| occupations(level, gender))).collect(),
        work_class: BRANCHES
            .iter()
            .map(|&branch| ages().map(|age| Choice::new(work::work_classes_of(branch, age))).collect())
            .collect(),
        salary: (0..SALARY_CLASSES).map(|typical| Choice::new(work::salaries_around(typical))).collect(),
        pay_at: ages().map(work::pay_at).collect(),
        pay_for: levels().map(work::pay_for).collect(),
    }
}

fn occupations(level: u64, gender: usize) -> Choice {
    Choice::new(OCCUPATIONS.iter().map(|occupation| work::workers(occupation, level, gender)))
}

fn attributes() -> Vec<Attribute> {
    vec![
        Attribute::integers("age", YOUNGEST..=OLDEST),
        Attribute::new("gender", Domain::labels(GENDERS)),
        Attribute::new("education", Domain::labels(life::education_labels())),
        Attribute::new("marital", Domain::labels(MARITAL)),
        Attribute::new("race", Domain::labels(RACES)),
        Attribute::new("work_class", Domain::labels(WORK_CLASSES)),
        Attribute::new("country", Domain::labels(COUNTRIES.map(|(label, ..)| label))),
        Attribute::new("occupation", Domain::labels(OCCUPATIONS.iter().map(|occupation| occupation.label))),
        Attribute::integers("salary_class", 1..=SALARY_CLASSES as u64),
    ]
}

impl Generator for Census {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn rows(&self, first: u64, count: usize) -> Vec<Vec<u32>> {
        cut(self.seed, first, count, |rng, _| {
            let age = self.age.draw(rng);
            let country = self.country.draw(rng);
            let (a, c) = (age as usize, country as usize);
            let gender = self.gender[a].draw(rng);
            let education = self.education[a].draw(rng);
            let (g, e) = (gender as usize, education as usize);
            let marital = self.marital[a][g].draw(rng);
            let race = self.race[c].draw(rng);
            let occupation = self.occupation[e][g].draw(rng);
            let job = &OCCUPATIONS[occupation as usize];
            let work_class = self.work_class[job.branch as usize][a].draw(rng);
            let extra = self.pay_at[a] + self.pay_for[e] + PAY_BY_GENDER[g] + PAY_BY_CLASS[work_class as usize];
            let typical = (job.pay + extra).saturating_sub(BASE).min(SALARY_CLASSES - 1);
            let salary = self.salary[typical].draw(rng);
            [age, gender, education, marital, race, work_class, country, occupation, salary]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngCore, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const ROWS: usize = 100_000;

    fn counts(column: &[u32], size: usize) -> Vec<usize> {
        let mut counts = vec![0; size];
        for &code in column {
            counts[code as usize] += 1;
        }
        counts
    }

    /// How much one column tells about another, in nats.
    fn mutual_information(a: &[u32], b: &[u32]) -> f64 {
        const SIDE: usize = 100;
        let joint: Vec<u32> = a.iter().zip(b).map(|(&a, &b)| a * SIDE as u32 + b).collect();
        let (in_a, in_b, in_both) = (counts(a, SIDE), counts(b, SIDE), counts(&joint, SIDE * SIDE));
        let n = a.len() as f64;
        (0..SIDE * SIDE)
            .filter(|&cell| in_both[cell] > 0)
            .map(|cell| {
                let [a, b, both] = [in_a[cell / SIDE], in_b[cell % SIDE], in_both[cell]].map(|count| count as f64);
                both / n * (both * n / (a * b)).ln()
            })
            .sum()
    }

    fn shuffled(column: &[u32]) -> Vec<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(99);
        let mut column = column.to_vec();
        for i in (1..column.len()).rev() {
            column.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
        }
        column
    }

    #[test]
    fn domains_have_the_sizes_of_the_literature() {
        let sizes: Vec<_> = census(1).attributes().iter().map(|a| (a.name, a.domain.len())).collect();
        let expected = [
            ("age", 78),
            ("gender", 2),
            ("education", 17),
            ("marital", 6),
            ("race", 9),
            ("work_class", 10),
            ("country", 83),
            ("occupation", 50),
            ("salary_class", 50),
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn labels_are_distinct_and_branches_are_in_order() {
        for attribute in census(1).attributes() {
            let mut values = attribute.domain.values().to_vec();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), attribute.domain.len(), "{}", attribute.name);
        }
        assert!(BRANCHES.iter().enumerate().all(|(number, &branch)| branch as usize == number));
    }

    #[test]
    fn all_values_occur_and_none_that_should_be_rare_is_frequent() {
        for seed in 1..=3 {
            let table = census(seed);
            let columns = table.rows(0, ROWS);
            for (attribute, column) in table.attributes().iter().zip(&columns) {
                let counts = counts(column, attribute.domain.len());
                assert!(counts.iter().all(|&count| count > 0), "{}: {counts:?}", attribute.name);
                if matches!(attribute.name, "occupation" | "salary_class") {
                    assert!(counts.iter().all(|&count| count * 100 <= ROWS * 8), "{}: {counts:?}", attribute.name);
                }
            }
            let from_home = counts(&columns[6], COUNTRIES.len())[0];
            assert!(from_home * 2 > ROWS, "{from_home} from home");
        }
    }

    #[test]
    fn attributes_go_together_as_promised() {
        let table = census(1);
        let columns = table.rows(0, ROWS);
        let column = |name| table.attributes().iter().position(|a| a.name == name).map(|place| &columns[place]);
        for (one, other) in [
            ("age", "marital"),
            ("age", "education"),
            ("age", "work_class"),
            ("gender", "occupation"),
            ("education", "occupation"),
            ("occupation", "work_class"),
            ("occupation", "salary_class"),
            ("education", "salary_class"),
            ("country", "race"),
        ] {
            let (a, b) = (column(one).expect(one), column(other).expect(other));
            let (tied, chance) = (mutual_information(a, b), mutual_information(a, &shuffled(b)));
            assert!(tied > 0.05 && tied > 5.0 * chance, "{one} and {other}: {tied} by chance {chance}");
        }
    }

    #[test]
    fn nobody_works_without_the_schooling_that_it_takes() {
        let columns = census(1).rows(0, ROWS);
        for row in 0..ROWS {
            let (level, job) = (columns[2][row], &OCCUPATIONS[columns[7][row] as usize]);
            if matches!(job.label, "Physician" | "Dentist" | "Lawyer" | "University lecturer") {
                assert!(level >= 13, "{} after level {level}", job.label);
            }
        }
    }
}
