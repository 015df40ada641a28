//! Arrays with error bounds, for operators that are compositions.
//!
//! A composition is written again as a chain of the operations below, in f64. Each operation adds the
//! rounding error in the output's precision and propagates the errors of its operands. This is the classic
//! running error analysis (Higham, §3.3), to first order with the products of errors included. The chain
//! follows the formula of the specification.

use ndarray::{ArrayD, Axis, Zip};
use onnx_operators::frame::OpError;

use crate::precision::{Growth, gamma, joint, joint_sum, ulp, with_growth};
use crate::query::reals;
use crate::{Query, Radius};

/// An array with the absolute error of each element.
#[derive(Clone, Debug)]
pub struct ErrorBounded {
    /// The exact values.
    pub value: ArrayD<f64>,
    /// The maximum error of a backend's values; never negative.
    pub error: ArrayD<f64>,
    /// The unit roundoff of the backend's precision.
    unit: f64,
}

impl ErrorBounded {
    /// Values without an error.
    pub fn exact(value: ArrayD<f64>, unit: f64) -> ErrorBounded {
        let error = ArrayD::zeros(value.raw_dim());
        ErrorBounded { value, error, unit }
    }

    /// A number without an error.
    pub fn constant(value: f64, unit: f64) -> ErrorBounded {
        ErrorBounded::exact(ndarray::arr0(value).into_dyn(), unit)
    }

    /// Input `index` of a node with its error; `None` if it is omitted, not a numeric tensor, or of unknown
    /// error.
    pub fn input(query: &Query<'_>, index: usize) -> Option<ErrorBounded> {
        Some(ErrorBounded {
            value: query.input(index)?.into_owned(),
            error: query.error(index)?.into_owned(),
            unit: query.unit(0),
        })
    }

    pub fn shape(&self) -> &[usize] {
        self.value.shape()
    }

    /// The same elements with another shape.
    ///
    /// # Errors
    /// The shape has a different number of elements.
    pub fn reshaped(self, shape: &[usize]) -> Result<ErrorBounded, OpError> {
        let fit = |array: ArrayD<f64>| {
            let array = array.as_standard_layout().into_owned();
            array
                .into_shape_with_order(shape.to_vec())
                .map_err(|_| unfit(shape))
        };
        Ok(ErrorBounded {
            value: fit(self.value)?,
            error: fit(self.error)?,
            unit: self.unit,
        })
    }

    /// The same values, with a different unit roundoff for the following operations.
    pub fn in_unit(self, unit: f64) -> ErrorBounded {
        ErrorBounded { unit, ..self }
    }

    /// The same values after one rounding.
    pub fn rounded(&self) -> ErrorBounded {
        self.map(0.5, |x| x)
    }

    /// The errors, at most those of values that are nowhere greater in magnitude than `most`, which
    /// broadcasts. A limit that is no number has no effect.
    ///
    /// # Errors
    /// The shapes do not broadcast.
    pub fn limit(&mut self, most: &ArrayD<f64>) -> Result<(), OpError> {
        let most = most
            .broadcast(self.value.raw_dim())
            .ok_or_else(|| unfit(most.shape()))?;
        Zip::from(&mut self.error)
            .and(&self.value)
            .and(&most)
            .for_each(|error, value, most| {
                if *most >= 0.0 && value.is_finite() {
                    let reach = value.abs() + most;
                    *error = if error.is_nan() { reach } else { error.min(reach) };
                }
            });
        Ok(())
    }

    /// The axes in another order.
    pub fn permuted(self, axes: &[usize]) -> ErrorBounded {
        ErrorBounded {
            value: self.value.permuted_axes(axes.to_vec()),
            error: self.error.permuted_axes(axes.to_vec()),
            unit: self.unit,
        }
    }

    /// a + b, broadcast.
    ///
    /// # Errors
    /// The shapes do not broadcast, also for the methods below.
    pub fn plus(&self, other: &ErrorBounded) -> Result<ErrorBounded, OpError> {
        self.with(other, |(a, da), (b, db)| (a + b, joint(da, db)), 1.0)
    }

    /// a − b, broadcast.
    pub fn minus(&self, other: &ErrorBounded) -> Result<ErrorBounded, OpError> {
        self.with(other, |(a, da), (b, db)| (a - b, joint(da, db)), 1.0)
    }

    /// a · b, broadcast.
    pub fn times(&self, other: &ErrorBounded) -> Result<ErrorBounded, OpError> {
        self.with(
            other,
            |(a, da), (b, db)| (a * b, joint(a.abs() * db, b.abs() * da) + da * db),
            1.0,
        )
    }

    /// a / b, broadcast; 2.5 ULP. Infinite if b may be 0.
    pub fn over(&self, other: &ErrorBounded) -> Result<ErrorBounded, OpError> {
        let quotient = |(a, da): (f64, f64), (b, db): (f64, f64)| {
            let (value, room) = (a / b, b.abs() - db);
            let carried = if room > 0.0 || db == 0.0 {
                joint(da, value.abs() * db) / room
            } else {
                f64::INFINITY
            };
            (value, if da == 0.0 && db == 0.0 { 0.0 } else { carried })
        };
        self.with(other, quotient, 5.0)
    }

    /// An elementary function with an error of `ulps` ULP. The error of its argument is propagated by the
    /// values at both ends of its interval.
    pub fn map(&self, ulps: f64, f: impl Fn(f64) -> f64) -> ErrorBounded {
        let unit = self.unit;
        let value = self.value.mapv(&f);
        let error = Zip::from(&self.value)
            .and(&self.error)
            .and(&value)
            .map_collect(|x, dx, y| {
                let carried = if *dx == 0.0 {
                    0.0
                } else {
                    (f(x + dx) - y).abs().max((f(x - dx) - y).abs())
                };
                joint(carried, 2.0 * ulps * unit * (y.abs() + carried))
            });
        ErrorBounded { value, error, unit }
    }

    /// Σ over an axis, which is kept with extent 1: γₙ of the magnitudes, for any order.
    pub fn sum(&self, axis: usize) -> ErrorBounded {
        let keep = |array: ArrayD<f64>| array.sum_axis(Axis(axis)).insert_axis(Axis(axis));
        let growth = gamma(self.shape().get(axis).copied().unwrap_or(1) as f64, self.unit);
        let magnitudes = keep(&self.value.mapv(f64::abs) + &self.error) * growth;
        let errors = self
            .error
            .map_axis(Axis(axis), |lane| joint_sum(lane.iter().copied()));
        let errors = errors.insert_axis(Axis(axis));
        ErrorBounded {
            error: Zip::from(&errors)
                .and(&magnitudes)
                .map_collect(|a, b| joint(*a, *b)),
            value: keep(self.value.clone()),
            unit: self.unit,
        }
    }

    /// The mean over an axis, which is kept with extent 1.
    pub fn mean(&self, axis: usize) -> Result<ErrorBounded, OpError> {
        let count = self.shape().get(axis).copied().unwrap_or(1) as f64;
        self.sum(axis).over(&ErrorBounded::constant(count, self.unit))
    }

    /// The maximum over an axis, which is kept with extent 1.
    pub fn greatest(&self, axis: usize) -> ErrorBounded {
        let fold = |array: &ArrayD<f64>, start: f64| {
            array
                .fold_axis(Axis(axis), start, |a, b| a.max(*b))
                .insert_axis(Axis(axis))
        };
        ErrorBounded {
            value: fold(&self.value, f64::NEG_INFINITY),
            error: fold(&self.error, 0.0),
            unit: self.unit,
        }
    }

    fn with(
        &self,
        other: &ErrorBounded,
        f: impl Fn((f64, f64), (f64, f64)) -> (f64, f64),
        roundings: f64,
    ) -> Result<ErrorBounded, OpError> {
        let shape = broadcast(self.shape(), other.shape())?;
        let stretch = |array: &ArrayD<f64>| {
            let stretched = array.broadcast(shape.clone()).ok_or_else(|| unfit(array.shape()));
            stretched.map(|view| view.to_owned())
        };
        let (mut value, mut error) = (stretch(&self.value)?, stretch(&self.error)?);
        let (b, db) = (stretch(&other.value)?, stretch(&other.error)?);
        let share = roundings * self.unit;
        Zip::from(&mut value)
            .and(&mut error)
            .and(&b)
            .and(&db)
            .for_each(|a, da, b, db| {
                let (result, carried) = f((*a, *da), (*b, *db));
                *a = result;
                *da = joint(carried, share * (result.abs() + carried));
            });
        Ok(ErrorBounded {
            value,
            error,
            unit: self.unit,
        })
    }

    /// The radius of output `index` from this derivation ([`derived`]).
    pub fn radius(self, query: &Query<'_>, index: usize, model: &'static str) -> Radius {
        derived(query, index, &self.value, &self.error, model)
    }
}

/// The most roundings of steps to the type of an output, in units of the greatest element.
const STEPS: f64 = 4.0;

/// The radius of output `index` from a derivation of its values and their errors. If the derived values
/// differ from those of the reference, the radius is unknown.
pub fn derived(
    query: &Query<'_>,
    index: usize,
    value: &ArrayD<f64>,
    error: &ArrayD<f64>,
    model: &'static str,
) -> Radius {
    let Some((dtype, center)) = query
        .output(index)
        .and_then(|output| Some((output.dtype(), reals(output)?)))
    else {
        return Radius::unknown("the output is not a numeric tensor");
    };
    if center.shape() != value.shape() {
        return Radius::unknown("the shape of the derivation differs from that of the output");
    }
    // The reference has rounded its result to the type of the output, and its steps where the function body
    // of the operator says so, whatever the precision of the derivation.
    let stored = |y: f64| with_growth(Growth::Worst, || ulp(dtype, y.abs()));
    let steps = if stored(1.0) > ulp(dtype, 1.0) { STEPS } else { 0.0 };
    let finite = center.iter().filter(|y| y.is_finite());
    let greatest = finite.fold(0.0, |most: f64, y| most.max(y.abs()));
    let (mut radius, mut agrees) = (error.clone(), true);
    Zip::from(&mut radius)
        .and(value)
        .and(&center)
        .for_each(|radius, value, y| {
            *radius += ulp(dtype, y.abs());
            let apart = (value - y).abs();
            // Beside an infinity nothing is known of an error.
            if !apart.is_finite() || radius.is_nan() {
                return;
            }
            agrees &= apart <= *radius + stored(*y) + steps * stored(greatest);
            // Others do not round these steps.
            if apart > stored(*y) {
                *radius = radius.max(apart);
            }
        });
    if !agrees {
        let schema = query.call.schema();
        return Radius::unknown(format!(
            "the derivation for {schema} does not agree with the reference"
        ));
    }
    Radius::within(radius, model)
}

/// The broadcast shape of both, by `docs/Broadcasting.md` of ONNX.
fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, OpError> {
    onnx_operators::shared::broadcast::shape(&[a, b])
}

fn unfit(shape: &[usize]) -> OpError {
    OpError::invalid(format!("the bound cannot be derived for the shape {shape:?}"))
}
