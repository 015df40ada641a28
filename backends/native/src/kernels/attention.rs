//! Attention over `[batch, heads, sequence, size]` without a cache.

use native_kernels::attention::{AttentionShape, Scores, attention};

use onnx_tensor::DType;

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
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
    Ok(used.is_plain()
        && used.outputs.len() == 1
        && !attributes.dtype("softmax_precision")?.is_some_and(narrow)
        && (4..used.inputs.len()).all(|position| !used.has(position))
        && attributes.find_float("softcap")?.unwrap_or(0.0) == 0.0
        && windows.iter().all(open))
}

fn mask(used: &Use, target: [usize; 4]) -> Option<Mask> {
    let mask = used
        .float(3)
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

/// Lowers an Attention of ONNX.
pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    if !is_plain(used, operator)? {
        return Ok(None);
    }
    let attributes = &operator.attributes;
    let options = Options {
        scale: attributes.find_float("scale")?,
        causal_past: attributes.flag("is_causal")?.then_some(0),
        zero_where_masked: true,
    };
    bind(used, device, options)
}

/// Lowers the fused attention. Heads of keys broadcast as in MatMul: there is one, or as many as of queries.
pub fn lower_fused(used: &Use, device: &Device, scale: f32) -> Attempt {
    let heads = |position: usize| used.float(position)?.shape.get(1).copied();
    let broadcast = heads(1) == Some(1) || heads(1) == heads(0);
    if !used.is_plain() || !broadcast {
        return Ok(None);
    }
    let options = Options {
        scale: Some(scale),
        causal_past: None,
        zero_where_masked: false,
    };
    bind(used, device, options)
}

/// How scores become weights.
struct Options {
    /// The scale; by default one over the square root of the size of a key.
    scale: Option<f32>,
    causal_past: Option<usize>,
    zero_where_masked: bool,
}

fn bind(used: &Use, device: &Device, options: Options) -> Attempt {
    let (Some(q), Some(k), Some(v)) = (used.float(0), used.float(1), used.float(2)) else {
        return Ok(None);
    };
    let (&[batch, heads, queries, key_size], &[kb, key_heads, keys, ks], &[vb, vh, vk, value_size]) =
        (&q.shape[..], &k.shape[..], &v.shape[..])
    else {
        return Ok(None);
    };
    let fits = [kb, vb] == [batch; 2] && vh == key_heads && vk == keys && ks == key_size;
    let empty = [batch, heads, queries, keys, key_size, value_size, key_heads].contains(&0);
    if !fits || empty || !heads.is_multiple_of(key_heads) {
        return Ok(None);
    }
    let mask = if used.has(3) {
        mask(used, [batch, heads, queries, keys])
    } else {
        None
    };
    if used.has(3) && mask.is_none() {
        return Ok(None);
    }
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
    reads.extend(used.has(3).then_some(3));
    let mut spread: Vec<f32> = Vec::new();
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let given = inputs.get(3).copied().unwrap_or_default();
        let mask = mask.as_ref().map(|mask| {
            let Some(starts) = &mask.repeated else {
                return (mask.places.as_slice(), given);
            };
            spread.clear();
            for &start in starts {
                (0..queries).for_each(|_| spread.extend_from_slice(&given[start..start + keys]));
            }
            (mask.places.as_slice(), spread.as_slice())
        });
        let scores = Scores {
            scale,
            mask,
            causal_past: options.causal_past,
            zero_where_masked: options.zero_where_masked,
        };
        Ok(attention(
            &device.pool,
            shape,
            scores,
            inputs[0],
            inputs[1],
            inputs[2],
            outputs[0],
        )?)
    })
}
