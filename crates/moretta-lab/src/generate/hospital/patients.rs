//! Patients: where they live, and what they do at which age.

use super::super::draw::along;

pub(super) const SEXES: [&str; 2] = ["female", "male"];

/// How many patients there are of an age.
pub(super) fn patients_of(age: u64) -> u64 {
    along(&[(0, 150), (3, 80), (12, 60), (20, 80), (35, 100), (50, 120), (72, 210), (85, 110), (99, 12)], age)
}

/// Women and men of an age.
pub(super) fn sexes_at(age: u64) -> [u64; 2] {
    let women = along(&[(0, 470), (15, 480), (28, 580), (45, 510), (65, 480), (99, 690)], age);
    [women, 1_000 - women]
}

/// Post districts: the first three digits, how many codes each has, people in its first code, and
/// whether it is in the country.
pub(super) const DISTRICTS: [(u64, u64, u64, bool); 6] = [
    (380, 24, 300, false),
    (381, 16, 180, false),
    (384, 14, 90, false),
    (385, 12, 60, true),
    (391, 14, 45, true),
    (396, 10, 30, true),
];

/// Zip codes with how many people live there and whether it is in the country, sorted.
pub(super) fn zip_codes() -> impl Iterator<Item = (u64, u64, bool)> {
    DISTRICTS.into_iter().flat_map(|(district, codes, people, country)| {
        // Codes three apart: not every number is in use, and people thin out away from the centre.
        (0..codes).map(move |place| (district * 100 + 1 + place * 3, people * 6 / (6 + place), country))
    })
}

/// A profession: how many women and men have it, at which ages, and how many more do in the country,
/// in percent of the town.
pub(super) struct Profession {
    pub(super) label: &'static str,
    /// Weights of women and men.
    sexes: [u64; 2],
    /// Weights along the ages.
    ages: &'static [(u64, u64)],
    country: u64,
}

const fn does(label: &'static str, sexes: [u64; 2], ages: &'static [(u64, u64)], country: u64) -> Profession {
    Profession { label, sexes, ages, country }
}

/// Working ages of those who learn on the job, those who learn a trade, and those who study.
const UNTRAINED: &[(u64, u64)] = &[(15, 0), (18, 60), (25, 100), (60, 90), (66, 20), (72, 0)];
const TRAINED: &[(u64, u64)] = &[(17, 0), (21, 70), (28, 100), (60, 90), (66, 20), (72, 0)];
const STUDIED: &[(u64, u64)] = &[(24, 0), (29, 70), (35, 100), (62, 95), (67, 30), (75, 0)];

pub(super) const PROFESSIONS: [Profession; 24] = [
    does("infant", [100, 100], &[(5, 1_000), (7, 0)], 100),
    does("pupil", [100, 100], &[(5, 0), (7, 1_000), (15, 1_000), (17, 500), (20, 0)], 100),
    does("university student", [60, 50], &[(17, 0), (20, 60), (25, 25), (32, 0)], 60),
    does("homemaker", [20, 2], &[(18, 0), (30, 60), (60, 100), (75, 60), (99, 20)], 130),
    does("unemployed", [8, 10], &[(17, 0), (20, 80), (60, 90), (66, 0)], 90),
    does("retired", [100, 100], &[(56, 0), (62, 40), (66, 400), (75, 900), (99, 900)], 100),
    does("nurse", [20, 3], TRAINED, 90),
    does("physician", [5, 6], STUDIED, 70),
    does("social worker", [8, 3], TRAINED, 80),
    does("kindergarten teacher", [9, 1], TRAINED, 100),
    does("school teacher", [11, 6], STUDIED, 100),
    does("accountant", [7, 6], TRAINED, 70),
    does("office clerk", [16, 7], TRAINED, 80),
    does("lawyer", [3, 4], STUDIED, 50),
    does("software developer", [3, 10], STUDIED, 60),
    does("carpenter", [1, 9], TRAINED, 150),
    does("electrician", [1, 10], TRAINED, 110),
    does("mechanic", [1, 12], TRAINED, 120),
    does("cook", [6, 8], UNTRAINED, 90),
    does("hairdresser", [8, 1], TRAINED, 90),
    does("shop assistant", [16, 7], UNTRAINED, 90),
    does("cleaner", [11, 3], UNTRAINED, 80),
    does("driver", [2, 13], UNTRAINED, 120),
    does("farmer", [4, 8], &[(16, 0), (25, 70), (55, 110), (70, 60), (82, 0)], 600),
];

impl Profession {
    /// How many patients of this age and sex have it, in town or in the country.
    pub(super) fn patients(&self, age: u64, sex: usize, country: bool) -> u64 {
        self.sexes[sex] * along(self.ages, age) * if country { self.country } else { 100 }
    }
}

/// Wards, named by where they are and not by what is treated there: the ward is published as it is,
/// and an oncology ward would publish the diagnosis with it.
pub(super) const WARDS: [(&str, u64); 8] = [
    ("East 1", 14),
    ("East 2", 12),
    ("East 3", 9),
    ("North 1", 16),
    ("North 2", 15),
    ("South 1", 13),
    ("South 2", 11),
    ("South 3", 10),
];
