//! LinearAttention — a recurrence over tokens whose state is a matrix for each key head.
//!
//! The recurrence runs token by token in f64; output and state are rounded once, at the end. `chunk_size`
//! is a hint.
//!
//! Interpretation: without `past_state` nothing determines the type of `present_state`; it is that of the
//! query. Inputs that the rule does not use are errors, like in the function body.

use ndarray::{Array2, Array4, Axis, s};
use onnx_tensor::{Tensor, Value};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::heads;
use crate::shared::reals::narrow;

pub const OP: OpDef = op("LinearAttention", &[v(27, First, linear_attention)]);

/// The selected recurrence, one of four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rule {
    /// Whether the state decays.
    gated: bool,
    /// Whether the state's prediction for a key is subtracted from its value.
    delta: bool,
}

/// The inputs, batch × heads × tokens × size.
struct Inputs {
    query: Array4<f64>,
    key: Array4<f64>,
    value: Array4<f64>,
    decay: Option<Array4<f64>>,
    beta: Option<Array4<f64>>,
    scale: f64,
}

fn linear_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let query: &Tensor = call.tensor(0)?;
    let inputs = Inputs::read(call)?;
    let (batch, query_heads, tokens, keys) = inputs.query.dim();
    let (_, shared, _, values) = inputs.value.dim();
    let shape = [batch, shared, keys, values];
    call.reserve(&shape, onnx_tensor::DType::Double)?;
    call.reserve(&[batch, query_heads, tokens, values], onnx_tensor::DType::Double)?;
    call.work(&[batch, query_heads.max(shared), tokens, keys, values])?;
    let mut state = match call.optional_tensor(3)? {
        None => Array4::zeros(shape),
        Some(past) if past.shape() == shape => heads::of_rank_4(past, "past_state")?,
        Some(past) => {
            return Err(OpError::invalid(format!(
                "`past_state` has shape {:?}, expected {shape:?}",
                past.shape()
            )));
        }
    };
    let mut output = Array4::zeros((batch, query_heads, tokens, values));
    for (image, head) in ndarray::indices((batch, shared)) {
        let readers = head * (query_heads / shared)..(head + 1) * (query_heads / shared);
        let mut state = state.slice_mut(s![image, head, .., ..]);
        let mut running = state.to_owned();
        for token in 0..tokens {
            inputs.step(&mut running, (image, head, token));
            for reader in readers.clone() {
                let read = inputs.query.slice(s![image, reader, token, ..]).dot(&running) * inputs.scale;
                output.slice_mut(s![image, reader, token, ..]).assign(&read);
            }
        }
        state.assign(&running);
    }
    let state_type = call.optional_tensor(3)?.map_or(query.dtype(), Tensor::dtype);
    let outputs = [
        narrow(heads::pack(output)?, query.dtype())?,
        narrow(state.into_dyn(), state_type)?,
    ];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

impl Inputs {
    fn read(call: &Call<'_>) -> Result<Inputs, OpError> {
        let rule = match call.string("update_rule")? {
            "linear" => Rule {
                gated: false,
                delta: false,
            },
            "gated" => Rule {
                gated: true,
                delta: false,
            },
            "delta" => Rule {
                gated: false,
                delta: true,
            },
            "gated_delta" => Rule {
                gated: true,
                delta: true,
            },
            other => return Err(OpError::invalid(format!("`update_rule` is `{other}`"))),
        };
        let query_heads = super::kernels::positive(call, "q_num_heads")?;
        let shared = super::kernels::positive(call, "kv_num_heads")?;
        let query = heads::unpack(call, call.tensor(0)?, query_heads, "query")?;
        let key = heads::unpack(call, call.tensor(1)?, shared, "key")?;
        let value = heads::unpack(call, call.tensor(2)?, shared, "value")?;
        heads::check(&query, &key, &value)?;
        let (batch, _, tokens, keys) = query.dim();
        if key.dim().2 != tokens {
            return Err(OpError::invalid(format!(
                "expected as many keys as queries, got {tokens} queries and {} keys",
                key.dim().2
            )));
        }
        let decay = match wanted(call, 4, "decay", rule.gated)? {
            None => None,
            Some(decay) => Some(stretched(
                call,
                decay,
                shared,
                "decay",
                (batch, shared, tokens, keys),
            )?),
        };
        let beta = match wanted(call, 5, "beta", rule.delta)? {
            None => None,
            Some(beta) => {
                let heads = if beta.shape().last() == Some(&1) {
                    1
                } else {
                    shared
                };
                Some(stretched(call, beta, heads, "beta", (batch, shared, tokens, 1))?)
            }
        };
        let scale = match f64::from(call.float("scale")?) {
            0.0 => (keys as f64).sqrt().recip(),
            scale => scale,
        };
        Ok(Inputs {
            query,
            key,
            value,
            decay,
            beta,
            scale,
        })
    }

    /// Advances the state of a head to the next token.
    fn step(&self, state: &mut Array2<f64>, (image, head, token): (usize, usize, usize)) {
        let key = self.key.slice(s![image, head, token, ..]);
        let mut value = self.value.slice(s![image, head, token, ..]).to_owned();
        if let Some(decay) = &self.decay {
            let decay = decay.slice(s![image, head, token, ..]).mapv(libm::exp);
            *state *= &decay.insert_axis(Axis(1));
        }
        if let Some(beta) = &self.beta {
            value = (value - key.dot(state)) * beta[[image, head, token, 0]];
        }
        for (mut row, &key) in state.outer_iter_mut().zip(&key) {
            row.scaled_add(key, &value);
        }
    }
}

/// An input that the rule requires or does not use.
fn wanted<'a>(
    call: &Call<'a>,
    index: usize,
    name: &str,
    needed: bool,
) -> Result<Option<&'a Tensor>, OpError> {
    let found = call.optional_tensor(index)?;
    if found.is_some() == needed {
        Ok(found)
    } else if needed {
        Err(OpError::invalid(format!("the update rule requires `{name}`")))
    } else {
        Err(OpError::invalid(format!("the update rule does not use `{name}`")))
    }
}

/// `tensor` split into `heads` and broadcast to `shape`.
fn stretched(
    call: &Call<'_>,
    tensor: &Tensor,
    heads: usize,
    name: &str,
    shape: (usize, usize, usize, usize),
) -> Result<Array4<f64>, OpError> {
    let split = heads::unpack(call, tensor, heads, name)?;
    let stretched = split.broadcast(shape).map(|view| view.to_owned());
    stretched
        .ok_or_else(|| OpError::invalid(format!("`{name}` has an incompatible shape {:?}", tensor.shape())))
}
