//! How likely it is that some position holds all that is known of a person.

/// The chance that a random linking of a bucket's columns puts all of a person's values into one position.
///
/// `counts` says how often each column holds the person's value, among `people` positions. Column after column, the number of
/// positions that still match is hypergeometric, so the chance is exact up to rounding: 1 where the counts
/// leave no way to keep the values apart. Where even the rarest value is frequent, the chance of no match
/// is taken from that of independent positions, of which it then differs only in digits that nobody sees.
pub fn chance_of_a_match(people: u64, counts: &[u64]) -> f64 {
    let Some(&rarest) = counts.iter().min() else { return if people > 0 { 1.0 } else { 0.0 } };
    if rarest == 0 {
        return 0.0;
    }
    if rarest > LARGE {
        let share: f64 = counts.iter().map(|&count| count as f64 / people as f64).product();
        return 1.0 - (1.0 - share).powf(people as f64);
    }
    let mut ordered = counts.to_vec();
    ordered.sort_unstable();
    // matching[k]: the chance that k positions match in all columns so far.
    let mut matching = vec![0.0; rarest as usize + 1];
    matching[rarest as usize] = 1.0;
    for &count in &ordered[1..] {
        let mut next = vec![0.0; matching.len()];
        for (held, &chance) in matching.iter().enumerate().filter(|&(_, &chance)| chance > 0.0) {
            draw(people, held as u64, count, |hit, share| next[hit as usize] += chance * share);
        }
        matching = next;
    }
    (1.0 - matching[0]).clamp(0.0, 1.0)
}

/// Above this many candidates the distribution is not worked out.
const LARGE: u64 = 256;

/// The hypergeometric distribution: of `people` positions `marked` are marked and `drawn` are drawn.
fn draw(people: u64, marked: u64, drawn: u64, mut each: impl FnMut(u64, f64)) {
    let least = (marked + drawn).saturating_sub(people);
    let most = marked.min(drawn);
    // Relative to the first term, then scaled: no factorial is ever formed.
    let mut terms = vec![1.0];

    for hit in least..most {
        let up = (marked - hit) as f64 * (drawn - hit) as f64;
        let down = (hit + 1) as f64 * (people + hit + 1 - marked - drawn) as f64;
        let mut term = terms.last().copied().unwrap_or(1.0) * up / down;
        if term > 1e200 {
            terms.iter_mut().for_each(|earlier| *earlier /= term);
            term = 1.0;
        }

        terms.push(term);
    }
    let all: f64 = terms.iter().sum();
    for (hit, term) in (least..=most).zip(terms) {
        each(hit, term / all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_all_linkings() {
        // One of four has the first value, two the second: half of the linkings join them.
        assert!((chance_of_a_match(4, &[1, 2]) - 0.5).abs() < 1e-12);
        assert!((chance_of_a_match(4, &[2, 2]) - 5.0 / 6.0).abs() < 1e-12);
        // Three columns, one each of three: a match needs two coincidences.
        assert!((chance_of_a_match(3, &[1, 1, 1]) - 1.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn what_can_not_be_kept_apart_is_certain_and_what_is_absent_impossible() {
        assert!((chance_of_a_match(4, &[3, 2]) - 1.0).abs() < 1e-12);
        assert!(chance_of_a_match(4, &[4, 0]).abs() < 1e-12);
        assert!((chance_of_a_match(4, &[3]) - 1.0).abs() < 1e-12);
        assert!((chance_of_a_match(9, &[]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn large_counts_have_a_chance_too() {
        let worked_out = chance_of_a_match(1_000_000, &[256, 4000]);
        let estimated = chance_of_a_match(1_000_000, &[257, 4000]);
        assert!(worked_out < estimated && estimated - worked_out < 0.002, "{worked_out} {estimated}");
    }
}
