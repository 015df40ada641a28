//! Convolutions of images with infinite, NaN or huge elements.
//!
//! Some kernels multiply elements by zeros, or add elements of neighbouring windows and subtract
//! them again: a group that is narrower than a vector is packed with zeros for the other channels,
//! and Winograd's filtering works on whole tiles. For finite elements this is exact up to rounding.
//! An infinite or NaN element would turn results into NaN that do not depend on it, and so would
//! one whose sums overflow.

use native_kernels::layout::{from_blocked, to_blocked};
use native_kernels::reduce::all_below;
use native_kernels::{Activation, Pool};
use onnx_tensor::{Tensor, Value};

use super::Use;
use super::activation::apply;
use crate::error::{Problem, invalid};
use crate::ir::{Epilogued, Layout, Operator};
use crate::ops::Call;
use crate::ops::numbers::slice;

/// Sums of elements below this do not overflow in a tile.
const HUGE: f32 = 1e30;

/// A convolution over whole values, with its activation.
pub(super) struct Careful {
    operator: Operator,
    activation: Activation,
    /// The shapes of the image and of the result: images, channels, spatial axes.
    x_shape: Vec<usize>,
    y_shape: Vec<usize>,
    weights: Tensor,
    bias: Option<Tensor>,
    x_is_blocked: bool,
    residual_is_blocked: bool,
    y_is_blocked: bool,
}

impl Careful {
    /// The same convolution as that of a node; `None` if its operands are not known well enough.
    pub fn new(used: &Use, inner: &Epilogued) -> Option<Careful> {
        let x = used.float(0)?;
        let is_blocked = |layout: Layout| layout == Layout::Blocked;
        Some(Careful {
            operator: inner.operator.clone(),
            activation: inner.activation,
            x_shape: x.shape.clone(),
            y_shape: used.outputs.first()?.clone(),
            weights: used.float(1)?.constant?.clone(),
            bias: match used.float(2) {
                Some(bias) => Some(bias.constant?.clone()),
                None => None,
            },
            x_is_blocked: is_blocked(x.layout),
            residual_is_blocked: used.float(3).is_some_and(|residual| is_blocked(residual.layout)),
            y_is_blocked: is_blocked(used.layout),
        })
    }

    /// Whether an image needs this code.
    pub fn is_needed(image: &[f32]) -> bool {
        !all_below(image, HUGE)
    }

    /// Computes the result of an image, a residual and the activation.
    pub fn run(
        &self,
        pool: &Pool,
        image: &[f32],
        residual: Option<&[f32]>,
        y: &mut [f32],
    ) -> Result<(), Problem> {
        let image = plain(pool, &self.x_shape, image, self.x_is_blocked)?;
        let mut sums = self.convolve(image)?;
        if let Some(residual) = residual {
            let residual = plain(pool, &self.y_shape, residual, self.residual_is_blocked)?;
            sums.iter_mut()
                .zip(&residual)
                .for_each(|(sum, value)| *sum += value);
        }
        let mut result = vec![0.0; sums.len()];
        apply(self.activation, &sums, &mut result)?;
        store(pool, &self.y_shape, &result, y, self.y_is_blocked)
    }

    fn convolve(&self, image: Vec<f32>) -> Result<Vec<f32>, Problem> {
        let image = Tensor::new(&self.x_shape, image)?;
        let result = convolve(
            &self.operator,
            [Some(image), Some(self.weights.clone()), self.bias.clone()],
        )?;
        if result.shape() == self.y_shape {
            Ok(slice::<f32>(&result)?.to_vec())
        } else {
            invalid("the result has another shape than planned")
        }
    }
}

/// Runs the general code of a Conv or ConvTranspose on an image, weights and a bias.
pub(super) fn convolve(operator: &Operator, operands: [Option<Tensor>; 3]) -> Result<Tensor, Problem> {
    let operands = operands.map(|operand| operand.map(Value::Tensor));
    let results = operator.row.run(&Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &operands.each_ref().map(Option::as_ref),
        outputs: 1,
    })?;
    match results.into_iter().next() {
        Some(Value::Tensor(result)) => Ok(result),
        _ => invalid("expected one result"),
    }
}

/// Returns images, channels and pixels.
fn sizes(shape: &[usize]) -> Result<(usize, usize, usize), Problem> {
    match shape {
        [images, channels, spatial @ ..] => Ok((*images, *channels, spatial.iter().product())),
        _ => invalid("an image has at least two axes"),
    }
}

/// Returns an operand of this shape in the plain layout.
pub(super) fn plain(
    pool: &Pool,
    shape: &[usize],
    values: &[f32],
    is_blocked: bool,
) -> Result<Vec<f32>, Problem> {
    let length: usize = shape.iter().product();
    if !is_blocked {
        return match values.get(..length) {
            Some(values) => Ok(values.to_vec()),
            None => invalid("an operand has another size than planned"),
        };
    }
    let (batch, channels, pixels) = sizes(shape)?;
    let mut plain = vec![0.0; length];
    from_blocked(pool, batch, channels, pixels, values, &mut plain)?;
    Ok(plain)
}

/// Writes a result of this shape, which has the plain layout, in the layout of `y`.
pub(super) fn store(
    pool: &Pool,
    shape: &[usize],
    result: &[f32],
    y: &mut [f32],
    is_blocked: bool,
) -> Result<(), Problem> {
    if is_blocked {
        let (batch, channels, pixels) = sizes(shape)?;
        return Ok(to_blocked(pool, batch, channels, pixels, result, y)?);
    }
    match y.get_mut(..result.len()) {
        Some(y) => y.copy_from_slice(result),
        None => return invalid("the result has another size than planned"),
    }
    Ok(())
}
