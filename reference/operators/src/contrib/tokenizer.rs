//! Tokenizer — breaks each string into tokens: the characters, the pieces between separators, or the matches
//! of an expression. Each separator breaks the pieces that the one before it leaves.
//!
//! Expressions have the syntax of RE2 and match as much as possible, as the text says of `tokenexp`.
//!
//! Interpretation, as in ONNX Runtime: if both are given, `separators` counts; after a match of `tokenexp`
//! that has fewer than `mincharnum` characters the search goes on one character after its start; without any
//! token no row is marked. A separator that matches the empty string is not defined.

use onnx_re2::LongestMatch;
use onnx_tensor::{DType, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::nn::positive;

pub const OP: OpDef = contrib("Tokenizer", &[v(1, First, tokenizer)]);

/// The marks before the first and after the last token of a row.
const MARKS: [&str; 2] = ["\u{2}", "\u{3}"];

/// What the tokens of a string are.
enum Tokens {
    Characters,
    Between(Vec<LongestMatch>),
    Matches(Box<LongestMatch>),
}

fn tokenizer(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<String>(0)?;
    let mut shape = x.shape().to_vec();
    let least = positive(call, "mincharnum")?;
    let mut tokens = Tokens::of(call, least)?;
    let (1..=2, Some(last)) = (x.ndim(), shape.last_mut()) else {
        return Err(OpError::invalid("X must have one or two axes"));
    };
    if x.is_empty() {
        *last = 0;
        return one(Tensor::new::<String>(&shape, Vec::new())?);
    }
    let rows: Vec<Vec<&str>> = x
        .iter()
        .map(|text| tokens.list(call, text, least))
        .collect::<Result<_, _>>()?;
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let marked = call.int("mark")? != 0 && longest > 0;
    let width = if marked { longest + MARKS.len() } else { longest };
    shape.push(width);
    call.reserve(&shape, DType::String)?;
    let padding = call.string("pad_value")?;
    let row = |tokens: Vec<&str>| {
        let mut row: Vec<String> = if marked {
            [&MARKS[..1], &tokens, &MARKS[1..]].concat()
        } else {
            tokens
        }
        .into_iter()
        .map(str::to_owned)
        .collect();
        row.resize(width, padding.to_owned());
        row
    };
    one(Tensor::new(&shape, rows.into_iter().flat_map(row).collect())?)
}

impl Tokens {
    fn of(call: &Call<'_>, least: usize) -> Result<Tokens, OpError> {
        match (
            call.optional_strings("separators")?.as_deref(),
            call.optional_string("tokenexp")?,
        ) {
            (Some([]), _) => Err(OpError::invalid("`separators` must not be empty")),
            (Some([""]), _) if least > 1 => Err(OpError::invalid(
                "`mincharnum` must be 1 if the tokens are characters",
            )),
            (Some([""]), _) => Ok(Tokens::Characters),
            (Some(separators), _) => {
                let separators = separators.iter().map(|text| LongestMatch::new(text));
                Ok(Tokens::Between(separators.collect::<Result<_, _>>()?))
            }
            (None, Some("") | None) => Err(OpError::invalid(
                "`separators` or a `tokenexp` that is not empty must be given",
            )),
            (None, Some(expression)) => Ok(Tokens::Matches(Box::new(LongestMatch::new(expression)?))),
        }
    }

    fn list<'t>(&mut self, call: &Call<'_>, text: &'t str, least: usize) -> Result<Vec<&'t str>, OpError> {
        match self {
            Tokens::Characters => Ok(text
                .char_indices()
                .map(|(at, c)| &text[at..at + c.len_utf8()])
                .collect()),
            Tokens::Between(separators) => {
                let mut pieces = vec![text];
                for separator in separators {
                    let mut smaller = Vec::new();
                    for piece in pieces {
                        smaller.extend(between(call, piece, separator)?);
                    }
                    smaller.retain(|piece| has(piece, least));
                    pieces = smaller;
                }
                Ok(pieces)
            }
            Tokens::Matches(expression) => matches(call, text, expression, least),
        }
    }
}

/// The pieces of `text` before, between and after the matches of `separator`.
fn between<'t>(
    call: &Call<'_>,
    text: &'t str,
    separator: &mut LongestMatch,
) -> Result<Vec<&'t str>, OpError> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while let Some(found) = search(call, text, separator, at)? {
        if found.is_empty() {
            return Err(OpError::undefined("a separator that matches the empty string"));
        }
        pieces.push(part(text, at..found.start)?);
        at = found.end;
    }
    pieces.push(part(text, at..text.len())?);
    Ok(pieces)
}

/// The matches of `expression` that have at least `least` characters.
fn matches<'t>(
    call: &Call<'_>,
    text: &'t str,
    expression: &mut LongestMatch,
    least: usize,
) -> Result<Vec<&'t str>, OpError> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(found) = search(call, text, expression, at)? {
        let token = part(text, found.clone())?;
        if has(token, least) {
            tokens.push(token);
            at = found.end;
        } else if let Some(first) = text[found.start..].chars().next() {
            at = found.start + first.len_utf8();
        } else {
            break;
        }
    }
    Ok(tokens)
}

fn search(
    call: &Call<'_>,
    text: &str,
    expression: &mut LongestMatch,
    at: usize,
) -> Result<Option<std::ops::Range<usize>>, OpError> {
    call.work(&[text.len() - at])?;
    Ok(expression.find(text.as_bytes(), at))
}

fn part(text: &str, range: std::ops::Range<usize>) -> Result<&str, OpError> {
    text.get(range)
        .ok_or_else(|| OpError::invalid("an expression breaks a character of UTF-8 apart"))
}

fn has(token: &str, least: usize) -> bool {
    token.chars().count() >= least
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, strings};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "Tokenizer", 1);

    fn attributes(mark: i64, least: i64, expression: Attribute) -> Vec<Attribute> {
        vec![
            attribute("mark", mark),
            attribute("mincharnum", least),
            attribute("pad_value", "#"),
            expression,
        ]
    }

    fn separated(by: &[&str]) -> Attribute {
        let texts = by.iter().map(|text| text.as_bytes().to_vec()).collect();
        Attribute {
            name: "separators".to_owned(),
            value: onnx_model::AttributeValue::Strings(texts),
        }
    }

    fn table(shape: &[usize], texts: &[&str]) -> Tensor {
        let texts = texts.iter().map(|&text| text.to_owned()).collect();
        Tensor::new(shape, texts).expect("the texts fill the shape")
    }

    #[track_caller]
    fn tokens(x: &[&str], attributes: &[Attribute], width: usize, expected: &[&str]) {
        let y = table(&[x.len(), width], expected);
        check(UNDER, &[strings(x).into()], attributes, &[y.into()]);
    }

    #[track_caller]
    fn refuses(x: &str, attributes: &[Attribute], part: &str) {
        refused(UNDER, &[strings(&[x]).into()], attributes, part);
    }

    /// The example of the text, marked and not.
    #[test]
    fn words() {
        let x = ["Hello World", "I love computer science !"];
        let by = || separated(&[" "]);
        let expected = [
            "Hello", "World", "#", "#", "#", "I", "love", "computer", "science", "!",
        ];
        tokens(&x, &attributes(0, 1, by()), 5, &expected);
        let expected = [
            "\u{2}", "Hello", "World", "\u{3}", "#", "#", "#", "\u{2}", "I", "love", "computer", "science",
            "!", "\u{3}",
        ];
        tokens(&x, &attributes(1, 1, by()), 7, &expected);
        let y = table(&[1, 2, 2], &["a", "b", "c", "#"]);
        let x = table(&[1, 2], &["a b", " c "]);
        check(UNDER, &[x.into()], &attributes(0, 1, by()), &[y.into()]);
    }

    #[test]
    fn characters() {
        let expected = ["a", "b", "é", " ", "x", "#"];
        tokens(&["abé", " x"], &attributes(0, 1, separated(&[""])), 3, &expected);
        refuses("a", &attributes(0, 2, separated(&[""])), "`mincharnum`");
    }

    /// As ONNX Runtime 1.32.0 answers.
    #[test]
    fn separators() {
        let cases: [(&str, &[&str], i64, &[&str]); 5] = [
            ("xaby", &["a|ab"], 1, &["x", "y"]),
            ("a;b,c;;d", &[";", ","], 1, &["a", "b", "c", "d"]),
            ("abcd", &["b", "bc"], 1, &["a", "cd"]),
            ("abab", &["^a"], 1, &["bab"]),
            ("a bb éé", &[" "], 2, &["bb", "éé"]),
        ];
        for (x, by, least, expected) in cases {
            tokens(
                &[x],
                &attributes(0, least, separated(by)),
                expected.len(),
                expected,
            );
        }
        refuses("ab", &attributes(0, 1, separated(&["x*"])), "empty string");
        refuses("ab", &attributes(0, 1, separated(&[])), "`separators`");
    }

    /// As ONNX Runtime 1.32.0 answers.
    #[test]
    fn expressions() {
        let cases: [(&str, &str, i64, &[&str]); 8] = [
            ("xaby", "a|ab", 1, &["ab"]),
            ("abcabc", "(a|ab)(c|bcd)?", 1, &["abc", "abc"]),
            ("aaa", "a+?", 1, &["aaa"]),
            ("aab aaab ab", "a*b", 3, &["aab", "aaab"]),
            ("aab aaab ab", "a*", 1, &["aa", "aaa", "a"]),
            ("ab ab", r"\bab$", 1, &["ab"]),
            ("abcd", "ab|bcd", 3, &["bcd"]),
            ("aéb", ".", 1, &["a", "é", "b"]),
        ];
        for (x, by, least, expected) in cases {
            let attributes = attributes(0, least, attribute("tokenexp", by));
            tokens(&[x], &attributes, expected.len(), expected);
        }
        for (by, part) in [(r"\C", "UTF-8"), ("(", "not valid RE2"), ("", "`tokenexp`")] {
            refuses("é", &attributes(0, 1, attribute("tokenexp", by)), part);
        }
    }

    /// Nothing is left, or there was nothing: no marks.
    #[test]
    fn nothing() {
        let by = attributes(1, 1, separated(&[" "]));
        tokens(&["   ", " "], &by, 0, &[]);
        let unmatched = attributes(1, 1, attribute("tokenexp", "a"));
        tokens(&["bb", "c"], &unmatched, 0, &[]);
        for (x, y) in [([0].as_slice(), [0].as_slice()), (&[0, 2], &[0, 0])] {
            check(UNDER, &[table(x, &[]).into()], &by, &[table(y, &[]).into()]);
        }
        refused(UNDER, &[table(&[], &["a"]).into()], &by, "one or two axes");
    }
}
