//! The values of attributes that are switches, float types or one of a list of words. Operators read them
//! where they need them; here a value without a meaning is refused, whichever code runs the node.

use onnx_model::AttributeValue;

use crate::error::{Problem, invalid};

/// Numbers of element types that are floats: float, float16, double and bfloat16.
const FLOATS: [&str; 2] = ["softmax_precision", "stash_type"];

/// The reductions of scattered updates. The text of since 16 has only the first three.
const REDUCTIONS: &[&str] = &["none", "add", "mul", "max", "min"];

/// Strings with the words that they may be: the operator, or `*` for all, the attribute, and the words.
const WORDS: [(&str, &str, &[&str]); 10] = [
    ("*", "auto_pad", &["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]),
    ("*", "round_mode", &["up", "down", "nearest"]),
    ("DepthToSpace", "mode", &["DCR", "CRD"]),
    ("SpaceToDepth", "mode", &["DCR", "CRD"]),
    ("Pad", "mode", &["constant", "reflect", "edge", "wrap"]),
    (
        "Resize",
        "coordinate_transformation_mode",
        &[
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_half_pixel_for_nn",
            "tf_crop_and_resize",
        ],
    ),
    (
        "Resize",
        "nearest_mode",
        &["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"],
    ),
    (
        "Resize",
        "keep_aspect_ratio_policy",
        &["stretch", "not_larger", "not_smaller"],
    ),
    ("ScatterElements", "reduction", REDUCTIONS),
    ("ScatterND", "reduction", REDUCTIONS),
];

/// Checks the attributes that a node of an operator of ONNX states.
///
/// # Errors
/// A value that is none of those that the text lists.
pub fn check<'a>(
    operator: &str,
    given: impl IntoIterator<Item = (&'a String, &'a AttributeValue)>,
) -> Result<(), Problem> {
    for (name, value) in given {
        match value {
            AttributeValue::Int(value)
                if FLOATS.contains(&name.as_str()) && !matches!(value, 1 | 10 | 11 | 16) =>
            {
                return invalid(format!(
                    "attribute `{name}` is {value}, which is not a float type"
                ));
            }
            AttributeValue::Int(0 | 1) => {}
            AttributeValue::Int(value) if onnx_schema::is_flag(name) => {
                return invalid(format!("attribute `{name}` is {value}; it must be 0 or 1"));
            }
            AttributeValue::String(text) => {
                let of = |(owner, known, _): &&(&str, &str, &[&str])| {
                    [operator, "*"].contains(owner) && known == name
                };
                let wrong = WORDS
                    .iter()
                    .find(of)
                    .filter(|(_, _, words)| !words.iter().any(|word| word.as_bytes() == text.as_slice()));
                if let Some((_, _, words)) = wrong {
                    return invalid(format!(
                        "attribute `{name}` is {:?}; it must be one of {}",
                        String::from_utf8_lossy(text),
                        words.join(", ")
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
