//! Types as text, in the notation of the operator schemas: `tensor(float)`, `map(string, tensor(int64))`.
//!
//! `Display` of [`ValueType`] writes the text. It contains no shapes, because a value has its own.

use onnx_tensor::{DType, UnknownDType, ValueType};

/// The maximum nesting depth of types; ONNX itself uses two levels.
const MAX_DEPTH: usize = 16;

/// Why a text is not a type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypeTextError {
    /// The form is invalid.
    #[error(
        "`{0}` is not a type; a type is written as `tensor(float)`, `seq(tensor(int64))`, `map(string, tensor(float))`"
    )]
    Form(String),
    /// The innermost name is not an element type.
    #[error(transparent)]
    Element(#[from] UnknownDType),
    /// The nesting is deeper than 16 types.
    #[error("more than {MAX_DEPTH} nested types")]
    Depth,
}

/// Parses a type; spaces around its parts are allowed.
pub fn parse_type(text: &str) -> Result<ValueType, TypeTextError> {
    parse_within(text, MAX_DEPTH)
}

fn parse_within(text: &str, depth: usize) -> Result<ValueType, TypeTextError> {
    let depth = depth.checked_sub(1).ok_or(TypeTextError::Depth)?;
    let malformed = || TypeTextError::Form(text.trim().to_owned());
    let (constructor, rest) = text.trim().split_once('(').ok_or_else(malformed)?;
    let inner = rest.strip_suffix(')').ok_or_else(malformed)?;
    let element = |name: &str| DType::from_onnx_name(name.trim());
    let nested = |inner| parse_within(inner, depth).map(Box::new);
    Ok(match constructor {
        "tensor" => ValueType::tensor(element(inner)?),
        "sparse_tensor" => ValueType::Sparse {
            dtype: element(inner)?,
            shape: None,
        },
        "seq" => ValueType::Sequence(nested(inner)?),
        "optional" => ValueType::Optional(nested(inner)?),
        "map" => {
            let (key, value) = inner.split_once(',').ok_or_else(malformed)?;
            ValueType::Map {
                key: element(key)?,
                value: nested(value)?,
            }
        }
        _ => return Err(malformed()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_type_agree() {
        for text in [
            "tensor(float)",
            "tensor(uint2)",
            "sparse_tensor(double)",
            "seq(tensor(int64))",
            "optional(seq(tensor(string)))",
            "seq(map(string, tensor(float)))",
        ] {
            assert_eq!(parse_type(text).map(|t| t.to_string()).as_deref(), Ok(text));
        }
        let map = parse_type(" map(int64,tensor(float)) ").map(|t| t.to_string());
        assert_eq!(map.as_deref(), Ok("map(int64, tensor(float))"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "float",
            "tensor",
            "tensor(",
            "tensor(flaot)",
            "tensor(float))",
            "list(tensor(float))",
        ] {
            assert!(parse_type(text).is_err(), "{text}");
        }
        let deep = format!("{}tensor(float){}", "seq(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(parse_type(&deep), Err(TypeTextError::Depth));
    }
}
