//! Parses RE2 syntax (<https://github.com/google/re2/wiki/Syntax>) and translates it for the `regex` crate.
//!
//! Both match in linear time and have similar syntax. The translation parses every element of RE2 and
//! writes it anew, so that no input reaches the grammar of `regex` unparsed: `\d \s \w \b` are ASCII (and
//! `\s` has no vertical tab), a class has neither nested classes nor `&& -- ~~`, `\C` is one byte, `\Q…\E`
//! quotes, `x{,2}` and a lone `{` are literal, a repetition is limited to 1000 and cannot be repeated,
//! `\pC` has no unassigned code points. Greediness and captures do not affect a full or a longest match
//! and are dropped. Names of scripts are those of the Unicode tables of `regex`.

mod class;

use std::collections::HashSet;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::util::syntax as grammar;
use regex_automata::{Anchored, Input, MatchKind, nfa::thompson};

use class::Set;

/// Why an expression cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Re2Error {
    /// RE2 refuses it.
    #[error("the pattern is not valid RE2: {0}")]
    Invalid(String),
    /// Its translation would be too large.
    #[error("{0} is not supported")]
    TooLarge(String),
}

/// The maximum nesting depth of groups, because the parser recurses.
const MAX_DEPTH: usize = 50;
/// The maximum number of repetitions; those of nested repetitions multiply (RE2).
const MAX_REPETITIONS: u64 = 1000;
/// The maximum nesting depth of a translation.
const MAX_NEST: u32 = 1000;
/// The maximum size of a compiled translation in bytes.
const MAX_BYTES: usize = 1 << 26;

/// Checks an expression.
///
/// # Errors
/// RE2 refuses it, or its translation would be too large.
pub fn check(pattern: &str) -> Result<(), Re2Error> {
    full_match(pattern).map(|_| ())
}

/// A regex that matches exactly if RE2 matches the whole text.
///
/// # Errors
/// Like [`check`].
pub fn full_match(pattern: &str) -> Result<Regex, Re2Error> {
    compiled(&format!(r"\A(?:{})\z", translated(pattern)?))
}

/// Searches the leftmost match, and of those with the same start the longest, as RE2 does with the option
/// `longest_match`.
#[derive(Debug)]
pub struct LongestMatch {
    first: Regex,
    all: PikeVM,
    cache: Cache,
}

impl LongestMatch {
    /// Parses an expression in RE2 syntax.
    ///
    /// # Errors
    /// Like [`check`].
    pub fn new(pattern: &str) -> Result<LongestMatch, Re2Error> {
        let text = translated(pattern)?;
        let first = compiled(&text)?;
        let all = PikeVM::builder()
            .configure(PikeVM::config().match_kind(MatchKind::All))
            .syntax(grammar::Config::new().utf8(false).nest_limit(MAX_NEST))
            .thompson(
                thompson::Config::new()
                    .utf8(false)
                    .nfa_size_limit(Some(MAX_BYTES)),
            )
            .build(&text)
            .map_err(|error| match error.size_limit() {
                Some(_) => too_big(),
                None => syntax(&error.to_string()),
            })?;
        Ok(LongestMatch {
            first,
            cache: all.create_cache(),
            all,
        })
    }

    /// The range of the first match from the byte `at` of `text` on, which is at most its length.
    pub fn find(&mut self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let start = self.first.find_at(text, at)?.start();
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        self.all
            .find(&mut self.cache, input)
            .map(|longest| longest.range())
    }
}

/// The translation of an expression for `regex`.
fn translated(pattern: &str) -> Result<String, Re2Error> {
    let mut parser = Parser {
        rest: pattern,
        flags: Flags::default(),
        names: HashSet::new(),
    };
    let (body, _) = parser.alternatives(0)?;
    if !parser.rest.is_empty() {
        return Err(syntax("unexpected `)`"));
    }
    Ok(body)
}

fn compiled(text: &str) -> Result<Regex, Re2Error> {
    let built = RegexBuilder::new(text)
        .nest_limit(MAX_NEST)
        .size_limit(MAX_BYTES)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => too_big(),
        other => syntax(&other.to_string()),
    })
}

fn too_big() -> Re2Error {
    Re2Error::TooLarge("a pattern of this size".to_owned())
}

fn syntax(problem: &str) -> Re2Error {
    Re2Error::Invalid(problem.to_owned())
}

/// The flags `(?ims)`. `U`, which swaps greediness, has no effect here.
#[derive(Clone, Copy, Default)]
struct Flags {
    fold: bool,
    lines: bool,
    dot_all: bool,
}

/// The operand of a repetition operator.
struct Atom {
    text: String,
    /// The product of nested repetitions of its deepest part.
    repeated: u64,
    /// Whether it ends with a repetition operator.
    closed: bool,
}

struct Parser<'a> {
    rest: &'a str,
    flags: Flags,
    names: HashSet<&'a str>,
}

impl<'a> Parser<'a> {
    /// Parses up to the end or an unmatched `)`. Returns the translated text and the repetitions of its
    /// deepest part.
    fn alternatives(&mut self, depth: usize) -> Result<(String, u64), Re2Error> {
        let (mut text, mut most, mut last): (String, u64, Option<Atom>) = (String::new(), 1, None);
        while let Some(c) = self.rest.chars().next().filter(|&c| c != ')') {
            if let Some((least, greatest)) = self.repetition(c)? {
                last = Some(repeat(last, least, greatest)?);
                continue;
            }
            if self.flag_group()? {
                last.iter_mut().for_each(|atom| atom.closed = false);
                continue;
            }
            if let Some(atom) = last.take() {
                most = most.max(atom.repeated);
                text.push_str(&atom.text);
            }
            match c {
                '|' => {
                    self.rest = &self.rest[1..];
                    text.push('|');
                }
                _ => last = self.atom(c, depth, &mut text)?,
            }
        }
        if let Some(atom) = last {
            most = most.max(atom.repeated);
            text.push_str(&atom.text);
        }
        Ok((text, most))
    }

    /// The bounds of a repetition operator, including a trailing `?`.
    fn repetition(&mut self, c: char) -> Result<Option<(u64, Option<u64>)>, Re2Error> {
        let bounds = match c {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => match self.rest[1..]
                .split_once('}')
                .and_then(|(inside, after)| Some((counts(inside)?, after)))
            {
                Some((bounds, after)) => {
                    self.rest = after;
                    self.eat("?");
                    return Ok(Some(bounds));
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.rest = &self.rest[1..];
        self.eat("?");
        Ok(Some(bounds))
    }

    /// Parses `(?flags)`, which sets flags up to the end of the enclosing group.
    fn flag_group(&mut self) -> Result<bool, Re2Error> {
        let Some(inside) = self.rest.strip_prefix("(?") else {
            return Ok(false);
        };
        let end = inside
            .find(|c: char| !"imsU-".contains(c))
            .unwrap_or(inside.len());
        if !inside[end..].starts_with(')') {
            return Ok(false);
        }
        self.flags = self.flags.changed(&inside[..end])?;
        self.rest = &inside[end + 1..];
        Ok(true)
    }

    /// One element. For a quotation, all but its last character are appended to `text`.
    fn atom(&mut self, c: char, depth: usize, text: &mut String) -> Result<Option<Atom>, Re2Error> {
        if c == '(' {
            return self.group(depth).map(Some);
        }
        if let Some(quoted) = self.rest.strip_prefix(r"\Q") {
            let (inside, after) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            self.rest = after;
            let mut literals = inside.chars().map(|c| self.literal(c as u32));
            let last = literals.next_back();
            literals.for_each(|literal| text.push_str(&literal));
            return Ok(last.map(plain));
        }
        let written = match c {
            '[' => {
                let set = class::bracketed(&mut self.rest)?;
                self.folded(&set.written())
            }
            '\\' => self.escape()?,
            _ => {
                self.rest = &self.rest[c.len_utf8()..];
                match c {
                    '.' if self.flags.dot_all => r"(?s:.)".to_owned(),
                    '.' => r"[^\n]".to_owned(),
                    '^' if self.flags.lines => "(?m:^)".to_owned(),
                    '^' => r"\A".to_owned(),
                    '$' if self.flags.lines => "(?m:$)".to_owned(),
                    '$' => r"\z".to_owned(),
                    _ => self.literal(c as u32),
                }
            }
        };
        Ok(Some(plain(written)))
    }

    fn group(&mut self, depth: usize) -> Result<Atom, Re2Error> {
        if depth >= MAX_DEPTH {
            return Err(Re2Error::TooLarge(format!(
                "a pattern with groups nested more than {MAX_DEPTH} deep"
            )));
        }
        let outer = self.flags;
        if let Some(inside) = self
            .rest
            .strip_prefix("(?P<")
            .or_else(|| self.rest.strip_prefix("(?<"))
        {
            let (name, after) = inside
                .split_once('>')
                .ok_or_else(|| syntax("a group name without `>`"))?;
            let well_formed = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !well_formed || !self.names.insert(name) {
                return Err(syntax("a malformed or repeated group name"));
            }
            self.rest = after;
        } else if let Some(inside) = self.rest.strip_prefix("(?") {
            let (flags, after) = inside
                .split_once(':')
                .ok_or_else(|| syntax("an unknown group `(?`"))?;
            self.flags = outer.changed(flags)?;
            self.rest = after;
        } else {
            self.rest = &self.rest[1..];
        }
        let (body, repeated) = self.alternatives(depth + 1)?;
        if !self.eat(")") {
            return Err(syntax("a group without `)`"));
        }
        self.flags = outer;
        Ok(Atom {
            text: format!("(?:{body})"),
            repeated,
            closed: false,
        })
    }

    fn escape(&mut self) -> Result<String, Re2Error> {
        for (escape, written) in [
            (r"\A", r"\A"),
            (r"\z", r"\z"),
            (r"\b", r"(?-u:\b)"),
            (r"\B", r"(?-u:\B)"),
            (r"\C", r"(?s-u:.)"),
        ] {
            if self.eat(escape) {
                return Ok(written.to_owned());
            }
        }
        match class::named(&mut self.rest)? {
            Some(class) => Ok(self.folded(&Set::of(class).written())),
            None => class::character(&mut self.rest).map(|c| self.literal(c)),
        }
    }

    /// A code point. A value that is not a character matches nothing.
    fn literal(&self, code: u32) -> String {
        let mut set = Set::default();
        set.range(code, code);
        self.folded(&set.written())
    }

    fn folded(&self, class: &str) -> String {
        if self.flags.fold {
            format!("(?i:{class})")
        } else {
            class.to_owned()
        }
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let after = self.rest.strip_prefix(prefix);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }
}

impl Flags {
    /// The flags after a change such as `i-s`.
    fn changed(mut self, text: &str) -> Result<Flags, Re2Error> {
        let (on, off) = text
            .split_once('-')
            .map_or((text, None), |(on, off)| (on, Some(off)));
        if off.is_some_and(|off| off.is_empty() || off.contains('-')) {
            return Err(syntax("flags that end in or repeat `-`"));
        }
        let marked = on
            .chars()
            .map(|c| (c, true))
            .chain(off.unwrap_or("").chars().map(|c| (c, false)));
        for (flag, value) in marked {
            match flag {
                'i' => self.fold = value,
                'm' => self.lines = value,
                's' => self.dot_all = value,
                'U' => {}
                _ => return Err(syntax("an unknown flag or group")),
            }
        }
        Ok(self)
    }
}

fn plain(text: String) -> Atom {
    Atom {
        text,
        repeated: 1,
        closed: false,
    }
}

fn repeat(atom: Option<Atom>, least: u64, greatest: Option<u64>) -> Result<Atom, Re2Error> {
    let atom = atom.ok_or_else(|| syntax("nothing to repeat"))?;
    if atom.closed {
        return Err(syntax("a repetition of a repetition"));
    }
    let counted = greatest.unwrap_or(least).max(least);
    let repeated = atom.repeated.saturating_mul(counted.max(1));
    if greatest.is_some_and(|greatest| greatest < least) || repeated > MAX_REPETITIONS {
        return Err(syntax("a repetition with decreasing bounds or beyond 1000"));
    }
    let upper = greatest.map_or(String::new(), |greatest| greatest.to_string());
    Ok(Atom {
        text: format!("(?:{}){{{least},{upper}}}", atom.text),
        repeated,
        closed: true,
    })
}

/// Parses the content of `{n}`, `{n,}` or `{n,m}`; anything else is literal text in RE2.
fn counts(inside: &str) -> Option<(u64, Option<u64>)> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let leading_zero = text.len() > 1 && text.starts_with('0');
        // RE2 treats longer numbers as text.
        (digits && !leading_zero && text.len() <= 9)
            .then(|| text.parse().ok())
            .flatten()
    };
    match inside.split_once(',') {
        None => number(inside).map(|n| (n, Some(n))),
        Some((least, "")) => Some((number(least)?, None)),
        Some((least, greatest)) => Some((number(least)?, Some(number(greatest)?))),
    }
}
