//! Attention over `[batch, heads, sequence, size]`, of the operator with or without a past, and of
//! the fused node.

use native_kernels::attention::{AttentionShape, Scores, attention};

use onnx_tensor::DType;

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::{Attention, Masking, Operator};
use crate::ops::broadcast::{broadcast_shape, broadcast_strides};
use crate::ops::movement::positions;

/// A mask for the kernel: for each head the offset of its `[queries][keys]`.
struct Mask {
    places: Vec<usize>,
    /// If one row serves all queries: the starts of the rows to repeat.
    repeated: Option<Vec<usize>>,
}

/// Whether the kernel supports the attributes and inputs.
fn is_plain(used: &Use, operator: &Operator) -> Result<bool, Problem> {
    let attributes = &operator.attributes;
    let windows = ["left_window_size", "right_window_size"];
    let open = |name: &&str| {
        attributes
            .find_int(name)
            .ok()
            .flatten()
            .is_none_or(|size| size < 0)
    };
    // The kernel computes the softmax in f32.
    let narrow = |dtype: DType| !matches!(dtype, DType::Float | DType::Double);
    let past = used.has(4);
    let outputs = used.outputs.len() == 1 || (past && used.outputs.len() == 3);
    Ok(used.is_plain()
        && outputs
        && used.has(5) == past
        && !attributes.dtype("softmax_precision")?.is_some_and(narrow)
        && (6..used.inputs.len()).all(|position| !used.has(position))
        && windows.iter().all(open))
}

impl Mask {
    /// Returns the mask at a position of the inputs, if it broadcasts to scores of this shape.
    fn of(used: &Use, position: usize, target: [usize; 4]) -> Option<Mask> {
        let mask = used
            .float(position)
            .filter(|mask| mask.shape.last() == Some(&target[3]) && mask.shape.len() <= 4)?;
        if broadcast_shape([&mask.shape[..], &target[..]]).ok()? != target {
            return None;
        }
        let steps = broadcast_strides(&mask.shape, &target);
        let places = positions(&target[..2], &steps[..2], 0);
        if steps[2] != 0 || target[2] == 1 {
            return Some(Mask {
                places,
                repeated: None,
            });
        }
        let mut starts = places.clone();
        starts.sort_unstable();
        starts.dedup();
        let block = target[2] * target[3];
        let place = |start: &usize| starts.binary_search(start).map_or(0, |number| number * block);
        Some(Mask {
            places: places.iter().map(place).collect(),
            repeated: Some(starts),
        })
    }

    /// Returns the offsets of the heads, and the values with a row for each query, which may be in `spread`.
    fn values<'a>(
        &'a self,
        given: &'a [f32],
        [queries, keys]: [usize; 2],
        spread: &'a mut Vec<f32>,
    ) -> (&'a [usize], &'a [f32]) {
        let Some(starts) = &self.repeated else {
            return (&self.places, given);
        };
        spread.clear();
        for &start in starts {
            (0..queries).for_each(|_| spread.extend_from_slice(&given[start..start + keys]));
        }
        (&self.places, spread)
    }
}

/// Lowers an Attention of ONNX.
pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    if !is_plain(used, operator)? {
        return Ok(None);
    }
    let attributes = &operator.attributes;
    let past = if used.has(4) {
        match Past::of(used) {
            Some(past) => Some(past),
            None => return Ok(None),
        }
    } else {
        None
    };
    let tokens = past.as_ref().map_or(0, |past| past.tokens);
    let options = Options {
        scale: attributes.find_float("scale")?,
        cap: attributes.find_float("softcap")?.unwrap_or(0.0).max(0.0),
        causal_past: attributes.flag("is_causal")?.then_some(tokens),
        zero_where_masked: true,
        replaces: false,
        nan_is_zero: false,
        second: false,
        past,
    };
    bind(used, device, options)
}

/// Lowers the fused attention. Without groups, heads of keys broadcast as in MatMul: there is one,
/// or as many as of queries.
pub fn lower_fused(used: &Use, device: &Device, inner: &Attention) -> Attempt {
    let heads = |position: usize| used.float(position)?.shape.get(1).copied();
    let shared = match inner.groups {
        1 => heads(1) == Some(1) || heads(1) == heads(0),
        groups => heads(1).and_then(|heads| heads.checked_mul(groups)) == heads(0),
    };
    if !used.is_plain() || !shared {
        return Ok(None);
    }
    let options = Options {
        scale: Some(inner.scale),
        cap: 0.0,
        causal_past: None,
        zero_where_masked: false,
        replaces: inner.masking == Masking::Replaced,
        nan_is_zero: inner.nan_is_zero,
        second: used.has(4),
        past: None,
    };
    bind(used, device, options)
}

/// How scores become weights.
struct Options {
    /// The scale; by default one over the square root of the size of a key.
    scale: Option<f32>,
    /// The limit of the scores; 0 is none.
    cap: f32,
    causal_past: Option<usize>,
    zero_where_masked: bool,
    replaces: bool,
    nan_is_zero: bool,
    /// Whether input 4 is a second summand of the scores.
    second: bool,
    past: Option<Past>,
}

/// Keys and values of earlier steps, which precede the new ones of each head.
struct Past {
    tokens: usize,
    /// The number of elements of a head: of the past and of the new keys, of the past and of the new values.
    lengths: [[usize; 2]; 2],
    /// The keys and the values of all steps, if they are no outputs of the node.
    joined: [Vec<f32>; 2],
}

impl Past {
    /// Returns the past of a node whose past keys and values have the shape of the new ones but for
    /// their number.
    fn of(used: &Use) -> Option<Past> {
        let lengths = |new: usize, past: usize| {
            let (new, past) = (&used.float(new)?.shape, &used.float(past)?.shape);
            let (&[b, h, t, d], &[pb, ph, p, pd]) = (&new[..], &past[..]) else {
                return None;
            };
            ((b, h, d) == (pb, ph, pd)).then_some((p, [p * d, t * d]))
        };
        let ((tokens, keys), (others, values)) = (lengths(1, 4)?, lengths(2, 5)?);
        (tokens == others).then(|| Past {
            tokens,
            lengths: [keys, values],
            joined: [Vec::new(), Vec::new()],
        })
    }

    /// Writes the keys or the values (`which`) of all steps.
    fn join([past, new]: [usize; 2], before: &[f32], added: &[f32], whole: &mut [f32]) {
        for (head, whole) in whole.chunks_exact_mut((past + new).max(1)).enumerate() {
            let (first, last) = whole.split_at_mut(past);
            first.copy_from_slice(&before[head * past..][..past]);
            last.copy_from_slice(&added[head * new..][..new]);
        }
    }

    /// Returns the keys and values of all steps, which are outputs of the node or kept here.
    fn all<'a>(
        &'a mut self,
        before: [&[f32]; 2],
        added: [&[f32]; 2],
        outputs: &'a mut [&mut [f32]],
    ) -> [&'a [f32]; 2] {
        if let [keys, values] = outputs {
            Past::join(self.lengths[0], before[0], added[0], keys);
            Past::join(self.lengths[1], before[1], added[1], values);
            return [keys, values];
        }
        for (which, joined) in self.joined.iter_mut().enumerate() {
            joined.resize(before[which].len() + added[which].len(), 0.0);
            Past::join(self.lengths[which], before[which], added[which], joined);
        }
        let [keys, values] = &self.joined;
        [keys, values]
    }
}

fn bind(used: &Use, device: &Device, mut options: Options) -> Attempt {
    let (Some(q), Some(k), Some(v)) = (used.float(0), used.float(1), used.float(2)) else {
        return Ok(None);
    };
    let (&[batch, heads, queries, key_size], &[kb, key_heads, new, ks], &[vb, vh, vk, value_size]) =
        (&q.shape[..], &k.shape[..], &v.shape[..])
    else {
        return Ok(None);
    };
    let fits = [kb, vb] == [batch; 2] && vh == key_heads && vk == new && ks == key_size;
    let keys = new + options.past.as_ref().map_or(0, |past| past.tokens);
    let empty = [batch, heads, queries, keys, key_size, value_size, key_heads].contains(&0);
    if !fits || empty || !heads.is_multiple_of(key_heads) {
        return Ok(None);
    }
    let scores = [batch, heads, queries, keys];
    let summand = |present: bool, position: usize| {
        if present {
            Mask::of(used, position, scores).map(Some)
        } else {
            Some(None)
        }
    };
    let (Some(mask), Some(second)) = (summand(used.has(3), 3), summand(options.second, 4)) else {
        return Ok(None);
    };
    let shape = AttentionShape {
        heads: batch * heads,
        sharing: heads / key_heads,
        queries,
        keys,
        key_size,
        value_size,
    };
    let scale = options.scale.unwrap_or(1.0 / (key_size as f32).sqrt());
    let mut reads = vec![0, 1, 2];
    reads.extend(mask.is_some().then_some(3));
    reads.extend(options.second.then_some(4));
    reads.extend(options.past.iter().flat_map(|_| [4, 5]));
    let mut spread: [Vec<f32>; 2] = Default::default();
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let [first, other] = &mut spread;
        let size = [queries, keys];
        let of_second = if mask.is_some() { 4 } else { 3 };
        let mask = mask.as_ref().map(|mask| mask.values(inputs[3], size, first));
        let second = second
            .as_ref()
            .map(|second| second.values(inputs[of_second], size, other));
        let scores = Scores {
            scale,
            cap: options.cap,
            mask,
            second,
            causal_past: options.causal_past,
            zero_where_masked: options.zero_where_masked,
            replaces: options.replaces,
            nan_is_zero: options.nan_is_zero,
        };
        let (result, present) = outputs.split_at_mut(1);
        let added = [inputs[1], inputs[2]];
        let [k, v] = match &mut options.past {
            None => added,
            Some(past) => {
                let before = [inputs[inputs.len() - 2], inputs[inputs.len() - 1]];
                past.all(before, added, present)
            }
        };
        Ok(attention(
            &device.pool,
            shape,
            scores,
            inputs[0],
            k,
            v,
            result[0],
        )?)
    })
}
