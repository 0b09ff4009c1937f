//! Who stands in which range, by chance alone.

use super::layout::ColourRange;
use crate::chance::Stream;
use crate::data::cells::Cells;

/// The people of a range by colour: their cells, in the order of quasi-identifiers, and among equal ones in a random order.
///
/// The order is all that is looked at afterwards: it does not tell which value of her colour somebody has.
pub(super) type Coloured = Vec<Vec<u32>>;

/// Deals out everybody: of the people with a value, any may stand in any range in which it has places, each way as likely as every other.
pub(super) fn deal(cells: &Cells, quasi: usize, ranges: &[ColourRange], stream: &mut Stream<'_>) -> Vec<Coloured> {
    let values = &cells.columns[quasi];
    let sizes = values.iter().max().map_or(0, |&last| last as usize + 1);
    let mut places: Vec<Vec<Place>> = vec![Vec::new(); sizes];
    for (number, range) in ranges.iter().enumerate() {
        for (colour, inside) in range.colours.iter().enumerate() {
            inside.iter().for_each(|&(value, left)| places[value as usize].push(Place { range: number, colour, left }));
        }
    }
    let empty = |range: &ColourRange| vec![Vec::with_capacity(range.width as usize); range.colours.len()];
    let mut dealt: Vec<Coloured> = ranges.iter().map(empty).collect();
    let mut weights = Vec::new();
    for ((cell, &value), &people) in (0..).zip(values).zip(&cells.people) {
        let places = &mut places[value as usize];
        for _ in 0..people {
            let chosen = if places.len() == 1 {
                0
            } else {
                weights.clear();
                weights.extend(places.iter().map(|place| place.left));
                stream.weighted(&weights)
            };
            let place = &mut places[chosen];
            place.left -= 1;
            dealt[place.range][place.colour].push(cell);
        }
    }
    for colour in dealt.iter_mut().flatten() {
        shuffle_equals(cells, quasi, colour, stream);
    }
    dealt
}

/// Places for people of a value.
#[derive(Clone, Debug)]
struct Place {
    range: usize,
    colour: usize,
    left: u64,
}

/// Shuffles people who have the same quasi-identifiers and not the same value. Cells stand in the order of quasi-identifiers, then of values.
fn shuffle_equals(cells: &Cells, quasi: usize, people: &mut [u32], stream: &mut Stream<'_>) {
    let alike =
        |&a: &u32, &b: &u32| cells.columns[..quasi].iter().all(|column| column[a as usize] == column[b as usize]);
    people
        .chunk_by_mut(alike)
        .filter(|equals| equals.first() != equals.last())
        .for_each(|equals| stream.shuffle(equals));
}
