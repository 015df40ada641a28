//! Code that Adagrad, Adam and Momentum share: the groups of their inputs and outputs, and one update of
//! every element.
//!
//! Precision: each formula is evaluated in f64, with unrounded attributes, and rounded once. For f64
//! tensors the error of an update is a few ULP of its largest term.
//!
//! Interpretation: the text allows tensors of one group to broadcast to each other, and does not define the
//! shape of the updated tensor; here a tensor, its gradient and its history have the same shape and type.

use ndarray::ArrayD;
use onnx_tensor::Tensor;

use crate::frame::{Call, OpError, Outputs};
use crate::shared::reals;

/// The learning rate `R` and the update count `T`.
pub(super) struct Progress {
    pub(super) rate: f64,
    pub(super) count: i64,
}

impl Progress {
    pub(super) fn read(call: &Call<'_>) -> Result<Self, OpError> {
        let rates = reals::widen(call.tensor(0)?)?;
        match rates.first() {
            Some(&rate) if rates.len() == 1 => Ok(Progress {
                rate,
                count: call.scalar::<i64>(1)?,
            }),
            _ => Err(OpError::invalid("the learning rate `R` must have one element")),
        }
    }
}

/// Updates every optimized tensor. `formula` maps its values in all `IN` roles (tensor, gradient, history
/// …) to those in `OUT` roles. The node lists all tensors of the first role, then all of the second, and so
/// on, for inputs and outputs.
pub(super) fn update<const IN: usize, const OUT: usize>(
    call: &Call<'_>,
    f: impl Fn([f64; IN]) -> [f64; OUT],
) -> Result<Outputs, OpError> {
    let inputs = call.tensors_from(2)?;
    if inputs.is_empty() || !inputs.len().is_multiple_of(IN) {
        let count = inputs.len();
        return Err(OpError::invalid(format!(
            "{count} tensors cannot be split into groups of {IN}"
        )));
    }
    let count = inputs.len() / IN;
    let mut outputs: [Outputs; OUT] = std::array::from_fn(|_| Vec::with_capacity(count));
    for group in 0..count {
        let roles: [&Tensor; IN] = std::array::from_fn(|role| inputs[role * count + group]);
        for (output, tensor) in outputs.iter_mut().zip(update_one(group, roles, &f)?) {
            output.push(Some(tensor.into()));
        }
    }
    Ok(outputs.into_iter().flatten().collect())
}

fn update_one<const IN: usize, const OUT: usize>(
    group: usize,
    roles: [&Tensor; IN],
    f: impl Fn([f64; IN]) -> [f64; OUT],
) -> Result<Vec<Tensor>, OpError> {
    let first = roles[0];
    if let Some(other) = roles
        .iter()
        .find(|role| role.shape() != first.shape() || role.dtype() != first.dtype())
    {
        return Err(OpError::undefined(format!(
            "tensor {group} is {} {:?}, but its gradient or history is {} {:?}",
            first.dtype(),
            first.shape(),
            other.dtype(),
            other.shape()
        )));
    }
    let widened = roles
        .iter()
        .map(|role| reals::widen(role))
        .collect::<Result<Vec<_>, _>>()?;
    let mut columns: Vec<_> = widened.iter().map(|role| role.iter()).collect();
    let mut results = vec![Vec::with_capacity(first.len()); OUT];
    for _ in 0..first.len() {
        let values = std::array::from_fn(|role| columns[role].next().copied().unwrap_or(f64::NAN));
        for (result, value) in results.iter_mut().zip(f(values)) {
            result.push(value);
        }
    }
    let tensor = |values| reals::narrow(ArrayD::from_shape_vec(first.shape(), values)?, first.dtype());
    results.into_iter().map(tensor).collect()
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused, values};

    const DOMAIN: &str = "ai.onnx.preview.training";

    fn momentum(mode: &'static str) -> [Attribute; 4] {
        [
            attribute("alpha", 0.5_f32),
            attribute("beta", 0.25_f32),
            attribute("mode", mode),
            attribute("norm_coefficient", 2_f32),
        ]
    }

    /// Rate 1/2 of a tensor of f32 after `count` updates: X = 1, G = 2, V = 4.
    fn inputs(count: i64) -> Vec<Value> {
        let state = [1_f32, 2.0, 4.0].map(|value| Tensor::vector(vec![value]));
        values(&[&[Tensor::scalar(0.5), Tensor::scalar(count)], &state[..]].concat())
    }

    /// By hand: the regularized gradient is 4, the new momentum 2 + 4 at first and 2 + 1 later.
    #[test]
    fn momentum_by_count_and_mode() {
        let under = (DOMAIN, "Momentum", 1);
        for (count, mode, x, v) in [
            (0, "standard", -2_f32, 6_f32),
            (1, "standard", -0.5, 3.0),
            (1, "nesterov", -1.75, 3.0),
        ] {
            // The variadic output counts as one in the schema, so `evaluate` requests one and gets both.
            let expected = values(&[Tensor::vector(vec![x]), Tensor::vector(vec![v])]);
            check(under, &inputs(count), &momentum(mode), &expected);
        }
        refused(under, &inputs(0), &momentum("other"), "nesterov or standard");
        refused(under, &inputs(0)[..4], &momentum("standard"), "groups of 3");
        let mut mixed = inputs(0);
        mixed[3] = Tensor::vector(vec![2_f64]).into();
        refused(under, &mixed, &momentum("standard"), "its gradient or history");
    }
}
