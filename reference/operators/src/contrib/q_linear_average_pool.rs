//! QLinearAveragePool — AveragePool of a tensor of 8 bits, quantized.
//!
//! The sum of steps is exact, the mean in f64; rounded half to even once. Padding is the zero point, which
//! is 0. The windows are those of AveragePool-19.

use onnx_tensor::{DType, Tensor};

use super::affine::Affine;
use super::{channels, standard};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::widen;

pub const OP: OpDef = contrib("QLinearAveragePool", &[v(1, First, q_linear_average_pool)]);

fn q_linear_average_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    let attributes = standard::shared_attributes(call, ("AveragePool", 19));
    pooled(call, |x| {
        standard::tensor(call, ("AveragePool", 19), &[Some(x)], &attributes)
    })
}

/// The means of the steps of input 0 (f64, channels first) by `pool`, quantized.
pub fn pooled(
    call: &Call<'_>,
    pool: impl Fn(&Tensor) -> Result<Tensor, OpError>,
) -> Result<Outputs, OpError> {
    let (x, last) = (call.tensor(0)?, channels::are_last(call)?);
    call.reserve(x.shape(), DType::Double)?;
    let of_x = Affine::read(call, 1)?;
    let steps = Tensor::from(of_x.steps(x)?);
    let means = pool(&channels::to_first(&steps, last)?)?;
    let means = widen(&channels::to_last(&means, last)?)?;
    let y = Affine::read(call, 3)?.quantized(means * of_x.scale, x.dtype())?;
    one(y.to_standard())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    fn inputs(x: Tensor) -> [Tensor; 5] {
        [
            x,
            Tensor::scalar(1.0_f32),
            Tensor::scalar(2_u8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_u8),
        ]
    }

    /// By hand: steps 2, 4, 9 with one pixel of padding: (0 + 2)/1 or /2, (2 + 4)/2, (4 + 9)/2; then ·2 + 1.
    #[test]
    fn padding_counts_or_not() {
        let under = ("com.microsoft", "QLinearAveragePool", 1);
        let row = |values: &[u8]| Tensor::new(&[1, 1, values.len()], values.to_vec()).expect("a row");
        for (counted, first) in [(0, 5), (1, 3)] {
            let attributes = [
                attribute("kernel_shape", [2_i64]),
                attribute("pads", [1_i64, 0]),
                attribute("count_include_pad", counted),
            ];
            exact(
                under,
                &inputs(row(&[4, 6, 11])),
                &attributes,
                &[row(&[first, 7, 14])],
            );
        }
    }

    /// Two channels of two pixels, interleaved.
    #[test]
    fn channels_last() {
        let pixels = |shape: [usize; 3], values: &[u8]| Tensor::new(&shape, values.to_vec()).expect("pixels");
        let attributes = [attribute("kernel_shape", [2_i64]), attribute("channels_last", 1)];
        exact(
            ("com.microsoft", "QLinearAveragePool", 1),
            &inputs(pixels([1, 2, 2], &[4, 12, 6, 22])),
            &attributes,
            &[pixels([1, 1, 2], &[7, 31])],
        );
    }
}
