//! Chapter 3 of the dissertation on Adult: rules, the attacks of those who know them or a prior, and the Ω-estimate.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a bench lives as long as its call: a path to its method is one lifetime alone"
)]

use moretta::internals::background::{
    AttributeDistance, Background, Exposure, Gain, Ground, GroundedDistance, Known, MemberScratch, Members, Mining,
    Points, PreparedDistance, Prior, Reasoning, add_member,
};
use moretta::internals::counting::Prepared;
use moretta::internals::planning::registry;
use moretta::internals::progress::Progress;
use moretta::{Error, Fault, Result};
use rand::Rng;

use super::{Experiment, ExperimentContext, ResultTable};
use crate::adult::{Adult, QI_6};

const fn experiment(
    name: &'static str,
    run: fn(&ExperimentContext, &Progress) -> Result<Vec<ResultTable>>,
) -> Experiment {
    Experiment { name, run }
}

pub(super) const RULES: Experiment =
    experiment("negative rules", |context, progress| on_bench(context, progress, |bench| bench.rules()));
pub(super) const RULE_ATTACK: Experiment =
    experiment("attack by rules", |context, progress| on_bench(context, progress, |bench| bench.rule_attack()));
pub(super) const PRIOR_ATTACK: Experiment =
    experiment("attack by a prior", |context, progress| on_bench(context, progress, |bench| bench.prior_attack()));
pub(super) const PARAMETERS: Experiment =
    experiment("attack by parameters", |context, progress| on_bench(context, progress, |bench| bench.parameters()));
pub(super) const CONTINUITY: Experiment =
    experiment("continuity", |context, progress| on_bench(context, progress, |bench| bench.continuity()));
pub(super) const TWO_BANDWIDTHS: Experiment = experiment("continuity in two bandwidths", |context, progress| {
    on_bench(context, progress, |bench| bench.two_bandwidths())
});
pub(super) const OMEGA: Experiment =
    experiment("omega estimate", |context, progress| on_bench(context, progress, |bench| bench.omega()));

fn table() -> Adult {
    Adult::train().with_hierarchies("quasi", &QI_6).with_hierarchies("sensitive", &["occupation"])
}

/// The least expectations of figure 3.3, the rules printed there, and the shares of people with 0, 1, … 5 or more excluded values.
const PRINTED: [(f64, u64, [f64; 6]); 5] = [
    (0.75, 45, [0.0, 80.4, 15.9, 2.3, 1.2, 0.2]),
    (0.80, 39, [0.0, 84.6, 12.2, 2.1, 1.0, 0.1]),
    (0.85, 32, [0.0, 87.5, 9.2, 2.0, 1.0, 0.0]),
    (0.90, 22, [0.0, 87.9, 9.2, 2.5, 0.4, 0.0]),
    (0.95, 15, [0.0, 96.2, 1.8, 2.0, 0.0, 0.0]),
];

/// Occupation, the only sensitive attribute.
const OCCUPATION: usize = 0;

fn on_bench(
    context: &ExperimentContext,
    progress: &Progress,
    run: impl Fn(&Bench<'_>) -> Result<ResultTable>,
) -> Result<Vec<ResultTable>> {
    let counted = Prepared::read(&context.adult(&table(), "")?, progress)?;
    let names = counted.table.quasi.iter().map(|column| column.name.clone()).collect();
    let points = Points::of_cells(&counted.cells, &counted.scales);
    Ok(vec![run(&Bench { context, progress, counted: &counted, names, points })?])
}

struct Bench<'a> {
    context: &'a ExperimentContext,
    progress: &'a Progress,
    counted: &'a Prepared,
    names: Vec<String>,
    points: Points,
}

impl Bench<'_> {
    fn known(&self) -> Known<'_> {
        let Prepared { scales, cells, whole, .. } = self.counted;
        Known { names: &self.names, scales, points: &self.points, cells, whole, token: self.progress.token() }
    }

    /// Kernel-smoothed JS between occupations.
    fn distance(&self) -> Result<PreparedDistance> {
        let sensitive = &self.counted.whole.sensitive[OCCUPATION];
        let (tree, ranks) = sensitive.hierarchy.as_ref().ok_or_else(|| Error::bug("occupation has a hierarchy"))?;
        PreparedDistance::new(
            GroundedDistance::KernelJs { bandwidth: 0.5, ground: Ground::Tree { tree, ranks } },
            ranks.len(),
        )
    }

    /// Publishes with some models and a method, and attacks what is published.
    fn attack(
        &self,
        promise: &str,
        method: &str,
        attack: impl Fn(&Background<'_>) -> Result<Vec<Exposure>>,
    ) -> Result<Vec<Exposure>> {
        let policy = self.context.adult(&table(), &format!("{promise}\n[method]\n{method}\n"))?;
        let (_, release) = self.context.publish(&policy, self.progress)?;
        let original = self.counted.original();
        match Background::new(&*release, &original, &self.names, &self.points, self.progress.token())? {
            Some(background) => attack(&background),
            None => Err(Error::bug("a bucketized release shows who is in which group")),
        }
    }

    /// Figure 3.3.
    fn rules(&self) -> Result<ResultTable> {
        let mut table = ResultTable::new(
            "Figure 3.3: negative rules, and the share of people by the number of values that they can't have (ours / printed)",
            ["min_expectation", "rules", "without implied", "printed", "0", "1", "2", "3", "4", "5 or more"],
        );
        for (min_expectation, printed, shares) in PRINTED {
            let found = self.known().rules(OCCUPATION, &Mining::at(min_expectation))?;
            let mut people = [0; 6];
            for (point, &here) in self.points.people.iter().enumerate() {
                people[found.incompatible.count(point).min(5)] += here;
            }
            let all = self.counted.whole.people as f64;
            let mut row = vec![
                format!("{min_expectation:.2}"),
                (found.rules.len() + found.redundant.len()).to_string(),
                found.rules.len().to_string(),
                printed.to_string(),
            ];
            row.extend(
                people.iter().zip(shares).map(|(&n, printed)| format!("{:.1}% / {printed}%", 100.0 * n as f64 / all)),
            );
            table.row(row);
        }
        table.note("single conditions, confidence 1; the dissertation does not print its hierarchies");
        Ok(table)
    }

    /// Figure 3.4: who has fewer than ℓ valid values for somebody who knows the rules.
    fn rule_attack(&self) -> Result<ResultTable> {
        let mut table = ResultTable::new(
            "Figure 3.4: people with fewer than l valid values, for an adversary who knows the rules",
            ["method", "l", "min_expectation", "vulnerable", "fewest values"],
        );
        let others = [
            ("anatomy", "probabilistic-l-diversity", "name = \"anatomy\""),
            ("mondrian, bucketized", "distinct-l-diversity", MONDRIAN),
        ];
        let (levels, expectations) =
            (self.context.settings.wholes("l")?, self.context.settings.numbers("min_expectation")?);
        // Over l at the usual expectation, then over the others at the largest l.
        let usual = expectations.first().copied().unwrap_or(0.9);
        let largest = levels.last().copied().unwrap_or(6);
        let by_level = levels.iter().map(|&l| (l, usual));
        let settings = by_level.chain(expectations.iter().skip(1).map(|&least| (largest, least)));
        for (l, min_expectation) in settings {
            let attack = |background: &Background<'_>| {
                Ok(vec![background.by_rules(OCCUPATION, &Mining::at(min_expectation), l)?])
            };
            let mut row = |method: &str, found: &Exposure| {
                let (vulnerable, worst) = (found.vulnerable.to_string(), found.worst.to_string());
                table.row([method.to_owned(), l.to_string(), min_expectation.to_string(), vulnerable, worst]);
            };
            for (title, model, method) in others {
                if registry::find(title).is_none() && title == "anatomy" {
                    continue;
                }
                let promise = format!("[[require]]\nmodel = \"{model}\"\nl = {l}");
                self.attack(&promise, method, attack)?.iter().for_each(|found| row(title, found));
            }
            let promise =
                format!("[[require]]\nmodel = \"matching-l-diversity\"\nl = {l}\nmin_expectation = {min_expectation}");
            self.attack(&promise, "name = \"injector\"", attack)?.iter().for_each(|found| row("injector", found));
        }
        Ok(table)
    }

    /// Figure 3.5 (a): about whom an adversary with bandwidth b′ learns more than the models allow.
    fn prior_attack(&self) -> Result<ResultTable> {
        let bandwidths = self.context.settings.numbers("adversary")?;
        let mut table = ResultTable::new(
            "Figure 3.5 (a): people about whom an adversary with bandwidth b' learns more than t = 0.2 (k = l = 4, b = 0.3)",
            std::iter::once("promise".to_owned()).chain(bandwidths.iter().map(|b| format!("b' = {b}"))),
        );
        for (title, model) in models(4, 0.2, 0.3) {
            let found = self.attack(&promise(4, &model), MONDRIAN, |background| {
                bandwidths.iter().map(|&b| self.gain(background, b, 0.2)).collect()
            })?;
            let vulnerable = found.iter().map(|exposure| exposure.vulnerable.to_string());
            table.row(std::iter::once(title).chain(vulnerable));
        }
        table.note("posteriors by the Ω-estimate, as printed; groups by Mondrian's median cuts, values kept exact");
        Ok(table)
    }

    /// Figure 3.5 (b): the same by the parameters of table 3.4, for b' = 0.3.
    fn parameters(&self) -> Result<ResultTable> {
        let mut columns = vec!["parameters".to_owned()];
        columns.extend(models(3, 0.25, 0.3).into_iter().map(|(title, _)| kind_of(&title).to_owned()));
        let mut table = ResultTable::new(
            "Figure 3.5 (b): people about whom an adversary with b' = 0.3 learns more than t, by the parameters of table 3.4",
            columns,
        );
        for (name, l, t) in [("para1", 3, 0.25), ("para2", 4, 0.2), ("para3", 5, 0.15), ("para4", 6, 0.1)] {
            let mut row = vec![format!("{name}: k = l = {l}, t = {t}")];
            for (_, model) in models(l, t, 0.3) {
                let attack = |background: &Background<'_>| Ok(vec![self.gain(background, 0.3, t)?]);
                match self.attack(&promise(l, &model), MONDRIAN, attack) {
                    Ok(found) => row.extend(found.iter().map(|exposure| exposure.vulnerable.to_string())),
                    Err(refusal) if refusal.fault() == Fault::Data => row.push("refused".to_owned()),
                    Err(error) => return Err(error),
                }
            }
            table.row(row);
        }
        Ok(table)
    }

    fn gain(&self, background: &Background<'_>, bandwidth: f64, t: f64) -> Result<Exposure> {
        background.by_prior(OCCUPATION, &vec![bandwidth; self.names.len()], self.distance()?, Reasoning::Omega, t)
    }

    /// Figure 3.11 (a): the worst gain of an adversary b′ over tables made for b.
    fn continuity(&self) -> Result<ResultTable> {
        let adversaries = self.context.settings.numbers("adversary")?;
        let mut table = ResultTable::new(
            "Figure 3.11 (a): the largest gain of an adversary b' in tables made for (b, 0.2)-privacy",
            std::iter::once("b".to_owned()).chain(adversaries.iter().map(|b| format!("b' = {b}"))),
        );
        let mut before: Option<(f64, Vec<f64>)> = None;
        let mut jump = (0.0, 0.0, 0.0, 0.0);
        for b in self.context.settings.numbers("b")? {
            let model = format!("model = \"b-t-privacy\"\nbandwidth = {b}\nt = 0.2\ninference = \"omega\"");
            let found = self.attack(&promise(4, &model), MONDRIAN, |background| {
                adversaries.iter().map(|&other| self.gain(background, other, 0.2)).collect()
            })?;
            let worst: Vec<f64> = found.iter().map(|exposure| exposure.worst).collect();
            if let Some((from, was)) = &before {
                for (place, (&now, &was)) in worst.iter().zip(was).enumerate() {
                    if (now - was).abs() > jump.0 {
                        jump = ((now - was).abs(), *from, b, adversaries[place]);
                    }
                }
            }
            table.row(std::iter::once(b.to_string()).chain(worst.iter().map(|x| format!("{x:.4}"))));
            before = Some((b, worst));
        }
        table.note(format!(
            "the largest jump from one b to the next is {:.4}, from {} to {}, for b' = {}",
            jump.0, jump.1, jump.2, jump.3
        ));
        Ok(table)
    }

    /// Figure 3.11 (b): the worst gain of b' = 0.3 over tables made for one bandwidth on three attributes and another on the rest.
    fn two_bandwidths(&self) -> Result<ResultTable> {
        let steps = self.context.settings.numbers("b")?;
        let mut table = ResultTable::new(
            "Figure 3.11 (b): the largest gain of b' = 0.3 in tables made for B = (b1, b1, b1, b2, b2, b2) and t = 0.2",
            std::iter::once("b1".to_owned()).chain(steps.iter().map(|b| format!("b2 = {b}"))),
        );
        for &first in &steps {
            let mut row = vec![first.to_string()];
            for &second in &steps {
                let half = self.names.len() / 2;
                let of =
                    |(place, name): (usize, &String)| format!("{name} = {}", if place < half { first } else { second });
                let own: Vec<String> = self.names.iter().enumerate().map(of).collect();
                let model = format!(
                    "model = \"b-t-privacy\"\nbandwidth = {{ {} }}\nt = 0.2\ninference = \"omega\"",
                    own.join(", ")
                );
                let attack = |background: &Background<'_>| Ok(vec![self.gain(background, 0.3, 0.2)?]);
                let found = self.attack(&promise(4, &model), MONDRIAN, attack)?;
                row.extend(found.iter().map(|exposure| format!("{:.4}", exposure.worst)));
            }
            table.row(row);
        }
        Ok(table)
    }

    /// Figure 3.10: how far the Ω-estimate is from exact inference, by group size.
    fn omega(&self) -> Result<ResultTable> {
        let mut table = ResultTable::new(
            "Figure 3.10: average distance error of the Ω-estimate in random groups of each size (b = 0.3)",
            ["people", "average error", "largest of a group"],
        );
        let known = self.known();
        let distances: Vec<AttributeDistance> = known.scales.iter().map(AttributeDistance::of_scale).collect();
        let prior = Prior::new(&known.evidence(OCCUPATION), &distances, &vec![0.3; self.names.len()])?;
        let gain = Gain::new(OCCUPATION, prior, self.distance()?);
        let values = self.counted.whole.sensitive[OCCUPATION].domain.len();
        let cells = &self.counted.cells;
        let starts: Vec<u64> = cells
            .people
            .iter()
            .scan(0, |sum, &people| {
                *sum += people;
                Some(*sum)
            })
            .collect();
        let mut scratch = MemberScratch::default();
        let groups = self.context.settings.whole("groups")?;
        for size in self.context.settings.wholes("people")? {
            let mut draw = self.context.seed.stream("groups of random people", size);
            let (mut sum, mut largest) = (0.0, 0.0_f64);
            for _ in 0..groups {
                let mut chosen: Vec<usize> = (0..size)
                    .map(|_| starts.partition_point(|&end| end <= draw.random_range(0..cells.total())))
                    .collect();
                chosen.sort_unstable();
                let (mut points, mut histogram) = (Vec::new(), vec![0; values]);
                for cell in chosen {
                    add_member(&mut points, self.points.of_cell[cell], 1);
                    histogram[cells.columns[self.names.len() + OCCUPATION][cell] as usize] += 1;
                }
                let sensitive = [histogram];
                let members = Members { points: &points, sensitive: &sensitive };
                let moved = |exact: Option<u64>, scratch: &mut MemberScratch| {
                    gain.each(&members, exact, scratch)
                        .map(<[f64]>::to_vec)
                        .map_err(|why| Error::bug(format!("a random group of people: {why:?}")))
                };
                let (exact, omega) = (moved(Some(u64::MAX), &mut scratch)?, moved(None, &mut scratch)?);
                let errors =
                    exact.iter().zip(&omega).zip(&points).map(|((e, o), &(_, people))| (e - o).abs() * people as f64);
                let error = errors.sum::<f64>() / size as f64;
                sum += error;
                largest = largest.max(error);
            }
            table.row([size.to_string(), format!("{:.4}", sum / groups as f64), format!("{largest:.4}")]);
        }
        Ok(table)
    }
}

const MONDRIAN: &str = "name = \"mondrian\"\nrecoding = \"bucketize\"";

/// The four promises that figure 3.5 compares.
fn models(l: usize, t: f64, b: f64) -> Vec<(String, String)> {
    vec![
        (format!("distinct {l}-diversity"), format!("model = \"distinct-l-diversity\"\nl = {l}")),
        (format!("probabilistic {l}-diversity"), format!("model = \"probabilistic-l-diversity\"\nl = {l}")),
        (
            format!("{t}-closeness"),
            format!("model = \"t-closeness\"\nt = {t}\ndistance = \"kernel-js\"\nbandwidth = 0.5"),
        ),
        (format!("({b}, {t})-privacy"), format!("model = \"b-t-privacy\"\nbandwidth = {b}\nt = {t}")),
    ]
}

/// A promise without its numbers.
fn kind_of(title: &str) -> &'static str {
    match title {
        title if title.starts_with("distinct") => "distinct l-diversity",
        title if title.starts_with("probabilistic") => "probabilistic l-diversity",
        title if title.ends_with("closeness") => "t-closeness",
        _ => "(B, t)-privacy",
    }
}

/// What is required: a model, and k people in each bucket.
fn promise(k: usize, model: &str) -> String {
    format!("[[require]]\nmodel = \"bucket-size\"\nk = {k}\n[[require]]\n{model}")
}
