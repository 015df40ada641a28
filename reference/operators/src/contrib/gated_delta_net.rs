//! GatedDeltaNet — a recurrence over packed tokens whose state is a matrix for each value head:
//! `S = exp(g) · S + k · (beta · (v − exp(g) · Sᵀk))ᵀ` and `o = scale · Sᵀq`.
//!
//! The recurrence runs token by token in f64; output and state are rounded once, at the end. `chunk_size`
//! is a hint.
//!
//! Interpretation: `qk_l2_norm` divides by the norm alone. The capture of transitions is refused: its outputs
//! are those of one provider's planner.

use ndarray::{Array2, Array3, Array4, ArrayD, ArrayView1, Axis, Ix1, Ix4, s};
use onnx_tensor::{DType, Tensor, Value};

use super::packing;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::shared::activation::{sigmoid, softplus};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("GatedDeltaNet", &[v(1, First, gated_delta_net)]);

fn gated_delta_net(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.int("state_update_capacity")? != 0 || call.wants(2) {
        return Err(OpError::undefined("the capture of transitions"));
    }
    let rule = Rule::read(call)?;
    let tokens = Tokens::read(call)?;
    let (count, readers, size) = tokens.query.dim();
    let (_, heads, values) = tokens.value.dim();
    let gates = Gates::read(call, rule, (count, heads, size))?;
    let sequences = sequences(call, count)?;
    let shape = (sequences.len(), heads, values, size);
    call.reserve(&[shape.0, heads, values, size], DType::Double)?;
    call.reserve(&[count, heads, values], DType::Double)?;
    call.work(&[count, heads, values, size])?;
    let mut states = match call.optional_tensor(6)? {
        None => Array4::zeros(shape),
        Some(state) => shaped::<Ix4>(widen(state)?, &[shape.0, heads, values, size], "initial_state")?,
    };
    let scale = match f64::from(call.float("scale")?) {
        0.0 => (size as f64).sqrt().recip(),
        scale => scale,
    };
    let mut output = Array3::zeros((count, heads, values));
    for (sequence, (from, to)) in sequences.into_iter().enumerate() {
        for head in 0..heads {
            let shared = head * readers / heads;
            let mut state = states.slice(s![sequence, head, .., ..]).t().to_owned();
            for token in from..to {
                let key = tokens.key.slice(s![token, shared, ..]);
                let value = tokens.value.slice(s![token, head, ..]);
                gates.step(&mut state, (token, head), key, value);
                let read = tokens.query.slice(s![token, shared, ..]).dot(&state) * scale;
                output.slice_mut(s![token, head, ..]).assign(&read);
            }
            states.slice_mut(s![sequence, head, .., ..]).assign(&state.t());
        }
    }
    let leading = &call.tensor(0)?.shape()[..tokens.leading];
    let output = output.into_dyn();
    let output = output.into_shape_with_order([leading, &[heads, values]].concat())?;
    Ok(vec![
        Some(Value::from(narrow(output, call.dtype(0)?)?)),
        Some(Value::from(narrow(states.into_dyn(), DType::Float)?)),
    ])
}

/// `array` with a static rank, if it has this shape.
fn shaped<D: ndarray::Dimension>(
    array: ArrayD<f64>,
    shape: &[usize],
    name: &str,
) -> Result<ndarray::Array<f64, D>, OpError> {
    if array.shape() == shape {
        Ok(array.into_dimensionality::<D>()?)
    } else {
        Err(OpError::invalid(format!(
            "`{name}` has shape {:?}, expected {shape:?}",
            array.shape()
        )))
    }
}

/// The terms of the recurrence.
#[derive(Clone, Copy, Debug)]
struct Rule {
    gated: bool,
    delta: bool,
}

impl Rule {
    fn read(call: &Call<'_>) -> Result<Rule, OpError> {
        let (gated, delta) = match call.string("update_rule")? {
            "linear" => (false, false),
            "gated" => (true, false),
            "delta" => (false, true),
            "gated_delta" => (true, true),
            other => return Err(OpError::invalid(format!("`update_rule` is `{other}`"))),
        };
        Ok(Rule { gated, delta })
    }
}

/// Queries, keys and values: tokens × heads × size.
struct Tokens {
    query: Array3<f64>,
    key: Array3<f64>,
    value: Array3<f64>,
    /// The number of axes of tokens: one, or batch and sequence.
    leading: usize,
}

impl Tokens {
    fn read(call: &Call<'_>) -> Result<Tokens, OpError> {
        let query = call.tensor(0)?;
        call.reserve(query.shape(), DType::Double)?;
        let mut tokens = match (call.optional_tensor(1)?, call.optional_tensor(2)?) {
            (Some(key), Some(value)) => Tokens {
                query: packed(query, "query")?,
                key: packed(key, "key")?,
                value: packed(value, "value")?,
                leading: query.rank().saturating_sub(2),
            },
            _ => Tokens::apart(call, query)?,
        };
        let (count, readers, size) = tokens.query.dim();
        let (of_value, heads, _) = tokens.value.dim();
        if tokens.key.dim() != (count, readers, size)
            || of_value != count
            || readers == 0
            || heads == 0
            || !heads.is_multiple_of(readers)
        {
            return Err(OpError::invalid(format!(
                "query {:?}, key {:?} and value {:?} (tokens, heads, size) do not agree",
                tokens.query.shape(),
                tokens.key.shape(),
                tokens.value.shape()
            )));
        }
        if call.flag("qk_l2_norm")? {
            for array in [&mut tokens.query, &mut tokens.key] {
                for mut row in array.lanes_mut(Axis(2)) {
                    let norm = row.dot(&row).sqrt();
                    if norm > 0.0 {
                        row.mapv_inplace(|x| x / norm);
                    }
                }
            }
        }
        Ok(tokens)
    }

    /// Queries, keys and values behind each other; the state has the sizes.
    fn apart(call: &Call<'_>, all: &Tensor) -> Result<Tokens, OpError> {
        let misfit = || OpError::invalid("packed queries require `initial_state`, which has their sizes");
        let Some(&[_, heads, values, size]) = call.optional_tensor(6)?.map(Tensor::shape) else {
            return Err(misfit());
        };
        let Some((&width, leading)) = all.shape().split_last() else {
            return Err(misfit());
        };
        let of_queries = width.checked_sub(heads * values).ok_or_else(misfit)?;
        if size == 0 || of_queries % (2 * size) != 0 {
            return Err(misfit());
        }
        let readers = of_queries / (2 * size);
        let count = leading.iter().product();
        let rows = widen(all)?.as_standard_layout().into_owned();
        let rows = rows.into_shape_with_order((count, width))?;
        let part = |from: usize, heads: usize, size: usize| {
            let part = rows.slice(s![.., from..from + heads * size]).to_owned();
            Ok::<_, OpError>(part.into_shape_with_order((count, heads, size))?)
        };
        Ok(Tokens {
            query: part(0, readers, size)?,
            key: part(readers * size, readers, size)?,
            value: part(2 * readers * size, heads, values)?,
            leading: leading.len(),
        })
    }
}

/// A tensor of tokens × heads × size, or batch × sequence × heads × size.
fn packed(tensor: &Tensor, name: &str) -> Result<Array3<f64>, OpError> {
    let count = match *tensor.shape() {
        [count, _, _] => count,
        [batch, sequence, _, _] => batch * sequence,
        _ => return Err(OpError::invalid(format!("`{name}` must have rank 3 or 4"))),
    };
    let (heads, size) = (
        tensor.shape()[tensor.rank() - 2],
        tensor.shape()[tensor.rank() - 1],
    );
    let array = widen(tensor)?.as_standard_layout().into_owned();
    Ok(array.into_shape_with_order((count, heads, size))?)
}

/// The first token of each sequence and the one behind its last.
fn sequences(call: &Call<'_>, count: usize) -> Result<Vec<(usize, usize)>, OpError> {
    if call.optional(3).is_some() {
        return packing::sequences(call, 3, count);
    }
    let batch = call
        .optional_tensor(6)?
        .map(|state| state.shape().first().copied());
    let batch = match (batch.flatten(), call.tensor(0)?.shape()) {
        (Some(batch), _) => batch,
        (None, &[batch, _, _, _]) => batch,
        _ => return Err(OpError::invalid("uniform packing requires `initial_state`")),
    };
    if batch == 0 || !count.is_multiple_of(batch) {
        return Err(OpError::invalid(format!(
            "{count} tokens are not {batch} sequences"
        )));
    }
    let length = count / batch;
    Ok((0..batch).map(|at| (at * length, (at + 1) * length)).collect())
}

/// What each token does to the state.
struct Gates {
    rule: Rule,
    /// exp(g) for each token, head and key element; one for all elements of a key has one column.
    decay: Option<Array3<f64>>,
    beta: Option<Array2<f64>>,
}

impl Gates {
    fn read(
        call: &Call<'_>,
        rule: Rule,
        (count, heads, size): (usize, usize, usize),
    ) -> Result<Gates, OpError> {
        let beta = match call.optional_tensor(5)? {
            None if rule.delta => return Err(OpError::invalid("the update rule requires `beta`")),
            None => None,
            Some(beta) => {
                let beta = widen(beta)?.as_standard_layout().into_owned();
                let beta = beta.into_shape_with_order((count, heads))?;
                Some(match call.string("beta_activation")? {
                    "none" => beta,
                    "sigmoid" => beta.mapv_into(sigmoid),
                    other => return Err(OpError::invalid(format!("`beta_activation` is `{other}`"))),
                })
            }
        };
        let decay = match (rule.gated, call.optional_tensor(4)?) {
            (false, _) => None,
            (true, None) => return Err(OpError::invalid("the update rule requires `decay`")),
            (true, Some(decay)) => Some(decays(call, decay, (count, heads, size))?),
        };
        Ok(Gates { rule, decay, beta })
    }

    /// Advances the state of a head, size of a key × size of a value, to the next token.
    fn step(
        &self,
        state: &mut Array2<f64>,
        (token, head): (usize, usize),
        key: ArrayView1<'_, f64>,
        value: ArrayView1<'_, f64>,
    ) {
        if let Some(decay) = &self.decay {
            let decay = decay.slice(s![token, head, ..]);
            *state *= &decay.insert_axis(Axis(1));
        }
        let mut value = value.to_owned();
        if self.rule.delta {
            value -= &key.dot(state);
        }
        if let (true, Some(beta)) = (self.rule.delta, &self.beta) {
            value *= beta[[token, head]];
        }
        for (mut row, &key) in state.outer_iter_mut().zip(key) {
            row.scaled_add(key, &value);
        }
    }
}

/// exp(g), where the gate gives g.
fn decays(
    call: &Call<'_>,
    decay: &Tensor,
    (count, heads, size): (usize, usize, usize),
) -> Result<Array3<f64>, OpError> {
    let columns = match decay.len() {
        len if len == count * heads => 1,
        len if len == count * heads * size => size,
        _ => {
            return Err(OpError::invalid(format!(
                "`decay` of shape {:?} for {count} tokens, {heads} heads and keys of {size}",
                decay.shape()
            )));
        }
    };
    let raw = widen(decay)?.as_standard_layout().into_owned();
    let mut raw: Array3<f64> = raw.into_shape_with_order((count, heads, columns))?;
    let gate = call.string("gate_activation")?;
    if gate == "none" {
        return Ok(raw.mapv_into(libm::exp));
    }
    let rate = shaped::<Ix1>(widen(call.tensor(7)?)?, &[heads], "a_log")?.mapv_into(libm::exp);
    let bias = widen(call.tensor(8)?)?;
    let per_head = bias.len() == heads;
    if !per_head && bias.len() != heads * columns {
        return Err(OpError::invalid(format!("`dt_bias` has {} elements", bias.len())));
    }
    let bias: Vec<f64> = bias.iter().copied().collect();
    let least = f64::from(call.float("gate_lower_bound")?);
    for ((_, head, column), g) in raw.indexed_iter_mut() {
        let moved = *g + bias[if per_head { head } else { head * columns + column }];
        *g = libm::exp(match gate {
            "softplus" | "qwen" => -rate[head] * softplus(moved),
            "sigmoid" | "kda" => least * sigmoid(rate[head] * moved),
            other => return Err(OpError::invalid(format!("`gate_activation` is `{other}`"))),
        });
    }
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{TestHost, attribute, evaluate_optional};

    fn cube(shape: [usize; 3], values: &[f32]) -> Option<Value> {
        Some(
            Tensor::new(&shape, values.to_vec())
                .expect("the values fill the shape")
                .into(),
        )
    }

    #[track_caller]
    fn check(inputs: &[Option<Value>], attributes: &[onnx_model::Attribute], y: &[f32], state: f32) {
        let schema = &onnx_schema::versions("com.microsoft", "GatedDeltaNet")[0];
        let row = onnx_operators::frame::version(schema.domain, schema.name, 1).expect("a row");
        let host = TestHost::default();
        let call = onnx_operators::frame::Call::new(schema, inputs, attributes, &[true, true], &host);
        let outputs = (row.eval)(&call).expect("a result");
        let floats = |at: usize| -> Vec<f32> {
            let tensor = outputs[at].as_ref().and_then(Value::as_tensor).expect("a tensor");
            tensor.to_vec().expect("floats")
        };
        assert_eq!((floats(0), floats(1)), (y.to_vec(), vec![state]));
    }

    /// By hand, with one head of size 1, scale 1 and a first state of 10: without a gate 10 + 1 · 2 = 12 and
    /// 12 + 3 · 4 = 24, read by 5 and 6; with delta and beta 1/2, 10 + (2 − 10)/2 = 6 and
    /// 6 + 3 · (4 − 18)/2 = −15.
    #[test]
    fn rules() {
        let mut inputs = vec![
            cube([2, 1, 1], &[5.0, 6.0]),
            cube([2, 1, 1], &[1.0, 3.0]),
            cube([2, 1, 1], &[2.0, 4.0]),
            None,
            None,
            None,
            Some(
                Tensor::new(&[1, 1, 1, 1], vec![10.0_f32])
                    .expect("a state")
                    .into(),
            ),
        ];
        let attributes = |rule: &str| [attribute("update_rule", rule), attribute("scale", 1.0_f32)];
        check(&inputs, &attributes("linear"), &[60.0, 144.0], 24.0);
        inputs[5] = Some(
            Tensor::new(&[2, 1], vec![0.5_f32, 0.5])
                .expect("two rates")
                .into(),
        );
        check(&inputs, &attributes("delta"), &[30.0, -90.0], -15.0);
        // A decay of −∞ forgets.
        let forget = Tensor::new(&[2, 1], vec![f32::NEG_INFINITY, 0.0]).expect("two decays");
        inputs[4] = Some(forget.into());
        check(&inputs, &attributes("gated"), &[10.0, 84.0], 14.0);
        let schema = &onnx_schema::versions("com.microsoft", "GatedDeltaNet")[0];
        let captured = evaluate_optional(schema, &inputs, &attributes("gated"));
        assert!(captured.is_err_and(|error| error.to_string().contains("capture")));
    }
}
