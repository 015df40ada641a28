//! StringNormalizer.
//!
//! Case is changed by the full mappings of the Unicode standard (section 3.13), in which one character may
//! become several. They depend on the language only in Turkish, Azeri and Lithuanian, which are not
//! implemented.

use std::collections::HashSet;

use onnx_tensor::Tensor;

use super::super::call::one;
use super::super::numbers::slice;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::Open;

pub const ROWS: &[Row] = &[row(
    "StringNormalizer",
    10,
    Open("the stop words decide how many strings are kept", |_| None),
    normalize,
)];

/// Languages whose case mappings differ from the others'.
const OWN_MAPPINGS: [&str; 3] = ["az", "lt", "tr"];

fn normalize(call: &Call) -> Outcome {
    let x = call.tensor(0)?;
    if !matches!(x.shape(), [_] | [1, _]) {
        return invalid(format!("expected X of shape [C] or [1, C], got {:?}", x.shape()));
    }
    let change = case_change(call)?;
    let stop_words = call.attributes.texts("stopwords")?.unwrap_or_default();
    let as_written = call.attributes.flag("is_case_sensitive")?;
    let compared = |text: &str| {
        if as_written {
            text.to_owned()
        } else {
            text.to_lowercase()
        }
    };
    let removed: HashSet<String> = stop_words.iter().map(|word| compared(word)).collect();
    let kept = slice::<String>(x)?
        .iter()
        .filter(|text| !removed.contains(&compared(text)));
    let mut kept: Vec<String> = kept.map(|text| change(text)).collect();
    if kept.is_empty() {
        kept.push(String::new());
    }
    let mut shape = x.shape().to_vec();
    shape[x.rank() - 1] = kept.len();
    one(Tensor::new(&shape, kept)?)
}

fn case_change(call: &Call) -> Result<fn(&str) -> String, Problem> {
    let change: fn(&str) -> String = match call.attributes.text("case_change_action")? {
        "NONE" => return Ok(str::to_owned),
        "LOWER" => str::to_lowercase,
        "UPPER" => str::to_uppercase,
        other => {
            return invalid(format!(
                "attribute `case_change_action` is `{other}`, expected LOWER, UPPER or NONE"
            ));
        }
    };
    let locale = call.attributes.text("locale")?;
    let language = locale.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let language = language.unwrap_or_default().to_ascii_lowercase();
    if OWN_MAPPINGS.contains(&language.as_str()) {
        unsupported(format!(
            "the case mappings of the locale `{locale}` are not implemented"
        ))
    } else {
        Ok(change)
    }
}
