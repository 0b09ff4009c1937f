//! Reading an ambiguous release: for each quasi-identifier the values of every group, apart from all others
//! (Wang, *Ambiguity*, sections 4 and 5).

use std::sync::Arc;

use super::at_name;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::kind::bucketized::{GROUP, VALUE, read_groups};
use crate::numeric::Ratio;
use crate::progress::Progress;
use crate::release::{Coverage, Files, Groups, auxiliary_attribute};
use crate::schema::Attribute;

/// An ambiguous release.
#[derive(Debug)]
pub struct Ambiguous {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// Its auxiliary tables, one for each quasi-identifier.
    pub auxiliary: Vec<Auxiliary>,
    pub(super) suppressed: u64,
}

/// The values of a quasi-identifier by group.
#[derive(Debug)]
pub struct Auxiliary {
    /// The attribute's name.
    pub name: String,
    /// The values that occur.
    pub domain: Arc<Domain>,
    starts: Vec<u32>,
    codes: Vec<u32>,
}

impl Auxiliary {
    /// The values of a group, as codes in order.
    pub fn of_group(&self, group: usize) -> &[u32] {
        &self.codes[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

impl Ambiguous {
    pub(crate) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let (groups, numbers) = read_groups(files, &attributes, progress)?;
        let quasi = attributes.iter().filter(|a| a.role == Role::Quasi);
        let auxiliary = quasi.map(|a| read_auxiliary(files, a, &numbers, progress)).collect::<Result<Vec<_>>>()?;
        files.compare("people", files.manifest.people, groups.whole.people)?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        Ok(Self { groups, auxiliary, suppressed: files.manifest.suppressed })
    }

    /// How many combinations of quasi-identifiers a group covers; as many as can be counted if there are more.
    pub fn combinations(&self, group: usize) -> u128 {
        self.auxiliary.iter().fold(1, |product: u128, at| product.saturating_mul(at.of_group(group).len() as u128))
    }

    /// The probability that a combination which a group covers is present in it (Theorem 5.1): min(1, |G| / ∏|ATᵢ|).
    pub fn presence_ratio(&self, group: usize) -> Ratio {
        let combinations = self.combinations(group).max(1);
        Ratio { num: u128::from(self.groups.people[group]).min(combinations), den: combinations }
    }

    pub(super) fn presence_in(&self, group: usize) -> f64 {
        self.presence_ratio(group).to_f64()
    }

    /// Which groups cover the values of people described by codes into these domains.
    pub fn coverage<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Coverage<'r>> {
        let names_agree = quasi.len() == self.auxiliary.len()
            && quasi.iter().zip(&self.auxiliary).all(|((name, _), at)| *name == at.name);
        if !names_agree {
            return Err(Error::input("the original does not have the quasi-identifiers of the release")
                .coded(Code::OriginalMismatch)
                .help("use the policy that the release was made with"));
        }
        let sizes: Vec<usize> = quasi.iter().map(|(_, domain)| domain.len()).collect();
        // For each attribute and released value, the groups that list it.
        let of_value: Vec<Vec<Vec<u32>>> =
            self.auxiliary.iter().map(|at| groups_of_values(at, self.groups.len())).collect();
        let domains: Vec<Arc<Domain>> = quasi.iter().map(|(_, domain)| domain.clone()).collect();
        Ok(Coverage::new(self.groups.len(), &sizes, move |attribute, code, visit| {
            let released = self.auxiliary[attribute].domain.code(domains[attribute].value(code));
            let groups = released.map_or(&[][..], |released| &of_value[attribute][released as usize]);
            groups.iter().for_each(|&group| visit(group as usize));
        }))
    }
}

fn groups_of_values(auxiliary: &Auxiliary, groups: usize) -> Vec<Vec<u32>> {
    let mut of_value = vec![Vec::new(); auxiliary.domain.len()];
    for group in 0..groups {
        auxiliary.of_group(group).iter().for_each(|&code| of_value[code as usize].push(group as u32));
    }
    of_value
}

fn read_auxiliary(
    files: &Files<'_>,
    attribute: &Attribute,
    numbers: &Domain,
    progress: &Progress,
) -> Result<Auxiliary> {
    let name = at_name(&attribute.name);
    let value = Attribute { name: VALUE.to_owned(), ..attribute.clone() };
    let mut table = files.read(&name, &[value, auxiliary_attribute(GROUP, Role::Group, Type::Integer)], progress)?;
    let (Some(group), Some(value)) = (table.group.take(), table.quasi.pop()) else {
        return Err(Error::bug("an auxiliary table was read without its columns"));
    };
    if group.domain.values() != numbers.values() {
        return Err(files.wrong(format!("the groups of {name} are not those of the sensitive values")));
    }
    let mut pairs: Vec<(u32, u32)> = group.codes.into_iter().zip(value.codes).collect();
    pairs.sort_unstable();
    if pairs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(files.wrong(format!("{name} lists a value of a group twice")));
    }
    let mut starts = vec![0; numbers.len() + 1];
    pairs.iter().for_each(|&(group, _)| starts[group as usize + 1] += 1);
    (0..numbers.len()).for_each(|group| starts[group + 1] += starts[group]);
    let codes = pairs.into_iter().map(|(_, code)| code).collect();
    Ok(Auxiliary { name: attribute.name.clone(), domain: value.domain, starts, codes })
}
