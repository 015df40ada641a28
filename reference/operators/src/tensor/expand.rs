//! Expand — broadcasts the input and a shape to each other: an extent of 1 in the shape keeps that of the
//! input.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{broadcast, layout};

pub const OP: OpDef = op("Expand", &[v(8, First, expand), v(13, TypesOnly, expand)]);

fn expand(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let shape = broadcast::shape(&[x.shape(), &layout::extents(&call.integers(1)?)?])?;
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return one(layout::empty(x.dtype(), &shape)?);
    }
    let added = shape.len() - x.rank();
    let aligned = x.reshape(&[&vec![1; added], x.shape()].concat())?;
    let map = |(&from, &to): (&usize, &usize)| {
        if from == to {
            layout::identity(to)
        } else {
            vec![Some(0); to]
        }
    };
    let maps: Vec<_> = aligned.shape().iter().zip(&shape).map(map).collect();
    one(layout::remap(&aligned, &maps, None)?)
}
