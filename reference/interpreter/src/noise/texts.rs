//! Floats that become text.
//!
//! The specification asks for a plain representation of a number, and says nothing of its digits: the fewest
//! that identify it (the reference, NumPy), or 8 of a float and 17 of a double (ONNX Runtime 1.32).

use onnx_bounds::Query;
use onnx_tensor::{DType, Real, Tensor, TensorError, Value, dispatch};
use rand::RngExt;

use super::{Noise, Traits};

/// The digits of the text of a float, and of a double.
const OF_FLOAT: i32 = 8;
const OF_DOUBLE: i32 = 17;

/// Whether a node writes numbers as text.
pub(crate) fn writes_text(name: &str, outputs: &[Option<Value>]) -> bool {
    let first = outputs
        .first()
        .and_then(Option::as_ref)
        .and_then(Value::as_tensor);
    matches!(name, "Cast" | "CastLike") && first.is_some_and(|tensor| tensor.dtype() == DType::String)
}

impl Noise {
    /// The texts of a Cast of floats with a fixed number of digits, in half of the runs; `None` for other
    /// operators.
    pub(super) fn texts(&self, query: &Query<'_>, traits: Traits<'_>) -> Option<Vec<Option<Tensor>>> {
        let Tensor::String(texts) = query.output(0)? else {
            return None;
        };
        let input = query.call.optional(0)?.as_tensor()?;
        if !writes_text(traits.name, query.outputs) || self.generator.borrow_mut().random() {
            return None;
        }
        let digits = match input.dtype() {
            DType::Double => OF_DOUBLE,
            _ => OF_FLOAT,
        };
        let written = || -> Result<Vec<String>, TensorError> {
            dispatch!(float, input.dtype(), T => {
                let pairs = input.array::<T>()?.iter().zip(texts.iter());
                Ok(pairs.map(|(x, text)| plain(x.to_f64(), digits).unwrap_or_else(|| text.clone())).collect())
            })
        };
        let tensor = Tensor::new(input.shape(), written().ok()?).ok()?;
        Some(vec![Some(tensor)])
    }
}

/// The plain representation of a number with so many significant digits, without zeros at its end; `None` for
/// 0, for numbers that are not finite, and for those without a fraction.
fn plain(x: f64, digits: i32) -> Option<String> {
    if x == 0.0 || !x.is_finite() || x.fract() == 0.0 {
        return None;
    }
    let decimals = digits - 1 - x.abs().log10().floor() as i32;
    let text = format!("{x:.*}", usize::try_from(decimals).ok()?);
    Some(if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_eight_digits() {
        let check = |x: f32, expected: Option<&str>| {
            assert_eq!(plain(x.into(), OF_FLOAT).as_deref(), expected, "{x}");
        };
        check(0.9657391, Some("0.96573907"));
        check(-314.5, Some("-314.5"));
        check(0.000_012_345_679, Some("0.000012345679"));
        check(2.0, None);
        check(0.0, None);
        check(f32::NAN, None);
    }
}
