//! Quantization of a scaled real number, and the granularity of scales and zero points.
//!
//! For integers: saturate(round(x / scale) + zero point). The quotient is rounded to nearest, ties to even,
//! *before* the zero point is added. For floats of 8 bits and fewer, the quotient is not rounded: the sum
//! is rounded once, to the format.

use ndarray::IxDyn;
use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{
    Array, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, I2, I4, U2, U4,
};

use crate::frame::OpError;
use crate::shared::axes;

/// A quantized element type.
pub trait Quantized: Element + Copy {
    /// saturate(`scaled` + `zero_point`), where `scaled` is x / scale. NaN becomes the zero point of an
    /// integer type; the specification is silent. `overflow` selects how 8-bit floats saturate.
    fn quantize(scaled: f64, zero_point: f64, overflow: Overflow) -> Self;
}

/// The nearest integer, ties to even; 0 for NaN. A number beyond 2⁵⁰, which exceeds every integer type here,
/// stays as it is.
#[inline]
fn whole(x: f64) -> f64 {
    // In the sum with 1.5 · 2⁵² the last bit is 1.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    if x.abs() < 1_125_899_906_842_624.0 {
        (x + SHIFT) - SHIFT
    } else if x.is_nan() {
        0.0
    } else {
        x
    }
}

/// The sum is exact where it matters: a quotient of 2⁵² or more exceeds every integer type here.
macro_rules! integers {
    ($($ty:ty: $saturate:expr);* $(;)?) => {$(
        impl Quantized for $ty {
            fn quantize(scaled: f64, zero_point: f64, _: Overflow) -> Self {
                let saturate: fn(i64) -> $ty = $saturate;
                saturate((whole(scaled) + zero_point) as i64)
            }
        }
    )*};
}
integers! {
    u8: |value| value.clamp(0, 0xFF) as u8;
    i8: |value| value.clamp(-0x80, 0x7F) as i8;
    u16: |value| value.clamp(0, 0xFFFF) as u16;
    i16: |value| value.clamp(-0x8000, 0x7FFF) as i16;
    U4: U4::saturate;
    I4: I4::saturate;
    U2: U2::saturate;
    I2: I2::saturate;
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Quantized for $ty {
            fn quantize(scaled: f64, zero_point: f64, overflow: Overflow) -> Self {
                <$ty>::from_f64(scaled + zero_point, overflow)
            }
        }
    )*};
}
floats!(F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F4E2M1, F6E2M3, F6E3M2);

/// Runs a body with `T` bound to the quantized type.
macro_rules! dispatch_quantized {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::shared::quantize::dispatch_quantized!(@ $dtype, $T, $body, Uint8 u8, Int8 i8, Uint16 u16, Int16 i16,
            Uint4 U4, Int4 I4, Uint2 U2, Int2 I2, Float8E4M3Fn F8E4M3Fn, Float8E4M3Fnuz F8E4M3Fnuz,
            Float8E5M2 F8E5M2, Float8E5M2Fnuz F8E5M2Fnuz, Float4E2M1 F4E2M1, Float6E2M3 F6E2M3,
            Float6E3M2 F6E3M2)
    };
    (@ $dtype:expr, $T:ident, $body:expr, $($variant:ident $ty:ident),*) => {
        match $dtype {
            $(onnx_tensor::DType::$variant => {
                #[allow(unused_imports, reason = "half of the names are primitive types")]
                use onnx_tensor::*;
                type $T = $ty;
                $body
            })*
            found => Err(onnx_tensor::TensorError::DType { expected: "a quantized type", found }.into()),
        }
    };
}
pub(crate) use dispatch_quantized;

/// How many scales and zero points a tensor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granularity {
    /// One for the whole tensor.
    Tensor,
    /// One for the whole tensor, or one for each index along an axis.
    Axis(i64),
    /// As `Axis`; if the scale has the rank of the tensor, also one for each block of `size` elements along
    /// the axis. A `size` of 0 means that no block size is set.
    Blocked {
        axis: i64,
        /// Elements per scale.
        size: i64,
    },
}

impl Granularity {
    /// `parameter` (a scale or zero point of a tensor of `shape`) in a form that broadcasts to `shape`.
    ///
    /// A parameter with one element, of rank 0 or 1, applies to the whole tensor: the text asks for a
    /// scalar, and files in use have both.
    pub fn spread<T: Element>(self, parameter: &Array<T>, shape: &[usize]) -> Result<Array<T>, OpError> {
        let misfit = |rule: &str| {
            OpError::invalid(format!(
                "a scale or zero point of shape {:?} does not fit a tensor of shape {shape:?}: {rule}",
                parameter.shape()
            ))
        };
        if parameter.len() == 1 && parameter.ndim() <= 1 {
            return Ok(parameter.to_shape(IxDyn(&[]))?.into_owned().into_shared());
        }
        match self {
            Granularity::Blocked { axis, size } if size != 0 && parameter.ndim() == shape.len() => {
                let axis = axes::axis(axis, shape.len())?;
                let size = usize::try_from(size).map_err(|_| misfit("`block_size` is negative"))?;
                spread_blocks(parameter, shape, axis, size)
                    .ok_or_else(|| misfit("its blocks do not cover the axis"))
            }
            Granularity::Axis(axis) | Granularity::Blocked { axis, .. } if parameter.ndim() == 1 => {
                let axis = axes::axis(axis, shape.len())?;
                if shape[axis] != parameter.len() {
                    return Err(misfit("expected one for each index along the axis"));
                }
                let mut broadcastable = vec![1; shape.len()];
                broadcastable[axis] = parameter.len();
                Ok(parameter
                    .to_shape(IxDyn(&broadcastable))?
                    .into_owned()
                    .into_shared())
            }
            Granularity::Blocked { .. } => {
                Err(misfit("blocks require the rank of the tensor and `block_size`"))
            }
            Granularity::Axis(_) => Err(misfit("it is neither a scalar nor a vector")),
            Granularity::Tensor => Err(misfit("this version allows only one for the whole tensor")),
        }
    }
}

/// One element of `parameter` per block of `size` along `axis`. The last block may be shorter.
fn spread_blocks<T: Element>(
    parameter: &Array<T>,
    shape: &[usize],
    axis: usize,
    size: usize,
) -> Option<Array<T>> {
    let covers = shape.iter().zip(parameter.shape()).enumerate();
    for (index, (&extent, &blocks)) in covers {
        let expected = if index == axis {
            extent.div_ceil(size)
        } else {
            extent
        };
        if blocks != expected {
            return None;
        }
    }
    let of_block = |index: IxDyn| {
        let mut block = index;
        block[axis] /= size;
        parameter[block].clone()
    };
    Some(Array::from_shape_fn(IxDyn(shape), of_block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_before_the_zero_point_is_added() {
        let cases = [
            (0.5, 1.0, 1),
            (1.5, 1.0, 3),
            (-0.5, 1.0, 1),
            (2.5, 0.0, 2),
            (1e300, 7.0, 255),
            (-1e300, 7.0, 0),
            (f64::NAN, 7.0, 7),
        ];
        for (scaled, zero_point, expected) in cases {
            assert_eq!(
                u8::quantize(scaled, zero_point, Overflow::Saturate),
                expected,
                "{scaled}"
            );
        }
        assert_eq!(I4::quantize(f64::INFINITY, -1.0, Overflow::Saturate), I4::MAX);
    }

    #[test]
    fn parameters_reach_as_far_as_the_version_lets_them() {
        let of = |shape: &[usize]| Array::from_shape_fn(IxDyn(shape), |_| 0.0_f32);
        let blocked = |size| Granularity::Blocked { axis: 1, size };
        let cases = [
            (Granularity::Tensor, vec![], Some(vec![])),
            (Granularity::Tensor, vec![1], Some(vec![])),
            (Granularity::Tensor, vec![5], None),
            (Granularity::Axis(1), vec![5], Some(vec![1, 5])),
            (Granularity::Axis(-2), vec![3], Some(vec![3, 1])),
            (Granularity::Axis(0), vec![5], None),
            (Granularity::Axis(2), vec![5], None),
            (blocked(2), vec![3, 3], Some(vec![3, 5])),
            (blocked(2), vec![3, 2], None),
            (blocked(0), vec![3, 5], None),
            (blocked(-2), vec![3, 3], None),
        ];
        for (granularity, parameter, expected) in cases {
            let spread = granularity.spread(&of(&parameter), &[3, 5]);
            let shape = spread.ok().map(|array| array.shape().to_vec());
            assert_eq!(shape, expected, "{granularity:?} {parameter:?}");
        }
    }
}
