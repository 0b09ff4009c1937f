//! Random tables: skewed, constant, unique and correlated columns, missing values, weights, several rows a person, identifiers that should not repeat, values at the ends of
//! intervals, and hierarchies of every shape.

use crate::case::{Column, Tree};
use crate::cell::{Cell, CellType};
use crate::dice::Dice;

/// What is wanted of a table.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one wish each")]
pub struct Wish {
    /// Every quasi-identifier has a hierarchy.
    pub trees: bool,
    /// Quasi-identifiers are mostly numbers.
    pub numbers: bool,
    /// The number of quasi-identifiers, at least.
    pub quasi: usize,
    /// The number of sensitive attributes, at least and at most.
    pub sensitive: (usize, usize),
    /// The sensitive attribute lacks no value, and has a hierarchy from a file.
    pub sensitive_tree: bool,
    /// The sensitive attribute is a number or a date without missing values.
    pub sensitive_number: bool,
    /// Sensitive attributes have categories.
    pub categories: bool,
    /// No insensitive attributes.
    pub nothing_open: bool,
    /// Several rows may belong to one person.
    pub persons: bool,
    /// The most rows.
    pub rows: usize,
}

/// How the values of a column come about.
#[derive(Clone, Copy)]
enum Spread {
    Constant,
    Even,
    Skewed,
    Unique,
    /// Follows the column before, mostly.
    Follows,
}

/// Columns and rows.
pub type Drawn = (Vec<Column>, Vec<Vec<Cell>>);

/// Draws a table.
pub fn table(dice: &mut Dice, wish: Wish) -> Drawn {
    let rows = match dice.below(20) {
        0 => dice.below(3),
        1..3 => dice.below(8),
        3..15 => 4 + dice.below(36),
        15..19 => 30 + dice.below(90),
        _ => 100 + dice.below(201),
    }
    .min(wish.rows);
    let mut columns = Vec::new();
    let mut values: Vec<Vec<Cell>> = Vec::new();
    let mut add = |dice: &mut Dice, name: String, role: &'static str, kind: CellType, whole: bool| {
        let column = values_of(dice, kind, rows, values.last(), whole);
        columns.push(Column { name, kind, role, tree: Tree::None, categories: Vec::new(), limits: Vec::new() });
        values.push(column);
    };
    if wish.persons {
        add(dice, "id".to_owned(), "person", CellType::Whole, true);
    }
    let kinds: &[CellType] = if wish.numbers {
        &[CellType::Whole, CellType::Whole, CellType::Hundredths, CellType::Day, CellType::Text]
    } else {
        &[CellType::Whole, CellType::Text, CellType::Text, CellType::Hundredths, CellType::Day, CellType::Flag]
    };
    for index in 0..wish.quasi.max(1) + dice.skewed(5) {
        let first_is_number = wish.numbers && index == 0;
        let kind = if first_is_number { CellType::Whole } else { *dice.pick(kinds) };
        let full = dice.percent(75);
        add(dice, format!("q{index}"), "quasi", kind, full);
    }
    let (least, most) = wish.sensitive;
    for index in 0..least + dice.below(most - least + 1) {
        let kind = match () {
            () if wish.sensitive_number => *dice.pick(&[CellType::Whole, CellType::Whole, CellType::Hundredths]),
            () if wish.sensitive_tree || wish.categories => CellType::Text,
            () => *dice.pick(&[CellType::Text, CellType::Text, CellType::Whole, CellType::Hundredths]),
        };
        let full = wish.sensitive_tree || wish.sensitive_number || dice.percent(85);
        add(dice, format!("s{index}"), "sensitive", kind, full);
    }
    if !wish.nothing_open && dice.percent(15) {
        let kind = *dice.pick(&[CellType::Whole, CellType::Text]);
        add(dice, "i0".to_owned(), "insensitive", kind, true);
    }
    if dice.percent(5) {
        add(dice, "d0".to_owned(), "drop", CellType::Text, false);
    }
    let weighted = !wish.persons && dice.percent(18);
    if weighted {
        columns.push(Column {
            name: "w".to_owned(),
            kind: CellType::Whole,
            role: "weight",
            tree: Tree::None,
            categories: Vec::new(),
            limits: Vec::new(),
        });
        values.push((0..rows).map(|_| Cell::Whole(if dice.percent(60) { 1 } else { dice.between(1, 4) })).collect());
    }
    if !wish.persons && dice.percent(20) {
        // Mostly everybody's own; where one repeats, nothing may be published.
        let repeated = if dice.percent(15) { dice.below(rows) } else { rows };
        let name = |row: usize| Cell::Text(format!("p{}", if row == repeated { 0 } else { row }));
        columns.push(Column {
            name: "id".to_owned(),
            kind: CellType::Text,
            role: "identifier",
            tree: Tree::None,
            categories: Vec::new(),
            limits: Vec::new(),
        });
        values.push((0..rows).map(name).collect());
    }
    for (column, cells) in columns.iter_mut().zip(&values) {
        match column.role {
            "quasi" => column.tree = tree(dice, column.kind, cells, wish.trees),
            "sensitive" => {
                if wish.sensitive_tree {
                    column.tree = Tree::File(paths(dice, cells));
                }
                if wish.categories {
                    column.categories = categories(dice, cells);
                }
            }
            _ => {}
        }
    }
    let rows = (0..rows).map(|row| values.iter().map(|column| column[row].clone()).collect()).collect();
    (columns, rows)
}

fn values_of(dice: &mut Dice, kind: CellType, rows: usize, before: Option<&Vec<Cell>>, full: bool) -> Vec<Cell> {
    let spread = match dice.below(12) {
        0 => Spread::Constant,
        1..5 => Spread::Even,
        5..9 => Spread::Skewed,
        9 => Spread::Unique,
        _ => Spread::Follows,
    };
    let size = 2 + dice.skewed(14);
    let (first, step) = (dice.between(0, 30), *dice.pick(&[1, 1, 2, 5, 10]));
    let lacking = if full { 0 } else { 1 + dice.below(25) };
    let mut followed: Vec<Cell> = before.into_iter().flatten().cloned().collect();
    followed.sort();
    followed.dedup();
    (0..rows)
        .map(|row| {
            if dice.percent(lacking) {
                return Cell::Missing;
            }
            let index = match spread {
                Spread::Constant => 0,
                Spread::Even => dice.below(size),
                Spread::Skewed => dice.skewed(size),
                Spread::Unique => row,
                Spread::Follows => {
                    let same = before.and_then(|column| followed.binary_search(&column[row]).ok()).unwrap_or(0);
                    if dice.percent(80) { same % size } else { dice.below(size) }
                }
            };
            value(kind, first + step * index as i64)
        })
        .collect()
}

/// The value of a number: tenths lie at the ends of intervals, days at the ends of months and years.
fn value(kind: CellType, number: i64) -> Cell {
    match kind {
        CellType::Whole => Cell::Whole(number),
        CellType::Hundredths => Cell::Hundredths(number * 10),
        CellType::Day => {
            let (year, rest) = (1980 + number / 6, number % 6);
            let (month, day) = [(1, 1), (1, 31), (2, 28), (3, 31), (6, 30), (12, 31)][rest as usize];
            Cell::Day(year, month, day)
        }
        CellType::Text => {
            let letter = char::from(b'a' + (number % 3) as u8);
            Cell::Text(format!("{letter}{number}"))
        }
        CellType::Flag => Cell::Flag(number % 2 == 0),
    }
}

fn tree(dice: &mut Dice, kind: CellType, cells: &[Cell], needed: bool) -> Tree {
    if !needed && dice.percent(40) {
        return if kind.is_number() && dice.percent(30) { Tree::Free } else { Tree::None };
    }
    match kind {
        CellType::Whole => match dice.below(3) {
            0 => Tree::Balanced(2 + dice.below(2)),
            1 => Tree::File(paths(dice, cells)),
            _ => Tree::Intervals((*dice.pick(&["[5, 10, 20]", "[2, 4]", "[10]", "[3, 6, 12, 24, 48]"])).to_owned()),
        },
        CellType::Hundredths => match dice.below(2) {
            0 => Tree::Balanced(2),
            _ => Tree::Intervals((*dice.pick(&["[0.5, 1]", "[0.1, 0.2]", "[0.3, 0.6, 1.2]", "[1, 5]"])).to_owned()),
        },
        CellType::Day => Tree::Dates(
            (*dice.pick(&["[\"month\", \"year\"]", "[\"year\"]", "[\"month\", \"quarter\", \"year\", \"decade\"]"]))
                .to_owned(),
        ),
        CellType::Text => match dice.below(3) {
            0 => Tree::Mask(dice.percent(50)),
            _ => Tree::File(paths(dice, cells)),
        },
        CellType::Flag => Tree::None,
    }
}

/// A hierarchy from a file: flat, deep, or of uneven depth, with a leaf that nobody has.
fn paths(dice: &mut Dice, cells: &[Cell]) -> Vec<Vec<String>> {
    let mut leaves: Vec<&Cell> = cells.iter().filter(|cell| !cell.is_missing()).collect();
    leaves.sort();
    leaves.dedup();
    let mut leaves: Vec<String> = leaves.into_iter().map(ToString::to_string).collect();
    if leaves.first().is_none_or(|leaf| leaf.starts_with(['a', 'b', 'c'])) {
        leaves.push("zz".to_owned());
    }
    if cells.iter().any(Cell::is_missing) {
        // An empty leaf stands for a missing value.
        leaves.push(String::new());
    }
    let (depth, uneven, arity) = (dice.below(4), dice.percent(30), 2 + dice.below(3));
    let path = |(index, leaf): (usize, String)| {
        let mut path = vec![leaf];
        let mut node = index;
        let levels = if uneven && index % 3 == 0 { depth / 2 } else { depth };
        for level in 1..=levels {
            node /= arity;
            // Lines of another length must not share a label at another height.
            let length = if uneven && index % 3 == 0 { "u" } else { "n" };
            path.push(format!("{length}{level}_{node}"));
        }
        path.push("*".to_owned());
        path
    };
    leaves.into_iter().enumerate().map(path).collect()
}

fn categories(dice: &mut Dice, cells: &[Cell]) -> Vec<Vec<String>> {
    let mut values: Vec<String> = cells.iter().map(ToString::to_string).collect();
    values.sort();
    values.dedup();
    let mut lists = vec![Vec::new(); 1 + dice.below(4)];
    for value in values {
        let list = dice.below(lists.len());
        lists[list].push(value);
    }
    lists
}
