//! The JSON form of an `f64` that may not be finite.
//!
//! JSON has no NaN and no infinity, and serde_json writes `null` for all three, so that they could not
//! be distinguished. A finite number is a JSON number; the others are the strings `"NaN"`, `"inf"` and
//! `"-inf"`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The form of a field, `#[serde(with = "Float")]`.
pub enum Float {}

impl Float {
    /// Writes `value` as a number or one of the three strings.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            serializer.serialize_f64(*value)
        } else {
            serializer.collect_str(value)
        }
    }

    /// Reads the format of [`Float::serialize`].
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number, \"NaN\", \"inf\" or \"-inf\"")]
        enum Form {
            Number(f64),
            Name(Name),
        }
        #[derive(Deserialize)]
        enum Name {
            #[serde(rename = "NaN")]
            NotANumber,
            #[serde(rename = "inf")]
            Infinity,
            #[serde(rename = "-inf")]
            NegativeInfinity,
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Number(number) => number,
            Form::Name(Name::NotANumber) => f64::NAN,
            Form::Name(Name::Infinity) => f64::INFINITY,
            Form::Name(Name::NegativeInfinity) => f64::NEG_INFINITY,
        })
    }
}

impl JsonSchema for Float {
    fn schema_name() -> Cow<'static, str> {
        "Float".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number; a string if it is not finite.",
            "anyOf": [{ "type": "number" }, { "enum": ["NaN", "inf", "-inf"] }],
        })
    }
}

/// The same for a list of numbers.
pub(super) enum Floats {}

#[derive(Serialize, Deserialize)]
struct Item(#[serde(with = "Float")] f64);

impl Floats {
    /// Writes each number like [`Float::serialize`].
    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|&value| Item(value)))
    }

    /// Reads the format of [`Floats::serialize`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let items = Vec::<Item>::deserialize(deserializer)?;
        Ok(items.into_iter().map(|Item(value)| value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Holder(#[serde(with = "Float")] f64);

    fn check(value: f64, json: &str) {
        let text = serde_json::to_string(&Holder(value)).unwrap();
        assert_eq!(text, json);
        let back: Holder = serde_json::from_str(&text).unwrap();
        assert!(
            back.0.to_bits() == value.to_bits() || (back.0.is_nan() && value.is_nan()),
            "{value} came back as {}",
            back.0
        );
    }

    #[test]
    fn every_float_round_trips() {
        check(f64::NAN, "\"NaN\"");
        check(f64::INFINITY, "\"inf\"");
        check(f64::NEG_INFINITY, "\"-inf\"");
        check(-0.0, "-0.0");
        check(5e-324, "5e-324");
        check(0.1 + 0.2, "0.30000000000000004");
        check(f64::MAX, "1.7976931348623157e+308");
    }

    #[test]
    fn other_strings_are_errors() {
        for text in ["\"nan?\"", "null", "true", "\"\""] {
            assert!(
                serde_json::from_str::<Holder>(text).is_err(),
                "{text} was parsed as a number"
            );
        }
    }
}
