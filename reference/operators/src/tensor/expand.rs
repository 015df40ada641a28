//! Expand — the input broadcast together with a shape, both ways: an extent of 1 in the shape keeps that of the input.

use onnx_tensor::{Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{broadcast, layout};

pub const OP: OpDef = op("Expand", &[v(8, First, expand), v(13, TypesOnly, expand)]);

fn expand(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let shape = broadcast::shape(&[x.shape(), &layout::extents(&call.integers(1)?)?])?;
    call.reserve(&shape, x.dtype())?;
    dispatch!(all, x.dtype(), T => {
        let view = broadcast::view(x.array::<T>()?, &shape)?;
        one(Tensor::from(view.to_owned()))
    })
}
