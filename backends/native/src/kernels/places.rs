//! Reading and writing at indices that have coordinates: GatherElements, GatherND, and their inverses.

use std::borrow::Cow;

use native_kernels::Zeroable;
use onnx_tensor::DType;

use super::movement::is_empty;
use super::moving::{self, Move};
use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::Operator;
use crate::ops::call::{axis, extent};
use crate::ops::fast::Placed;
use crate::ops::{Places, scatter_floats};

/// How indices name elements of a tensor.
#[derive(Clone, Copy)]
enum Named {
    /// Each element by its coordinate along this axis.
    Elements(usize),
    /// Rows by their coordinates after this number of axes.
    Rows(usize),
}

/// Lowers an operator of this kind. What its general code refuses has no kernel.
pub fn lower(used: &Use, device: &Device, operator: &Operator, kind: Placed) -> Attempt {
    let (Some(x), Some(Some(indices))) = (used.float(0), used.inputs.get(1)) else {
        return Ok(None);
    };
    let integers = matches!(indices.dtype, DType::Int64 | DType::Int32);
    if !integers || !used.is_plain() || is_empty(used) || x.shape.is_empty() {
        return Ok(None);
    }
    let named = match kind {
        Placed::GatherElements | Placed::ScatterElements => {
            Named::Elements(axis(operator.attributes.int("axis")?, x.shape.len())?)
        }
        Placed::GatherRows => Named::Rows(extent(operator.attributes.find_int("batch_dims")?.unwrap_or(0))?),
        Placed::ScatterRows => Named::Rows(0),
    };
    let Some(named_shape) = named.shape(&x.shape, &indices.shape) else {
        return Ok(None);
    };
    let (shape, index_shape) = (x.shape.clone(), indices.shape.clone());
    let mut places = Places::default();
    if matches!(kind, Placed::GatherElements | Placed::GatherRows) {
        if used.outputs[0] != named_shape {
            return Ok(None);
        }
        let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
            named.find(&mut places, &shape, &index_shape, inputs[1])?;
            moving::run(&mut Gathered(&places), device, &inputs[..1], outputs)
        };
        return Lowered::of(used, device, vec![0, 1], Box::new(kernel));
    }
    let updates = used.float(2).map(|updates| &updates.shape[..]);
    if updates != Some(&named_shape[..]) || used.outputs != [&x.shape[..]] {
        return Ok(None);
    }
    let reduction = operator.attributes.text("reduction")?.to_owned();
    let kernel = move |_: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        named.find(&mut places, &shape, &index_shape, inputs[1])?;
        let y = outputs[0].floats()?;
        y.copy_from_slice(inputs[0].floats()?);
        scatter_floats(y, inputs[2].floats()?, &places, &reduction)
    };
    Lowered::of(used, device, vec![0, 1, 2], Box::new(kernel))
}

impl Named {
    /// Returns the shape of the elements that indices of this shape name, if it fits.
    fn shape(self, shape: &[usize], index_shape: &[usize]) -> Option<Vec<usize>> {
        match self {
            Named::Elements(at) => {
                let fits = |axis: usize| axis == at || index_shape[axis] <= shape[axis];
                let sound = index_shape.len() == shape.len() && (0..shape.len()).all(fits);
                sound.then(|| index_shape.to_vec())
            }
            Named::Rows(batch) => {
                let (&width, rows) = index_shape.split_last()?;
                let rest = shape.get(batch.checked_add(width)?..)?;
                (rows.get(..batch)? == &shape[..batch]).then(|| [rows, rest].concat())
            }
        }
    }

    fn find(
        self,
        places: &mut Places,
        shape: &[usize],
        index_shape: &[usize],
        indices: Elements,
    ) -> Result<(), Problem> {
        let indices: Cow<[i64]> = match indices {
            Elements::I64(values) => values.into(),
            Elements::I32(values) => values.iter().map(|&value| i64::from(value)).collect(),
            _ => return invalid("the indices are not integers of 32 or 64 bits"),
        };
        match self {
            Named::Elements(at) => places.find_elements(shape, index_shape, at, &indices),
            Named::Rows(batch) => places.find_rows(shape, index_shape, batch, &indices),
        }
    }
}

/// The elements at these places.
struct Gathered<'a>(&'a Places);

impl Move for Gathered<'_> {
    fn run<T: Zeroable>(
        &mut self,
        _: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let (x, starts) = (inputs[0], self.0.starts.iter());
        match self.0.length {
            1 => starts.zip(&mut *outputs[0]).for_each(|(&start, y)| *y = x[start]),
            length => starts
                .zip(outputs[0].chunks_exact_mut(length.max(1)))
                .for_each(|(&start, y)| y.copy_from_slice(&x[start..][..length])),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    fn axis(axis: i64) -> (&'static str, AttributeValue) {
        ("axis", AttributeValue::Int(axis))
    }

    #[test]
    fn elements_are_gathered_by_lines_and_one_by_one() {
        let nodes = vec![
            node("GatherElements", "x lines", "a", &[axis(0)]),
            node("GatherElements", "x single", "b", &[axis(0)]),
            node("GatherElements", "x single", "c", &[axis(-1)]),
            node(
                "GatherND",
                "x rows",
                "d",
                &[("batch_dims", AttributeValue::Int(1))],
            ),
            node("Add", "a b", "e", &[]),
            node("Add", "e c", "f", &[]),
            node("Add", "f d", "y", &[]),
        ];
        let single = (0..12).map(|at| at % 3 - 1).collect::<Vec<i64>>();
        Fixture::new(&[3, 4, 4], nodes)
            .constant(
                "lines",
                Tensor::new(&[3, 1, 4], [[-1_i32; 4], [0; 4], [1; 4]].concat()).unwrap(),
            )
            .constant("single", Tensor::new(&[3, 1, 4], single).unwrap())
            .constant("rows", Tensor::new(&[3, 1, 1], vec![3_i64, -4, 0]).unwrap())
            .check_kernels(&[], 0.0);
    }

    #[test]
    fn updates_are_scattered_with_every_reduction() {
        let reduction = |name: &str| ("reduction", AttributeValue::String(name.as_bytes().to_vec()));
        let nodes = vec![
            node("ScatterElements", "x lines u", "a", &[axis(0), reduction("add")]),
            node("ScatterElements", "a single u", "b", &[axis(1), reduction("max")]),
            node("ScatterND", "b rows v", "c", &[reduction("mul")]),
            node("ScatterND", "c points w", "d", &[reduction("min")]),
            node("ScatterND", "d rows v", "e", &[]),
            node("ScatterElements", "e single u", "y", &[axis(-1)]),
        ];
        Fixture::new(&[3, 4], nodes)
            .opset(18)
            .constant(
                "lines",
                Tensor::new(&[3, 4], [[-1_i64; 4], [0; 4], [-1; 4]].concat()).unwrap(),
            )
            .constant(
                "single",
                Tensor::new(&[3, 4], [[0_i32, 1, -1, 0]; 3].concat()).unwrap(),
            )
            .constant("rows", Tensor::new(&[3, 1], vec![2_i64, -3, 2]).unwrap())
            .constant("points", Tensor::new(&[2, 2], vec![0_i64, 3, -1, -1]).unwrap())
            .varied("u", &[3, 4])
            .varied("v", &[3, 4])
            .varied("w", &[2])
            .check_kernels(&[], 0.0);
    }
}
