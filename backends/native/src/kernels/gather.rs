//! Gather along one axis, with indices of 32 or 64 bits.

use native_kernels::Zeroable;
use onnx_tensor::DType;

use super::movement::{each_part, is_empty};
use super::moving::{self, Move};
use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::Operator;
use crate::ops::call::axis;
use crate::ops::index;
use crate::ops::movement::split_at;

/// Lowers a Gather.
pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let (Some(x), Some(Some(indices))) = (used.float(0), used.inputs.get(1)) else {
        return Ok(None);
    };
    let integers = matches!(indices.dtype, DType::Int64 | DType::Int32);
    if !integers || !used.is_plain() || is_empty(used) || x.shape.is_empty() {
        return Ok(None);
    }
    let at = axis(operator.attributes.int("axis")?, x.shape.len())?;
    let shape = [&x.shape[..at], &indices.shape, &x.shape[at + 1..]].concat();
    if used.outputs != [shape] {
        return Ok(None);
    }
    let (_, extent, inner) = split_at(&x.shape, at);
    let count: usize = indices.shape.iter().product();
    let mut rows = Rows {
        rows: Vec::with_capacity(count),
        extent,
        inner,
    };
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let [x, indices] = inputs else {
            return invalid("a gather has two inputs");
        };
        resolve(*indices, extent, &mut rows.rows)?;
        moving::run(&mut rows, device, &[*x], outputs)
    };
    Lowered::of(used, device, vec![0, 1], Box::new(kernel))
}

/// Rows of `inner` elements with these numbers, from each group of `extent` rows.
struct Rows {
    rows: Vec<usize>,
    extent: usize,
    inner: usize,
}

impl Move for Rows {
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let Rows { rows, extent, inner } = self;
        let (x, extent, inner, count) = (inputs[0], *extent, *inner, rows.len());
        each_part(device, outputs[0], inner, |start, part| {
            let (mut group, mut at) = (start / inner / count, start / inner % count);
            for target in part.chunks_exact_mut(inner) {
                let source = (group * extent + rows[at]) * inner;
                match inner {
                    1 => target[0] = x[source],
                    _ => target.copy_from_slice(&x[source..source + inner]),
                }
                at += 1;
                if at == count {
                    (group, at) = (group + 1, 0);
                }
            }
        });
        Ok(())
    }
}

/// Converts indices, which count from the end if they are negative, to positions.
fn resolve(indices: Elements, extent: usize, rows: &mut Vec<usize>) -> Result<(), Problem> {
    rows.clear();
    match indices {
        Elements::I64(values) => values
            .iter()
            .try_for_each(|&value| index(value, extent).map(|at| rows.push(at))),
        Elements::I32(values) => values
            .iter()
            .try_for_each(|&value| index(value.into(), extent).map(|at| rows.push(at))),
        _ => invalid("the indices of a gather are not integers of 32 or 64 bits"),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    #[test]
    fn rows_are_gathered_along_every_axis() {
        let axis = |axis: i64| [("axis", AttributeValue::Int(axis))];
        let nodes = vec![
            node("Gather", "x i", "a", &axis(0)),
            node("Gather", "a j", "b", &axis(2)),
            node("Gather", "b one", "c", &axis(-1)),
            node("Gather", "table one", "d", &axis(0)),
            node("Add", "c d", "y", &[]),
        ];
        Fixture::new(&[3, 4, 5], nodes)
            .constant("i", Tensor::new(&[2, 2], vec![2_i64, -1, 0, -3]).unwrap())
            .constant("j", Tensor::vector(vec![3_i32, 0, -2]))
            .constant("one", Tensor::scalar(-1_i64))
            .varied("table", &[7, 2, 3])
            .check_kernels(&[], 0.0);
    }
}
