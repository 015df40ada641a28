//! Gemm — alpha·A'·B' + beta·C.
//!
//! Floats: the product in f64 (double-double for f64), scaled and added in f64, rounded once. For f64 the
//! error is within 2 ULP of the larger term. Integers wrap.
//!
//! Versions: below 7, C is broadcast only if the attribute `broadcast` is set; since 7 it is broadcast
//! unidirectionally to (M, N); since 11 it is optional; other versions add types.
//!
//! Interpretation: alpha and beta are floats even if the tensors are integers. Integral values scale the
//! integers, wrapping; other values are rejected, because the specification defines no rounding for them.

use ndarray::{Array2, ArrayView2, Ix2};
use onnx_tensor::{Array, Float, Int, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::broadcast;
use crate::shared::matrix_product::{Product, product};

pub const OP: OpDef = op(
    "Gemm",
    &[
        v(1, First, |call| gemm(call, Addend::Legacy)),
        v(6, Wording, |call| gemm(call, Addend::Legacy)),
        v(7, Semantics, |call| gemm(call, Addend::Unidirectional)),
        v(9, TypesOnly, |call| gemm(call, Addend::Unidirectional)),
        v(11, Semantics, |call| gemm(call, Addend::Unidirectional)),
        v(13, TypesOnly, |call| gemm(call, Addend::Unidirectional)),
    ],
);

/// How C is broadcast to the shape of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Addend {
    /// Only if the attribute `broadcast` is set.
    Legacy,
    /// Always.
    Unidirectional,
}

fn gemm(call: &Call<'_>, addend: Addend) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => floats::<T>(call, addend))
    } else {
        dispatch!(int, dtype, T => integers::<T>(call, addend))
    }
}

fn floats<T: Float + Product>(call: &Call<'_>, addend: Addend) -> Result<Outputs, OpError> {
    let (alpha, beta) = (f64::from(call.float("alpha")?), f64::from(call.float("beta")?));
    combine(call, addend, |sum, c: Option<T>| {
        let scaled = alpha * T::sum_to_f64(sum);
        T::from_f64(c.map_or(scaled, |c| beta.mul_add(c.to_f64(), scaled)))
    })
}

fn integers<T: Int + Product<Sum = T>>(call: &Call<'_>, addend: Addend) -> Result<Outputs, OpError> {
    let whole = |name| {
        let value = call.float(name)?;
        if value.trunc() == value && value.abs() < 1e18 {
            Ok(value as i128)
        } else {
            Err(OpError::undefined(format!(
                "`{name}` = {value} with integer tensors"
            )))
        }
    };
    let (alpha, beta) = (whole("alpha")?, whole("beta")?);
    combine(call, addend, |sum: T, c: Option<T>| {
        // |factor| < 2^60 and |element| ≤ 2^64: product and sum stay in i128.
        let added = c.map_or(0, |c| beta * c.to_i128());
        T::wrap_i128(alpha * sum.to_i128() + added)
    })
}

fn combine<T: Product>(
    call: &Call<'_>,
    addend: Addend,
    finish: impl Fn(T::Sum, Option<T>) -> T,
) -> Result<Outputs, OpError> {
    let a = matrix(call, 0, "transA")?;
    let b = matrix(call, 1, "transB")?;
    let shape = [a.nrows(), b.ncols()];
    call.reserve(&shape, T::DTYPE)?;
    call.products(T::DTYPE, &[a.nrows(), b.ncols(), a.ncols()])?;
    let sums = product::<T>(&a, &b)?;
    let result: Array2<T> = match call.optional_array::<T>(2)? {
        None => sums.mapv(|sum| finish(sum, None)),
        Some(c) => {
            let c = stretched(call, addend, c, &shape)?;
            let c = broadcast::view(&c, &shape)?.into_dimensionality::<Ix2>()?;
            ndarray::Zip::from(&sums)
                .and(c)
                .map_collect(|&sum, &c| finish(sum, Some(c)))
        }
    };
    one(Tensor::from(result.into_dyn()))
}

fn stretched<T: Product>(
    call: &Call<'_>,
    addend: Addend,
    c: &Array<T>,
    shape: &[usize],
) -> Result<Array<T>, OpError> {
    match addend {
        Addend::Legacy => broadcast::legacy_operand(call, shape, c),
        Addend::Unidirectional => Ok(c.clone()),
    }
}

/// Input `index`, transposed if the attribute is set.
fn matrix<'a, T: Product>(
    call: &Call<'a>,
    index: usize,
    transposed: &str,
) -> Result<ArrayView2<'a, T>, OpError> {
    let array = call.array::<T>(index)?;
    let mut view = array.view().into_dimensionality::<Ix2>().map_err(|_| {
        OpError::invalid(format!(
            "input {index} of shape {:?} is not a matrix",
            array.shape()
        ))
    })?;
    if call.int(transposed)? != 0 {
        view.swap_axes(0, 1);
    }
    Ok(view)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, rows, values};

    /// By hand: [1, 2] · I + C.
    #[test]
    fn the_addend_by_version() {
        let (a, b) = (rows(&[[1.0, 2.0]]), rows(&[[1.0, 0.0], [0.0, 1.0]]));
        let c = Tensor::vector(vec![10.0_f32, 20.0]);
        let inputs = [a, b, c];
        let expected = [rows(&[[11.0, 22.0]])];
        for since in [1, 6] {
            exact(
                ("", "Gemm", since),
                &inputs,
                &[attribute("broadcast", 1)],
                &expected,
            );
            refused(("", "Gemm", since), &values(&inputs), &[], "`broadcast` is 0");
        }
        exact(("", "Gemm", 7), &inputs, &[], &expected);
    }

    /// By hand: 2 · (2⁶² + 1) − 3 = 2⁶³ − 1, where the first term alone overflows i64 and f64 holds neither
    /// term.
    #[test]
    fn integers_accept_integral_factors() {
        let matrix = |element: i64| Tensor::new(&[1, 1], vec![element]).expect("one element");
        let inputs = [matrix((1 << 62) + 1), matrix(1), matrix(1)];
        let factors = [attribute("alpha", 2.0_f32), attribute("beta", -3.0_f32)];
        exact(("", "Gemm", 9), &inputs, &factors, &[matrix(i64::MAX)]);
        refused(
            ("", "Gemm", 9),
            &values(&inputs),
            &[attribute("alpha", 0.5_f32)],
            "with integer tensors",
        );
    }
}
