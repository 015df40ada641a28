//! Data movement: reshapes, transposes, slices, concatenations, splits, pads.

use onnx_model::AttributeValue::{Int, Ints};
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::{ints, text};

/// The axes in another order.
pub fn transpose(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3, 4], |wire| wire.rank() >= 2)?;
    let order = g.draws.permutation(x.rank());
    let shape = order.iter().map(|&axis| x.shape[axis]).collect();
    let y = g.emit("Transpose", &[&x], &[("perm", ints(&order))], shape, x.range);
    g.keep(y);
    Some(())
}

/// As many elements with other extents: adjacent axes merged, one split in two.
pub fn other_shape(g: &mut GraphDraft, x: &Wire) -> Vec<usize> {
    let mut shape = x.shape.clone();
    if shape.len() >= 2 && g.draws.one_in(2) {
        let at = g.draws.below(shape.len() - 1);
        let joined = shape[at] * shape[at + 1];
        shape.splice(at..at + 2, [joined]);
    }
    let cuts: Vec<(usize, usize)> = shape
        .iter()
        .enumerate()
        .flat_map(|(at, &extent)| {
            (2..extent)
                .filter(move |part| extent % part == 0)
                .map(move |part| (at, part))
        })
        .collect();
    if let Some(&(at, part)) = g.draws.one_of(&cuts) {
        let rest = shape[at] / part;
        shape.splice(at..=at, [part, rest]);
    }
    if g.draws.one_in(4) {
        let at = g.draws.below(shape.len() + 1);
        shape.insert(at, 1);
    }
    shape
}

/// Reshape by a constant, sometimes with -1 and 0, or by a shape that the graph computes.
pub fn reshape(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 12], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let shape = other_shape(g, &x);
    let y = reshaped(g, &x, shape)?;
    g.keep(y);
    Some(())
}

/// The value in this shape.
pub fn reshaped(g: &mut GraphDraft, x: &Wire, shape: Vec<usize>) -> Option<Wire> {
    let mut wanted: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
    if g.draws.one_in(2) && !wanted.is_empty() && x.len() > 0 {
        let at = g.draws.below(wanted.len());
        wanted[at] = -1;
    }
    if g.draws.one_in(3)
        && x.shape.first() == shape.first()
        && wanted.first().is_some_and(|&extent| extent > 0)
    {
        wanted[0] = 0;
    }
    let list = match g.draws.below(4) {
        // The first extent comes from the value itself, as exporters write it.
        0 if x.shape.first() == shape.first() && x.rank() >= 1 => {
            let whole = g.node("Shape", &[&x.name], &[], 1).pop()?;
            let (zero, axes) = (g.whole_number(0), g.list(&[0]));
            let first = g
                .node("Gather", &[&whole, &zero.name], &[("axis", Int(0))], 1)
                .pop()?;
            let first = g.node("Unsqueeze", &[&first, &axes.name], &[], 1).pop()?;
            let rest = g.list(&wanted[1..]);
            let list = g
                .node("Concat", &[&first, &rest.name], &[("axis", Int(0))], 1)
                .pop()?;
            Wire {
                name: list,
                dtype: DType::Int64,
                shape: vec![wanted.len()],
                range: Range::multiples(0.0, 1.0),
            }
        }
        1 => {
            // An input: its value is known only at run time.
            let tensor = Tensor::vector(wanted);
            let wire = g.fed(tensor, Range::multiples(0.0, 1.0));
            g.wires.pop();
            wire
        }
        _ => g.list(&wanted),
    };
    Some(g.emit("Reshape", &[x, &list], &[], shape, x.range))
}

/// Flatten, Squeeze or Unsqueeze.
pub fn axes(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 1, 6], |_| true)?;
    let rank = x.rank();
    let y = match g.draws.below(3) {
        0 => {
            let axis = g.draws.below(rank + 1);
            let shape = vec![x.shape[..axis].iter().product(), x.shape[axis..].iter().product()];
            g.emit("Flatten", &[&x], &[("axis", Int(axis as i64))], shape, x.range)
        }
        1 => {
            let single: Vec<usize> = (0..rank).filter(|&axis| x.shape[axis] == 1).collect();
            let &axis = g.draws.one_of(&single)?;
            let mut shape = x.shape.clone();
            shape.remove(axis);
            let negative = axis as i64 - rank as i64;
            let list = g.list(&[negative]);
            g.emit("Squeeze", &[&x, &list], &[], shape, x.range)
        }
        _ if rank < 5 => {
            let axis = g.draws.below(rank + 1);
            let mut shape = x.shape.clone();
            shape.insert(axis, 1);
            let list = g.list(&[axis as i64]);
            g.emit("Unsqueeze", &[&x, &list], &[], shape, x.range)
        }
        _ => return None,
    };
    g.keep(y);
    Some(())
}

/// A part of an axis, with any step.
pub fn slice(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 8], |wire| wire.rank() >= 1)?;
    let axis = g.draws.below(x.rank());
    let extent = x.shape[axis] as i64;
    let step = g.draws.one_of(&[1, 1, 1, 2, -1, -2, 3]).copied()?;
    let (first, last) = (g.draws.between(0, extent), g.draws.between(0, extent));
    let (low, high) = (first.min(last), first.max(last));
    let (start, end) = match (step > 0, high) {
        (true, _) => (low, high),
        // No number lies before the first element: a start of -1 is the last.
        (false, 0) => (0, 0),
        (false, _) => (high - 1, low - 1),
    };
    let kept = ((end - start) as f64 / step as f64).ceil().max(0.0) as usize;
    (kept > 0 || g.draws.one_in(6)).then_some(())?;
    // One before the first element is before the beginning, not the last element.
    let written = if end < 0 { -extent - 1 } else { end };
    let (starts, ends) = (g.list(&[start]), g.list(&[written]));
    let axis_number = if g.draws.one_in(2) {
        axis as i64
    } else {
        axis as i64 - x.rank() as i64
    };
    let (list, steps) = (g.list(&[axis_number]), g.list(&[step]));
    let mut shape = x.shape.clone();
    shape[axis] = kept;
    let y = g.emit("Slice", &[&x, &starts, &ends, &list, &steps], &[], shape, x.range);
    g.keep(y);
    Some(())
}

/// Parts of an axis, and usually their concatenation in another order, some of them changed.
pub fn split(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 6, 4], |wire| wire.shape.iter().any(|&extent| extent >= 2))?;
    let long: Vec<usize> = (0..x.rank()).filter(|&axis| x.shape[axis] >= 2).collect();
    let &axis = g.draws.one_of(&long)?;
    let extent = x.shape[axis];
    let count = if extent % 2 == 0 || extent < 3 { 2 } else { 3 };
    let mut lengths = vec![extent / count; count];
    lengths[count - 1] = extent - extent / count * (count - 1);
    let list = g.list(&lengths.iter().map(|&length| length as i64).collect::<Vec<_>>());
    let names = g.node(
        "Split",
        &[&x.name, &list.name],
        &[("axis", Int(axis as i64))],
        count,
    );
    let part = |(name, &length): (String, &usize)| {
        let mut shape = x.shape.clone();
        shape[axis] = length;
        Wire {
            name,
            shape,
            ..x.clone()
        }
    };
    let mut parts: Vec<Wire> = names.into_iter().zip(&lengths).map(part).collect();
    if g.draws.one_in(2) {
        let changed = super::elementwise::activated(g, &parts[0].clone())?;
        parts[0] = changed;
    }
    if g.draws.one_in(4) {
        parts.into_iter().for_each(|part| g.keep(part));
        return Some(());
    }
    let order = g.draws.permutation(count);
    let ordered: Vec<&Wire> = order.iter().map(|&at| &parts[at]).collect();
    let range = parts.iter().fold(x.range, |range, part| range.or(part.range));
    let y = g.emit(
        "Concat",
        &ordered,
        &[("axis", Int(axis as i64))],
        x.shape.clone(),
        range,
    );
    g.keep(y);
    Some(())
}

/// Two values concatenated along an axis; the second may be the same value, or a constant.
pub fn concat(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 4, 3, 3], |wire| wire.rank() >= 1)?;
    let axis = g.draws.below(x.rank());
    let mut beside = x.shape.clone();
    beside[axis] = 1 + g.draws.below(4);
    let (like, float) = (x.clone(), g.float);
    let fits = move |wire: &Wire| {
        wire.dtype == float
            && wire.rank() == like.rank()
            && (0..like.rank()).all(|at| at == axis || wire.shape[at] == like.shape[at])
    };
    let other = match g.draws.below(4) {
        0 => g.weights(&beside, 1)?,
        1 => x.clone(),
        _ => g.find(fits)?,
    };
    let mut operands = vec![&x, &other];
    if g.draws.one_in(3) {
        operands.swap(0, 1);
    }
    let mut shape = x.shape.clone();
    shape[axis] += other.shape[axis];
    let axis = if g.draws.one_in(3) {
        axis as i64 - x.rank() as i64
    } else {
        axis as i64
    };
    let y = g.emit(
        "Concat",
        &operands,
        &[("axis", Int(axis))],
        shape,
        x.range.or(other.range),
    );
    g.keep(y);
    Some(())
}

/// Pads the edges.
pub fn pad(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 3, 4, 4], |wire| {
        (1..=4).contains(&wire.rank()) && wire.len() > 0
    })?;
    let mode = g.text(&["constant", "constant", "edge", "reflect"]);
    let rank = x.rank();
    let mut pads = vec![0_i64; 2 * rank];
    for axis in rank.saturating_sub(2)..rank {
        let most = if mode == "reflect" {
            x.shape[axis] as i64 - 1
        } else {
            2
        };
        pads[axis] = g.draws.between(0, most.min(2));
        pads[rank + axis] = g
            .draws
            .between(if mode == "constant" { -1 } else { 0 }, most.min(2));
    }
    let extents = (0..rank).map(|axis| x.shape[axis] as i64 + pads[axis] + pads[rank + axis]);
    let shape: Vec<usize> = extents
        .map(|extent| usize::try_from(extent).ok().filter(|&extent| extent > 0))
        .collect::<Option<_>>()?;
    let (list, mode_text) = (g.list(&pads), text(mode));
    let y = if mode == "constant" && g.draws.one_in(2) {
        let value = g.floats(&[], vec![-0.5])?;
        let value = g.constant(value, Range::multiples(0.5, 0.5));
        let range = x.range.or(value.range);
        g.emit("Pad", &[&x, &list, &value], &[("mode", mode_text)], shape, range)
    } else {
        g.emit("Pad", &[&x, &list], &[("mode", mode_text)], shape, x.range)
    };
    g.keep(y);
    Some(())
}

/// Rows of an axis by scalar or list indices.
pub fn gather(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[6, 4], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let axis = g.draws.below(x.rank());
    let extent = x.shape[axis] as i64;
    let mut shape = x.shape.clone();
    let numbers = if g.draws.one_in(3) {
        shape.remove(axis);
        g.whole_number(-1)
    } else {
        let count = 1 + g.draws.below(3);
        shape[axis] = count;
        let numbers: Vec<i64> = (0..count).map(|_| g.draws.between(-extent, extent - 1)).collect();
        g.list(&numbers)
    };
    let y = g.emit(
        "Gather",
        &[&x, &numbers],
        &[("axis", Int(axis as i64))],
        shape,
        x.range,
    );
    g.keep(y);
    Some(())
}

/// Groups of channels interleaved: Reshape, Transpose, Reshape.
pub fn shuffle(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 8, 3, 3], |wire| {
        wire.rank() == 4 && wire.shape[1] % 2 == 0 && wire.len() > 0
    })?;
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let groups = if c % 4 == 0 && g.draws.one_in(2) { 4 } else { 2 };
    let apart = reshaped(g, &x, vec![n, groups, c / groups, h, w])?;
    let turned = g.emit(
        "Transpose",
        &[&apart],
        &[("perm", Ints(vec![0, 2, 1, 3, 4]))],
        vec![n, c / groups, groups, h, w],
        x.range,
    );
    let y = reshaped(g, &turned, vec![n, c, h, w])?;
    g.keep(y);
    Some(())
}

/// DepthToSpace and SpaceToDepth.
pub fn blocks(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 8, 4, 4], |wire| wire.rank() == 4 && wire.len() > 0)?;
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let block = [("blocksize", Int(2))];
    let y = if c % 4 == 0 && g.draws.one_in(2) {
        let mode = g.text(&["DCR", "CRD"]);
        g.emit(
            "DepthToSpace",
            &[&x],
            &[("blocksize", Int(2)), ("mode", text(mode))],
            vec![n, c / 4, 2 * h, 2 * w],
            x.range,
        )
    } else if h % 2 == 0 && w % 2 == 0 {
        g.emit(
            "SpaceToDepth",
            &[&x],
            &block,
            vec![n, 4 * c, h / 2, w / 2],
            x.range,
        )
    } else {
        return None;
    };
    g.keep(y);
    Some(())
}

/// Repeats, or one triangle of the matrices.
pub fn repeats(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4], |wire| wire.rank() >= 1)?;
    if g.opset >= 14 && x.rank() >= 2 && g.draws.one_in(2) {
        let diagonal = g.whole_number(g.draws.clone().between(-1, 1));
        let upper = i64::from(g.draws.one_in(2));
        let y = g.emit(
            "Trilu",
            &[&x, &diagonal],
            &[("upper", Int(upper))],
            x.shape.clone(),
            x.range,
        );
        g.keep(y);
        return Some(());
    }
    let repeats: Vec<i64> = x.shape.iter().map(|_| g.draws.between(1, 2)).collect();
    let shape = x
        .shape
        .iter()
        .zip(&repeats)
        .map(|(&extent, &times)| extent * times as usize)
        .collect();
    let list = g.list(&repeats);
    let y = g.emit("Tile", &[&x, &list], &[], shape, x.range);
    g.keep(y);
    Some(())
}
