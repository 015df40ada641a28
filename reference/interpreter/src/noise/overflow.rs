//! Results whose squares or sums are beyond the range of the type on the way, or whose terms are infinities
//! times zeros.
//!
//! The reference computes them in a wider range. A runtime computes in the type, where a square of 1e20 is
//! infinite: what it returns depends on the order of its steps, and no sentence says which. Runs with random
//! rounding give all of it: infinities, NaN, and what a normalisation by an infinite deviation leaves. A fast
//! Fourier transform multiplies by few of the factors of the sum, and so by few of its zeros.

use onnx_bounds::{Query, precision};
use onnx_tensor::{DType, Real, Tensor, TensorError, Value, dispatch};
use rand::RngExt;

use super::sums::terms;
use super::{Noise, Traits, share::largest};

/// What an operator does with its elements.
#[derive(Clone, Copy)]
enum Steps {
    /// It divides them by the root of a sum of their squares.
    Normalise,
    /// It takes a root of a sum of powers.
    Norm(i32),
    /// It adds them.
    Add,
    /// It multiplies them.
    Multiply,
    /// It adds them times sines and cosines.
    Transform,
    /// It takes the logarithm of their sum.
    Logarithm,
    /// It multiplies queries and keys.
    Scores,
}

/// The logarithm of the greatest float.
const LOG_OF_GREATEST: f64 = 88.722_839_052;

fn steps(query: &Query<'_>, name: &str) -> Option<Steps> {
    let exponent = || {
        query
            .call
            .int("p")
            .map_or(2, |p| i32::try_from(p).unwrap_or(i32::MAX))
    };
    match name {
        "GroupNormalization"
        | "InstanceNormalization"
        | "LRN"
        | "LayerNormalization"
        | "LpNormalization"
        | "MeanVarianceNormalization"
        | "RMSNormalization" => Some(Steps::Normalise),
        "ReduceL2" => Some(Steps::Norm(2)),
        "GlobalLpPool" | "LpPool" => Some(Steps::Norm(exponent())),
        "AveragePool" | "CumSum" | "GlobalAveragePool" | "Mean" | "ReduceMean" | "ReduceSum" | "Sum" => {
            Some(Steps::Add)
        }
        "ReduceProd" => Some(Steps::Multiply),
        "DFT" | "STFT" => Some(Steps::Transform),
        "ReduceLogSum" => Some(Steps::Logarithm),
        "Attention" => Some(Steps::Scores),
        _ => None,
    }
}

impl Steps {
    /// Whether a step may be beyond the range of the type, which ends at `most`, or a term undefined.
    fn may_overflow(self, query: &Query<'_>, name: &str, most: f64) -> bool {
        let tensors = (0..query.call.input_count()).map(|index| query.call.optional(index)?.as_tensor());
        let magnitude = tensors.map(largest).fold(0.0, f64::max);
        let terms = || terms(query, name);
        let reached = match self {
            // Squares of small numbers are 0, and so is a norm.
            Steps::Normalise if name == "LpNormalization" && magnitude * magnitude * most < 1.0 => {
                return magnitude > 0.0;
            }
            Steps::Normalise => magnitude * magnitude * terms(),
            Steps::Norm(exponent) => magnitude.powi(exponent) * terms(),
            Steps::Add => magnitude * terms(),
            Steps::Multiply => magnitudes(query).map(|x| x.max(1.0)).product(),
            Steps::Transform => return magnitudes(query).any(|x| !x.is_finite()),
            Steps::Logarithm => magnitude * terms(),
            Steps::Scores => {
                let keys = query.call.optional(1).and_then(Value::as_tensor);
                largest(query.call.optional(0).and_then(Value::as_tensor)) * largest(keys) * WIDTH
            }
        };
        reached > most
    }

    /// Operands that are NaN where a step with the element may be beyond the range of the type; `None` for
    /// those that have no such element.
    fn marked(
        self,
        query: &Query<'_>,
        name: &str,
        most: f64,
        (index, tensor): (usize, &Tensor),
    ) -> Option<Tensor> {
        let most = match self {
            Steps::Normalise => (most / terms(query, name)).sqrt(),
            Steps::Add => most / terms(query, name),
            Steps::Scores if index == 0 => {
                let keys = query.call.optional(1).and_then(Value::as_tensor);
                most / (largest(keys) * WIDTH)
            }
            Steps::Scores | Steps::Norm(_) | Steps::Multiply | Steps::Logarithm | Steps::Transform => {
                return None;
            }
        };
        let is_first = index == 0 || matches!(name, "Mean" | "Sum");
        is_first
            .then(|| replaced(tensor, f64::NAN, |x| x.is_nan() || x.abs() > most))
            .flatten()
    }

    /// The given outputs where an element depends on a step that may be beyond the range of the type, else
    /// those of the node; everywhere the given ones if no single element of an operand leads there.
    fn within_reach(
        self,
        query: &Query<'_>,
        name: &str,
        most: f64,
        given: Vec<Option<Tensor>>,
    ) -> Vec<Option<Tensor>> {
        let marked = query.evaluate(|index, tensor| self.marked(query, name, most, (index, tensor)));
        let Ok(marked) = marked else {
            return given;
        };
        // A sum of squares that moves from channel to channel stays infinite, and a fast transform has no
        // term that is a product with zero.
        let is_whole = name == "LRN" || matches!(self, Steps::Transform);
        if is_whole || !marked.iter().flatten().any(has_nan) {
            return given;
        }
        let chosen = given
            .into_iter()
            .zip(&marked)
            .zip(query.outputs)
            .map(|((given, marked), output)| {
                let output = output.as_ref()?.as_tensor()?;
                mixed(output, given.as_ref()?, marked.as_ref()?)
            });
        chosen.collect()
    }
}

impl Noise {
    /// The outputs of a node in a run in which its steps overflow; `None` if they do not.
    pub(super) fn overflowed(&self, query: &Query<'_>, traits: Traits) -> Option<Vec<Option<Tensor>>> {
        let steps = steps(query, traits.name)?;
        let input = query.call.optional(0)?.as_tensor()?;
        precision::unit(input.dtype())?;
        let most = match input.dtype() {
            DType::Double => f64::MAX,
            _ => f64::from(f32::MAX),
        };
        if !steps.may_overflow(query, traits.name, most) {
            return None;
        }
        let choice = self.generator.borrow_mut().random_range(0..4_u8);
        let instead = match (steps, choice) {
            (_, 0) => return None,
            (Steps::Normalise, 1 | 2) => {
                let nothing = |index: usize, tensor: &Tensor| (index == 0).then(|| constant(tensor, 0.0))?;
                let zeros = query.evaluate(nothing).ok()?;
                return Some(steps.within_reach(query, traits.name, most, zeros));
            }
            (Steps::Norm(_) | Steps::Logarithm, _) | (Steps::Add | Steps::Multiply | Steps::Transform, 1) => {
                f64::INFINITY
            }
            (Steps::Add | Steps::Multiply | Steps::Transform, 2) => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
        let of_output = |output: &Option<Value>| {
            let tensor = output.as_ref()?.as_tensor()?;
            match steps {
                // The sum is the power of the result.
                Steps::Norm(exponent) => replaced(tensor, instead, |y| y.abs().powi(exponent) > most),
                Steps::Logarithm => replaced(tensor, instead, |y| y > LOG_OF_GREATEST),
                _ => constant(tensor, instead),
            }
        };
        let outputs = query.outputs.iter().map(of_output).collect();
        Some(match steps {
            Steps::Norm(_) | Steps::Logarithm => outputs,
            _ => steps.within_reach(query, traits.name, most, outputs),
        })
    }
}

/// The number of products of a score: heads are seldom wider.
const WIDTH: f64 = 64.0;

/// The magnitudes of the elements of the first operand.
fn magnitudes(query: &Query<'_>) -> impl Iterator<Item = f64> {
    let elements = query.input(0).unwrap_or_default();
    elements.into_iter().map(f64::abs)
}

/// The elements of `given` where `marked` is NaN, else those of `output`: three float tensors of one type and
/// shape.
fn mixed(output: &Tensor, given: &Tensor, marked: &Tensor) -> Option<Tensor> {
    let of_type = || -> Result<Tensor, TensorError> {
        dispatch!(float, output.dtype(), T => {
            let (given, marked) = (given.to_vec::<T>()?, marked.to_vec::<T>()?);
            let mut elements = output.to_vec::<T>()?;
            for ((y, given), marked) in elements.iter_mut().zip(given).zip(marked) {
                if marked.is_nan() {
                    *y = given;
                }
            }
            Tensor::new(output.shape(), elements)
        })
    };
    of_type().ok()
}

fn has_nan(tensor: &Tensor) -> bool {
    let of_type = || -> Result<bool, TensorError> {
        dispatch!(float, tensor.dtype(), T => Ok(tensor.array::<T>()?.iter().any(|x| x.is_nan())))
    };
    of_type().unwrap_or_default()
}

/// A float tensor with one value at all places.
pub(super) fn constant(tensor: &Tensor, value: f64) -> Option<Tensor> {
    replaced(tensor, value, |_| true)
}

/// A float tensor with a value in the place of some elements.
fn replaced(tensor: &Tensor, value: f64, is_replaced: impl Fn(f64) -> bool) -> Option<Tensor> {
    let of_type = || -> Result<Tensor, TensorError> {
        dispatch!(float, tensor.dtype(), T => {
            let instead = T::from_f64(value);
            let array = tensor.array::<T>()?;
            Ok(array.mapv(|x| if is_replaced(x.to_f64()) { instead } else { x }).into_shared().into())
        })
    };
    of_type().ok()
}
