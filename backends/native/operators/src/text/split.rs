//! StringSplit.
//!
//! White space is the property `White_Space` of Unicode. With a delimiter, the empty string is one empty
//! substring, as in the official cases, which come from Python's `str.split`.

use onnx_tensor::Tensor;

use super::super::call::count;
use super::super::numbers::slice;
use super::super::{Call, Outcome, Row, row};
use crate::shapes::Shapes::Open;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row(
    "StringSplit",
    20,
    Open("the strings decide how many substrings there are", |known| {
        Some(vec![None, known.shape_like(0)])
    }),
    split,
)];

fn split(call: &Call) -> Outcome {
    let x = call.tensor(0)?;
    let delimiter = call.attributes.text("delimiter")?;
    // A negative number sets no limit.
    let limit = call.attributes.find_int("maxsplit")?;
    let limit = limit.and_then(|splits| usize::try_from(splits).ok());
    let pieces: Vec<Vec<&str>> = slice::<String>(x)?
        .iter()
        .map(|text| match delimiter {
            "" => by_white_space(text, limit),
            _ => by_delimiter(text, delimiter, limit),
        })
        .collect();
    let width = pieces.iter().map(Vec::len).max().unwrap_or(0);
    let shape = [x.shape(), &[width]].concat();
    has_room(count(&shape)?)?;
    let padded = |row: &Vec<&str>| {
        let missing = width - row.len();
        let given = row.iter().map(|&piece| piece.to_owned()).collect::<Vec<_>>();
        given
            .into_iter()
            .chain(std::iter::repeat_n(String::new(), missing))
    };
    let substrings = Tensor::new(&shape, pieces.iter().flat_map(padded).collect::<Vec<_>>())?;
    let counts = pieces.iter().map(|row| row.len() as i64).collect::<Vec<_>>();
    Ok(vec![substrings.into(), Tensor::new(x.shape(), counts)?.into()])
}

fn by_delimiter<'a>(text: &'a str, delimiter: &str, limit: Option<usize>) -> Vec<&'a str> {
    match limit {
        Some(limit) => text.splitn(limit.saturating_add(1), delimiter).collect(),
        None => text.split(delimiter).collect(),
    }
}

/// Splits at runs of white space. What remains after the last split has no white space at its ends.
fn by_white_space(text: &str, limit: Option<usize>) -> Vec<&str> {
    let Some(limit) = limit else {
        return text.split_whitespace().collect();
    };
    let mut rest = text.trim();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let end = if pieces.len() < limit {
            rest.find(char::is_whitespace).unwrap_or(rest.len())
        } else {
            rest.len()
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after.trim_start();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{by_delimiter, by_white_space};

    /// The results of `str.split` of Python 3, except for white space at the end after the last split.
    #[test]
    fn substrings() {
        let check = |text: &str, limit: Option<usize>, expected: &[&str]| {
            assert_eq!(by_white_space(text, limit), expected, "{text:?} {limit:?}");
        };
        check("", None, &[]);
        check(" a  b\tc ", None, &["a", "b", "c"]);
        check(" a  b\tc ", Some(1), &["a", "b\tc"]);
        check(" a  b\tc ", Some(0), &["a  b\tc"]);
        check("a\u{a0}b", Some(5), &["a", "b"]);
        check("  ", Some(1), &[]);
        assert_eq!(by_delimiter("", "-", None), [""]);
        assert_eq!(by_delimiter("-a--b", "-", None), ["", "a", "", "b"]);
        assert_eq!(by_delimiter("-a--b", "-", Some(1)), ["", "a--b"]);
        assert_eq!(by_delimiter("aaa", "aa", None), ["", "a"]);
    }
}
