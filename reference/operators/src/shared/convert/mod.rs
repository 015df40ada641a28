//! Conversion between any two element types except complex numbers: the rules of `Cast`, which other
//! operators cite.
//!
//! A number is carried exactly ([`Number`]) and rounded once, to nearest, ties to even.
//!
//! A float becomes an integer of 8 bits and more by truncation toward zero, and one of 4 or 2 bits by
//! rounding to nearest, ties to even, as the pages on these types say (question `cast-narrow-fraction`).
//!
//! Interpretation, where the specification is silent or says "undefined":
//! - If a float is out of range of an integer type, the low bits are kept, as the rule for integers says and
//!   as the official cases for int4 and int2 show (questions `cast-narrow-integers` and
//!   `cast-out-of-range`). NaN and Inf become 0.
//! - A float that is too large for a float of 4 or 6 bits becomes the largest finite value, because these
//!   formats have no infinity and no NaN.
//! - For text see [`text`].

mod number;
mod plain;
mod scalar;
pub mod text;

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{Array, DType, RoundMode, Tensor, dispatch};

pub use number::{Number, Whole};
pub use scalar::Scalar;

use crate::frame::{Call, OpError, Reading};

/// The conversion options of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The result for a value that is too large for an 8-bit float.
    pub overflow: Overflow,
    /// How a value between two powers of two is rounded to float8e8m0.
    pub round: RoundMode,
    /// How a float becomes an integer of 8 bits and more.
    pub wide_integers: Whole,
    /// How a float becomes an integer of 4 or 2 bits.
    pub narrow_integers: Whole,
    /// Whether NaN becomes the greatest value of float4e2m1 (question `cast-float4-nan`).
    pub nan_is_greatest: bool,
}

impl Rules {
    /// The rules of versions without attributes for them.
    pub const DEFAULT: Rules = Rules {
        overflow: Overflow::Saturate,
        round: RoundMode::Up,
        wide_integers: Whole {
            rounds: false,
            saturates: false,
        },
        narrow_integers: Whole {
            rounds: true,
            saturates: false,
        },
        nan_is_greatest: false,
    };

    /// The rules of the attributes `saturate` and `round_mode`, if this version has them.
    pub fn of(call: &Call<'_>) -> Result<Rules, OpError> {
        let known = |name| call.schema().attribute(name).is_some();
        let mut rules = Rules {
            wide_integers: Whole {
                rounds: false,
                saturates: call.takes(Reading::CastOutOfRangeSaturates),
            },
            narrow_integers: Whole {
                rounds: !call.takes(Reading::CastNarrowFractionTruncated),
                saturates: call.takes(Reading::CastNarrowIntegersSaturate),
            },
            nan_is_greatest: call.takes(Reading::CastNanGreatest),
            ..Rules::DEFAULT
        };
        if known("saturate") && !call.flag("saturate")? {
            rules.overflow = Overflow::Special;
        }
        if known("round_mode") {
            rules.round = match call.string("round_mode")? {
                "up" => RoundMode::Up,
                "down" => RoundMode::Down,
                "nearest" => RoundMode::Nearest,
                other => {
                    return Err(OpError::invalid(format!(
                        "`round_mode` is `{other}`, expected up, down or nearest"
                    )));
                }
            };
        }
        Ok(rules)
    }
}

/// The elements of `x` converted to element type `to`.
pub fn convert(x: &Tensor, to: DType, rules: Rules) -> Result<Tensor, OpError> {
    if let Some(y) = plain::convert(x, to, rules) {
        return Ok(y);
    }
    match x {
        _ if x.dtype() == to => Ok(x.clone()),
        Tensor::String(texts) => dispatch!(scalar, to, T => from_text::<T>(texts, rules)),
        _ if to == DType::String => dispatch!(scalar, x.dtype(), T => {
            Ok(Tensor::from(x.array::<T>()?.map(|value| value.text()).into_shared()))
        }),
        _ => {
            let numbers = numbers(x)?;
            dispatch!(scalar, to, T => {
                Ok(Tensor::new(x.shape(), numbers.map(|number| T::from_number(number, rules)).collect())?)
            })
        }
    }
}

/// The elements in row-major order. The iterator is boxed, so that conversions between 25 types do not
/// compile 625 loops.
fn numbers(x: &Tensor) -> Result<Box<dyn Iterator<Item = Number> + '_>, OpError> {
    dispatch!(scalar, x.dtype(), T => {
        let array: &Array<T> = x.array()?;
        Ok(Box::new(array.iter().map(|value| value.number())))
    })
}

fn from_text<T: Scalar>(texts: &Array<String>, rules: Rules) -> Result<Tensor, OpError> {
    let elements = texts
        .iter()
        .map(|literal| {
            let number = text::parse(literal)?;
            let value = T::from_number(number, rules);
            let exact = !T::IS_INTEGER || value.number().is(number);
            exact.then_some(value).ok_or_else(|| {
                OpError::undefined(format!(
                    "the text {literal:?} is not a valid {}",
                    T::DTYPE.onnx_name()
                ))
            })
        })
        .collect::<Result<Vec<T>, OpError>>()?;
    Ok(Tensor::new(texts.shape(), elements)?)
}
