//! StringNormalizer — removes stop words, then changes the case of the remaining strings.
//!
//! If no string remains, the output is one empty string. Interpretation: case is changed by the full
//! mappings of the Unicode standard (section 3.13, like Python's `str`; ONNX Runtime maps character by
//! character in a locale of the system, so that "ß" does not change). These depend on the language only in
//! Turkish, Azeri and Lithuanian; a `locale` of those is undefined if case is changed. Case-insensitive
//! stop words are compared in lower case.

use std::collections::HashSet;

use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("StringNormalizer", &[v(10, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<String>(0)?;
    if !matches!(x.shape(), [_] | [1, _]) {
        return Err(OpError::invalid(format!(
            "input `X` must have the shape [C] or [1, C], got {:?}",
            x.shape()
        )));
    }
    let change = case_change(call)?;
    let exact = call.flag("is_case_sensitive")?;
    let form = |text: &str| {
        if exact {
            text.to_owned()
        } else {
            text.to_lowercase()
        }
    };
    let stop: HashSet<String> = call
        .optional_strings("stopwords")?
        .unwrap_or_default()
        .into_iter()
        .map(form)
        .collect();
    let mut kept: Vec<String> = x
        .iter()
        .filter(|text| !stop.contains(&form(text)))
        .map(|text| change(text))
        .collect();
    if kept.is_empty() {
        kept.push(String::new());
    }
    let count = kept.len();
    let shape = if x.ndim() == 1 {
        vec![count]
    } else {
        vec![1, count]
    };
    one(Tensor::new(&shape, kept)?)
}

fn case_change(call: &Call<'_>) -> Result<fn(&str) -> String, OpError> {
    let change: fn(&str) -> String = match call.string("case_change_action")? {
        "NONE" => return Ok(str::to_owned),
        "LOWER" => str::to_lowercase,
        "UPPER" => str::to_uppercase,
        other => {
            return Err(OpError::invalid(format!(
                "attribute `case_change_action` is {other}, expected LOWER, UPPER or NONE"
            )));
        }
    };
    let locale = call.optional_string("locale")?.unwrap_or_default();
    match locale.split(['_', '-', '.', '@']).next() {
        Some("tr" | "az" | "lt") => Err(OpError::undefined(format!(
            "the case rules of the locale `{locale}`"
        ))),
        _ => Ok(change),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, strings};

    /// Worked by hand; case mappings from SpecialCasing.txt of the Unicode character database.
    #[test]
    fn normalises() {
        let op = ("", "StringNormalizer", 10);
        let x = || strings(&["Monday", "tuesday", "straße", "ΑΣ"]).into();
        let (upper, lower) = (
            attribute("case_change_action", "UPPER"),
            attribute("case_change_action", "LOWER"),
        );
        let stop = attribute("stopwords", ["MONDAY"]);
        check(
            op,
            &[x()],
            &[upper.clone(), stop.clone()],
            &[strings(&["TUESDAY", "STRASSE", "ΑΣ"]).into()],
        );
        let exact = attribute("is_case_sensitive", 1);
        check(
            op,
            &[x()],
            &[lower, stop, exact],
            &[strings(&["monday", "tuesday", "straße", "ας"]).into()],
        );
        let row = strings(&["a"]).reshape(&[1, 1]).unwrap();
        let empty = strings(&[""]).reshape(&[1, 1]).unwrap();
        check(
            op,
            &[row.into()],
            &[attribute("stopwords", ["A"])],
            &[empty.into()],
        );
        refused(op, &[x()], &[upper, attribute("locale", "tr_TR.UTF-8")], "locale");
        refused(op, &[Tensor::scalar("a".to_owned()).into()], &[], "[C] or [1, C]");
    }
}
