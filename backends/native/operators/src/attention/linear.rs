//! LinearAttention: a recurrence over tokens, whose state is a matrix for each key head.

use onnx_tensor::{Tensor, Value};

use super::super::call::{count, extent};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::Each;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row(
    "LinearAttention",
    27,
    Each(|known| known.linear_attention()),
    linear,
)];

/// The extents of the operands.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    tokens: usize,
    query_heads: usize,
    heads: usize,
    /// The size of a key.
    keys: usize,
    /// The size of a value.
    values: usize,
}

/// What advances the state to a token, besides its key and value.
struct Rule {
    decay: Option<Gate>,
    rate: Option<Gate>,
}

/// An operand with elements for each token: one for each head, for all heads, or for each element of a key.
struct Gate {
    elements: Vec<f64>,
    /// The number of elements of a token.
    width: usize,
    /// The number of elements of a head.
    by_head: usize,
}

impl Gate {
    /// Returns the elements of a head at a token: one, or one for each element of a key.
    fn at(&self, token: usize, head: usize) -> &[f64] {
        let first = if self.width == self.by_head {
            0
        } else {
            head * self.by_head
        };
        &self.elements[token * self.width + first..][..self.by_head]
    }
}

fn linear(call: &Call) -> Outcome {
    let sizes = Sizes::read(call)?;
    let rule = Rule::read(call, sizes)?;
    let scale = match f64::from(call.attributes.float("scale")?) {
        0.0 => 1.0 / (sizes.keys as f64).sqrt(),
        scale => scale,
    };
    let result_shape = [sizes.batch, sizes.tokens, sizes.query_heads, sizes.values];
    has_room(count(&sizes.state())?)?;
    has_room(count(&result_shape)?)?;
    if sizes.keys == 0 {
        return unsupported("keys without elements are not implemented");
    }
    let mut states = initial_states(call, sizes)?;
    let result = recurrence(call, sizes, &rule, scale, &mut states)?;
    let dtype = call.tensor(0)?.dtype();
    let state_dtype = call.find_tensor(3)?.map_or(dtype, Tensor::dtype);
    let [batch, tokens, heads, values] = result_shape;
    Ok(vec![
        Value::Tensor(from_floats(dtype, &[batch, tokens, heads * values], result)?),
        Value::Tensor(from_floats(state_dtype, &sizes.state(), states)?),
    ])
}

/// Returns the past state, or zeros.
fn initial_states(call: &Call, sizes: Sizes) -> Result<Vec<f64>, Problem> {
    let shape = sizes.state();
    match call.find_tensor(3)? {
        None => Ok(vec![0.0; shape.iter().product()]),
        Some(past) if past.shape() == shape => floats(past),
        Some(past) => invalid(format!(
            "expected the shape {shape:?} of past_state, got {:?}",
            past.shape()
        )),
    }
}

/// Advances all states through the tokens, and returns what the queries read of them.
fn recurrence(
    call: &Call,
    sizes: Sizes,
    rule: &Rule,
    scale: f64,
    states: &mut [f64],
) -> Result<Vec<f64>, Problem> {
    let Sizes {
        batch,
        tokens,
        query_heads,
        heads,
        keys,
        values,
    } = sizes;
    let operand = |position: usize| floats(call.tensor(position)?);
    let [q, k, v] = [operand(0)?, operand(1)?, operand(2)?];
    let mut output = vec![0.0; batch * tokens * query_heads * values];
    let readers = query_heads / heads;
    for (lane, state) in states.chunks_exact_mut((keys * values).max(1)).enumerate() {
        let (image, head) = (lane / heads, lane % heads);
        for token in image * tokens..(image + 1) * tokens {
            let key = &k[(token * heads + head) * keys..][..keys];
            let value = &v[(token * heads + head) * values..][..values];
            rule.advance(state, (token, head), key, value);
            for reader in head * readers..(head + 1) * readers {
                let query = &q[(token * query_heads + reader) * keys..][..keys];
                let read = &mut output[(token * query_heads + reader) * values..][..values];
                product(query, state, read);
                read.iter_mut().for_each(|x| *x *= scale);
            }
        }
    }
    Ok(output)
}

/// Adds `row · matrix` to `result`.
fn product(row: &[f64], matrix: &[f64], result: &mut [f64]) {
    for (x, line) in row.iter().zip(matrix.chunks_exact(result.len().max(1))) {
        result.iter_mut().zip(line).for_each(|(sum, y)| *sum += x * y);
    }
}

impl Sizes {
    /// The shape of the states.
    fn state(self) -> [usize; 4] {
        [self.batch, self.heads, self.keys, self.values]
    }

    fn read(call: &Call) -> Result<Sizes, Problem> {
        let of = |position: usize| match *call.tensor(position)?.shape() {
            [batch, tokens, hidden] => Ok((batch, tokens, hidden)),
            ref other => invalid(format!(
                "expected input {position} of rank 3, got the shape {other:?}"
            )),
        };
        let (query_heads, heads) = (
            positive(call.attributes, "q_num_heads")?,
            positive(call.attributes, "kv_num_heads")?,
        );
        let ((batch, tokens, q), (kb, kt, k), (vb, vt, v)) = (of(0)?, of(1)?, of(2)?);
        let agree = [(kb, kt), (vb, vt)] == [(batch, tokens); 2];
        let divide = q % query_heads == 0 && k % heads == 0 && v % heads == 0 && query_heads % heads == 0;
        if !agree || !divide || q / query_heads != k / heads {
            return invalid(
                "query, key and value do not agree in batch, tokens, heads or the size of a head",
            );
        }
        Ok(Sizes {
            batch,
            tokens,
            query_heads,
            heads,
            keys: k / heads,
            values: v / heads,
        })
    }
}

fn positive(attributes: &Attributes, name: &str) -> Result<usize, Problem> {
    match extent(attributes.int(name)?)? {
        0 => invalid(format!("attribute `{name}` is 0, expected at least 1")),
        heads => Ok(heads),
    }
}

impl Rule {
    fn read(call: &Call, sizes: Sizes) -> Result<Rule, Problem> {
        let (decays, rates) = match call.attributes.text("update_rule")? {
            "linear" => (false, false),
            "gated" => (true, false),
            "delta" => (false, true),
            "gated_delta" => (true, true),
            other => return invalid(format!("attribute `update_rule` is `{other}`")),
        };
        Ok(Rule {
            decay: gate(
                call,
                (4, "decay"),
                decays,
                sizes,
                &[(sizes.heads, 1), (sizes.heads * sizes.keys, sizes.keys)],
            )?,
            rate: gate(call, (5, "beta"), rates, sizes, &[(sizes.heads, 1), (1, 1)])?,
        })
    }

    /// Advances the state of a head to a token.
    fn advance(&self, state: &mut [f64], (token, head): (usize, usize), key: &[f64], value: &[f64]) {
        if let Some(decay) = &self.decay {
            // One factor for all lines of the state, or one for each.
            let factors: Vec<f64> = decay.at(token, head).iter().map(|gate| gate.exp()).collect();
            let lines = state.chunks_exact_mut(value.len().max(1));
            for (line, factor) in lines.zip(factors.iter().cycle()) {
                line.iter_mut().for_each(|x| *x *= factor);
            }
        }
        let mut change = value.to_vec();
        if let Some(rate) = &self.rate {
            let mut predicted = vec![0.0; value.len()];
            product(key, state, &mut predicted);
            let rate = rate.at(token, head)[0];
            change
                .iter_mut()
                .zip(predicted)
                .for_each(|(x, predicted)| *x = (*x - predicted) * rate);
        }
        for (k, line) in key.iter().zip(state.chunks_exact_mut(value.len().max(1))) {
            line.iter_mut()
                .zip(&change)
                .for_each(|(x, change)| *x += k * change);
        }
    }
}

/// Reads an operand that the rule requires, with one of these widths of a token and of a head.
fn gate(
    call: &Call,
    (position, name): (usize, &str),
    is_used: bool,
    sizes: Sizes,
    widths: &[(usize, usize)],
) -> Result<Option<Gate>, Problem> {
    let tensor = match (call.find_tensor(position)?, is_used) {
        (Some(tensor), true) => tensor,
        (None, false) => return Ok(None),
        (None, true) => return invalid(format!("the update rule requires `{name}`")),
        (Some(_), false) => return invalid(format!("the update rule does not use `{name}`")),
    };
    let width = match *tensor.shape() {
        [batch, tokens, width] if (batch, tokens) == (sizes.batch, sizes.tokens) => width,
        ref other => {
            return invalid(format!(
                "`{name}` has the shape {other:?}, which does not fit the query"
            ));
        }
    };
    match widths.iter().find(|(expected, _)| *expected == width) {
        Some(&(width, by_head)) => Ok(Some(Gate {
            elements: floats(tensor)?,
            width,
            by_head,
        })),
        None => invalid(format!(
            "`{name}` has {width} elements for each token, which do not fit the heads"
        )),
    }
}
