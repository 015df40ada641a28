//! Code that LayerNormalization and RMSNormalization share: rows over the axes from `axis` to the last, and
//! the two stages.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::Tensor;

use super::moments::Stage;
use crate::frame::{Call, OpError};
use crate::shared::axes;
use crate::shared::reals::widen;

/// Input 0 as rows from `axis` on, in the precision of the first stage.
#[derive(Clone, Debug)]
pub struct Trailing {
    /// The first stage.
    pub stage: Stage,
    /// The attribute `epsilon`.
    pub epsilon: f64,
    shape: Vec<usize>,
    axis: usize,
    elements: Vec<f64>,
}

impl Trailing {
    /// Reads input 0, `axis`, `epsilon` and `stash_type`.
    pub fn read(call: &Call<'_>) -> Result<Trailing, OpError> {
        let x: &Tensor = call.tensor(0)?;
        let stage = Stage::new(call.int("stash_type")?, x.dtype())?;
        let elements = widen(x)?.into_iter().map(|x| stage.enter(x));
        Ok(Trailing {
            stage,
            epsilon: f64::from(call.float("epsilon")?),
            shape: x.shape().to_vec(),
            axis: axes::axis(call.int("axis")?, x.rank())?,
            elements: elements.collect::<Result<_, _>>()?,
        })
    }

    /// The rows of elements that share their statistics.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        let width: usize = self.shape[self.axis..].iter().product();
        let count: usize = self.shape[..self.axis].iter().product();
        (0..count).map(move |row| &self.elements[row * width..(row + 1) * width])
    }

    /// The shape of the statistics: 1 on each reduced axis.
    pub fn shape_of_statistics(&self) -> Vec<usize> {
        shape_of_statistics(&self.shape, self.axis)
    }

    /// The second stage without the bias: the normalised elements, row by row, times the scale.
    pub fn scaled(&self, normalised: Vec<f64>, scale: &Tensor) -> Result<ArrayD<f64>, OpError> {
        let normalised = ArrayD::from_shape_vec(IxDyn(&self.shape), normalised)?;
        Ok(normalised * self.parameter(scale)?)
    }

    /// A scale or bias, broadcast to the shape of input 0.
    pub fn parameter(&self, tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
        let stretched = widen(tensor)?
            .broadcast(IxDyn(&self.shape))
            .map(|view| view.to_owned());
        stretched.ok_or_else(|| {
            OpError::invalid(format!(
                "shape {:?} does not broadcast to {:?}",
                tensor.shape(),
                self.shape
            ))
        })
    }
}

/// A shape with 1 on each axis from `axis` on.
pub fn shape_of_statistics(shape: &[usize], axis: usize) -> Vec<usize> {
    let extent = |(at, &extent): (usize, &usize)| if at < axis { extent } else { 1 };
    shape.iter().enumerate().map(extent).collect()
}
