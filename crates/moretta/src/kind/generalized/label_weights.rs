//! How likely the labels of groups make a person's values.

use super::Generalized;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::release::{Likelihood, Region};

/// For one quasi-identifier: how likely each label makes each value of a domain.
#[derive(Debug)]
pub(super) struct LabelWeights {
    /// What each group publishes.
    label_of_group: Vec<u32>,
    of_label: Vec<OfLabel>,
    missing: Option<u32>,
}

#[derive(Debug)]
enum OfLabel {
    /// An interval: all its values are as likely, but for a missing one.
    Even { known: Likelihood, missing: Likelihood },
    /// Codes in order.
    Listed(Vec<(u32, Likelihood)>),
}

impl LabelWeights {
    /// The weights of a release's quasi-identifier, for people described by codes into a domain.
    pub(super) fn new(release: &Generalized, attribute: usize, domain: &Domain) -> Self {
        let (column, regions) = (&release.table.quasi[attribute], &release.regions()[attribute]);
        let ends = regions.iter().filter_map(Region::ends);
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |all, one| (all.0.min(one.0), all.1.max(one.1)));
        let span = if high > low { high - low } else { 1.0 };
        let groups = 0..release.groups.len();
        Self {
            label_of_group: groups.map(|group| column.codes[release.groups.first_row(group)]).collect(),
            of_label: regions.iter().map(|region| OfLabel::new(region, domain, span)).collect(),
            missing: domain.code(&Value::Missing),
        }
    }

    /// How likely the label of a group that covers it makes a value.
    pub(super) fn of(&self, group: usize, code: u32) -> Likelihood {
        match &self.of_label[self.label_of_group[group] as usize] {
            OfLabel::Even { missing, .. } if Some(code) == self.missing => *missing,
            OfLabel::Even { known, .. } => *known,
            OfLabel::Listed(listed) => {
                listed.binary_search_by_key(&code, |(code, _)| *code).map_or(Likelihood::default(), |at| listed[at].1)
            }
        }
    }
}

impl OfLabel {
    fn new(region: &Region, domain: &Domain, span: f64) -> Self {
        if let Some(known) = region.even_likelihood(span) {
            return Self::Even { known, missing: region.likelihood(&Value::Missing, span).unwrap_or_default() };
        }
        let listed = |(code, value): (u32, &Value)| Some((code, region.likelihood(value, span)?));
        let mut found: Vec<(u32, Likelihood)> = match region.listed() {
            Some(values) => values.filter_map(|value| listed((domain.code(value)?, value))).collect(),
            None => (0..).zip(domain.values()).filter_map(listed).collect(),
        };
        found.sort_unstable_by_key(|(code, _)| *code);
        Self::Listed(found)
    }
}
