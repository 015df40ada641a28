//! Operands of convolutions: groups, kernels as matrices, the bias.

use std::borrow::Cow;

use onnx_tensor::{Array, Element, row_major};

use super::window;
use crate::frame::{Call, OpError};
use crate::shared::matrix_product::Product;

/// A positive integer attribute below 2^31: the number of groups or heads.
pub fn positive(call: &Call<'_>, name: &str) -> Result<usize, OpError> {
    window::size(name, call.int(name)?, 1)
}

/// Checks that the attribute `kernel_shape`, if set, equals the spatial extents of the kernels.
pub fn agree(call: &Call<'_>, kernel: &[usize]) -> Result<(), OpError> {
    match window::kernel_shape(call)? {
        Some(shape) if shape != kernel => Err(OpError::invalid(format!(
            "`kernel_shape` is {shape:?}, but the kernels are {kernel:?}"
        ))),
        _ => Ok(()),
    }
}

/// The elements in row-major order.
pub fn dense<T: Element>(array: &Array<T>) -> Cow<'_, [T]> {
    row_major(array)
}

/// The elements in row-major order, as factors.
pub fn factors<T: Product>(array: &Array<T>) -> Vec<T::Factor> {
    match array.as_slice() {
        Some(slice) => slice.iter().map(|&x| x.factor()).collect(),
        None => array.iter().map(|&x| x.factor()).collect(),
    }
}

/// The initial sums of the output channels: the bias, or empty.
pub fn bias<T: Product>(bias: Option<&Array<T>>, maps: usize) -> Result<Vec<T::Sum>, OpError> {
    match bias {
        None => Ok(vec![T::Sum::default(); maps]),
        Some(bias) => {
            expect_shape("the bias", bias, &[maps])?;
            Ok(bias.iter().map(|&x| x.start()).collect())
        }
    }
}

/// Error if `array` has another shape.
pub fn expect_shape<T: Element>(name: &str, array: &Array<T>, shape: &[usize]) -> Result<(), OpError> {
    if array.shape() == shape {
        Ok(())
    } else {
        Err(OpError::invalid(format!(
            "{name} has shape {:?}, expected {shape:?}",
            array.shape()
        )))
    }
}
