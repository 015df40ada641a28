//! Scales and zero points of quantization and dequantization, and their granularity.

use onnx_tensor::{Array, Tensor};

use crate::frame::{Call, OpError};
use crate::shared::quantize::Granularity;
use crate::shared::quantized::reals;

impl Granularity {
    /// Reads the attributes `axis` and `block_size`.
    pub fn of(call: &Call<'_>) -> Result<Granularity, OpError> {
        Ok(Granularity::Blocked {
            axis: call.int("axis")?,
            size: call.int("block_size")?,
        })
    }
}

/// The scale (input 1) in a form that broadcasts to `shape`.
pub fn scale(call: &Call<'_>, granularity: Granularity, shape: &[usize]) -> Result<Array<f64>, OpError> {
    granularity.spread(&reals(call.tensor(1)?)?.into_shared(), shape)
}

/// The zero point (input 2), or 0 without one, in a form that broadcasts to `shape`. It must have the shape
/// of the scale, except that a single element may have rank 0 or 1: the official cases combine a scalar and
/// a vector of length 1.
pub fn zero_point(call: &Call<'_>, granularity: Granularity, shape: &[usize]) -> Result<Array<f64>, OpError> {
    let scale = call.tensor(1)?;
    let Some(zero_point) = call.optional_tensor(2)? else {
        return Ok(ndarray::arr0(0.0).into_dyn().into_shared());
    };
    let alone = |tensor: &Tensor| tensor.rank() <= 1 && tensor.len() == 1;
    if zero_point.shape() != scale.shape() && !(alone(zero_point) && alone(scale)) {
        return Err(OpError::invalid(format!(
            "the scale has the shape {:?}, but the zero point has {:?}",
            scale.shape(),
            zero_point.shape()
        )));
    }
    granularity.spread(&reals(zero_point)?.into_shared(), shape)
}

/// Runs of elements that share a scale and a zero point.
pub struct Runs {
    /// The elements of a run.
    pub length: usize,
    /// The scale and the zero point of each run, which repeat.
    parameters: Vec<(f32, i32)>,
}

impl Runs {
    /// The runs of a tensor of `shape`, where the parameters broadcast to it from at most one axis. `None`
    /// for others.
    pub fn new(shape: &[usize], scale: &Array<f64>, zero_point: &Array<f64>) -> Option<Runs> {
        let count = scale.len().max(zero_point.len());
        let axis_of = |parameter: &Array<f64>| match parameter.len() {
            1 => Some(None),
            _ => {
                let axis = parameter.shape().iter().position(|&extent| extent != 1)?;
                let is_one = parameter.ndim() == shape.len() && parameter.len() == shape[axis];
                is_one.then_some(Some(axis))
            }
        };
        let axis = match (axis_of(scale)?, axis_of(zero_point)?) {
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) => (a == b).then_some(Some(a))?,
        };
        let inner = shape.get(axis.map_or(0, |axis| axis + 1)..)?;
        let scales = scale.iter().cycle().map(|&scale| scale as f32);
        let zeros = zero_point.iter().cycle().map(|&zero| zero as i32);
        Some(Runs {
            length: inner.iter().product::<usize>().max(1),
            parameters: scales.zip(zeros).take(count).collect(),
        })
    }

    /// The scale and the zero point of the run with this index.
    pub fn of(&self, index: usize) -> (f32, i32) {
        self.parameters[index % self.parameters.len()]
    }
}
