//! Values that depend only on constants and shapes.
//!
//! A scale of 1 that becomes 0.99999994 would turn an extent of 1 into 0, which no rounding of a backend
//! does: of constants, every backend computes the same quotient (IEEE 754, section 4.3). A sum of products or
//! an exponential of constants is rounded as one of other values, and so is what follows from it.

use onnx_schema::OperatorSchema;
use onnx_tensor::{Float, Real, Tensor, TensorError, Value, dispatch};

use crate::origin::Origin;

/// The operators whose result is the nearest number of the type (IEEE 754, section 5.4.1).
const CORRECTLY_ROUNDED: [&str; 9] = [
    "Add",
    "Cast",
    "CastLike",
    "DequantizeLinear",
    "Div",
    "Mul",
    "Reciprocal",
    "Sqrt",
    "Sub",
];

/// Whether no rounding changes the outputs of a node: the extents of its operands, and one operation on
/// constants, as in extents and scales that a graph computes.
pub(crate) fn settled(schema: &OperatorSchema, operands: Origin, inputs: &[Option<Value>]) -> bool {
    let is_standard = schema.domain.is_empty();
    let of_shapes = is_standard && matches!(schema.name, "Shape" | "Size");
    // A product of an integer that is no float has two roundings.
    let has_one_rounding =
        || schema.name != "DequantizeLinear" || inputs.iter().flatten().all(is_exact_in_float);
    of_shapes
        || operands == Origin::Settled
            && is_standard
            && CORRECTLY_ROUNDED.contains(&schema.name)
            && has_one_rounding()
}

/// Whether all elements are floats, or integers that float holds.
fn is_exact_in_float(value: &Value) -> bool {
    const LARGEST: u32 = 1 << f32::MANTISSA_DIGITS;
    match value {
        Value::Tensor(Tensor::Int32(array)) => array.iter().all(|x| x.unsigned_abs() <= LARGEST),
        _ => true,
    }
}

/// The operators whose whole results are exact in every library: sums, products, powers and roots. Those with
/// irrational factors are not, as a window or a Fourier transform, which are next to a whole number as well.
const EXACT_IF_WHOLE: [&str; 33] = [
    "Add",
    "BatchNormalization",
    "Cast",
    "CastLike",
    "Clip",
    "Conv",
    "ConvTranspose",
    "CumProd",
    "CumSum",
    "DequantizeLinear",
    "Det",
    "Div",
    "Einsum",
    "Exp",
    "Gemm",
    "GlobalAveragePool",
    "Log",
    "MatMul",
    "Mean",
    "Mod",
    "Mul",
    "Pow",
    "Range",
    "Reciprocal",
    "ReduceL1",
    "ReduceL2",
    "ReduceMean",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "Sqrt",
    "Sub",
    "Sum",
];

/// Whether whole results of an operator are exact ([`EXACT_IF_WHOLE`]).
pub(crate) fn is_exact_if_whole(name: &str) -> bool {
    EXACT_IF_WHOLE.contains(&name)
}

/// The result of a function of constants with random rounding. A whole number stays: the root of 64 and the
/// power of exponent 0 are exact in every library. Of operands that are no whole numbers, as of `has_whole`
/// false, only a small one is exact: one in 256 of larger ones is whole by chance, and each beyond the
/// precision of the type.
pub(crate) fn with_whole_numbers(exact: &Tensor, moved: Tensor, has_whole: bool) -> Tensor {
    let kept = || {
        dispatch!(float, exact.dtype(), T => {
            let bits = <T as Float>::PRECISION.saturating_sub(if has_whole { 0 } else { 9 });
            let pairs = exact.array::<T>()?.iter().zip(moved.array::<T>()?.iter());
            let kept = pairs.map(|(exact, moved)| {
                if is_whole(exact.to_f64(), bits) { *exact } else { *moved }
            });
            Tensor::new(exact.shape(), kept.collect::<Vec<T>>())
        })
    };
    kept().unwrap_or(moved)
}

/// Whether all elements are whole numbers within the precision of their type.
pub(crate) fn has_whole_numbers(tensor: &Tensor) -> bool {
    let whole = || -> Result<bool, TensorError> {
        dispatch!(float, tensor.dtype(), T => {
            let mut elements = tensor.array::<T>()?.iter();
            Ok(elements.all(|x| is_whole(x.to_f64(), <T as Float>::PRECISION)))
        })
    };
    // Other types are integers.
    whole().unwrap_or(true)
}

/// Whether a number is whole and has at most this number of bits.
fn is_whole(x: f64, bits: u32) -> bool {
    x.fract() == 0.0 && x.abs() <= f64::from(bits).exp2()
}
