//! CastMap — the values of a map as a tensor, ordered by key.
//!
//! DENSE returns only the values; SPARSE puts each value at the position given by its key, of `max_map`
//! positions.
//!
//! Interpretation, where the specification is silent: the shape is `[1, n]`, and a float becomes a string
//! with six decimals, as `printf("%f")` writes it (both as in ONNX Runtime). A float becomes an integer by
//! truncation; a value outside int64 is an error. A string is parsed as a whole, without blanks. SPARSE
//! positions without a key hold 0; for strings they are undefined (ONNX Runtime writes "0.f").

use onnx_tensor::{Element, Map, MapKey, Tensor, Value};

use super::lists::{count, index};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "CastMap", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let entries = entries(call.map(0)?)?;
    match call.string("cast_to")? {
        "TO_FLOAT" => lay_out(call, &entries, Scalar::float, Some(0.0)),
        "TO_INT64" => lay_out(call, &entries, Scalar::int64, Some(0)),
        "TO_STRING" => lay_out(call, &entries, Scalar::string, None),
        other => Err(OpError::invalid(format!(
            "attribute `cast_to` is {other}, which is not a known type"
        ))),
    }
}

/// A value of the map.
enum Scalar {
    Float(f32),
    String(String),
}

impl Scalar {
    fn float(&self) -> Result<f32, OpError> {
        match self {
            Scalar::Float(value) => Ok(*value),
            Scalar::String(text) => text.parse().map_err(|_| unreadable(text, "a float")),
        }
    }

    fn int64(&self) -> Result<i64, OpError> {
        match self {
            // −2^63 is an f32, 2^63 − 1 is not.
            Scalar::Float(value) if (-9.223_372e18..9.223_372e18).contains(value) => Ok(*value as i64),
            Scalar::Float(value) => Err(unreadable(&value.to_string(), "an int64")),
            Scalar::String(text) => text.parse().map_err(|_| unreadable(text, "an int64")),
        }
    }

    fn string(&self) -> Result<String, OpError> {
        Ok(match self {
            Scalar::Float(value) if value.is_nan() => "nan".to_owned(),
            Scalar::Float(value) => format!("{value:.6}"),
            Scalar::String(text) => text.clone(),
        })
    }
}

fn unreadable(text: &str, what: &str) -> OpError {
    OpError::invalid(format!("the value `{text}` of the map cannot be read as {what}"))
}

/// Keys and values, sorted by key.
fn entries(map: &Map) -> Result<Vec<(i128, Scalar)>, OpError> {
    let scalar = |value: &Value| match value.as_tensor() {
        Some(Tensor::Float(array)) if array.len() == 1 => array.first().map(|&value| Scalar::Float(value)),
        Some(Tensor::String(array)) if array.len() == 1 => array.first().cloned().map(Scalar::String),
        _ => None,
    };
    let entry = |(key, value): (&MapKey, &Value)| match (key, scalar(value)) {
        (MapKey::Int(key), Some(value)) => Ok((*key, value)),
        _ => Err(OpError::invalid(
            "the map must hold one float or string for each integer key",
        )),
    };
    map.entries.iter().map(entry).collect()
}

fn lay_out<T: Element>(
    call: &Call<'_>,
    entries: &[(i128, Scalar)],
    convert: impl Fn(&Scalar) -> Result<T, OpError>,
    filling: Option<T>,
) -> Result<Outputs, OpError> {
    let values = match call.string("map_form")? {
        "DENSE" => entries
            .iter()
            .map(|(_, value)| convert(value))
            .collect::<Result<Vec<_>, _>>()?,
        "SPARSE" => {
            let total = count(call.int("max_map")?, "max_map")?;
            call.reserve(&[1, total], T::DTYPE)?;
            let missing = || OpError::undefined("the string at a SPARSE position without a key");
            let filling = if entries.len() < total {
                filling.ok_or_else(missing)?
            } else {
                T::default()
            };
            let mut values = vec![filling; total];
            for (key, value) in entries {
                let at = index(i64::try_from(*key).unwrap_or(-1), total, "a key of the map")?;
                values[at] = convert(value)?;
            }
            values
        }
        other => {
            return Err(OpError::invalid(format!(
                "attribute `map_form` is {other}, expected DENSE or SPARSE"
            )));
        }
    };
    one(Tensor::new(&[1, values.len()], values)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Element, Map, MapKey, Tensor, Value, ValueType};

    use crate::frame::testing::{attribute, check, refused, strings};

    const OP: crate::frame::testing::OpVersion = ("ai.onnx.ml", "CastMap", 1);

    fn map<T: Element>(entries: &[(i128, T)]) -> Value {
        let entries = entries
            .iter()
            .map(|(key, value)| (MapKey::Int(*key), Tensor::scalar(value.clone()).into()));
        let element = ValueType::tensor(T::DTYPE);
        Value::Map(Map {
            key: DType::Int64,
            element,
            entries: entries.collect(),
        })
    }

    fn row<T: Element>(values: &[T]) -> Value {
        Tensor::new(&[1, values.len()], values.to_vec()).unwrap().into()
    }

    /// ONNX Runtime 1.31.1 returns the same for float values (string values cannot be fed from Python:
    /// worked by hand).
    #[test]
    fn casts() {
        let floats = map(&[(3, 1.5_f32), (1, 2.75), (-1, -2.7)]);
        check(
            OP,
            std::slice::from_ref(&floats),
            &[],
            &[row(&[-2.7_f32, 2.75, 1.5])],
        );
        check(
            OP,
            std::slice::from_ref(&floats),
            &[attribute("cast_to", "TO_INT64")],
            &[row(&[-2_i64, 2, 1])],
        );
        let expected = strings(&["-2.700000", "2.750000", "1.500000"])
            .reshape(&[1, 3])
            .unwrap();
        check(
            OP,
            std::slice::from_ref(&floats),
            &[attribute("cast_to", "TO_STRING")],
            &[expected.into()],
        );
        let texts = map(&[(2, "7".to_owned()), (0, "-1".to_owned())]);
        check(OP, std::slice::from_ref(&texts), &[], &[row(&[-1.0_f32, 7.0])]);
        let sparse = [
            attribute("cast_to", "TO_INT64"),
            attribute("map_form", "SPARSE"),
            attribute("max_map", 4),
        ];
        check(
            OP,
            std::slice::from_ref(&texts),
            &sparse,
            &[row(&[-1_i64, 0, 7, 0])],
        );
        refused(OP, &[floats], &sparse, "a key of the map is -1");
        refused(OP, &[map(&[(0, "x".to_owned())])], &[], "cannot be read");
        refused(
            OP,
            &[map(&[(0, f32::NAN)])],
            &[attribute("cast_to", "TO_INT64")],
            "cannot be read",
        );
    }
}
