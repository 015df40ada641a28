//! Concat and Split.

use onnx_tensor::{Tensor, Value};

use super::super::call::{axis, count, extents, one};
use super::super::fast::Fast;
use super::super::movement::{Run, assemble, split_at};
use super::super::{Row, row};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::{Each, First};

pub const ROWS: &[Row] = &[
    row("Concat", 4, First(|known| known.concat()), |call| {
        one(concat(&call.tensors(0)?, call.attributes.int("axis")?)?)
    })
    .fast(Fast::Concat),
    row("Split", 2, Each(|known| known.split()), |call| {
        let given = call.ints_or_attribute(1, "split")?;
        let tensor = call.tensor(0)?;
        let at = axis(call.attributes.int("axis")?, tensor.rank())?;
        let lengths = match given {
            Some(_) if call.attributes.find_int("num_outputs")?.is_some() => {
                return invalid("the lengths and `num_outputs` are both given");
            }
            Some(lengths) => extents(&lengths)?,
            None => equal(call.since, call.attributes, tensor.shape()[at], call.outputs)?,
        };
        if lengths.len() != call.outputs {
            return invalid(format!("{} lengths for {} outputs", lengths.len(), call.outputs));
        }
        let parts = split(tensor, at, &lengths)?;
        Ok(parts.into_iter().map(Value::Tensor).collect())
    })
    .fast(Fast::Split),
];

/// Concatenates tensors along an axis.
pub fn concat(tensors: &[&Tensor], along: i64) -> Result<Tensor, Problem> {
    let Some(first) = tensors.first() else {
        return invalid("expected at least one tensor");
    };
    let at = axis(along, first.rank())?;
    let mut shape = first.shape().to_vec();
    for other in &tensors[1..] {
        let fits = other.rank() == shape.len()
            && (0..shape.len()).all(|axis| axis == at || other.shape()[axis] == shape[axis]);
        if !fits {
            return invalid(format!(
                "shapes {:?} and {:?} differ in an axis other than {at}",
                shape,
                other.shape()
            ));
        }
        shape[at] += other.shape()[at];
    }
    count(&shape)?;
    let (outer, _, inner) = split_at(&shape, at);
    let runs = (0..outer).flat_map(|row| {
        tensors.iter().enumerate().map(move |(source, tensor)| {
            let length = tensor.shape()[at] * inner;
            Run {
                source,
                start: row * length,
                length,
            }
        })
    });
    assemble(tensors, &shape, runs)
}

/// Splits a tensor into parts of these lengths along an axis.
pub fn split(tensor: &Tensor, at: usize, lengths: &[usize]) -> Result<Vec<Tensor>, Problem> {
    let (outer, extent, inner) = split_at(tensor.shape(), at);
    if lengths
        .iter()
        .try_fold(0_usize, |sum, &length| sum.checked_add(length))
        != Some(extent)
    {
        return invalid(format!("lengths {lengths:?} do not add up to {extent}"));
    }
    let mut start = 0;
    let mut parts = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let mut shape = tensor.shape().to_vec();
        shape[at] = length;
        let runs = (0..outer).map(|row| Run {
            source: 0,
            start: (row * extent + start) * inner,
            length: length * inner,
        });
        parts.push(assemble(&[tensor], &shape, runs)?);
        start += length;
    }
    Ok(parts)
}

/// Returns the lengths of the parts of a Split without lengths: equal ones, of which the last may be smaller
/// since 18, where `num_outputs` is the number of outputs.
pub fn equal(
    since: u32,
    attributes: &Attributes,
    extent: usize,
    parts: usize,
) -> Result<Vec<usize>, Problem> {
    if parts == 0 {
        return invalid("the node has no outputs");
    }
    if since < 18 && !extent.is_multiple_of(parts) {
        return invalid(format!("an extent of {extent} has no {parts} equal parts"));
    }
    let stated = attributes.find_int("num_outputs")?;
    if since >= 18 && stated.and_then(|stated| usize::try_from(stated).ok()) != Some(parts) {
        return invalid(format!("`num_outputs` is {stated:?} for {parts} outputs"));
    }
    let length = extent.div_ceil(parts);
    let before = length.checked_mul(parts - 1).filter(|&before| before <= extent);
    let Some(before) = before else {
        return invalid(format!(
            "{parts} parts of {length} are longer than an extent of {extent}"
        ));
    };
    let mut lengths = vec![length; parts];
    lengths[parts - 1] = extent - before;
    Ok(lengths)
}
