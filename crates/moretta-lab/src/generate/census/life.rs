//! What goes with age: marriage and schooling.

use super::super::draw::along;

/// The youngest person in the table.
pub(super) const YOUNGEST: u64 = 15;
/// The oldest person in the table.
pub(super) const OLDEST: u64 = 92;

pub(super) const GENDERS: [&str; 2] = ["Female", "Male"];

/// How many people there are of an age.
pub(super) fn people_of(age: u64) -> u64 {
    along(&[(15, 160), (25, 180), (35, 190), (50, 180), (60, 160), (70, 100), (80, 50), (92, 8)], age)
}

/// Women and men of an age: women live longer.
pub(super) fn genders_at(age: u64) -> [u64; 2] {
    let women = along(&[(15, 490), (60, 512), (92, 680)], age);
    [women, 1_000 - women]
}

pub(super) const MARITAL: [&str; 6] =
    ["Never married", "Married", "Married but spouse absent", "Separated", "Divorced", "Widowed"];

/// How often each status of [`MARITAL`] occurs at an age; more women than men outlive their spouse.
pub(super) fn marital_at(age: u64, gender: usize) -> [u64; 6] {
    let widowed = along(&[(15, 1), (40, 8), (60, 50), (75, 220), (92, 620)], age);
    [
        along(&[(15, 1_000), (18, 985), (25, 750), (30, 480), (40, 240), (60, 100), (92, 50)], age),
        along(&[(15, 2), (18, 10), (25, 210), (30, 440), (45, 600), (65, 620), (80, 430), (92, 220)], age),
        along(&[(15, 1), (25, 15), (45, 25), (92, 20)], age),
        along(&[(15, 1), (25, 10), (40, 30), (60, 22), (92, 8)], age),
        along(&[(15, 1), (25, 20), (40, 110), (60, 150), (80, 80), (92, 40)], age),
        widowed * [2, 1][gender],
    ]
}

/// Levels of schooling, lowest first, with the age at which they can be reached and their share.
const SCHOOLING: [(&str, u64, u64); 17] = [
    ("No schooling", 15, 8),
    ("Grades 1-4", 15, 6),
    ("Grades 5-6", 15, 9),
    ("Grades 7-8", 15, 18),
    ("Grade 9", 15, 16),
    ("Grade 10", 16, 20),
    ("Grade 11", 17, 24),
    ("Grade 12 without diploma", 18, 18),
    ("High school diploma", 18, 245),
    ("High school equivalency", 18, 40),
    ("College under one year", 18, 65),
    ("College without degree", 19, 155),
    ("Associate degree", 20, 85),
    ("Bachelor's degree", 21, 185),
    ("Master's degree", 23, 80),
    ("Professional degree", 24, 18),
    ("Doctorate", 26, 14),
];

/// The level at which a fifteen-year-old goes to school; each later year adds one until the diploma.
const GRADE_NINE: u64 = 4;

pub(super) fn education_labels() -> impl Iterator<Item = &'static str> {
    SCHOOLING.iter().map(|&(label, ..)| label)
}

/// How often each level occurs at an age: pupils sit in the grade of their age, the old left school early.
pub(super) fn education_at(age: u64) -> impl Iterator<Item = u64> {
    (0..).zip(&SCHOOLING).map(move |(level, &(_, reached, share))| {
        if age < reached {
            0
        } else if age < 18 && level == GRADE_NINE + age - YOUNGEST {
            share * 20
        } else if age >= 65 && level < 8 {
            share * 3
        } else {
            share
        }
    })
}
