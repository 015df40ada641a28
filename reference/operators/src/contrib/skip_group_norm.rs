//! SkipGroupNorm — GroupNorm of X + skip + bias.
//!
//! As GroupNorm; the sum is not rounded before it is normalised. Interpretation: a skip tensor of shape
//! N × C, or with extents of 1 for height and width, serves all pixels.

use ndarray::{Array4, Ix1, Ix2};
use onnx_tensor::Tensor;

use super::group_norm::{image, with_sum};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::shared::reals::widen;

pub const OP: OpDef = contrib("SkipGroupNorm", &[v(1, First, skip_group_norm)]);

fn skip_group_norm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = image(call, call.tensor(0)?)?;
    let skip = skipped(call, call.tensor(3)?)?;
    let misfit = || {
        OpError::invalid(format!(
            "`skip` of shape {:?} and the bias do not fit an image of shape {:?}",
            call.tensor(3).map_or(&[][..], |skip| skip.shape()),
            x.shape()
        ))
    };
    let mut sum = &x + &skip.broadcast(x.dim()).ok_or_else(misfit)?;
    if let Some(bias) = call.optional_tensor(4)? {
        let bias = widen(bias)?.into_dimensionality::<Ix1>()?;
        let channels = bias.len();
        let bias = bias.into_shape_with_order((1, channels, 1, 1))?;
        sum += &bias.broadcast(x.dim()).ok_or_else(misfit)?;
    }
    with_sum(call, sum)
}

/// The skip tensor with channels first.
fn skipped(call: &Call<'_>, skip: &Tensor) -> Result<Array4<f64>, OpError> {
    if skip.rank() != 2 {
        return image(call, skip);
    }
    let rows = widen(skip)?.into_dimensionality::<Ix2>()?;
    let (batch, channels) = rows.dim();
    Ok(rows.into_shape_with_order((batch, channels, 1, 1))?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check};

    /// By hand: the sum is 1 and 5; with epsilon 5 its deviation is 3.
    #[test]
    fn the_sum_is_normalised() {
        let pixels = |a: f32, b: f32| -> Value {
            Tensor::new(&[1, 1, 2, 1], vec![a, b])
                .expect("two elements")
                .into()
        };
        let vector = |value: f32| -> Value { Tensor::vector(vec![value]).into() };
        let skip = Tensor::new(&[1, 1], vec![2.0_f32]).expect("one element");
        check(
            ("com.microsoft", "SkipGroupNorm", 1),
            &[
                pixels(-2.0, 2.0),
                vector(3.0),
                vector(0.5),
                skip.into(),
                vector(1.0),
            ],
            &[
                attribute("groups", 1),
                attribute("epsilon", 5.0_f32),
                attribute("activation", 0),
            ],
            &[pixels(-1.5, 2.5), pixels(1.0, 5.0)],
        );
    }
}
