//! Diagnoses: whom they befall, when in the year, and for how long.

use super::super::draw::{along, bell};

/// When in the year a disease is frequent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Season {
    Even,
    Winter,
    Summer,
}

/// All seasons, in the order of their numbers.
pub(super) const SEASONS: [Season; 3] = [Season::Even, Season::Winter, Season::Summer];

impl Season {
    /// How many patients come on a day of the year, counted from 0; Saturdays and Sundays are quiet.
    pub(super) fn patients_on(self, day: u64, weekend: bool) -> u64 {
        let by_season = match self {
            Self::Even => 100,
            Self::Winter => along(&[(0, 190), (45, 220), (120, 60), (200, 20), (280, 50), (364, 190)], day),
            Self::Summer => along(&[(0, 60), (100, 80), (180, 170), (230, 170), (300, 80), (364, 60)], day),
        };
        if weekend { by_season * 6 / 10 } else { by_season }
    }
}

/// A diagnosis: how many women and men have it, at which ages, its season, and the usual days of stay.
pub(super) struct Diagnosis {
    pub(super) label: &'static str,
    /// Weights of women and men.
    sexes: [u64; 2],
    /// Weights along the ages.
    ages: &'static [(u64, u64)],
    pub(super) season: Season,
    stay: u64,
}

const fn ill(
    label: &'static str,
    sexes: [u64; 2],
    ages: &'static [(u64, u64)],
    season: Season,
    stay: u64,
) -> Diagnosis {
    Diagnosis { label, sexes, ages, season, stay }
}

const FERTILE: &[(u64, u64)] = &[(15, 0), (20, 60), (28, 160), (36, 90), (44, 8), (47, 0)];

pub(super) const DIAGNOSES: [Diagnosis; 24] = [
    ill("appendicitis", [5, 6], &[(3, 0), (8, 100), (25, 90), (40, 40), (99, 10)], Season::Even, 3),
    ill("influenza", [6, 6], &[(0, 130), (10, 60), (40, 30), (70, 60), (99, 100)], Season::Winter, 4),
    ill("pneumonia", [6, 7], &[(0, 130), (10, 30), (40, 25), (70, 80), (99, 170)], Season::Winter, 8),
    ill("gastroenteritis", [7, 7], &[(0, 170), (8, 70), (30, 40), (70, 35), (99, 60)], Season::Summer, 3),
    ill("HIV infection", [2, 6], &[(15, 1), (22, 40), (40, 60), (60, 20), (80, 2)], Season::Even, 9),
    ill("pregnancy complication", [9, 0], FERTILE, Season::Even, 3),
    ill("birth complication", [8, 0], FERTILE, Season::Even, 5),
    ill("heart attack", [4, 8], &[(25, 0), (40, 25), (60, 90), (80, 110), (99, 90)], Season::Winter, 8),
    ill("heart failure", [6, 7], &[(25, 0), (45, 10), (65, 70), (85, 150), (99, 170)], Season::Even, 10),
    ill("stroke", [6, 7], &[(20, 0), (45, 15), (65, 80), (85, 130), (99, 130)], Season::Even, 12),
    ill("breast cancer", [9, 0], &[(24, 0), (40, 50), (60, 110), (80, 80), (99, 40)], Season::Even, 6),
    ill("prostate cancer", [0, 9], &[(42, 0), (55, 40), (70, 120), (85, 110), (99, 60)], Season::Even, 7),
    ill("lung cancer", [4, 7], &[(30, 0), (50, 35), (65, 100), (80, 70), (99, 20)], Season::Even, 11),
    ill("depression", [9, 6], &[(11, 0), (18, 60), (45, 65), (65, 40), (99, 20)], Season::Even, 18),
    ill("schizophrenia", [4, 6], &[(15, 0), (23, 60), (40, 40), (70, 12), (99, 2)], Season::Even, 24),
    ill("alcohol dependence", [3, 8], &[(16, 0), (25, 40), (50, 80), (70, 25), (90, 2)], Season::Even, 14),
    ill("asthma", [6, 6], &[(1, 20), (6, 130), (20, 45), (60, 30), (99, 15)], Season::Summer, 3),
    ill("chronic bronchitis", [5, 7], &[(30, 0), (50, 25), (70, 90), (99, 80)], Season::Winter, 9),
    ill("gallstones", [8, 4], &[(15, 0), (35, 50), (60, 80), (99, 50)], Season::Even, 4),
    ill("gastritis", [5, 5], &[(8, 0), (20, 35), (50, 50), (99, 40)], Season::Even, 3),
    ill("type 2 diabetes", [6, 7], &[(20, 0), (40, 25), (60, 90), (80, 80), (99, 40)], Season::Even, 7),
    ill("concussion", [4, 7], &[(0, 40), (8, 130), (20, 80), (40, 30), (70, 20), (99, 50)], Season::Summer, 2),
    ill("forearm fracture", [6, 7], &[(1, 20), (9, 150), (20, 60), (40, 25), (70, 50), (99, 50)], Season::Summer, 2),
    ill("hip fracture", [9, 4], &[(40, 0), (55, 10), (70, 60), (85, 170), (99, 210)], Season::Even, 14),
];

impl Diagnosis {
    /// How many patients of this age and sex have it.
    pub(super) fn patients(&self, age: u64, sex: usize) -> u64 {
        self.sexes[sex] * along(self.ages, age)
    }

    /// How many of them stay for so many days: few leave much earlier than usual, some stay much longer.
    pub(super) fn stays(&self, days: u64) -> u64 {
        let width = if days < self.stay { self.stay / 3 + 1 } else { self.stay / 2 + 2 };
        bell(days.abs_diff(self.stay), width)
    }
}
