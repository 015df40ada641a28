//! The cores of elementwise operators of one and two operands.
//!
//! Precision: unary real functions are evaluated in f64 and rounded once ([`unary_float`]); for f64 itself that is the
//! accuracy of the function in f64. Sums, differences, products and quotients are correctly rounded ([`Real`]).

use ndarray::Zip;
use onnx_tensor::{Array, Element, Float, Tensor, dispatch};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::broadcast;

/// Evaluates `f` in f64 on each element of input 0, a tensor of floats.
pub fn unary_float(call: &Call<'_>, f: impl Fn(f64) -> f64) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    dispatch!(float, x.dtype(), T => one(Tensor::from(map_float::<T>(x.array()?, &f))))
}

fn map_float<T: Float>(x: &Array<T>, f: impl Fn(f64) -> f64) -> Array<T> {
    x.map(|&value| T::from_f64(f(value.to_f64()))).into_shared()
}

/// How the second operand meets the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broadcasting {
    /// By the attributes `broadcast` and `axis`, one way (versions below 7).
    Legacy,
    /// Both ways, by `docs/Broadcasting.md`.
    Multidirectional,
}

/// Applies `f` to each pair of elements of inputs 0 and 1.
pub fn binary<T: Element, U: Element>(
    call: &Call<'_>,
    broadcasting: Broadcasting,
    f: impl Fn(&T, &T) -> Result<U, OpError>,
) -> Result<Outputs, OpError> {
    let (a, b) = (call.array::<T>(0)?, call.array::<T>(1)?);
    let b = match broadcasting {
        Broadcasting::Legacy => broadcast::legacy_operand(call, a.shape(), b)?,
        Broadcasting::Multidirectional => b.clone(),
    };
    let shape = broadcast::shape(&[a.shape(), b.shape()])?;
    call.reserve(&shape, U::DTYPE)?;
    let mut failure = None;
    let result = Zip::from(broadcast::view(a, &shape)?)
        .and(broadcast::view(&b, &shape)?)
        .map_collect(|x, y| {
            f(x, y).unwrap_or_else(|error| {
                failure.get_or_insert(error);
                U::default()
            })
        });
    match failure {
        Some(error) => Err(error),
        None => one(Tensor::from(result)),
    }
}
