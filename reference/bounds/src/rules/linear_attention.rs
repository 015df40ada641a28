//! LinearAttention: the recurrence over tokens, with numbers that have error bounds.
//!
//! For each token the state decays (exp, 3 ULP), adds the outer product of key and value (with a delta
//! rule: of the value minus the state's prediction for the key, times beta), and is read by the queries:
//! each is a sum of products over the keys, in any order. A chunkwise backend reorders the same sums.

use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::number::{self, Number};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("LinearAttention", linear_attention)];

/// A tensor of batch × tokens × (heads · size), indexed by head.
struct Heads {
    numbers: Vec<Number>,
    batch: usize,
    tokens: usize,
    heads: usize,
    size: usize,
}

impl Heads {
    fn read(query: &Query<'_>, index: usize, heads: usize) -> Option<Heads> {
        let &[batch, tokens, width] = query.call.optional(index)?.as_tensor()?.shape() else {
            return None;
        };
        Some(Heads {
            numbers: number::elements(query, index)?,
            batch,
            tokens,
            heads,
            size: width / heads.max(1),
        })
    }

    /// The row of a token and a head; an axis of extent 1 is broadcast.
    fn row(&self, image: usize, token: usize, head: usize) -> &[Number] {
        let at = |index: usize, extent: usize| if extent == 1 { 0 } else { index };
        let place = at(image, self.batch) * self.tokens + at(token, self.tokens);
        let place = place * self.heads + at(head, self.heads);
        self.numbers
            .get(place * self.size..(place + 1) * self.size)
            .unwrap_or_default()
    }
}

fn linear_attention(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let count = |name: &str| Ok::<_, OpError>(usize::try_from(query.call.int(name)?).unwrap_or(1).max(1));
    let (readers, shared) = (count("q_num_heads")?, count("kv_num_heads")?);
    let missing = || OpError::invalid("query, key and value must have rank 3");
    let queries = Heads::read(query, 0, readers).ok_or_else(missing)?;
    let recurrence = Recurrence::read(query, shared).ok_or_else(missing)?;
    let unit = query.unit(0);
    let scale = match f64::from(query.call.float("scale")?) {
        0.0 => Number::exact(1.0) / Number::off(queries.size as f64, 0.0, unit).sqrt(),
        scale => Number::off(scale, 0.0, unit),
    };
    let (size, width) = (recurrence.keys.size, recurrence.values.size);
    let none = || vec![Number::off(0.0, 0.0, unit); queries.batch * shared * size * width];
    let mut states = number::elements(query, 3).unwrap_or_else(none);
    let mut output = vec![Number::exact(0.0); queries.batch * queries.tokens * readers * width];
    for (place, state) in states.chunks_mut((size * width).max(1)).enumerate() {
        let (image, head, group) = (place / shared, place % shared, readers / shared);
        for token in 0..queries.tokens {
            recurrence.step(state, image, token, head);
            for reader in head * group..(head + 1) * group {
                let row = queries.row(image, token, reader);
                let from = ((image * queries.tokens + token) * readers + reader) * width;
                for (column, out) in output.iter_mut().skip(from).take(width).enumerate() {
                    let held = state.iter().skip(column).step_by(width.max(1)).copied();
                    *out = Number::dot(row.iter().copied().zip(held)) * scale;
                }
            }
        }
    }
    let radii = vec![
        number::radius(query, 0, output, "recurrence over tokens"),
        number::radius(query, 1, states, "recurrence over tokens"),
    ];
    Ok(radii.into_iter().take(query.outputs.len()).collect())
}

struct Recurrence {
    keys: Heads,
    values: Heads,
    decay: Option<Heads>,
    beta: Option<Heads>,
}

impl Recurrence {
    fn read(query: &Query<'_>, shared: usize) -> Option<Recurrence> {
        let per_head = |index: usize| {
            let shape = query.call.optional(index)?.as_tensor()?.shape();
            Heads::read(query, index, if shape.last() == Some(&1) { 1 } else { shared })
        };
        Some(Recurrence {
            keys: Heads::read(query, 1, shared)?,
            values: Heads::read(query, 2, shared)?,
            decay: Heads::read(query, 4, shared),
            beta: per_head(5),
        })
    }

    /// Advances a state, keys × values, to the next token.
    fn step(&self, state: &mut [Number], image: usize, token: usize, head: usize) {
        let (key, value) = (
            self.keys.row(image, token, head),
            self.values.row(image, token, head),
        );
        let width = value.len().max(1);
        if let Some(decay) = &self.decay {
            let decay = decay.row(image, token, head);
            for (row, held) in state.chunks_mut(width).enumerate() {
                // One decay for each key, or one for all.
                if let Some(decay) = decay.get(row).or(decay.first()) {
                    let factor = decay.map(3.0, f64::exp);
                    held.iter_mut().for_each(|held| *held = *held * factor);
                }
            }
        }
        let mut updated = value.to_vec();
        if let Some(beta) = self
            .beta
            .as_ref()
            .and_then(|beta| beta.row(image, token, head).first())
        {
            for (column, value) in updated.iter_mut().enumerate() {
                let held = state.iter().skip(column).step_by(width).copied();
                *value = (*value - Number::dot(key.iter().copied().zip(held))) * *beta;
            }
        }
        for (held, &key) in state.chunks_mut(width).zip(key) {
            for (held, &value) in held.iter_mut().zip(&updated) {
                *held = *held + key * value;
            }
        }
    }
}
