//! MoE — a mixture of experts: feed-forward networks of which the router selects some for each token.
//!
//! In f64, rounded once; interpretation: see `experts.rs`.

use ndarray::{Array2, Axis, Ix2, Ix3};
use onnx_tensor::Tensor;

use super::experts::{Experts, Projection, route};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("MoE", &[v(1, First, mo_e)]);

fn mo_e(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, shape) = tokens(call)?;
    let chosen = route(call, &logits(call, 1, x.nrows())?, None)?;
    let experts = Experts {
        first: projection(call, 2, 3)?,
        second: projection(call, 4, 5)?,
        third: match call.optional(6) {
            None => None,
            Some(_) => Some(projection(call, 6, 7)?),
        },
    };
    let y = experts.outputs(call, &x, &chosen, call.dtype(0)?)?;
    one(narrow(y.into_shape_with_order(shape)?, call.dtype(0)?)?)
}

/// Input 0 as rows, and its shape.
pub fn tokens(call: &Call<'_>) -> Result<(Array2<f64>, Vec<usize>), OpError> {
    let tensor: &Tensor = call.tensor(0)?;
    let (shape, [.., width]) = (tensor.shape(), tensor.shape()) else {
        return Err(OpError::invalid("the input must have rank 2 or 3"));
    };
    let rows = shape[..shape.len() - 1].iter().product();
    let x = widen(tensor)?.as_standard_layout().into_owned();
    Ok((x.into_shape_with_order((rows, *width))?, shape.to_vec()))
}

/// A matrix with a row for each token.
pub fn logits(call: &Call<'_>, index: usize, tokens: usize) -> Result<Array2<f64>, OpError> {
    let misfit = || OpError::invalid(format!("input {index} must be a matrix with {tokens} rows"));
    let logits = widen(call.tensor(index)?)?.into_dimensionality::<Ix2>();
    let logits = logits.map_err(|_| misfit())?;
    if logits.nrows() == tokens {
        Ok(logits)
    } else {
        Err(misfit())
    }
}

/// A bias of each expert.
pub fn biases(call: &Call<'_>, index: usize) -> Result<Option<Array2<f64>>, OpError> {
    let bias = call.optional_tensor(index)?.map(widen).transpose()?;
    bias.map(|bias| Ok(bias.into_dimensionality::<Ix2>()?))
        .transpose()
}

type Weights = Box<dyn Fn(usize) -> Result<Array2<f64>, OpError>>;

fn projection(call: &Call<'_>, weights: usize, bias: usize) -> Result<Projection<Weights>, OpError> {
    let all = widen(call.tensor(weights)?)?;
    let rank = |_| OpError::invalid(format!("the weights at input {weights} must have rank 3"));
    let all = all.into_dimensionality::<Ix3>().map_err(rank)?;
    let count = all.dim().0;
    Ok(Projection {
        weights: Box::new(move |expert| {
            if expert < count {
                Ok(all.index_axis(Axis(0), expert).to_owned())
            } else {
                Err(OpError::invalid(format!("there are weights for {count} experts")))
            }
        }),
        bias: biases(call, bias)?,
    })
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate_optional, rows};

    fn cube(shape: [usize; 3], values: &[f32]) -> Option<Value> {
        Some(
            Tensor::new(&shape, values.to_vec())
                .expect("the values fill the shape")
                .into(),
        )
    }

    #[track_caller]
    fn check(inputs: &[Option<Value>], attributes: &[Attribute], expected: f32) {
        let schema = &onnx_schema::versions("com.microsoft", "MoE")[0];
        let outputs = evaluate_optional(schema, inputs, attributes).expect("a result");
        let y = outputs[0]
            .as_tensor()
            .and_then(|y| y.to_vec::<f32>().ok())
            .expect("floats");
        assert_abs_diff_eq!(y[0], expected, epsilon = 1e-5);
    }

    /// By hand: one token 3 and two experts, x → max(0, 2x + 1) · 10 and x → max(0, −x) + 5, with the
    /// probabilities 3/4 and 1/4.
    #[test]
    fn experts_are_weighted() {
        let logits = rows(&[[3.0_f32.ln(), 0.0]]);
        let inputs = [
            Some(rows(&[[3.0_f32]]).into()),
            Some(logits.into()),
            cube([2, 1, 1], &[2.0, -1.0]),
            Some(rows(&[[1.0_f32], [0.0]]).into()),
            cube([2, 1, 1], &[10.0, 1.0]),
            Some(rows(&[[0.0_f32], [5.0]]).into()),
        ];
        let k = |k: i64| attribute("k", k);
        check(&inputs, &[k(1)], 52.5);
        check(&inputs, &[k(2)], 53.75);
        check(&inputs, &[k(1), attribute("normalize_routing_weights", 1)], 70.0);
    }

    /// By hand: gate 2 (limited to 1) and linear −4 (limited to −1), alpha 0 halves the gate: 1/2 · (−1 + 3).
    #[test]
    fn a_gate_and_a_linear_part() {
        let one = || Some(rows(&[[1.0_f32]]).into());
        let attributes = |fusion: i64| {
            [
                attribute("activation_type", "swiglu"),
                attribute("swiglu_fusion", fusion),
                attribute("swiglu_limit", 1.0_f32),
                attribute("activation_alpha", 0.0_f32),
                attribute("activation_beta", 3.0_f32),
            ]
        };
        let fused = [
            one(),
            one(),
            cube([1, 2, 1], &[2.0, -4.0]),
            None,
            cube([1, 1, 1], &[1.0]),
        ];
        check(&fused, &attributes(1), 1.0);
        check(&fused, &attributes(2), 1.0);
        let apart = [
            one(),
            one(),
            cube([1, 1, 1], &[2.0]),
            None,
            cube([1, 1, 1], &[1.0]),
            None,
            cube([1, 1, 1], &[-4.0]),
        ];
        check(&apart, &attributes(0), 1.0);
    }
}
