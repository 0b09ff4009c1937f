//! Occupations: who works in them, for whom, and for how much.

use super::super::draw::{along, bell};

/// Branches within which people work for the same kinds of employer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Branch {
    Office,
    Learned,
    Health,
    School,
    State,
    Trade,
    Craft,
    Farm,
}

/// All branches, in the order of their numbers.
pub(super) const BRANCHES: [Branch; 8] = [
    Branch::Office,
    Branch::Learned,
    Branch::Health,
    Branch::School,
    Branch::State,
    Branch::Trade,
    Branch::Craft,
    Branch::Farm,
];

/// An occupation: its name, its branch, the usual level of schooling, women in a hundred, how many
/// people of that schooling work in it, and the salary class of a middle-aged man.
pub(super) struct Occupation {
    pub(super) label: &'static str,
    pub(super) branch: Branch,
    pub(super) schooling: u64,
    pub(super) women: u64,
    pub(super) people: u64,
    pub(super) pay: usize,
}

const fn job(label: &'static str, branch: Branch, schooling: u64, women: u64, people: u64, pay: usize) -> Occupation {
    Occupation { label, branch, schooling, women, people, pay }
}

pub(super) const OCCUPATIONS: [Occupation; 50] = [
    job("Accountant", Branch::Office, 13, 60, 60, 29),
    job("Administrative assistant", Branch::Office, 10, 88, 70, 16),
    job("Architect", Branch::Learned, 14, 28, 24, 33),
    job("Assembler", Branch::Craft, 7, 36, 55, 13),
    job("Bookkeeper", Branch::Office, 11, 84, 50, 18),
    job("Bus driver", Branch::State, 8, 42, 40, 15),
    job("Carpenter", Branch::Craft, 7, 4, 65, 18),
    job("Cashier", Branch::Trade, 6, 70, 90, 7),
    job("Chief executive", Branch::Office, 14, 26, 34, 44),
    job("Childcare worker", Branch::School, 10, 92, 50, 8),
    job("Cleaner", Branch::Trade, 4, 62, 110, 8),
    job("Clergy", Branch::Learned, 14, 22, 22, 20),
    job("Computer programmer", Branch::Learned, 13, 24, 60, 35),
    job("Construction labourer", Branch::Craft, 5, 5, 100, 13),
    job("Cook", Branch::Trade, 6, 42, 80, 9),
    job("Customer service agent", Branch::Office, 10, 66, 60, 13),
    job("Dentist", Branch::Health, 15, 34, 50, 42),
    job("Designer", Branch::Learned, 13, 54, 36, 24),
    job("Electrician", Branch::Craft, 10, 4, 60, 25),
    job("Engineer", Branch::Learned, 14, 16, 60, 36),
    job("Farm worker", Branch::Farm, 2, 24, 110, 8),
    job("Farmer", Branch::Farm, 8, 22, 45, 17),
    job("Financial manager", Branch::Office, 13, 52, 44, 36),
    job("Firefighter", Branch::State, 11, 8, 36, 28),
    job("Gardener", Branch::Craft, 5, 8, 75, 11),
    job("Hairdresser", Branch::Trade, 9, 88, 40, 11),
    job("Lawyer", Branch::Learned, 15, 38, 90, 42),
    job("Librarian", Branch::School, 14, 82, 26, 21),
    job("Lorry driver", Branch::Craft, 8, 8, 80, 20),
    job("Machinist", Branch::Craft, 9, 10, 55, 21),
    job("Maid", Branch::Trade, 3, 88, 80, 6),
    job("Mechanic", Branch::Craft, 9, 3, 60, 20),
    job("Nurse", Branch::Health, 12, 89, 90, 28),
    job("Nursing aide", Branch::Health, 8, 88, 70, 11),
    job("Operations manager", Branch::Office, 12, 34, 70, 31),
    job("Packer", Branch::Craft, 4, 52, 80, 9),
    job("Pharmacist", Branch::Health, 15, 54, 46, 40),
    job("Physician", Branch::Health, 15, 36, 80, 46),
    job("Plumber", Branch::Craft, 9, 3, 45, 24),
    job("Police officer", Branch::State, 11, 18, 50, 29),
    job("Postal clerk", Branch::State, 9, 44, 40, 22),
    job("Primary teacher", Branch::School, 13, 80, 80, 23),
    job("Receptionist", Branch::Office, 9, 91, 50, 11),
    job("Sales representative", Branch::Trade, 12, 36, 60, 27),
    job("Scientist", Branch::Learned, 16, 42, 120, 33),
    job("Secondary teacher", Branch::School, 14, 58, 60, 25),
    job("Shop assistant", Branch::Trade, 8, 54, 90, 10),
    job("Social worker", Branch::Health, 13, 80, 40, 20),
    job("University lecturer", Branch::School, 16, 45, 120, 30),
    job("Waiter", Branch::Trade, 8, 68, 70, 8),
];

/// How many people of this schooling and gender work in an occupation.
///
/// Experience makes up for some schooling, less of it where a degree is required; no pupil is a physician.
pub(super) fn workers(occupation: &Occupation, schooling: u64, gender: usize) -> u64 {
    let waived = if occupation.schooling > 13 { 2 } else { 5 };
    if schooling + waived < occupation.schooling {
        return 0;
    }
    let share = [occupation.women, 100 - occupation.women][gender];
    occupation.people * share * bell(schooling.abs_diff(occupation.schooling), 2)
}

pub(super) const WORK_CLASSES: [&str; 10] = [
    "Private company",
    "Non-profit organisation",
    "Local government",
    "State government",
    "Federal government",
    "Self-employed incorporated",
    "Self-employed",
    "Family worker without pay",
    "Unemployed",
    "Not in the labour force",
];

/// How often each of [`WORK_CLASSES`] occurs in a branch at an age; the occupation is the usual or last one.
pub(super) fn work_classes_of(branch: Branch, age: u64) -> [u64; 10] {
    let [company, charity, local, state, federal, owner, own_account, family] = match branch {
        Branch::Office => [720, 70, 50, 40, 35, 50, 34, 1],
        Branch::Learned => [600, 70, 40, 50, 60, 80, 99, 1],
        Branch::Health => [560, 180, 70, 70, 40, 40, 38, 2],
        Branch::School => [170, 140, 460, 170, 10, 10, 38, 2],
        Branch::State => [110, 15, 520, 130, 220, 2, 2, 1],
        Branch::Trade => [820, 25, 30, 15, 10, 30, 65, 5],
        Branch::Craft => [760, 10, 35, 20, 20, 45, 107, 3],
        Branch::Farm => [430, 10, 10, 15, 10, 70, 405, 50],
    };
    let jobless = along(&[(15, 150), (25, 60), (65, 30), (92, 5)], age);
    let idle = along(&[(15, 900), (18, 400), (25, 120), (55, 150), (62, 400), (70, 1_500), (92, 9_000)], age);
    [company, charity, local, state, federal, owner, own_account, family, jobless, idle]
}

/// Salary classes: 1 to this, each a band of equal width.
pub(super) const SALARY_CLASSES: usize = 50;

/// What experience adds to the pay of an occupation, in salary classes.
pub(super) fn pay_at(age: u64) -> usize {
    along(&[(15, 0), (25, 5), (35, 9), (50, 12), (65, 10), (92, 6)], age) as usize
}

/// What schooling adds, beyond opening the occupation.
pub(super) fn pay_for(schooling: u64) -> usize {
    along(&[(0, 0), (8, 3), (13, 7), (16, 9)], schooling) as usize
}

/// What is added for each gender.
pub(super) const PAY_BY_GENDER: [usize; 2] = [0, 3];

/// What is added in each of [`WORK_CLASSES`].
pub(super) const PAY_BY_CLASS: [usize; 10] = [10, 9, 10, 10, 12, 15, 8, 2, 3, 4];

/// The additions of a person in the middle of working life, for whom the pay of an occupation is meant.
pub(super) const BASE: usize = 27;

/// How often each salary class occurs around a typical one.
pub(super) fn salaries_around(typical: usize) -> impl Iterator<Item = u64> {
    (0..SALARY_CLASSES).map(move |class| bell(class.abs_diff(typical) as u64, 9))
}
