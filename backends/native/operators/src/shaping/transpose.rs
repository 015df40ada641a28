//! Transpose.

use onnx_tensor::Tensor;

use super::super::call::{extents, one};
use super::super::fast::Fast;
use super::super::movement::{strides, view};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row(
    "Transpose",
    1,
    First(|known| known.transpose()),
    |call: &Call| -> Outcome {
        let tensor = call.tensor(0)?;
        let order = match call.attributes.ints("perm")? {
            Some(order) => extents(order)?,
            None => (0..tensor.rank()).rev().collect(),
        };
        one(transpose(tensor, &order)?)
    },
)
.fast(Fast::Transpose)];

/// Permutes the axes of a tensor.
pub fn transpose(tensor: &Tensor, order: &[usize]) -> Result<Tensor, Problem> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..tensor.rank()) {
        return invalid(format!(
            "{order:?} is not a permutation of {} axes",
            tensor.rank()
        ));
    }
    let own = strides(tensor.shape());
    let shape: Vec<usize> = order.iter().map(|&axis| tensor.shape()[axis]).collect();
    let moved: Vec<usize> = order.iter().map(|&axis| own[axis]).collect();
    view(tensor, &shape, &moved, 0)
}
