//! The statistics of one output, accumulated element by element.

use onnx_tensor::Tensor;
use run_record::{Disagreements, FirstDifference, Level, OutputStats, ulp_bin};

use super::criteria::{Allowance, Tolerance};
use super::element::{Difference, Special};

/// The maximum number of differing elements that are recorded with their positions.
const MAX_POSITIONS: usize = 4;

/// The number of parts of an output for which differing elements are counted separately.
const PARTS: usize = 48;

/// The status of an element relative to the bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BoundStatus {
    /// The distance from the center, and a finite radius.
    Bounded {
        /// |observed − center|; infinite if exactly one is NaN, or an infinity differs.
        distance: f64,
        /// The maximum distance by rounding.
        radius: f64,
    },
    /// It is one of several right answers: the error of an argument crosses a jump.
    Admitted,
    /// There is no known bound.
    Unknown,
}

impl BoundStatus {
    /// The status of an element of an exact type, which has no bound.
    pub const EXACT: BoundStatus = BoundStatus::Bounded {
        distance: f64::INFINITY,
        radius: 0.0,
    };

    /// The status at a distance from the center. An infinite radius means no bound.
    pub fn at(distance: f64, radius: f64) -> BoundStatus {
        if radius.is_finite() {
            BoundStatus::Bounded { distance, radius }
        } else {
            BoundStatus::Unknown
        }
    }
}

/// The context of an element's difference.
pub struct ElementContext {
    /// The magnitude of the expected value, to which a relative tolerance refers.
    pub magnitude: f64,
    /// Whether the official rule accepts it.
    pub official: bool,
    /// Whether the official tolerance applies to it: it is a float.
    pub tolerant: bool,
    /// Its status relative to the bound.
    pub standing: BoundStatus,
}

/// The result for one output.
pub struct Measured {
    /// The statistics.
    pub stats: OutputStats,
    /// Whether the official rule accepts it.
    pub official: bool,
    /// The number of differing elements for which the policy asks for a bound and none is known.
    pub open: u64,
}

/// The statistics of one output, and whether the official rule accepts it.
pub struct Tally<'a> {
    expected: &'a Tensor,
    tolerance: Tolerance,
    allowance: Allowance,
    signed_zeros: bool,
    stats: OutputStats,
    official: bool,
    open: u64,
    sums: Sums,
    refused: Vec<FirstDifference>,
    unequal: Vec<FirstDifference>,
}

/// Sums over pairs of finite numbers, for the means.
#[derive(Default)]
struct Sums {
    count: f64,
    absolute: f64,
    signed: f64,
    ulp: f64,
    relative: f64,
    /// The number of pairs whose expected value is not zero.
    nonzero: f64,
}

impl<'a> Tally<'a> {
    /// Empty statistics. `bounded`: there is an envelope, or the element type is exact.
    pub fn new(
        stats: OutputStats,
        expected: &'a Tensor,
        tolerance: Tolerance,
        allowance: Allowance,
        signed_zeros: bool,
    ) -> Tally<'a> {
        Tally {
            expected,
            tolerance,
            allowance,
            signed_zeros,
            stats,
            official: true,
            open: 0,
            sums: Sums::default(),
            refused: Vec::new(),
            unequal: Vec::new(),
        }
    }

    /// Adds an element; `texts` returns the observed and the expected value for display.
    pub fn add(
        &mut self,
        index: usize,
        difference: Difference,
        context: &ElementContext,
        texts: impl FnOnce() -> (String, String),
    ) {
        self.official &= context.official || difference.equal;
        self.errors(&difference, context.magnitude);
        if let BoundStatus::Bounded { distance, radius } = context.standing
            && !difference.absolute.is_nan()
        {
            let part = if difference.equal || distance == 0.0 {
                0.0
            } else {
                distance / radius
            };
            self.stats.of_bound = self.stats.of_bound.max(part);
        }
        let other_sign = difference.special == Some(Special::ZeroSign);
        if difference.equal && !other_sign {
            return;
        }
        let copied_wrong = self.signed_zeros && other_sign;
        let level = if other_sign && !copied_wrong {
            // Either zero is right, but not the same bits.
            Level::WithinRounding
        } else {
            level(copied_wrong, context)
        };
        self.stats.level = self.stats.level.max(level);
        self.stats.unequal += u64::from(!difference.equal);
        let allowed = if other_sign && !copied_wrong {
            self.allowance != Allowance::Exact
        } else {
            allows(&self.allowance, copied_wrong, &difference, context)
        };
        if !allowed {
            self.stats.differing += 1;
            let bound = matches!(self.allowance, Allowance::Bound { .. });
            self.open += u64::from(bound && context.standing == BoundStatus::Unknown);
            self.spread(index);
        }
        let list = if allowed {
            &mut self.unequal
        } else {
            &mut self.refused
        };
        if list.len() < MAX_POSITIONS {
            let (actual, expected) = texts();
            list.push(FirstDifference {
                index: position(index, self.expected.shape()),
                actual,
                expected,
            });
        }
    }

    /// Counts a differing element in its part of the output.
    fn spread(&mut self, index: usize) {
        let (all, spread) = (self.expected.len(), &mut self.stats.spread);
        spread.resize(all.min(PARTS), 0);
        // In u128, because the product may overflow a word.
        let part = index as u128 * spread.len() as u128 / all.max(1) as u128;
        if let Some(count) = spread.get_mut(part as usize) {
            *count += 1;
        }
    }

    fn errors(&mut self, difference: &Difference, magnitude: f64) {
        let stats = &mut self.stats;
        count(&mut stats.special, difference.special);
        if difference.absolute.is_nan() {
            return;
        }
        // `f64::max` ignores NaN.
        stats.max_abs = stats.max_abs.max(difference.absolute);
        stats.max_rel = stats.max_rel.max(difference.relative);
        stats.max_ulp = stats.max_ulp.max(difference.ulp);
        let needed = self.tolerance.needed_relative(difference.absolute, magnitude);
        stats.needed_rtol = stats.needed_rtol.max(needed);
        if !difference.absolute.is_finite() || !magnitude.is_finite() {
            return;
        }
        self.sums.add(difference, magnitude);
        let bin = ulp_bin(difference.ulp);
        if stats.ulps.len() <= bin {
            stats.ulps.resize(bin + 1, 0);
        }
        stats.ulps[bin] += 1;
    }

    /// The result.
    pub fn finish(mut self) -> Measured {
        self.sums.means(&mut self.stats);
        self.stats.first = if self.refused.is_empty() {
            self.unequal
        } else {
            self.refused
        };
        Measured {
            stats: self.stats,
            official: self.official,
            open: self.open,
        }
    }
}

impl Sums {
    fn add(&mut self, difference: &Difference, magnitude: f64) {
        self.count += 1.0;
        self.absolute += difference.absolute;
        self.signed += difference.signed;
        self.ulp += difference.ulp;
        if magnitude != 0.0 {
            self.nonzero += 1.0;
            self.relative += difference.relative;
        }
    }

    /// Without elements 0/0, NaN.
    fn means(&self, stats: &mut OutputStats) {
        stats.mean_abs = self.absolute / self.count;
        stats.mean_ulp = self.ulp / self.count;
        stats.bias = self.signed / self.count;
        stats.mean_rel = self.relative / self.nonzero;
    }
}

fn count(counts: &mut Disagreements, special: Option<Special>) {
    match special {
        Some(Special::Nan) => counts.nan += 1,
        Some(Special::Infinity) => counts.infinity += 1,
        Some(Special::ZeroSign) => counts.negative_zero += 1,
        Some(Special::Flushed) => counts.flushed += 1,
        None => {}
    }
}

/// The level of an element that is not equal.
fn level(copied_wrong: bool, context: &ElementContext) -> Level {
    match (context.standing, context.official) {
        // Rounding does not turn −0 into 0 if elements are copied.
        _ if copied_wrong => Level::Tolerated,
        (BoundStatus::Admitted, _) => Level::WithinRounding,
        (BoundStatus::Bounded { distance, radius }, _) if distance <= radius => Level::WithinRounding,
        (BoundStatus::Bounded { .. }, true) => Level::Tolerated,
        (BoundStatus::Unknown, true) => Level::ToleratedNoBound,
        (_, false) => Level::Outside,
    }
}

/// Whether `allowance` accepts an element that is not equal.
fn allows(
    allowance: &Allowance,
    copied_wrong: bool,
    difference: &Difference,
    context: &ElementContext,
) -> bool {
    match allowance {
        // The expected value is a set: every policy that is no measure of the distance accepts its members.
        Allowance::Official | Allowance::Bound { .. } if context.standing == BoundStatus::Admitted => {
            !copied_wrong
        }
        Allowance::Official => copied_wrong || context.tolerant && context.official,
        Allowance::Exact => false,
        Allowance::Tolerance(tolerance) => tolerance.admits(difference.absolute, context.magnitude),
        Allowance::Ulp(ulp) => difference.ulp <= *ulp,
        Allowance::Bound { .. } if copied_wrong => false,
        Allowance::Bound { unbounded } => match context.standing {
            BoundStatus::Bounded { distance, radius } => distance <= radius,
            BoundStatus::Admitted => true,
            BoundStatus::Unknown => allows(unbounded, copied_wrong, difference, context),
        },
    }
}

/// The index of the `flat`-th element in row-major order.
fn position(mut flat: usize, shape: &[usize]) -> Vec<u64> {
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let here = flat % extent.max(1);
            flat /= extent.max(1);
            here as u64
        })
        .collect();
    index.reverse();
    index
}
