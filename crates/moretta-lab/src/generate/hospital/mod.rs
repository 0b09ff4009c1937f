//! A hospital: the patients of two years, for the bundled example.

mod diagnoses;
mod patients;

use std::ops::{Range, RangeInclusive};

use chrono::{Datelike, NaiveDate, Weekday};
use moretta::internals::data::domain::Domain;
use moretta::internals::data::value::{Type, Value, days_of_date};
use moretta::{Error, Result};

use super::blocks::cut;
use super::draw::Choice;
use super::{Attribute, Generator};

use diagnoses::{DIAGNOSES, SEASONS};
use patients::{PROFESSIONS, SEXES, WARDS, zip_codes};

/// The most patients there can be: as many as seven digits can number.
pub const MAX_PATIENTS: u64 = 9_999_999;

const AGES: RangeInclusive<u64> = 0..=99;
const STAYS: RangeInclusive<u64> = 1..=60;
const YEARS: Range<i32> = 2023..2025;

/// The generator that [`hospital`] makes.
#[derive(Debug)]
pub struct Hospital {
    seed: u64,
    rows: u64,
    attributes: Vec<Attribute>,
    age: Choice,
    zip_code: Choice,
    ward: Choice,
    /// Of each zip code, whether it is in the country.
    in_country: Vec<bool>,
    /// By age.
    sex: Vec<Choice>,
    /// By age, sex, and whether in the country.
    profession: Vec<[[Choice; 2]; 2]>,
    /// By age and sex.
    diagnosis: Vec<[Choice; 2]>,
    /// By season.
    admission: Vec<Choice>,
    /// By diagnosis.
    stay: Vec<Choice>,
}

/// The patients of a hospital: patient_id (unique), age, sex, zip_code, profession, admission_date, ward,
/// diagnosis and days_of_stay.
///
/// The diagnosis goes with age and sex, the profession with age, sex and whether the zip code is in town or country,
/// the date and the days of stay with the diagnosis. The ward goes with nothing.
pub fn hospital(rows: u64, seed: u64) -> Result<Hospital> {
    if rows > MAX_PATIENTS {
        return Err(Error::input(format!("a hospital of {rows} patients is too large"))
            .help(format!("at most {MAX_PATIENTS} can be numbered; a `census` has no limit")));
    }
    let professions = |age, sex, country| Choice::new(PROFESSIONS.iter().map(|p| p.patients(age, sex, country)));
    let diagnoses = |age, sex| Choice::new(DIAGNOSES.iter().map(|d| d.patients(age, sex)));
    Ok(Hospital {
        seed,
        rows,
        attributes: attributes(rows),
        age: Choice::new(AGES.map(patients::patients_of)),
        zip_code: Choice::new(zip_codes().map(|(_, people, _)| people)),
        ward: Choice::new(WARDS.map(|(_, beds)| beds)),
        in_country: zip_codes().map(|(_, _, country)| country).collect(),
        sex: AGES.map(|age| Choice::new(patients::sexes_at(age))).collect(),
        profession: AGES
            .map(|age| [0, 1].map(|sex| [false, true].map(|country| professions(age, sex, country))))
            .collect(),
        diagnosis: AGES.map(|age| [0, 1].map(|sex| diagnoses(age, sex))).collect(),
        admission: SEASONS
            .iter()
            .map(|season| {
                Choice::new(admission_dates().map(|date| {
                    let weekend = matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
                    season.patients_on(u64::from(date.ordinal0()), weekend)
                }))
            })
            .collect(),
        stay: DIAGNOSES.iter().map(|d| Choice::new(STAYS.map(|days| d.stays(days)))).collect(),
    })
}

fn admission_dates() -> impl Iterator<Item = NaiveDate> {
    // No year has a 366th day unless it is a leap year.
    YEARS.flat_map(|year| (1..=366).filter_map(move |day| NaiveDate::from_yo_opt(year, day)))
}

fn attributes(rows: u64) -> Vec<Attribute> {
    let dates = admission_dates().map(|date| Value::Date(days_of_date(date))).collect();
    vec![
        Attribute::new("patient_id", Domain::labels((1..=rows).map(|number| format!("P{number:07}")))),
        Attribute::integers("age", AGES),
        Attribute::new("sex", Domain::labels(SEXES)),
        Attribute::new("zip_code", Domain::labels(zip_codes().map(|(code, ..)| code.to_string()))),
        Attribute::new("profession", Domain::labels(PROFESSIONS.iter().map(|p| p.label))),
        Attribute::new("admission_date", Domain::from_sorted(Type::Date, dates)),
        Attribute::new("ward", Domain::labels(WARDS.map(|(label, _)| label))),
        Attribute::new("diagnosis", Domain::labels(DIAGNOSES.iter().map(|d| d.label))),
        Attribute::integers("days_of_stay", STAYS),
    ]
}

impl Generator for Hospital {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn rows(&self, first: u64, count: usize) -> Vec<Vec<u32>> {
        let first = first.min(self.rows);
        let count = count.min((self.rows - first) as usize);
        cut(self.seed, first, count, |rng, place| {
            let age = self.age.draw(rng);
            let zip_code = self.zip_code.draw(rng);
            let ward = self.ward.draw(rng);
            let a = age as usize;
            let sex = self.sex[a].draw(rng);
            let s = sex as usize;
            let country = usize::from(self.in_country[zip_code as usize]);
            let profession = self.profession[a][s][country].draw(rng);
            let diagnosis = self.diagnosis[a][s].draw(rng);
            let d = diagnosis as usize;
            let admission = self.admission[DIAGNOSES[d].season as usize].draw(rng);
            let stay = self.stay[d].draw(rng);
            [place as u32, age, sex, zip_code, profession, admission, ward, diagnosis, stay]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::internals::hierarchy::{Hierarchy, Path};

    const ROWS: u64 = 40_000;

    fn table(rows: u64) -> (Hospital, Vec<Vec<u32>>) {
        let table = hospital(rows, 1).expect("few enough rows");
        let columns = table.rows(0, rows as usize);
        (table, columns)
    }

    /// The rows of a table as age, sex, profession and diagnosis.
    fn people(rows: u64) -> Vec<(u32, &'static str, &'static str, &'static str)> {
        let (_, columns) = table(rows);
        (0..rows as usize)
            .map(|row| {
                let code = |column: usize| columns[column][row] as usize;
                (columns[1][row], SEXES[code(2)], PROFESSIONS[code(4)].label, DIAGNOSES[code(7)].label)
            })
            .collect()
    }

    #[test]
    fn values_are_distinct_and_spelled_as_promised() {
        let (table, columns) = table(200);
        for attribute in table.attributes() {
            let mut values = attribute.domain.values().to_vec();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), attribute.domain.len(), "{}", attribute.name);
        }
        let first = |column: usize| table.attributes()[column].domain.value(columns[column][0]).to_string();
        assert_eq!(first(0), "P0000001");
        assert_eq!(first(3).len(), 5);
        assert_eq!(table.attributes()[3].domain.len(), 90);
        assert_eq!(table.attributes()[5].domain.len(), 731);
        assert!(SEASONS.iter().enumerate().all(|(number, &season)| season as usize == number));
    }

    #[test]
    fn the_table_ends_with_its_last_patient() {
        let (table, columns) = table(200);
        assert_eq!(columns[0], (0..200).collect::<Vec<u32>>());
        assert_eq!(table.rows(190, 50)[0], (190..200).collect::<Vec<u32>>());
        assert!(table.rows(1_000, 50).iter().all(Vec::is_empty));
        assert!(hospital(MAX_PATIENTS + 1, 1).is_err());
    }

    #[test]
    fn nobody_is_impossible() {
        for (age, sex, profession, diagnosis) in people(ROWS) {
            let who = format!("{profession}, {age}, {sex}: {diagnosis}");
            match diagnosis {
                "prostate cancer" => assert!(sex == "male" && age > 40, "{who}"),
                "breast cancer" => assert!(sex == "female" && age > 20, "{who}"),
                "pregnancy complication" | "birth complication" => {
                    assert!(sex == "female" && (15..50).contains(&age), "{who}");
                }
                "hip fracture" | "alcohol dependence" => assert!(age > 15, "{who}"),
                _ => {}
            }
            match profession {
                "infant" => assert!(age < 7, "{who}"),
                "pupil" => assert!((5..20).contains(&age), "{who}"),
                "retired" => assert!(age > 55, "{who}"),
                "physician" | "lawyer" => assert!(age > 23, "{who}"),
                _ => assert!(age > 14, "{who}"),
            }
        }
    }

    #[test]
    fn a_small_table_has_every_diagnosis_and_none_too_often() {
        let mut counts = [0_usize; DIAGNOSES.len()];
        let (_, columns) = table(3_000);
        for &code in &columns[7] {
            counts[code as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (10..300).contains(&count)), "{counts:?}");
    }

    #[test]
    fn diagnoses_go_with_age_and_season() {
        let people = people(ROWS);
        let mean_age = |wanted| {
            let ages: Vec<_> = people.iter().filter(|p| p.3 == wanted).map(|p| f64::from(p.0)).collect();
            ages.iter().sum::<f64>() / ages.len() as f64
        };
        assert!(mean_age("asthma") + 25.0 < mean_age("type 2 diabetes"));
        assert!(mean_age("concussion") + 30.0 < mean_age("hip fracture"));
        let (table, columns) = table(ROWS);
        let flu_months: Vec<u32> = columns[7]
            .iter()
            .zip(&columns[5])
            .filter(|&(&diagnosis, _)| DIAGNOSES[diagnosis as usize].label == "influenza")
            .filter_map(|(_, &date)| table.attributes[5].domain.value(date).to_string()[5..7].parse().ok())
            .collect();
        let in_winter = flu_months.iter().filter(|&month| [12, 1, 2, 3].contains(month)).count();
        assert!(in_winter * 2 > flu_months.len(), "{in_winter} of {}", flu_months.len());
    }

    #[test]
    fn the_hierarchies_of_the_example_cover_their_domains() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital/hierarchies");
        let (table, _) = table(1);
        for name in ["diagnosis", "profession"] {
            let file = format!("{folder}/{name}.csv");
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(&file).expect(&file);
            let lines: Vec<Vec<Box<str>>> =
                reader.deserialize().collect::<Result<_, _>>().expect("lines of equal length");
            assert!(lines.iter().all(|line| line.len() == 4 && &*line[3] == "*"));
            let mut leaves: Vec<_> = lines.iter().map(|line| Value::Text(line[0].clone())).collect();
            leaves.sort();
            let attribute = table.attributes().iter().find(|a| a.name == name).expect(name);
            let mut values = attribute.domain.values().to_vec();
            values.sort();
            assert_eq!(leaves, values);
            let paths: Vec<_> = lines.into_iter().map(|labels| Path { labels, line: 0 }).collect();
            assert_eq!(Hierarchy::from_paths(&paths).expect(name).levels(), 4);
        }
    }
}
