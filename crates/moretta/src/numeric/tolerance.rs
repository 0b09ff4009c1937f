//! Every tolerance of the library, by what it covers and why it can't turn a promise.
//!
//! Floats are relative to 2⁻⁵³ ≈ 10⁻¹⁶. A sum of n positive terms, or a product of n factors, is off by at most n of these
//! relatively; tables have at most some 10⁶ terms, so that 10⁻⁹ covers every sum of the library with room to spare, and
//! 10⁻¹² every sum over the values of one attribute. Constants that happen to be equal stay apart: each has a
//! meaning of its own, and may change alone.

use std::ops::Range;

// What a promise may know.

/// By how many nats a distance with logarithms, computed in floats, may miss its bound and still keep the promise.
///
/// It forgives rounding, not people: 10⁵ terms whose sizes sum to s round by some s · 10⁻¹¹ at worst, and a promise that
/// holds with equality (a group distributed as the table, ℓ values equally frequent) must not fail. The promise so made is
/// one of t + 10⁻⁹, as the pages of these models say: beliefs may move by a factor of exp(10⁻⁹) more than t says.
/// Distances that are fractions never see it; those between numbers without a common unit below 2⁶⁴ do.
pub const LOGARITHM: f64 = 1e-9;

/// A float nearer than this, relatively, to the bound of a promise decides nothing: integers decide.
///
/// Sums of up to a million positive floats, each a product of up to a thousand, are closer to the truth. It can't turn a
/// promise: too large a value only costs time.
pub const NEAR_BOUND: f64 = 1e-9;

/// A product of many beliefs within this relative distance of its bound counts as beyond it.
///
/// Some 10⁶ groups cover a combination at most. It errs on the safe side: a release that keeps its promise by less is refused.
pub const PRODUCT_OF_BELIEFS: f64 = 1e-9;

/// A target that is derived from a bound t stays below t by this much.
///
/// Its distance is measured on shares rounded to 2⁻⁵⁰. It errs on the safe side: the group's own promise is then proved
/// by its definition.
pub const DERIVED_TARGET: f64 = 1e-9;

/// How much farther apart, relatively, two blurred people are taken to be than their coordinates say.
///
/// Covers the rounding of coordinates and of sums of squares over at most some hundred of them. Who is farther away hides
/// less: anonymity is counted too low.
pub const COORDINATES: f64 = 1e-9;

/// The relative error of [`crate::kind::uncertain::math::normal::upper_tail`], which has about 15 digits, generously; chances are
/// lowered by it, so that anonymity is counted too low.
pub const TAIL: f64 = 1e-12;

/// How far the tabulated tail of the normal distribution may be from the truth, in either direction.
///
/// Hermite interpolation in steps h = 1/128 errs by at most h⁴/384 · max |φ‴| < 6 · 10⁻¹²; a test compares it
/// everywhere. Bounds on anonymity are widened by it.
pub const FAST_TAIL: f64 = 1e-11;

/// More than the normal tail beyond 7.9, which is 1.4 · 10⁻¹⁵: what a far box adds at most.
pub const FAR_TAIL: f64 = 2e-15;

/// How much wider, relatively, a turned box is taken to be than computed: sums of some hundred products.
/// What lies in it is bounded from both sides, whatever was rounded.
pub const TURNED_BOX: f64 = 1e-12;

/// Half the side of a uniform density around its published centre, with what rounding the centre adds.
///
/// A centre is rounded to ten thousandth parts of the power of ten below the scale, so by 0.00005 of the scale at most;
/// as much again is room for how the scale itself was rounded. The rounding of floats, which goes with the size of the
/// centre, is not in it.
pub const HALF_SIDE: f64 = 0.5001;

/// The rounding of a float, relatively to its size, in the six steps that lead from an original value to its published
/// centre and from that to an end of its side.
pub const CENTER: f64 = 6.0 * f64::EPSILON;

// What is measured: attacks, estimates, losses. Nothing here is promised.

/// By how much what an attack measures may exceed the limit of a promise and still keep it.
///
/// A measurement is a sum of floats, the limit a number of the policy. The promise itself is proved apart, from whole
/// numbers: an attack that reports 0.2 + 10⁻¹⁷ against 0.2 would cry wolf.
pub const MEASURED: f64 = 1e-9;

/// How often a sound release may be called spoiled for its order, by all tests of one attack together: one of a million audits. It decides no promise.
pub const FALSE_ALARMS: f64 = 1e-6;

/// From this belief on an attack calls a value certain.
pub const CERTAIN: f64 = 1.0 - 1e-9;

/// A belief below this is none: what sums that should be 0 leave. Nobody in a table of up to 10¹¹ people has a smaller one.
pub const NO_BELIEF: f64 = 1e-12;

/// Who fits a blurred record as well as its owner but for this much, relatively, fits it as well: the owner does,
/// whatever was rounded.
pub const AS_GOOD_A_FIT: f64 = 1e-9;

/// A distance, in units, below which places are one place.
pub const SAME_PLACE: f64 = 1e-12;

/// The least standard deviation by which a drawn column is divided: one that does not vary stays finite.
pub const LEAST_DEVIATION: f64 = 1e-9;

/// The least share whose logarithm is taken: smaller than any share of draws, larger than 0.
pub const LEAST_SHARE: f64 = 1e-300;

/// A density of which no more than this lies somewhere is not there: the differences of distribution functions that
/// measure it are no better.
pub const NO_MASS: f64 = 1e-12;

/// A density of which less than this lies in the range of values is weighed by the slower, closer formula: tabulated values
/// with an error of 10⁻¹³ would make 10⁻⁷ of a smaller divisor.
pub const LITTLE_MASS: f64 = 1e-6;

/// An expectation is complete when no more than this is missing from its probability.
pub const MISSING_PROBABILITY: f64 = 1e-12;

/// A part of a density that is too small to be worth another factor: a million of them are a thousandth of a record.
pub const NEGLIGIBLE_PART: f64 = 1e-9;

// What searches compare. They choose among plans; each plan is proved by itself.

/// Of two costs, sums over all people, one is lower if it is so by more than this: otherwise a search could turn in circles.
pub const COST_TIE: f64 = 1e-9;

/// The same of shares, which are at most 1 and sums over the values of one attribute.
pub const SHARE_TIE: f64 = 1e-12;

/// A bound that cuts off part of a search leaves this much room, relatively, so that no rounding cuts off the best.
pub const CUT: f64 = 1e-9;

/// What one box costs and another does not is told apart by more than this: the losses of its attributes, summed in another order, differ by less.
pub const OTHER_ORDER: f64 = 1e-9;

/// A rule whose expectation lies below the bound by no more than this is taken: to know more is the safe side.
pub const KNOWN_RULE: f64 = 1e-12;

/// The largest degree to which a value outside a node belongs to it; inside it is 1.
pub const LESS_THAN_INSIDE: f64 = 1.0 - 1e-9;

/// A quotient this near to a whole number is that number, in what people read and in what shares of people come to: with
/// up to 10⁶ it is off by 10⁻¹⁰. Where it rounds a published scale, the result is compared with the scale once more.
pub const WHOLE: f64 = 1e-9;

// Where numerical methods begin and end.

/// A power series ends where its next term is below this part of the sum: a tenth of a float's last digit.
pub const SERIES: f64 = 1e-17;

/// A matrix is diagonal when this part of its squares lies beside the diagonal: entries of 10⁻¹⁴, a float's rounding.
pub const DIAGONAL: f64 = 1e-28;

/// The scale found for a record is at most this much, relatively, above the smallest one; never below it.
pub const SCALE_ABOVE_LEAST: f64 = 0.01;

/// The least scale of all, in units of the frame: a density must exist even where duplicates alone suffice.
pub const LEAST_SCALE: f64 = 1e-6;

/// Scales up to this come from duplicates and are no guess for neighbours. A guess decides only how long a search takes.
pub const SCALE_OF_DUPLICATES: f64 = 1e-5;

/// The least first guess of a scale, in units.
pub const LEAST_GUESS: f64 = 1e-4;

/// No search for a scale looks more closely than this: its ends are safe by themselves.
pub const CLOSEST_LOOK: f64 = 1e-9;

/// The least part of what is wanted by which a step towards a scale is measured, so that it stays finite.
pub const LEAST_REACHED: f64 = 1e-9;

/// The units in which coordinates can be measured: their squares are numbers still.
pub const MEASURABLE: Range<f64> = 1e-100..1e100;
