//! GatedDeltaNet: LinearAttention over packed sequences, whose key heads are shared by value heads and whose
//! gates may have functions of their own.

use onnx_model::AttributeValue::{Float, Int, String};
use onnx_tensor::DType;

use super::{Row, contrib};
use crate::call::int64s;
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[contrib("GatedDeltaNet", delta_net)];

/// The positions of the inputs.
const LENGTHS: usize = 3;
const DECAY: usize = 4;
const BETA: usize = 5;
const STATE: usize = 6;
const RATE: usize = 7;
const BIAS: usize = 8;

/// The opset with LinearAttention.
const OPSET: u32 = 27;

/// Queries and keys, tokens × heads × size, and values.
struct Tokens {
    query: Id,
    key: Id,
    value: Id,
    count: usize,
    heads: usize,
    size: usize,
    values: usize,
}

/// What the recurrence reads of some tokens: sequences × length × width.
struct Operands {
    tokens: [Id; 3],
    gates: [Option<Id>; 2],
}

fn delta_net(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    if attributes.int("state_update_capacity")? != 0 || c.wants(2) {
        return Ok(unsupported("the capture of transitions")?);
    }
    let query = c.input(0)?;
    let (own, mut shape) = (c.dtype(query)?, c.shape(query)?);
    let tokens = tokens(c)?;
    let gates = gates(c, &tokens)?;
    let sequences = sequences(c, &tokens)?;
    let state = state(c, &tokens, sequences.len())?;
    let (y, states) = recurrence(c, &tokens, gates, &sequences, state)?;
    let packed = c.find(1).is_none() || c.find(2).is_none();
    shape.truncate(shape.len() - if packed { 1 } else { 2 });
    shape.extend([tokens.heads, tokens.values]);
    let y = c.reshape(y, &shape)?;
    c.give_as(0, y, own)?;
    let states = c.transpose(states, &[0, 1, 3, 2])?;
    c.give_as(1, states, DType::Float)
}

fn tokens(c: &mut Composition<'_>) -> Composed<Tokens> {
    let (query, key, value) = match (c.find(1), c.find(2)) {
        (Some(key), Some(value)) => (by_heads(c, c.input(0)?)?, by_heads(c, key)?, by_heads(c, value)?),
        _ => apart(c)?,
    };
    let ([count, readers, size], [of_values, heads, values]) = (extents(c, query)?, extents(c, value)?);
    let alike = extents(c, key)? == [count, readers, size] && of_values == count;
    if !alike || readers == 0 || heads == 0 || !heads.is_multiple_of(readers) {
        return Ok(invalid(
            "query, key and value do not agree in tokens, heads or sizes",
        )?);
    }
    let mut both = [query, key];
    for x in &mut both {
        if c.attributes().flag("qk_l2_norm")? {
            *x = normed(c, *x)?;
        }
        let apart = c.unsqueeze(*x, &[2])?;
        let target = c.vector([count, readers, heads / readers, size]);
        let many = c.apply("Expand", &[apart, target], &[])?;
        *x = c.reshape(many, &[count, heads, size])?;
    }
    let [query, key] = both;
    Ok(Tokens {
        query,
        key,
        value,
        count,
        heads,
        size,
        values,
    })
}

fn extents(c: &Composition<'_>, x: Id) -> Composed<[usize; 3]> {
    match c.shape(x)?[..] {
        [count, heads, size] => Ok([count, heads, size]),
        ref other => Ok(invalid(format!("tokens of shape {other:?}"))?),
    }
}

/// Returns tokens × heads × size from these axes, or from batch × sequence × heads × size.
fn by_heads(c: &mut Composition<'_>, x: Id) -> Composed<Id> {
    let x = c.wide(x)?;
    match c.shape(x)?[..] {
        [_, _, _] => Ok(x),
        [batch, sequence, heads, size] => c.reshape(x, &[batch * sequence, heads, size]),
        ref other => Ok(invalid(format!("tokens of shape {other:?}"))?),
    }
}

/// Returns queries, keys and values that are behind each other; the state has their sizes.
fn apart(c: &mut Composition<'_>) -> Composed<(Id, Id, Id)> {
    let all = c.input_wide(0)?;
    let shape = c.shape(all)?;
    let state = c.shape(c.input(STATE)?)?;
    let (&[_, heads, values, size], Some((&width, leading))) = (&state[..], shape.split_last()) else {
        return Ok(invalid(
            "packed queries require `initial_state`, which has their sizes",
        )?);
    };
    let of_queries = width.saturating_sub(heads * values);
    if size == 0 || heads * values > width || !of_queries.is_multiple_of(2 * size) {
        return Ok(invalid(format!(
            "packed queries of width {width} do not fit {state:?}"
        ))?);
    }
    let (count, half) = (leading.iter().product(), of_queries / 2);
    let rows = c.reshape(all, &[count, width])?;
    let parts = c.split(rows, 1, &[half, half, heads * values])?;
    let of_keys = [count, half / size, size];
    Ok((
        c.reshape(parts[0], &of_keys)?,
        c.reshape(parts[1], &of_keys)?,
        c.reshape(parts[2], &[count, heads, values])?,
    ))
}

/// Divides each vector by its length, if that is not 0.
fn normed(c: &mut Composition<'_>, x: Id) -> Composed<Id> {
    let axis = c.vector([2]);
    let length = c.apply("ReduceL2", &[x, axis], &[])?;
    let zero = c.scalar(c.dtype(x)?, 0.0)?;
    let none = c.apply("Equal", &[length, zero], &[])?;
    let divided = c.apply("Div", &[x, length], &[])?;
    c.apply("Where", &[none, x, divided], &[])
}

/// Returns decay and rate, tokens × width, as far as the rule has them.
fn gates(c: &mut Composition<'_>, tokens: &Tokens) -> Composed<[Option<Id>; 2]> {
    let (gated, delta) = match c.attributes().text("update_rule")? {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Ok(invalid(format!("`update_rule` is `{other}`"))?),
    };
    let decay = if gated { Some(decay(c, tokens)?) } else { None };
    let rate = if delta {
        let beta = c.input_wide(BETA)?;
        let beta = c.reshape(beta, &[tokens.count, tokens.heads])?;
        Some(match c.attributes().text("beta_activation")? {
            "none" => beta,
            "sigmoid" => c.apply("Sigmoid", &[beta], &[])?,
            other => return Ok(invalid(format!("`beta_activation` is `{other}`"))?),
        })
    } else {
        None
    };
    Ok([decay, rate])
}

fn decay(c: &mut Composition<'_>, tokens: &Tokens) -> Composed<Id> {
    let raw = c.input_wide(DECAY)?;
    let by_head = tokens.count * tokens.heads;
    let columns = match c.shape(raw)?.iter().product::<usize>() {
        all if all == by_head => 1,
        all if all == by_head * tokens.size => tokens.size,
        all => return Ok(invalid(format!("`decay` has {all} elements"))?),
    };
    let flat = [tokens.count, tokens.heads * columns];
    let gate = c.attributes().text("gate_activation")?;
    if gate == "none" {
        return c.reshape(raw, &flat);
    }
    let raw = c.reshape(raw, &[tokens.count, tokens.heads, columns])?;
    let rate = c.reshape(c.input(RATE)?, &[tokens.heads, 1])?;
    let rate = c.apply("Exp", &[rate], &[])?;
    let bias = c.input_wide(BIAS)?;
    let of_bias = c.shape(bias)?.iter().product::<usize>() / tokens.heads;
    let bias = c.reshape(bias, &[tokens.heads, of_bias])?;
    let moved = c.add(raw, bias)?;
    let g = match gate {
        "softplus" | "qwen" => {
            let soft = c.apply("Softplus", &[moved], &[])?;
            let product = c.mul(rate, soft)?;
            c.apply("Neg", &[product], &[])?
        }
        "sigmoid" | "kda" => {
            let product = c.mul(rate, moved)?;
            let share = c.apply("Sigmoid", &[product], &[])?;
            c.scaled(share, c.attributes().float("gate_lower_bound")?)?
        }
        other => return Ok(invalid(format!("`gate_activation` is `{other}`"))?),
    };
    c.reshape(g, &flat)
}

/// Returns the first token of each sequence and the one behind its last.
fn sequences(c: &Composition<'_>, tokens: &Tokens) -> Composed<Vec<[usize; 2]>> {
    if let Some(sums) = c.find(LENGTHS) {
        let sums = int64s(&c.elements(sums)?)?;
        let known: Vec<usize> = sums.iter().filter_map(|&sum| usize::try_from(sum).ok()).collect();
        let ascends = known.is_sorted() && known.first() == Some(&0) && known.last() == Some(&tokens.count);
        if !ascends || known.len() != sums.len() {
            return Ok(invalid(format!(
                "`cu_seqlens` must ascend from 0 to {}",
                tokens.count
            ))?);
        }
        return Ok(known.windows(2).map(|pair| [pair[0], pair[1]]).collect());
    }
    let batch = match (c.find(STATE), &c.shape(c.input(0)?)?[..]) {
        (Some(state), _) => c.shape(state)?.first().copied().unwrap_or(0),
        (None, &[batch, _, _, _]) => batch,
        _ => return Ok(invalid("uniform packing requires `initial_state`")?),
    };
    if batch == 0 || !tokens.count.is_multiple_of(batch) {
        return Ok(invalid(format!(
            "{} tokens are not {batch} sequences",
            tokens.count
        ))?);
    }
    let length = tokens.count / batch;
    Ok((0..batch).map(|at| [at * length, (at + 1) * length]).collect())
}

/// Returns the first states, sequences × heads × size × values.
fn state(c: &mut Composition<'_>, tokens: &Tokens, sequences: usize) -> Composed<Id> {
    let Tokens {
        heads, size, values, ..
    } = *tokens;
    let Some(state) = c.find(STATE) else {
        let (zero, target) = (
            c.scalar(DType::Float, 0.0)?,
            c.vector([sequences, heads, size, values]),
        );
        return c.apply("Expand", &[zero, target], &[]);
    };
    let shape = c.shape(state)?;
    if shape != [sequences, heads, values, size] {
        return Ok(invalid(format!(
            "`initial_state` of shape {shape:?} for {sequences} sequences"
        ))?);
    }
    c.transpose(state, &[0, 1, 3, 2])
}

/// Returns what the queries read, and the last states. Sequences of one length are a batch.
fn recurrence(
    c: &mut Composition<'_>,
    tokens: &Tokens,
    gates: [Option<Id>; 2],
    sequences: &[[usize; 2]],
    state: Id,
) -> Composed<(Id, Id)> {
    let all = Operands {
        tokens: [tokens.query, tokens.key, tokens.value],
        gates,
    };
    let length = |[from, to]: &[usize; 2]| to - from;
    let first = sequences.first().map_or(0, length);
    if sequences.iter().all(|sequence| length(sequence) == first) {
        return attended(c, tokens, &all, [sequences.len(), first], state);
    }
    let (mut outputs, mut states) = (Vec::new(), Vec::new());
    for (at, &[from, to]) in sequences.iter().enumerate() {
        let part = |c: &mut Composition<'_>, x: Id| c.slice(x, 0, from, to);
        let mut own = [tokens.query; 3];
        for (own, &x) in own.iter_mut().zip(&all.tokens) {
            *own = part(c, x)?;
        }
        let mut of_gates = [None; 2];
        for (own, gate) in of_gates.iter_mut().zip(gates) {
            *own = gate.map(|gate| part(c, gate)).transpose()?;
        }
        let own = Operands {
            tokens: own,
            gates: of_gates,
        };
        let before = c.slice(state, 0, at, at + 1)?;
        if from == to {
            states.push(before);
            continue;
        }
        let (y, after) = attended(c, tokens, &own, [1, to - from], before)?;
        outputs.push(c.reshape(y, &[to - from, tokens.heads, tokens.values])?);
        states.push(after);
    }
    Ok((c.concat(&outputs, 0)?, c.concat(&states, 0)?))
}

fn attended(
    c: &mut Composition<'_>,
    tokens: &Tokens,
    own: &Operands,
    [batch, length]: [usize; 2],
    state: Id,
) -> Composed<(Id, Id)> {
    let mut inputs = Vec::new();
    for (x, size) in own
        .tokens
        .into_iter()
        .zip([tokens.size, tokens.size, tokens.values])
    {
        inputs.push(Some(c.reshape(x, &[batch, length, tokens.heads * size])?));
    }
    inputs.push(Some(state));
    for gate in own.gates {
        let Some(gate) = gate else {
            inputs.push(None);
            continue;
        };
        let width = c.shape(gate)?[1];
        inputs.push(Some(c.reshape(gate, &[batch, length, width])?));
    }
    let attributes = c.attributes();
    let heads = Int(tokens.heads as i64);
    let given = [
        ("q_num_heads", heads.clone()),
        ("kv_num_heads", heads),
        ("scale", Float(attributes.float("scale")?)),
        (
            "update_rule",
            String(attributes.text("update_rule")?.as_bytes().to_vec()),
        ),
    ];
    let found = c.apply_each(("LinearAttention", OPSET), &inputs, &given, 2)?;
    Ok((found[0], found[1]))
}
