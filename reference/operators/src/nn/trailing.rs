//! The axes from `axis` to the last, over which LayerNormalization and RMSNormalization take their statistics.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::Tensor;

use crate::frame::OpError;
use crate::shared::axes;
use crate::shared::reals::widen;

/// A shape, cut before `axis`.
#[derive(Clone, Debug)]
pub struct Trailing {
    leading: Vec<usize>,
    trailing: Vec<usize>,
}

impl Trailing {
    /// `shape` cut before `axis`, which may count from the back.
    pub fn new(axis: i64, shape: &[usize]) -> Result<Trailing, OpError> {
        let (leading, trailing) = shape.split_at(axes::axis(axis, shape.len())?);
        Ok(Trailing {
            leading: leading.to_vec(),
            trailing: trailing.to_vec(),
        })
    }

    /// The elements that share their statistics, one row after the other.
    pub fn rows<'a>(&self, elements: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
        let width: usize = self.trailing.iter().product();
        let count: usize = self.leading.iter().product();
        (0..count).map(move |row| &elements[row * width..(row + 1) * width])
    }

    /// The shape of the statistics: 1 on each axis that they are taken over.
    pub fn shape(&self) -> Vec<usize> {
        self.leading
            .iter()
            .copied()
            .chain(self.trailing.iter().map(|_| 1))
            .collect()
    }

    /// A scale or bias, stretched to `shape`.
    pub fn parameter(&self, tensor: &Tensor, shape: &[usize]) -> Result<ArrayD<f64>, OpError> {
        let values = widen(tensor)?;
        let stretched = values.broadcast(IxDyn(shape)).map(|view| view.to_owned());
        stretched.ok_or_else(|| {
            OpError::invalid(format!(
                "shape {:?} does not broadcast to {shape:?}",
                tensor.shape()
            ))
        })
    }
}
