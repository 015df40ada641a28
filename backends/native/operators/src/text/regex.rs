//! RegexFullMatch, for patterns that RE2 and the crate `regex` read alike.
//!
//! RE2 (github.com/google/re2/wiki/Syntax) has classes and word boundaries of ASCII, fewer operators in
//! brackets, and bounds on repetitions. A pattern is therefore translated token by token; a token outside of
//! this subset is unsupported.

use std::iter::Peekable;
use std::str::Chars;

use onnx_tensor::Tensor;
use regex::Regex;

use super::super::call::one;
use super::super::numbers::slice;
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[row("RegexFullMatch", 20, SAME, full_match)];

/// The greatest number of repetitions that RE2 accepts, also of nested ones.
const MOST: u32 = 1000;

fn full_match(call: &Call) -> Outcome {
    if call.attributes.get("pattern").is_none() {
        return invalid("attribute `pattern` is missing");
    }
    let pattern = call.attributes.text("pattern")?;
    let whole = format!(r"\A(?:{})\z", translated(pattern)?);
    let regex = match Regex::new(&whole) {
        Ok(regex) => regex,
        Err(regex::Error::CompiledTooBig(_)) => return unsupported("the pattern is too large"),
        Err(error) => return invalid(format!("attribute `pattern` is not valid: {error}")),
    };
    let x = call.tensor(0)?;
    let matched = slice::<String>(x)?.iter().map(|text| regex.is_match(text));
    one(Tensor::new(x.shape(), matched.collect::<Vec<bool>>())?)
}

/// Returns a pattern in the syntax of the crate.
fn translated(pattern: &str) -> Result<String, Problem> {
    let mut translation = Translation {
        rest: pattern.chars().peekable(),
        result: String::new(),
        repeatable: false,
        repeated: 1,
    };
    while let Some(next) = translation.rest.next() {
        translation.token(next)?;
    }
    Ok(translation.result)
}

struct Translation<'p> {
    rest: Peekable<Chars<'p>>,
    result: String,
    /// Whether a repetition may follow.
    repeatable: bool,
    /// The product of all bounds of repetitions.
    repeated: u32,
}

impl Translation<'_> {
    fn token(&mut self, next: char) -> Result<(), Problem> {
        match next {
            '*' | '+' | '?' if self.repeatable => self.result.push(next),
            '{' if self.repeatable => self.bounds()?,
            '*' | '+' | '?' | '{' => return refused(next),
            '(' => return self.open(),
            '^' | '$' | '|' => {
                self.result.push(next);
                self.repeatable = false;
                return Ok(());
            }
            ')' | '.' => self.result.push(next),
            '[' => self.class()?,
            '\\' => return self.escape(),
            ']' | '}' => return refused(next),
            _ => self
                .result
                .push_str(&regex::escape(next.encode_utf8(&mut [0; 4]))),
        }
        let repeats = matches!(next, '*' | '+' | '?' | '{');
        if repeats && self.rest.next_if_eq(&'?').is_some() {
            self.result.push('?');
        }
        self.repeatable = !repeats;
        Ok(())
    }

    /// A group; of those with flags or names only `(?:`.
    fn open(&mut self) -> Result<(), Problem> {
        self.result.push('(');
        self.repeatable = false;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next() {
                Some(':') => self.result.push_str("?:"),
                _ => return refused('?'),
            }
        }
        Ok(())
    }

    /// `{n}`, `{n,}` or `{n,m}`; RE2 reads other braces literally.
    fn bounds(&mut self) -> Result<(), Problem> {
        let least = self.number()?;
        let most = match self.rest.next_if_eq(&',') {
            None => Some(least),
            Some(_) if self.rest.peek() == Some(&'}') => None,
            Some(_) => Some(self.number()?),
        };
        let product = self.repeated.saturating_mul(most.unwrap_or(least).max(1));
        let ordered = most.is_none_or(|most| least <= most);
        if self.rest.next() != Some('}') || product > MOST || !ordered {
            return refused('{');
        }
        self.repeated = product;
        self.result.push_str(&match most {
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        });
        Ok(())
    }

    fn number(&mut self) -> Result<u32, Problem> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let canonical = digits == "0" || !digits.starts_with('0');
        match digits.parse() {
            Ok(number) if canonical => Ok(number),
            _ => refused('{'),
        }
    }

    /// A class of literals, ranges of ASCII letters or digits, and classes of ASCII.
    fn class(&mut self) -> Result<(), Problem> {
        self.result.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.result.push('^');
        }
        if self.rest.peek() == Some(&']') {
            return refused('[');
        }
        loop {
            let first = match self.rest.next() {
                Some(']') => break,
                Some('\\') => match self.rest.next().and_then(escaped) {
                    Some(Escaped::Class {
                        members,
                        negated: false,
                    }) => {
                        self.result.push_str(members);
                        if self.rest.peek() == Some(&'-') && !self.ends_after_hyphen() {
                            return refused('-');
                        }
                        continue;
                    }
                    Some(Escaped::Literal(literal)) => literal,
                    _ => return refused('\\'),
                },
                Some('[') | None => return refused('['),
                Some(literal) => literal,
            };
            self.member(first)?;
        }
        self.result.push(']');
        Ok(())
    }

    /// Whether the class ends after the next character, a hyphen.
    fn ends_after_hyphen(&self) -> bool {
        let mut ahead = self.rest.clone();
        ahead.next();
        ahead.next() == Some(']')
    }

    /// Adds a literal of a class, or the range that it begins.
    fn member(&mut self, first: char) -> Result<(), Problem> {
        self.push_literal(first);
        if self.rest.peek() != Some(&'-') || self.ends_after_hyphen() {
            return Ok(());
        }
        self.rest.next();
        match self.rest.next() {
            Some(last) if last.is_ascii_alphanumeric() && first.is_ascii_alphanumeric() && first <= last => {
                self.result.push('-');
                self.result.push(last);
                Ok(())
            }
            _ => refused('-'),
        }
    }

    fn escape(&mut self) -> Result<(), Problem> {
        self.repeatable = true;
        match self.rest.next().and_then(escaped) {
            Some(Escaped::Literal(literal)) => self.push_literal(literal),
            Some(Escaped::Class { members, negated }) => {
                let sign = if negated { "^" } else { "" };
                self.result.push_str(&format!("[{sign}{members}]"));
            }
            Some(Escaped::Boundary) => {
                self.result.push_str(r"(?-u:\b)");
                self.repeatable = false;
            }
            None => return refused('\\'),
        }
        Ok(())
    }

    fn push_literal(&mut self, literal: char) {
        if literal.is_ascii_punctuation() {
            self.result.push('\\');
        }
        self.result.push(literal);
    }
}

/// What an escaped character means.
enum Escaped {
    Literal(char),
    Class { members: &'static str, negated: bool },
    Boundary,
}

fn escaped(character: char) -> Option<Escaped> {
    let class = |members| Escaped::Class {
        members,
        negated: character.is_ascii_uppercase(),
    };
    Some(match character {
        'd' | 'D' => class("0-9"),
        'w' | 'W' => class("0-9A-Za-z_"),
        's' | 'S' => class(r"\t\n\x0C\r "),
        'b' => Escaped::Boundary,
        'n' => Escaped::Literal('\n'),
        't' => Escaped::Literal('\t'),
        'r' => Escaped::Literal('\r'),
        _ if character.is_ascii_punctuation() => Escaped::Literal(character),
        _ => return None,
    })
}

fn refused<T>(character: char) -> Result<T, Problem> {
    unsupported(format!(
        "`{character}` in the attribute `pattern` is not implemented in this place"
    ))
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::translated;

    /// Checks what a pattern matches, as RE2 linked to ONNX Runtime does (expectations of the reference,
    /// which were recorded there).
    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let regex = Regex::new(&format!(r"\A(?:{})\z", translated(pattern).unwrap())).unwrap();
        for text in matching {
            assert!(regex.is_match(text), "{pattern} {text:?}");
        }
        for text in others {
            assert!(!regex.is_match(text), "{pattern} {text:?}");
        }
    }

    #[test]
    fn patterns_match_as_in_re2() {
        check(r"\w+", &["ab", "_9"], &["aé", ""]);
        check(r"\d+", &["12"], &["٣"]);
        check(r"\s", &["\t", " "], &["\u{b}", "\u{a0}"]);
        check(r"\W", &["é", "-"], &["a", "_"]);
        check(r"[a&&b]+", &["a", "&", "ab&"], &["c"]);
        check(r"[a~~b]+", &["~a"], &["c"]);
        check(".", &["é"], &["\n"]);
        check(r"a\bé", &["aé"], &["a"]);
        check("[a-]|[-b]|[^^]c", &["-", "ac"], &["^c"]);
        check("a||b", &["", "a", "b"], &["ab"]);
        check(r"(a*)*(?:a?){3}b{2,}?", &["aabb"], &["b"]);
        check(r"a\.b$", &["a.b"], &["acb", "a.b\n"]);
        check(r"www\.[\w.-]+\.\bcom\b", &["www.google.com"], &["www.bbc.co.uk"]);
    }

    #[test]
    fn other_patterns_are_refused() {
        for pattern in [
            "a**",
            "a{2}{3}",
            "a{1001}",
            "(a{100}){11}",
            "a{2,1}",
            "*",
            "(*)",
            "|*",
            "^*",
            "(?i)a",
            "a{,2}",
            "x{",
            "a{01}",
            r"\pN",
            r"\C",
            r"\1",
            r"\x41",
            r"\B",
            "[[:alpha:]]",
            "[a[b]",
            "[]a]",
            "[b-a]",
            r"[a-\d]",
            r"[\d-z]",
            r"[\W]",
            "[a",
            r"\",
            "]",
            "}",
            "(?P<n>a)",
        ] {
            assert!(translated(pattern).is_err(), "{pattern}");
        }
    }
}
