//! QLinearMatMul — the product of quantized matrices, quantized: saturate(round(x / y_scale) + y_zero_point).
//!
//! Integers: the product is exact in int32 (wrapping there, as the text allows), scaled in f64, rounded to
//! nearest, ties to even. float8: the product in double-double, the quotient rounded once to the format,
//! saturating.
//!
//! Versions: 21 adds float8 and scales of f16 and bf16.
//!
//! Interpretation: a scale for each column of b has N elements (the text says K, which is impossible). The
//! text rounds x / y_scale before it adds the zero point. y_scale and y_zero_point have one element.

use ndarray::ArrayD;
use onnx_tensor::{DType, Tensor};

use super::matrices::multiply;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::broadcast;
use crate::shared::matrix_product::Product;
use crate::shared::quantized::{Along, along, integers, reals, requantize, scalar};

pub const OP: OpDef = op(
    "QLinearMatMul",
    &[v(10, First, q_linear_mat_mul), v(21, TypesOnly, q_linear_mat_mul)],
);

fn q_linear_mat_mul(call: &Call<'_>) -> Result<Outputs, OpError> {
    let result = call.dtype(7)?;
    let integral = |index| Ok::<_, OpError>(matches!(call.dtype(index)?, DType::Int8 | DType::Uint8));
    let sums = if integral(0)? && integral(3)? {
        let a = without_zero_point(call, 0, Along::Rows, integers, |x, zero| x - zero)?.into_shared();
        let b = without_zero_point(call, 3, Along::Columns, integers, |x, zero| x - zero)?.into_shared();
        multiply::<i32>(call, &a, &b, result)?.mapv(f64::from)
    } else {
        let a = without_zero_point(call, 0, Along::Rows, reals, |x, zero| x - zero)?.into_shared();
        let b = without_zero_point(call, 3, Along::Columns, reals, |x, zero| x - zero)?.into_shared();
        multiply::<f64>(call, &a, &b, result)?.mapv(f64::finish)
    };
    let scaled = scale(call, sums)?;
    let zero_point = scalar(&reals(call.tensor(7)?)?, "y_zero_point")?;
    one(requantize(scaled, zero_point, result)?)
}

/// The matrix at `index` minus its zero point, which is two inputs after it.
fn without_zero_point<T: Copy + onnx_tensor::Element>(
    call: &Call<'_>,
    index: usize,
    axis: Along,
    read: impl Fn(&Tensor) -> Result<ArrayD<T>, OpError>,
    less: impl Fn(T, T) -> T,
) -> Result<ArrayD<T>, OpError> {
    let mut values = read(call.tensor(index)?)?;
    let zero_point = along(read(call.tensor(index + 2)?)?, values.shape(), axis)?;
    let zero_point = broadcast::view(&zero_point, values.shape())?;
    values.zip_mut_with(&zero_point, |x, &zero| *x = less(*x, zero));
    Ok(values)
}

/// The sums times a_scale · b_scale / y_scale.
fn scale(call: &Call<'_>, mut sums: ArrayD<f64>) -> Result<ArrayD<f64>, OpError> {
    let a_scale = along(reals(call.tensor(1)?)?, call.tensor(0)?.shape(), Along::Rows)?;
    let b_scale = along(reals(call.tensor(4)?)?, call.tensor(3)?.shape(), Along::Columns)?;
    let y_scale = scalar(&reals(call.tensor(6)?)?, "y_scale")?;
    let shape = sums.shape().to_vec();
    let a_scale = broadcast::view(&a_scale, &shape)?;
    let b_scale = broadcast::view(&b_scale, &shape)?;
    ndarray::Zip::from(&mut sums)
        .and(a_scale)
        .and(b_scale)
        .for_each(|sum, a, b| *sum = *sum * (a * b) / y_scale);
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::minifloat::Overflow;
    use onnx_tensor::{Element, F8E4M3Fn, Tensor};

    use crate::frame::testing::exact;

    fn matrix<T: Element>(shape: [usize; 2], elements: &[T]) -> Tensor {
        Tensor::new(&shape, elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: (0 + 2) · 0.5 / 2 = 0.5, rounded to even, plus 1; (6 + 8) · 1 / 2 = 7, plus 1.
    #[test]
    fn rows_with_their_own_scale() {
        let inputs = [
            matrix([2, 2], &[2_u8, 4, 6, 8]),
            Tensor::vector(vec![0.5_f32, 1.0]),
            Tensor::vector(vec![2_u8, 0]),
            matrix([2, 1], &[1_u8, 1]),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(0_u8),
            Tensor::scalar(2.0_f32),
            Tensor::scalar(1_u8),
        ];
        exact(
            ("", "QLinearMatMul", 10),
            &inputs,
            &[],
            &[matrix([2, 1], &[1_u8, 8])],
        );
    }

    /// By hand: (1.5 · 2 + 2 · 0.5) / 0.5 = 8; with a smaller divisor it saturates at 448.
    #[test]
    fn float8() {
        let eighth = |value| F8E4M3Fn::from_f64(value, Overflow::Special);
        for (y_scale, expected) in [(0.5, 8.0), (2.0_f32.powi(-10), 448.0)] {
            let inputs = [
                matrix([1, 2], &[1.5, 2.0].map(eighth)),
                Tensor::scalar(1.0_f32),
                Tensor::scalar(eighth(0.0)),
                matrix([2, 1], &[2.0, 0.5].map(eighth)),
                Tensor::scalar(1.0_f32),
                Tensor::scalar(eighth(0.0)),
                Tensor::scalar(y_scale),
                Tensor::scalar(eighth(0.0)),
            ];
            exact(
                ("", "QLinearMatMul", 21),
                &inputs,
                &[],
                &[matrix([1, 1], &[eighth(expected)])],
            );
        }
    }
}
