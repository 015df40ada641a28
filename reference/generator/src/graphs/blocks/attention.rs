//! Attention with heads, masks, positions and caches, in the form of decoders.

use onnx_model::AttributeValue::{Int, Ints};
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire, broadcast};
use super::super::range::Range;
use super::movement::reshaped;
use super::transformer::{projected, rows};

/// Rows with heads: [batch, heads, length, width].
fn heads(g: &mut GraphDraft, x: &Wire, heads: usize) -> Option<Wire> {
    let &[n, length, features] = x.shape.as_slice() else {
        return None;
    };
    let width = features / heads;
    let apart = reshaped(g, x, vec![n, length, heads, width])?;
    Some(g.emit(
        "Transpose",
        &[&apart],
        &[("perm", Ints(vec![0, 2, 1, 3]))],
        vec![n, heads, length, width],
        x.range,
    ))
}

/// Past rows before the new ones, as in decoders; the result is also an output of the model.
fn cached(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let mut past = x.shape.clone();
    past[2] = g.one_of(&[0, 1, 3, 4]);
    let past = g.feed(&past)?;
    let mut shape = x.shape.clone();
    shape[2] += past.shape[2];
    let whole = g.emit(
        "Concat",
        &[&past, x],
        &[("axis", Int(2))],
        shape,
        x.range.or(past.range),
    );
    g.keep(whole.clone());
    if g.draws.one_in(2) {
        // Kept by name, so that it is an output although the attention reads it.
        let present = g.emit("Identity", &[&whole], &[], whole.shape.clone(), whole.range);
        g.keep(present);
    }
    Some(whole)
}

/// Key or value heads, each for several query heads.
fn repeated(g: &mut GraphDraft, x: &Wire, times: usize) -> Option<Wire> {
    let &[n, heads, length, width] = x.shape.as_slice() else {
        return None;
    };
    let axes = g.list(&[2]);
    let apart = g.emit(
        "Unsqueeze",
        &[x, &axes],
        &[],
        vec![n, heads, 1, length, width],
        x.range,
    );
    let wanted = [n, heads, times, length, width];
    let list = g.list(&wanted.map(|extent| extent as i64));
    let wide = g.emit("Expand", &[&apart, &list], &[], wanted.to_vec(), x.range);
    reshaped(g, &wide, vec![n, heads * times, length, width])
}

/// Rotary positions: x·cos + (−second half, first half)·sin.
fn rotated(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let (length, width) = (x.shape[x.rank() - 2], x.last());
    (width % 2 == 0).then_some(())?;
    let half = width / 2;
    let part = |g: &mut GraphDraft, from: usize, to: i64| {
        let (starts, ends, axes) = (g.list(&[from as i64]), g.list(&[to]), g.list(&[-1]));
        let mut shape = x.shape.clone();
        *shape.last_mut()? = half;
        Some(g.emit("Slice", &[x, &starts, &ends, &axes], &[], shape, x.range))
    };
    let (first, second) = (part(g, 0, half as i64)?, part(g, half, i64::MAX)?);
    let turned = g.emit("Neg", &[&second], &[], second.shape.clone(), second.range);
    let turned = g.emit(
        "Concat",
        &[&turned, &first],
        &[("axis", Int(-1))],
        x.shape.clone(),
        x.range,
    );
    let (cosine, sine) = (g.weights(&[length, width], 1)?, g.weights(&[length, width], 1)?);
    let (a, b) = (g.combine("Mul", x, &cosine)?, g.combine("Mul", &turned, &sine)?);
    g.combine("Add", &a, &b)
}

/// Scores with a mask: additive or by Where, constant or an input, causal or any, including rows without
/// any key.
fn masked(g: &mut GraphDraft, scores: &Wire) -> Option<Wire> {
    let (queries, keys) = (scores.shape[2], scores.shape[3]);
    let shape: Vec<usize> = match g.draws.below(4) {
        0 => vec![queries, keys],
        1 => vec![1, 1, queries, keys],
        2 => vec![scores.shape[0], 1, 1, keys],
        _ => vec![scores.shape[0], 1, queries, keys],
    };
    let causal = g.draws.one_in(2);
    let rows = shape[shape.len() - 2];
    let empty = g.draws.one_in(6);
    let open: Vec<bool> = (0..shape.iter().product::<usize>())
        .map(|at| {
            let (row, key) = (at / keys.max(1) % rows.max(1), at % keys.max(1));
            if empty && row == 0 {
                false
            } else if causal {
                key <= row + keys.saturating_sub(queries)
            } else {
                key == 0 || !g.draws.one_in(3)
            }
        })
        .collect();
    let floor = match g.float {
        DType::Float16 => -65504.0,
        _ => f64::from(f32::MIN),
    };
    // A row of only -∞ becomes NaN; the lowest finite number does not cause this.
    let least = if g.draws.one_in(2) {
        f64::NEG_INFINITY
    } else {
        g.draws.one_of(&[floor, -10000.0]).copied()?
    };
    g.undefined |= least == f64::NEG_INFINITY && (empty || causal);
    let fed = g.draws.one_in(3);
    if g.draws.one_in(2) {
        let mask = g.floats(
            &shape,
            open.iter().map(|&open| if open { 0.0 } else { least }).collect(),
        )?;
        let mask = place(g, mask, fed);
        let y = if g.draws.one_in(3) {
            g.combine("Add", &mask, scores)?
        } else {
            g.combine("Add", scores, &mask)?
        };
        return Some(y);
    }
    let least = g.floats(&[], vec![least])?;
    let least = g.constant(least, Range::rounded(1.0));
    let mask = place(g, Tensor::new::<bool>(&shape, open).ok()?, fed);
    let shape = broadcast(&scores.shape, &mask.shape)?;
    let name = g
        .node("Where", &[&mask.name, &scores.name, &least.name], &[], 1)
        .pop()?;
    Some(Wire {
        name,
        shape,
        dtype: scores.dtype,
        range: Range::rounded(scores.range.most),
    })
}

/// A mask, constant or an input; no other block reads it.
fn place(g: &mut GraphDraft, mask: Tensor, fed: bool) -> Wire {
    let range = Range::rounded(1.0);
    if fed {
        let wire = g.fed(mask, range);
        g.wires.pop();
        return wire;
    }
    g.constant(mask, range)
}

/// Softmax(scale·Q·Kᵀ + mask)·V with heads.
fn attended(g: &mut GraphDraft, q: &Wire, k: &Wire, v: &Wire) -> Option<Wire> {
    let &[n, heads, queries, width] = q.shape.as_slice() else {
        return None;
    };
    let keys = k.shape[2];
    let scale = 1.0 / (width as f64).sqrt();
    let form = g.draws.below(5);
    let turned = g.emit(
        "Transpose",
        &[k],
        &[("perm", Ints(vec![0, 1, 3, 2]))],
        vec![n, heads, width, keys],
        k.range,
    );
    let (q, turned) = if form == 0 {
        // The dynamo exporter multiplies both by the root of the scale.
        let root = g.number(scale.sqrt())?;
        (g.combine("Mul", q, &root)?, g.combine("Mul", &turned, &root)?)
    } else if form == 1 {
        let scale = g.number(scale)?;
        (g.combine("Mul", q, &scale)?, turned)
    } else {
        (q.clone(), turned)
    };
    let mut scores = g.emit(
        "MatMul",
        &[&q, &turned],
        &[],
        vec![n, heads, queries, keys],
        q.range.dot(turned.range, width),
    );
    if form >= 2 {
        let number = g.number(if form == 2 { 1.0 / scale } else { scale })?;
        scores = match form {
            2 => g.combine("Div", &scores, &number)?,
            3 => g.combine("Mul", &number, &scores)?,
            _ => g.combine("Mul", &scores, &number)?,
        };
    }
    scores.range = Range::rounded(scores.range.most);
    if g.draws.one_in(2) {
        scores = masked(g, &scores)?;
    }
    let axis = if g.draws.one_in(2) { -1 } else { 3 };
    let weights = g.map("Softmax", &scores, &[("axis", Int(axis))], 1.0);
    (weights.rank() == 4).then_some(())?;
    if g.draws.one_in(10) {
        g.keep(weights.clone());
    }
    let mut shape = weights.shape.clone();
    *shape.last_mut()? = v.last();
    Some(g.emit("MatMul", &[&weights, v], &[], shape, Range::rounded(v.range.most)))
}

/// Attention over rows, with the surrounding nodes of a decoder.
pub fn attention(g: &mut GraphDraft) -> Option<()> {
    let x = rows(g)?;
    let &[n, length, features] = x.shape.as_slice() else {
        return None;
    };
    let count = if features % 4 == 0 && g.draws.one_in(2) {
        4
    } else if features % 2 == 0 {
        2
    } else {
        1
    };
    let groups = if count > 1 && g.draws.one_in(3) {
        count / 2
    } else {
        count
    };
    let width = features / count;
    let (q, k, v) = (
        projected(g, &x, features)?,
        projected(g, &x, groups * width)?,
        projected(g, &x, groups * width)?,
    );
    let (mut q, mut k, mut v) = (heads(g, &q, count)?, heads(g, &k, groups)?, heads(g, &v, groups)?);
    if width % 2 == 0 && g.draws.one_in(4) {
        (q, k) = (rotated(g, &q)?, rotated(g, &k)?);
    }
    if g.draws.one_in(3) {
        (k, v) = (cached(g, &k)?, cached(g, &v)?);
    }
    (k.shape[2] == v.shape[2] && k.shape[2] > 0).then_some(())?;
    if groups != count {
        (k, v) = (repeated(g, &k, count / groups)?, repeated(g, &v, count / groups)?);
    }
    let y = attended(g, &q, &k, &v)?;
    (y.shape[0] == n).then_some(())?;
    let joined = g.emit(
        "Transpose",
        &[&y],
        &[("perm", Ints(vec![0, 2, 1, 3]))],
        vec![n, length, count, width],
        y.range,
    );
    let joined = reshaped(g, &joined, vec![n, length, features])?;
    let mut y = projected(g, &joined, features)?;
    if g.draws.one_in(2) {
        y = g.combine("Add", &x, &y)?;
    }
    g.keep(y);
    Some(())
}

/// Attention on inputs with heads.
pub fn plain_attention(g: &mut GraphDraft) -> Option<()> {
    let (n, count, queries, keys, width) = (
        g.one_of(&[1, 2]),
        g.one_of(&[1, 2, 3]),
        g.extent(1, 6),
        g.extent(1, 6),
        g.one_of(&[1, 4, 8]),
    );
    let q = g.float(&[n, count, queries, width], |wire| {
        wire.rank() == 4 && wire.len() > 0 && wire.len() < 1500
    })?;
    let (k, v) = (
        [q.shape[0], q.shape[1], keys, q.shape[3]],
        [q.shape[0], q.shape[1], keys, width],
    );
    let (k, v) = (g.feed(&k)?, g.feed(&v)?);
    let y = attended(g, &q, &k, &v)?;
    g.keep(y);
    Some(())
}
