//! Whether published subdomains follow a distribution, decided exactly from what the files say.

use std::collections::BTreeMap;
use std::ops::Range;

use super::share::Share;
use crate::error::{Code, Error, Result};
use crate::numeric::BigUint;

/// The longest common denominator, in bits, that a file may lead to.
const LONGEST: u64 = 1 << 20;

/// The first rank at which a group's subdomains do not follow the target; none if they do.
///
/// `(1/n) Σ P(x = t | x ∈ Dᵢ) = P(t)` for every value t, where n counts fakes too: definition 3.2 of Koudas et al. (2009).
/// Subdomains are nested or apart, so they form a tree, with single values as its leaves. Let m(D) be the number of
/// published subdomains within D. Summed over the values of D, the definition says that m(D)/P(D) is the same for all
/// children of a node that have any probability; and conversely, if it is for every node, then by induction from the leaves the terms
/// count(D)/P(D) on the way from a node down to any of its values add up to m/P of the node, and from the root to n.
/// So it is enough to compare siblings, by products of whole numbers over one common denominator.
pub(crate) fn first_departure(target: &[Share], subdomains: &[(Range<u32>, u64)]) -> Result<Option<u32>> {
    let masses = over_common_denominator(target)?;
    let mut sorted: Vec<(Range<u32>, u64)> = subdomains.iter().filter(|(_, count)| *count > 0).cloned().collect();
    sorted.sort_by_key(|(ranks, _)| (ranks.start, std::cmp::Reverse(ranks.end)));
    let mut tree = Tree { masses: &masses, subdomains: &sorted, next: 0, departure: None };
    tree.descend(0..target.len() as u32)?;
    Ok(tree.departure)
}

/// Every probability times one common denominator; refused where they do not add up to 1.
fn over_common_denominator(target: &[Share]) -> Result<Vec<BigUint>> {
    let mut powers: BTreeMap<u128, u32> = BTreeMap::new();
    // Neighbouring values often share a denominator.
    let mut known: BTreeMap<u128, BTreeMap<u128, u32>> = BTreeMap::new();
    for share in target {
        known.entry(share.den).or_insert_with(|| factors(share.den));
    }
    for (&factor, &power) in known.values().flatten() {
        let most = powers.entry(factor).or_default();
        *most = power.max(*most);
    }
    let product = |start: u128, own: &BTreeMap<u128, u32>| {
        let mut product = BigUint::from(start);
        for (&factor, &power) in &powers {
            for _ in 0..power - own.get(&factor).copied().unwrap_or(0) {
                product *= factor;
            }
            if product.bits() > LONGEST {
                return Err(Error::input("the denominators of the targets have no common multiple of reasonable size"));
            }
        }
        Ok(product)
    };
    let one = product(1, &BTreeMap::new())?;
    let masses = target.iter().map(|share| product(share.num, &known[&share.den])).collect::<Result<Vec<_>>>()?;
    if masses.iter().sum::<BigUint>() != one {
        return Err(Error::data("the probabilities of a target do not add up to 1").coded(Code::ReleaseDamaged));
    }
    Ok(masses)
}

/// The factors of a number: small primes, and what remains without any as one more.
fn factors(mut number: u128) -> BTreeMap<u128, u32> {
    let mut factors = BTreeMap::new();
    let mut prime = 2;
    while number > 1 && prime < 1 << 16 {
        while number.is_multiple_of(prime) {
            number /= prime;
            *factors.entry(prime).or_default() += 1;
        }
        prime += 1;
    }
    if number > 1 {
        factors.insert(number, 1);
    }
    factors
}

/// The subdomains in preorder, walked once.
struct Tree<'a> {
    masses: &'a [BigUint],
    subdomains: &'a [(Range<u32>, u64)],
    next: usize,
    departure: Option<u32>,
}

impl Tree<'_> {
    /// How many subdomains lie within these ranks, and their mass.
    fn descend(&mut self, ranks: Range<u32>) -> Result<(u64, BigUint)> {
        let mut own = 0;
        while let Some((_, count)) = self.subdomains.get(self.next).filter(|(found, _)| *found == ranks) {
            own += count;
            self.next += 1;
        }
        let mut mass = BigUint::ZERO;
        let mut within = own;
        if ranks.len() == 1 {
            mass.clone_from(&self.masses[ranks.start as usize]);
        } else {
            let mut first: Option<(u64, BigUint)> = None;
            let mut start = ranks.start;
            while start < ranks.end {
                let child = match self.subdomains.get(self.next) {
                    Some((found, _)) if found.start == start && found.end > ranks.end => {
                        return Err(Error::input("two published subdomains overlap without one holding the other")
                            .coded(Code::ReleaseDamaged));
                    }
                    Some((found, _)) if found.start == start => found.clone(),
                    _ => start..start + 1,
                };
                start = child.end;
                let rank = child.start;
                let (count, part) = self.descend(child)?;
                within += count;
                mass += &part;
                let follows = match &first {
                    _ if part == BigUint::ZERO => count == 0,
                    None => {
                        first = Some((count, part));
                        true
                    }
                    Some((other, other_part)) => part * *other == other_part * count,
                };
                self.departure = self.departure.or((!follows).then_some(rank));
            }
        }
        if own > 0 && mass == BigUint::ZERO {
            self.departure = self.departure.or(Some(ranks.start));
        }
        Ok((within, mass))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUARTER: Share = Share { num: 1, den: 4 };

    #[test]
    fn the_paper_s_generalizations_follow_the_uniform_distribution() {
        let uniform = [QUARTER; 4];
        for subdomains in [
            vec![(0..1, 1), (1..2, 1), (2..3, 1), (3..4, 1)],
            vec![(0..2, 1), (2..4, 1), (0..4, 1)],
            vec![(0..1, 1), (1..2, 1), (2..4, 2)],
            vec![(0..4, 7)],
        ] {
            assert_eq!(first_departure(&uniform, &subdomains).unwrap(), None, "{subdomains:?}");
        }
        assert_eq!(first_departure(&uniform, &[(0..1, 1), (1..2, 1), (2..3, 1)]).unwrap(), Some(3));
        assert_eq!(first_departure(&uniform, &[(0..2, 2), (2..4, 1)]).unwrap(), Some(2));
    }

    #[test]
    fn what_is_no_target_is_refused() {
        assert!(first_departure(&[QUARTER; 3], &[(0..3, 1)]).is_err());
        assert!(first_departure(&[QUARTER; 4], &[(0..3, 1), (2..4, 1)]).is_err());
        let never = [Share { num: 0, den: 1 }, Share { num: 1, den: 1 }];
        assert_eq!(first_departure(&never, &[(0..1, 1)]).unwrap(), Some(0));
        assert_eq!(first_departure(&never, &[(0..2, 1)]).unwrap(), None);
        assert_eq!(first_departure(&never, &[(1..2, 3), (0..2, 1)]).unwrap(), None);
    }

    /// Definition 3.2 as it stands, in floats with room for rounding: small numbers only.
    fn follows(target: &[u32], subdomains: &[(Range<u32>, u64)]) -> bool {
        let mass = |ranks: &Range<u32>| f64::from(ranks.clone().map(|rank| target[rank as usize]).sum::<u32>());
        let n: u64 = subdomains.iter().map(|(_, count)| count).sum();
        let total = mass(&(0..target.len() as u32));
        (0..target.len() as u32).all(|rank| {
            let own = f64::from(target[rank as usize]);
            let over = subdomains.iter().filter(|(ranks, count)| ranks.contains(&rank) && *count > 0);
            let sum: f64 = over.map(|(ranks, count)| *count as f64 * own / mass(ranks)).sum();
            (sum - n as f64 * own / total).abs() < 1e-9
        })
    }

    /// Definition 3.2 over the product of all masses, in 128 bits.
    fn follows_exactly(target: &[u32], subdomains: &[(Range<u32>, u64)]) -> bool {
        let mass = |ranks: &Range<u32>| ranks.clone().map(|rank| u128::from(target[rank as usize])).sum::<u128>();
        let n: u128 = subdomains.iter().map(|(_, count)| u128::from(*count)).sum();
        let all = 0..target.len() as u32;
        let clear: u128 = subdomains.iter().map(|(ranks, _)| mass(ranks)).product();
        all.clone().all(|rank| {
            let over = subdomains.iter().filter(|(ranks, _)| ranks.contains(&rank));
            let sum: u128 = over.map(|(ranks, count)| u128::from(*count) * (clear / mass(ranks))).sum();
            sum * mass(&all) == n * clear
        })
    }

    #[test]
    fn denominators_without_a_common_factor_make_large_numbers_and_right_decisions() {
        // For each prime p the shares 1/p and (p − 1)/p, all of them over the number of primes: the common denominator
        // has some thousand bits.
        let primes = (3_u128..2000).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
        let mut target: Vec<Share> = Vec::new();
        for prime in primes {
            target.extend([Share { num: 1, den: prime }, Share { num: prime - 1, den: prime }]);
        }
        let pairs = target.len() as u128 / 2;
        target.iter_mut().for_each(|share| share.den *= pairs);
        let all = 0..target.len() as u32;
        let halves: Vec<(Range<u32>, u64)> = (0..pairs as u32).map(|pair| (2 * pair..2 * pair + 2, 5)).collect();
        assert_eq!(first_departure(&target, &[(all.clone(), 3)]).unwrap(), None);
        assert_eq!(first_departure(&target, &halves).unwrap(), None);
        let mut unequal = halves;
        unequal[7].1 += 1;
        assert_eq!(first_departure(&target, &unequal).unwrap(), Some(14));
        target[3].num += 1;
        assert!(first_departure(&target, &[(all, 3)]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn comparing_siblings_decides_the_definition(
            target in proptest::collection::vec(1_u32..4, 4),
            counts in proptest::collection::vec(0_u64..4, 7),
        ) {
            let ranges = [0..4, 0..2, 0..1, 1..2, 2..4, 2..3, 3..4];
            let subdomains: Vec<(Range<u32>, u64)> = ranges.into_iter().zip(counts).collect();
            let total: u32 = target.iter().sum();
            let shares: Vec<Share> =
                target.iter().map(|&mass| Share { num: mass.into(), den: total.into() }).collect();
            let departure = first_departure(&shares, &subdomains).unwrap();
            prop_assert_eq!(departure.is_none(), follows(&target, &subdomains));
            prop_assert_eq!(departure.is_none(), follows_exactly(&target, &subdomains));
        }
    }
}
