//! Attention over `[batch, heads, sequence, size]` without a cache: product, softmax, product, head by head.

use native_kernels::Epilogue;
use native_kernels::gemm::{Matrix, Rhs, gemm};

use super::rows::{each_part, softmax};
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::broadcast::broadcast_strides;
use crate::ops::movement::positions;

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let attributes = &operator.attributes;
    let plain = used.is_plain()
        && used.outputs.len() == 1
        && (4..used.inputs.len()).all(|position| !used.has(position))
        && !attributes.flag("is_causal")?
        && attributes.find_float("softcap")?.unwrap_or(0.0) == 0.0
        && ["left_window_size", "right_window_size"].iter().all(|name| {
            attributes
                .find_int(name)
                .ok()
                .flatten()
                .is_none_or(|size| size < 0)
        });
    let (Some(q), Some(k), Some(v), true) = (used.float(0), used.float(1), used.float(2), plain) else {
        return Ok(None);
    };
    let (&[batch, heads, queries, size], &[kb, kh, keys, ks], &[vb, vh, vk, value_size]) =
        (&q.shape[..], &k.shape[..], &v.shape[..])
    else {
        return Ok(None);
    };
    let fits = [kb, vb] == [batch; 2] && [kh, vh] == [heads; 2] && vk == keys && ks == size;
    if !fits
        || batch * heads * queries * keys * size * value_size == 0
        || (used.has(3) && used.float(3).is_none())
    {
        return Ok(None);
    }
    let target = [batch, heads, queries, keys];
    // Where the mask of each head begins, and how it moves from query to query.
    let mask = match used.float(3) {
        None => None,
        Some(mask) if mask.shape.last() == Some(&keys) && mask.shape.len() <= 4 => {
            let steps = broadcast_strides(&mask.shape, &target);
            Some((positions(&target[..2], &steps[..2], 0), steps[2]))
        }
        Some(_) => return Ok(None),
    };
    let scale = attributes
        .find_float("scale")?
        .unwrap_or(1.0 / (size as f32).sqrt());
    let mut scores = vec![0.0_f32; queries * keys];
    let mut weights = vec![0.0_f32; queries * keys];
    let mut reads = vec![0, 1, 2];
    reads.extend(used.has(3).then_some(3));
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        for head in 0..batch * heads {
            let part = |which: usize, length: usize| &inputs[which][head * length..][..length];
            let q = Matrix::new(part(0, queries * size), queries, size)?;
            let k = Matrix::new(part(1, keys * size), keys, size)?.transposed();
            gemm(&device.pool, q, Rhs::Matrix(k), &Epilogue::default(), &mut scores)?;
            for (query, line) in scores.chunks_exact_mut(keys).enumerate() {
                line.iter_mut().for_each(|score| *score *= scale);
                if let (Some((starts, step)), Some(mask)) = (&mask, inputs.get(3)) {
                    let mask = &mask[starts[head] + query * step..][..keys];
                    line.iter_mut().zip(mask).for_each(|(score, mask)| *score += mask);
                }
            }
            each_part(device, &mut weights, keys, |start, part| {
                for (number, line) in part.chunks_exact_mut(keys).enumerate() {
                    softmax(&scores[start + number * keys..][..keys], line);
                }
            });
            let weights = Matrix::new(&weights, queries, keys)?;
            let v = Matrix::new(part(2, keys * value_size), keys, value_size)?;
            let y = &mut outputs[0][head * queries * value_size..][..queries * value_size];
            gemm(&device.pool, weights, Rhs::Matrix(v), &Epilogue::default(), y)?;
        }
        Ok(())
    })
}
