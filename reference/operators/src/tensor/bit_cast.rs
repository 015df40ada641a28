//! BitCast — reinterprets the bits as another element type of the same width.
//!
//! Interpretation: a bool is one byte, 0 or 1; a byte with another value is not a bool and is an error.

use onnx_tensor::{
    Complex32, Complex64, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0,
    I2, I4, Tensor, U2, U4, bf16, dispatch, f16,
};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("BitCast", &[v(26, First, bit_cast)]);

fn bit_cast(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let to = call.output_dtype(0, call.dtype_attribute("to")?)?;
    if x.dtype().bits() != to.bits() {
        return Err(OpError::invalid(format!(
            "{} and {to} have different widths",
            x.dtype()
        )));
    }
    let bits: Vec<u128> = dispatch!(fixed, x.dtype(), T => {
        Ok::<_, OpError>(x.array::<T>()?.iter().map(|&element| element.bits()).collect())
    })?;
    dispatch!(fixed, to, T => {
        let elements = bits.iter().map(|&bits| T::from_low_bits(bits)).collect::<Option<Vec<_>>>();
        let elements = elements.ok_or_else(|| OpError::undefined(format!("a bit pattern that is not a {to}")))?;
        one(Tensor::new(x.shape(), elements)?)
    })
}

/// A type whose values are bit patterns.
trait Bits: Element + Copy {
    fn bits(self) -> u128;
    /// `None` if the pattern is not a value of the type.
    fn from_low_bits(bits: u128) -> Option<Self>;
}

macro_rules! bits {
    ($($ty:ty: $value:ident => $to:expr, $bits:ident => $from:expr;)*) => {$(
        impl Bits for $ty {
            fn bits(self) -> u128 {
                let $value = self;
                u128::from($to)
            }
            fn from_low_bits($bits: u128) -> Option<Self> {
                $from
            }
        }
    )*};
}

bits! {
    u8: x => x, bits => Some(bits as u8);
    i8: x => x as u8, bits => Some(bits as i8);
    u16: x => x, bits => Some(bits as u16);
    i16: x => x as u16, bits => Some(bits as i16);
    u32: x => x, bits => Some(bits as u32);
    i32: x => x as u32, bits => Some(bits as i32);
    u64: x => x, bits => Some(bits as u64);
    i64: x => x as u64, bits => Some(bits as i64);
    bool: x => x, bits => match bits { 0 => Some(false), 1 => Some(true), _ => None };
    f16: x => x.to_bits(), bits => Some(f16::from_bits(bits as u16));
    bf16: x => x.to_bits(), bits => Some(bf16::from_bits(bits as u16));
    f32: x => x.to_bits(), bits => Some(f32::from_bits(bits as u32));
    f64: x => x.to_bits(), bits => Some(f64::from_bits(bits as u64));
    Complex32: x => u64::from(x.re.to_bits()) | u64::from(x.im.to_bits()) << 32,
        bits => Some(Complex32::new(f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)));
    Complex64: x => u128::from(x.re.to_bits()) | u128::from(x.im.to_bits()) << 64,
        bits => Some(Complex64::new(f64::from_bits(bits as u64), f64::from_bits((bits >> 64) as u64)));
    F8E4M3Fn: x => x.0, bits => Some(F8E4M3Fn(bits as u8));
    F8E4M3Fnuz: x => x.0, bits => Some(F8E4M3Fnuz(bits as u8));
    F8E5M2: x => x.0, bits => Some(F8E5M2(bits as u8));
    F8E5M2Fnuz: x => x.0, bits => Some(F8E5M2Fnuz(bits as u8));
    F8E8M0: x => x.0, bits => Some(F8E8M0(bits as u8));
    F4E2M1: x => x.0, bits => Some(F4E2M1(bits as u8));
    F6E2M3: x => x.0, bits => Some(F6E2M3(bits as u8));
    F6E3M2: x => x.0, bits => Some(F6E3M2(bits as u8));
    U4: x => x.get(), bits => Some(U4::wrap(bits as i64));
    I4: x => x.get() as u8 & 0xF, bits => Some(I4::wrap(bits as i64));
    U2: x => x.get(), bits => Some(U2::wrap(bits as i64));
    I2: x => x.get() as u8 & 0x3, bits => Some(I2::wrap(bits as i64));
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Complex32, DType, F4E2M1, I4, Tensor, U4};

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn narrow_and_wide() {
        let cases = [
            (Tensor::scalar(I4::wrap(-1)), Tensor::scalar(U4::wrap(15))),
            (Tensor::scalar(F4E2M1(0x9)), Tensor::scalar(I4::wrap(-7))),
            (
                Tensor::scalar(Complex32::new(1.0, -0.0)),
                Tensor::scalar(0x8000_0000_3F80_0000_u64),
            ),
            (Tensor::scalar(0x3F80_0000_i32), Tensor::scalar(1_f32)),
        ];
        for (x, expected) in cases {
            let to = attribute("to", i64::from(expected.dtype().to_onnx()));
            exact(("", "BitCast", 26), &[x], &[to], &[expected]);
        }
    }

    #[test]
    fn errors() {
        let to = |dtype: DType| [attribute("to", i64::from(dtype.to_onnx()))];
        let x = values(&[Tensor::scalar(2_u8)]);
        refused(("", "BitCast", 26), &x, &to(DType::Bool), "not a bool");
        refused(("", "BitCast", 26), &x, &to(DType::Int16), "width");
        refused(("", "BitCast", 26), &x, &to(DType::String), "cannot be");
    }
}
