//! The sizes of the independent rounding errors of compositions over a row of exact f32, in their own
//! precision.
//!
//! The formulas are those of a running error analysis (N. Higham, *Accuracy and Stability of Numerical
//! Algorithms*, §3.3) with independent errors, which join at right angles; terms of second order have no
//! effect on two digits.

use crate::functions::exponential;
use crate::isa::vectorised;
use crate::pairs::Operand;
use crate::perturbation::ulp;

/// An error of 3 ULP of a function, in units of roundoff.
const FUNCTION: f64 = 6.0;

/// An error of 2.5 ULP of a quotient, in units of roundoff.
const QUOTIENT: f64 = 5.0;

vectorised! {
    /// Writes the error of each softmax weight `y` of the row `x`: that of x − max, which e^x makes relative,
    /// of eˣ, of the sum and of the quotient, and one ULP. False if `y` differs from the weights by more.
    pub fn softmax(x: &[f32], y: &[f32], unit: f64, errors: &mut [f64], powers: &mut [f64]) -> bool {
        let greatest = f64::from(x.iter().fold(f32::NEG_INFINITY, |most, &x| if x > most { x } else { most }));
        let (mut sum, mut squares, mut magnitudes) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        for (place, ((x, power), error)) in x.iter().zip(powers.iter_mut()).zip(errors.iter_mut()).enumerate() {
            let distance = f64::from(*x) - greatest;
            let value = exponential(distance);
            // The distance is an argument with an error of its own.
            let apart = unit * distance.abs();
            let carried = if value > 0.0 { value * (apart + 0.5 * apart * apart) } else { 0.0 };
            let own = FUNCTION * unit * (value + carried);
            let both = joint(carried, own);
            (*power, *error) = (value, both);
            let lane = place % 8;
            sum[lane] += value;
            squares[lane] += both * both;
            magnitudes[lane] += value + both;
        }
        let (sum, squares) = (sum.iter().sum::<f64>(), squares.iter().sum::<f64>());
        let growth = (x.len() as f64).sqrt() * unit * magnitudes.iter().sum::<f64>();
        let of_sum = joint(squares.sqrt(), growth);
        let room = sum - of_sum;
        let mut agrees = greatest.is_finite() & (room > 0.0);
        for ((y, power), error) in y.iter().zip(powers.iter()).zip(errors.iter_mut()) {
            let value = power / sum;
            let of_quotient = value * of_sum;
            let carried = joint(*error, of_quotient) / room;
            let own = QUOTIENT * unit * (value + carried);
            let result = f64::from(*y);
            *error = joint(carried, own) + ulp(result);
            agrees &= (value - result).abs() <= *error;
        }
        agrees
    }
}

vectorised! {
    /// Writes v·|x| + r of a `line` [v, r] and one ULP of the result `y` for each number `x`.
    pub fn line(x: &[f32], y: &[f32], line: [f64; 2], errors: &mut [f64]) {
        let [value, rest] = line;
        for ((x, y), error) in x.iter().zip(y).zip(errors) {
            *error = value * f64::from(x.abs()) + rest + ulp(f64::from(*y));
        }
    }

    /// Writes the error of each sum `y` of products whose magnitudes sum up to `of`: u·Σ|a·b| of partial
    /// sums of random signs, and `growth` of the greatest partial sum of one sign, which may be without the
    /// `bias`.
    pub fn sums(of: &[f32], y: &[f32], bias: Operand<'_>, factors: [f64; 2], errors: &mut [f64]) {
        let [unit, growth] = factors;
        let error = |of: f32, y: f32, bias: f32| {
            let (y, bias) = (f64::from(y), f64::from(bias));
            let error = f64::from(of.abs()) * unit + growth * y.abs().max((y - bias).abs());
            // 0 · ∞
            if error >= 0.0 { error } else { f64::INFINITY }
        };
        let all = of.iter().zip(y).zip(errors);
        match bias {
            Operand::One(bias) => all.for_each(|((of, y), into)| *into = error(*of, *y, bias)),
            Operand::Row(bias) => {
                all.zip(bias).for_each(|(((of, y), into), bias)| *into = error(*of, *y, *bias));
            }
        }
    }
}

/// The size of two independent errors.
#[inline(always)]
fn joint(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

/// The unit roundoff of what a row is normalised in, and ε.
#[derive(Clone, Copy, Debug)]
pub struct Precision {
    /// The unit roundoff.
    pub unit: f64,
    /// What is added to the variance.
    pub epsilon: f64,
    /// Whether the variance may be computed in one pass.
    pub one_pass: bool,
}

/// The scale and the bias of each element of a row.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    /// One for each element.
    pub scale: &'a [f32],
    /// One for each element, or none.
    pub bias: &'a [f32],
}

/// Numbers of a row with errors that are known for the whole row.
#[derive(Clone, Copy, Debug)]
struct Row {
    mean: f64,
    of_mean: f64,
    inverse: f64,
    of_inverse: f64,
    /// The greatest error of a normalised element beside its magnitude.
    limit: f64,
}

impl Precision {
    /// Writes the error of each element `y` of the normalised row `x`: (x − mean) / √(variance + ε) · scale +
    /// bias. The variance is computed in two passes or, if it may be, in one, whichever loses more. False if
    /// `y` differs from the formula by more.
    pub fn normalise(self, x: &[f32], affine: Affine<'_>, y: &[f32], errors: &mut [f64]) -> bool {
        let mut sums = [0.0; 2];
        totals(x, &mut sums);
        let [sum, magnitude] = sums;
        let (count, unit) = (x.len() as f64, self.unit);
        let growth = count.sqrt() * unit;
        let mean = sum / count;
        let of_mean = magnitude * growth / count;
        let of_mean = joint(of_mean, QUOTIENT * unit * (mean.abs() + of_mean));
        let mut totals = [0.0; 4];
        distances(x, [mean, of_mean, unit], &mut totals);
        let [squares, of_squares, magnitudes, about_zero] = totals;
        let carried = joint(of_squares.sqrt(), magnitudes * growth) / count;
        let variance = squares / count;
        let two_pass = joint(carried, QUOTIENT * unit * (variance + carried));
        let most = mean.abs() + of_mean;
        let one_pass = if self.one_pass {
            (about_zero / count + most * most) * (count + 4.0).sqrt() * unit
        } else {
            0.0
        };
        let off = two_pass.max(one_pass);
        let (inverse, of_inverse) = self.inverse_deviation(variance, off);
        let wider = 1.0 + (count + 16.0).sqrt() * unit;
        let row = Row {
            mean,
            of_mean,
            inverse,
            of_inverse: of_inverse.min(inverse + wider / self.epsilon.sqrt()),
            limit: count.sqrt() * (one_pass / self.epsilon).sqrt().max(1.0) * wider,
        };
        elements(x, affine, y, &row, unit, errors) && variance.is_finite() && self.epsilon > 0.0
    }

    fn inverse_deviation(self, variance: f64, off: f64) -> (f64, f64) {
        let unit = self.unit;
        let sum = variance + self.epsilon;
        let off = joint(off, unit * (sum + off));
        let root = sum.max(0.0).sqrt();
        let ends = [sum + off, sum - off].map(|end| (end.max(0.0).sqrt() - root).abs());
        let carried = ends[0].max(ends[1]);
        let off = joint(carried, FUNCTION * unit * (root + carried));
        let inverse = root.recip();
        let carried = inverse * off / (root - off);
        let known = if root > off {
            joint(carried, QUOTIENT * unit * (inverse + carried))
        } else {
            f64::INFINITY
        };
        (inverse, known)
    }
}

vectorised! {
    /// Σ x and Σ |x|.
    fn totals(x: &[f32], sums: &mut [f64; 2]) {
        let mut lanes = [[0.0; 8]; 2];
        for (place, x) in x.iter().enumerate() {
            let x = f64::from(*x);
            lanes[0][place % 8] += x;
            lanes[1][place % 8] += x.abs();
        }
        *sums = lanes.map(|lanes| lanes.iter().sum());
    }

    /// Σ d², the sum of the squares of their errors, Σ (d² + error), and Σ x², where d is x − mean.
    fn distances(x: &[f32], parameters: [f64; 3], totals: &mut [f64; 4]) {
        let [mean, of_mean, unit] = parameters;
        let mut lanes = [[0.0; 8]; 4];
        for (place, x) in x.iter().enumerate() {
            let (x, lane) = (f64::from(*x), place % 8);
            let distance = x - mean;
            let off = joint(of_mean, unit * (distance.abs() + of_mean));
            let square = distance * distance;
            let carried = std::f64::consts::SQRT_2 * distance.abs() * off + off * off;
            let error = joint(carried, unit * (square + carried));
            lanes[0][lane] += square;
            lanes[1][lane] += error * error;
            lanes[2][lane] += square + error;
            lanes[3][lane] += x * x;
        }
        *totals = lanes.map(|lanes| lanes.iter().sum());
    }

    fn elements(x: &[f32], affine: Affine<'_>, y: &[f32], row: &Row, unit: f64, errors: &mut [f64]) -> bool {
        let (zero, mut agrees) = ([0.0], true);
        let biases = if affine.bias.is_empty() { &zero } else { affine.bias };
        let has_bias = !affine.bias.is_empty();
        let all = x.iter().zip(affine.scale).zip(biases.iter().cycle()).zip(y).zip(errors);
        for ((((x, scale), bias), y), error) in all {
            let distance = f64::from(*x) - row.mean;
            let off = joint(row.of_mean, unit * (distance.abs() + row.of_mean));
            let normal = distance * row.inverse;
            let carried = joint(distance.abs() * row.of_inverse, row.inverse * off) + off * row.of_inverse;
            let of_normal = joint(carried, unit * (normal.abs() + carried)).min(normal.abs() + row.limit);
            // Rounded to the type of the first stage.
            let of_normal = joint(of_normal, unit * (normal.abs() + of_normal));
            let scale = f64::from(*scale);
            let product = normal * scale;
            let carried = scale.abs() * of_normal;
            let of_product = joint(carried, unit * (product.abs() + carried));
            let result = product + f64::from(*bias);
            let of_sum = joint(of_product, unit * (result.abs() + of_product));
            let known = if has_bias { of_sum } else { of_product };
            let found = f64::from(*y);
            *error = known + ulp(found);
            agrees &= (result - found).abs() <= *error;
        }
        agrees
    }
}
