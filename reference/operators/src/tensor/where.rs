//! Where — elements of X if the condition is true, otherwise of Y; all three broadcast. Exact.

use onnx_tensor::{Element, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::one;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::broadcast;

pub const OP: OpDef = op("Where", &[v(9, First, select), v(16, TypesOnly, select)]);

fn select(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(all, call.dtype(1)?, T => select_of::<T>(call))
}

fn select_of<T: Element>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (condition, x, y) = (call.array::<bool>(0)?, call.array::<T>(1)?, call.array::<T>(2)?);
    let shape = broadcast::shape(&[condition.shape(), x.shape(), y.shape()])?;
    call.reserve(&shape, T::DTYPE)?;
    let condition = broadcast::elements(condition, &shape)?;
    let (x, y) = (broadcast::elements(x, &shape)?, broadcast::elements(y, &shape)?);
    let pairs = condition.iter().zip(x.iter().zip(y.iter()));
    let chosen = pairs.map(|(&condition, (x, y))| if condition { x.clone() } else { y.clone() });
    one(Tensor::new(&shape, chosen.collect())?)
}
