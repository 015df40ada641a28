//! Kernels that read their operand with other strides: Slice with positive steps, Expand and Tile.

use native_kernels::Zeroable;

use super::movement::{each_part, is_empty};
use super::moving::{Move, moving};
use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::broadcast::{broadcast_shape, broadcast_strides};
use crate::ops::call::extents;
use crate::ops::fast::Strided;
use crate::ops::movement::strides;
use crate::ops::{Selected, selected};

/// The elements that a result reads, in its order: for each axis the extent and the distance in the operand.
struct Reading {
    offset: usize,
    axes: Vec<(usize, usize)>,
}

/// Lowers an operator whose result has elements.
pub fn lower(used: &Use, device: &Device, operator: &Operator, kind: Strided) -> Attempt {
    let Some(x) = used
        .float(0)
        .filter(|_| used.is_plain() && used.outputs.len() == 1 && !is_empty(used))
    else {
        return Ok(None);
    };
    let shape = &used.outputs[0];
    let reading = match kind {
        Strided::Slice => sliced(used, operator, &x.shape, shape)?,
        Strided::Expand => expanded(&x.shape, shape),
        Strided::Tile => tiled(used, operator, &x.shape, shape)?,
    };
    let Some(Reading { offset, axes }) = reading else {
        return Ok(None);
    };
    let mut outer = merged(axes);
    let (length, step) = outer.pop().unwrap_or((1, 1));
    let rows = Rows {
        offset,
        outer,
        length,
        step,
    };
    Lowered::of(used, device, vec![0], moving(rows))
}

/// Rows of a result that are read from the operand with a step.
struct Rows {
    offset: usize,
    /// The extents and distances of all axes but the last.
    outer: Vec<(usize, usize)>,
    length: usize,
    step: usize,
}

impl Move for Rows {
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let Rows {
            offset,
            ref outer,
            length,
            step,
        } = *self;
        let x = inputs[0];
        each_part(device, outputs[0], length, |start, part| {
            let mut walk = Walk::new(outer, start / length);
            for row in part.chunks_exact_mut(length) {
                let from = &x[offset + walk.position..];
                match step {
                    0 => row.fill(from[0]),
                    1 => row.copy_from_slice(&from[..length]),
                    _ => row
                        .iter_mut()
                        .zip(from.iter().step_by(step))
                        .for_each(|(y, &x)| *y = x),
                }
                walk.advance();
            }
        });
        Ok(())
    }
}

fn sliced(used: &Use, operator: &Operator, from: &[usize], to: &[usize]) -> Result<Option<Reading>, Problem> {
    let old = operator.schema.since < 10;
    let list = |position: usize, name: &str| {
        if old {
            Ok::<_, Problem>(operator.attributes.ints(name)?.map(<[i64]>::to_vec))
        } else {
            Ok(used.ints(position))
        }
    };
    let open = |position: usize| !old && used.has(position) && used.ints(position).is_none();
    let (Some(starts), Some(ends)) = (list(1, "starts")?, list(2, "ends")?) else {
        return Ok(None);
    };
    if open(3) || open(4) {
        return Ok(None);
    }
    let steps = if old { None } else { used.ints(4) };
    // What the specification refuses fails when the node runs.
    let Ok(Selected { shape, moves, offset }) = selected(from, &starts, &ends, list(3, "axes")?, steps)
    else {
        return Ok(None);
    };
    let own = strides(from);
    let axis = |at: usize| Some((shape[at], own[at] * usize::try_from(moves[at]).ok()?));
    let axes: Option<Vec<_>> = (0..shape.len()).map(axis).collect();
    let fits = shape == to;
    Ok(axes.filter(|_| fits).map(|axes| Reading { offset, axes }))
}

fn expanded(from: &[usize], to: &[usize]) -> Option<Reading> {
    let fits = broadcast_shape([from, to]).is_ok_and(|shape| shape == to);
    fits.then(|| Reading {
        offset: 0,
        axes: to.iter().copied().zip(broadcast_strides(from, to)).collect(),
    })
}

/// Each axis becomes two: the repeats, with distance 0, and the axis itself.
fn tiled(used: &Use, operator: &Operator, from: &[usize], to: &[usize]) -> Result<Option<Reading>, Problem> {
    let repeats = used.ints(1).filter(|_| operator.schema.since >= 6);
    let Some(repeats) = repeats.and_then(|repeats| extents(&repeats).ok()) else {
        return Ok(None);
    };
    let shape: Option<Vec<usize>> = from
        .iter()
        .zip(&repeats)
        .map(|(a, b)| a.checked_mul(*b))
        .collect();
    if repeats.len() != from.len() || shape.as_deref() != Some(to) {
        return Ok(None);
    }
    let pairs = repeats.into_iter().zip(from.iter().copied().zip(strides(from)));
    let axes = pairs.flat_map(|(times, axis)| [(times, 0), axis]).collect();
    Ok(Some(Reading { offset: 0, axes }))
}

/// Merges adjacent axes that are read as one, and leaves out those of extent 1.
fn merged(axes: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut merged: Vec<(usize, usize)> = Vec::with_capacity(axes.len());
    for (extent, step) in axes.into_iter().filter(|&(extent, _)| extent != 1) {
        match merged.last_mut() {
            Some(before) if before.1 == extent * step => *before = (before.0 * extent, step),
            _ => merged.push((extent, step)),
        }
    }
    merged
}

/// A walk over all axes but the last.
struct Walk<'a> {
    axes: &'a [(usize, usize)],
    indices: Vec<usize>,
    position: usize,
}

impl<'a> Walk<'a> {
    /// Begins at a row.
    fn new(axes: &'a [(usize, usize)], mut row: usize) -> Walk<'a> {
        let (mut indices, mut position) = (vec![0; axes.len()], 0);
        for (index, &(extent, step)) in indices.iter_mut().zip(axes).rev() {
            *index = row % extent;
            row /= extent;
            position += *index * step;
        }
        Walk {
            axes,
            indices,
            position,
        }
    }

    /// Goes to the next row; after the last, to the first.
    fn advance(&mut self) {
        for (index, &(extent, step)) in self.indices.iter_mut().zip(self.axes).rev() {
            *index += 1;
            self.position += step;
            if *index < extent {
                return;
            }
            self.position -= *index * step;
            *index = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node as FileNode};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    /// Runs a node with these constants and compares it with the general code.
    #[track_caller]
    fn check(shape: &[usize], one: FileNode, constants: &[(&str, &[i64])]) {
        let mut fixture = Fixture::new(shape, vec![one]);
        for (name, values) in constants {
            fixture = fixture.constant(name, Tensor::vector(values.to_vec()));
        }
        fixture.check_kernels(&[], 0.0);
    }

    #[test]
    fn slices_are_those_of_the_general_code() {
        for (starts, ends, axes, steps) in [
            ([0, 0], [2, 100], [0, 2], [1, 1]),
            ([1, -3], [3, -1], [1, 2], [1, 1]),
            ([0, 1], [3, 5], [1, 2], [2, 3]),
            ([-100, 2], [100, 3], [0, 2], [3, 2]),
            ([1, 0], [2, 5], [0, 2], [1, 2]),
        ] {
            let lists: [(&str, &[i64]); 4] = [("s", &starts), ("e", &ends), ("a", &axes), ("t", &steps)];
            check(&[2, 3, 5], node("Slice", "x s e a t", "y", &[]), &lists);
        }
        check(
            &[7],
            node("Slice", "x s e", "y", &[]),
            &[("s", &[2]), ("e", &[6])],
        );
    }

    #[test]
    fn expanded_and_tiled_values_are_those_of_the_general_code() {
        let expand = || node("Expand", "x s", "y", &[]);
        check(&[2, 1, 3], expand(), &[("s", &[2, 4, 3])]);
        check(&[2, 3, 1], expand(), &[("s", &[1, 1, 5])]);
        check(&[3, 1], expand(), &[("s", &[2, 1, 1, 3])]);
        check(&[2, 3], expand(), &[("s", &[4, 1, 1])]);
        let tile = || node("Tile", "x s", "y", &[]);
        check(&[2, 1, 3], tile(), &[("s", &[1, 4, 1])]);
        check(&[2, 3], tile(), &[("s", &[3, 2])]);
        check(&[1, 3], tile(), &[("s", &[1, 1])]);
    }

    #[test]
    fn a_transpose_of_single_elements_is_a_view() {
        let order = |order: &[i64]| [("perm", AttributeValue::Ints(order.to_vec()))];
        let nodes = vec![
            node("Neg", "x", "a", &[]),
            node("Transpose", "a", "b", &order(&[0, 2, 1, 3])),
            node("Transpose", "b", "c", &order(&[2, 3, 0, 1])),
            node("Neg", "c", "y", &[]),
        ];
        Fixture::new(&[1, 1, 4, 3], nodes).check_kernels(&[], 0.0);
    }
}
