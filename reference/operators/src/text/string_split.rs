//! StringSplit — splits each string into substrings, padded with "" to the greatest number of substrings.
//!
//! Without `delimiter`, or with an empty one, runs of white space separate substrings, and white space is
//! removed at both ends, also after the last split that `maxsplit` allows (onnx.reference keeps trailing
//! white space there, against the text). Interpretation: white space is the Unicode property `White_Space`;
//! with a delimiter the empty string is one empty substring, like in Python's `str.split`, the source of
//! the official cases (ONNX Runtime: none); a negative `maxsplit` sets no limit.

use onnx_tensor::{DType, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op("StringSplit", &[v(20, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<String>(0)?;
    let delimiter = call.optional_string("delimiter")?.filter(|text| !text.is_empty());
    let splits = call
        .optional_int("maxsplit")?
        .and_then(|splits| usize::try_from(splits).ok());
    let pieces: Vec<Vec<&str>> = x.iter().map(|text| split(text, delimiter, splits)).collect();
    let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
    let shape: Vec<usize> = x.shape().iter().copied().chain([longest]).collect();
    call.reserve(&shape, DType::String)?;
    let padded = |pieces: &Vec<&str>| {
        let mut row: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
        row.resize(longest, String::new());
        row
    };
    let y = Tensor::new(&shape, pieces.iter().flat_map(padded).collect())?;
    let z = Tensor::new(
        x.shape(),
        pieces.iter().map(|pieces| pieces.len() as i64).collect(),
    )?;
    Ok(vec![Some(y.into()), Some(z.into())])
}

fn split<'a>(text: &'a str, delimiter: Option<&str>, splits: Option<usize>) -> Vec<&'a str> {
    let pieces = splits.map_or(usize::MAX, |splits| splits.saturating_add(1));
    match delimiter {
        Some(delimiter) => text.splitn(pieces, delimiter).collect(),
        None => split_white(text, pieces),
    }
}

fn split_white(text: &str, most: usize) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        match rest.split_once(char::is_whitespace) {
            Some((piece, after)) if pieces.len() + 1 < most => {
                pieces.push(piece);
                rest = after.trim_start();
            }
            _ => {
                pieces.push(rest);
                break;
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, strings};

    /// ONNX Runtime 1.31.1 returns the same, except for "" with a delimiter (Python).
    #[test]
    fn splits() {
        let op = ("", "StringSplit", 20);
        let given = |x: &[&str], more: &[Attribute], y: &[&str], z: &[i64]| {
            let y = strings(y).reshape(&[x.len(), y.len() / x.len()]).unwrap();
            check(
                op,
                &[strings(x).into()],
                more,
                &[y.into(), Tensor::vector(z.to_vec()).into()],
            );
        };
        let most = |splits: i64| attribute("maxsplit", splits);
        given(
            &["  a  b  c ", "", " "],
            &[most(1)],
            &["a", "b  c", "", "", "", ""],
            &[2, 0, 0],
        );
        given(&["  a  b  c ", " "], &[most(0)], &["a  b  c", ""], &[1, 0]);
        given(
            &["a\u{3000}b\u{b}c"],
            &[attribute("delimiter", "")],
            &["a", "b", "c"],
            &[3],
        );
        let comma = attribute("delimiter", ",");
        given(
            &["a,,b,", ""],
            std::slice::from_ref(&comma),
            &["a", "", "b", "", "", "", "", ""],
            &[4, 1],
        );
        given(&["a,b,c"], &[comma.clone(), most(1)], &["a", "b,c"], &[2]);
        given(&["a,b,c"], &[comma, most(-1)], &["a", "b", "c"], &[3]);
    }
}
