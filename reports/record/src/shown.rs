//! Replaces characters that must not be shown.
//!
//! Names and messages come from files and foreign programs. A control character in them can command a
//! terminal, a bidirectional control can reverse the displayed text, a noncharacter makes an XML
//! document malformed. All renderers replace the same characters ([`HIDDEN`]) by the same visible escape
//! (`\u{1b}`, `\n`), and then escape the special characters of their format.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Controls, format characters (bidirectional controls, zero-width characters, tags), line and paragraph
/// separators, ignorable characters of Unicode, and non-characters: surrogates, unassigned code points
/// and noncharacters.
const HIDDEN: &str = r"[\p{Cc}\p{Cf}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]";

/// `text` on one line: every hidden character is escaped, including line feeds and tabs.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replace(text, |character| character.escape_default().to_string())
}

/// `text` with its line feeds and tabs, and every other hidden character escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' | '\t' => character.to_string(),
        other => other.escape_default().to_string(),
    })
}

/// As [`lines`], with the sequences that set colours and weights of a terminal.
pub fn styled(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return lines(text);
    }
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        let style = end.filter(|end| after[*end..].starts_with('m'));
        shown += &lines(before);
        shown += if style.is_some() { "\u{1b}[" } else { "\\u{1b}[" };
        rest = after;
    }
    shown += &lines(rest);
    Cow::Owned(shown)
}

/// A JSON document in which hidden characters of strings are written as `\u001b`: the values of the
/// strings are unchanged.
pub fn json(document: &str) -> String {
    let text = replace(document, |character| match character {
        // Between strings; the JSON writer has escaped those in strings.
        '\n' => character.to_string(),
        other => {
            let units = other
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<Vec<_>>();
            units.concat()
        }
    });
    text.into_owned()
}

/// A value as an indented JSON document for stdout: hidden characters of strings are written as `\u001b`.
///
/// # Errors
/// The value cannot be written as JSON.
pub fn to_json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    Ok(json(&serde_json::to_string_pretty(value)?))
}

/// The same value with all strings made safe to show: for a document whose reader shows strings
/// directly.
pub fn as_shown(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(lines(text).into_owned()),
        Value::Array(items) => items.iter().map(as_shown).collect(),
        Value::Object(fields) => {
            let shown = |(key, value): (&String, &Value)| (lines(key).into_owned(), as_shown(value));
            fields.iter().map(shown).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Text for Markdown, in a table or at the start of a line: no part of it is markup, a link or HTML.
pub fn markdown(text: &str) -> String {
    let marks = text.trim_start_matches(|c: char| c.is_ascii_digit());
    // Characters that start a list, a heading or a block of code at the start of a line.
    let begins = match marks.chars().next() {
        Some('-' | '+' | '=' | ' ') if marks.len() == text.len() => true,
        Some('.' | ')') => marks.len() < text.len(),
        _ => false,
    };
    let (digits, rest) = text.split_at(text.len() - marks.len());
    match marks.chars().next().filter(|_| begins) {
        Some(mark) => format!(
            "{digits}&#{};{}",
            u32::from(mark),
            inline(&rest[mark.len_utf8()..])
        ),
        None => inline(text),
    }
}

/// Text within a line.
fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // A colon makes a link of an address, and two make an emoji.
    let colons = text.contains("://") || text.matches(':').count() > 1;
    for character in one_line(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // As a character reference: a parser of tables looks for bars and backslashes first.
            '|' | '\\' | '`' => escaped.push_str(&format!("&#{};", u32::from(character))),
            '*' | '_' | '[' | ']' | '~' | '#' | '!' | '$' | '@' => escaped.extend(['\\', character]),
            ':' if colons => escaped.push_str("\\:"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A cell of a spreadsheet: text that would be interpreted as a formula gets an apostrophe as prefix.
/// Numbers are unchanged.
pub fn cell(text: &str) -> Cow<'_, str> {
    let shown = lines(text);
    let formula = shown.starts_with(['=', '+', '-', '@', '\t', '\n', '＝', '＋', '－', '＠']);
    if formula && shown.parse::<f64>().is_err() {
        Cow::Owned(format!("'{shown}"))
    } else {
        shown
    }
}

fn replace(text: &str, show: impl Fn(char) -> String) -> Cow<'_, str> {
    // The pattern is a constant that a test compiles.
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HIDDEN).ok());
    let Some(pattern) = &*PATTERN else {
        return Cow::Owned(text.escape_default().to_string());
    };
    pattern.replace_all(text, |found: &Captures| {
        found[0].chars().map(&show).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(show: impl Fn(&str) -> String, rows: &[(&str, &str)]) {
        for (text, expected) in rows {
            assert_eq!(show(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn styles_of_our_own_stay() {
        check(
            |text| styled(text).into_owned(),
            &[
                ("a\r\u{202e}b\n\tc", "a\\r\\u{202e}b\n\tc"),
                ("\u{1b}[1;31mWRONG\u{1b}[0m", "\u{1b}[1;31mWRONG\u{1b}[0m"),
                ("\u{1b}[2J\u{1b}[mx", "\\u{1b}[2J\u{1b}[mx"),
                ("\u{1b}]0;t\u{7}\u{1b}[", "\\u{1b}]0;t\\u{7}\\u{1b}["),
            ],
        );
    }

    #[test]
    fn hidden_characters_become_visible() {
        Regex::new(HIDDEN).expect("a valid pattern");
        check(
            |text| one_line(text).into_owned(),
            &[
                ("test_abs", "test_abs"),
                ("Grüße 日本 🙂 e\u{301}", "Grüße 日本 🙂 e\u{301}"),
                ("a\u{1b}[31m", "a\\u{1b}[31m"),
                ("\0\r\n\t\u{7f}\u{9b}", "\\u{0}\\r\\n\\t\\u{7f}\\u{9b}"),
                ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
                (
                    "\u{200b}\u{feff}\u{ad}\u{e0041}",
                    "\\u{200b}\\u{feff}\\u{ad}\\u{e0041}",
                ),
                ("\u{fffe}\u{fdd0}\u{10ffff}", "\\u{fffe}\\u{fdd0}\\u{10ffff}"),
                ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            ],
        );
        check(
            |text| lines(text).into_owned(),
            &[("a\n\tb\r\u{1b}", "a\n\tb\\r\\u{1b}")],
        );
    }

    #[test]
    fn a_formula_is_text_and_a_number_is_a_number() {
        check(
            |text| cell(text).into_owned(),
            &[
                ("=1+1", "'=1+1"),
                ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
                ("-x", "'-x"),
                ("@SUM(A1)", "'@SUM(A1)"),
                ("\t=1", "'\t=1"),
                ("\r=1", "\\r=1"),
                ("＝1+1", "'＝1+1"),
                ("-1.5", "-1.5"),
                ("-1e-7", "-1e-7"),
                ("+3", "+3"),
                ("-inf", "-inf"),
                ("a=1", "a=1"),
            ],
        );
    }

    #[test]
    fn json_strings_stay_what_they_are() {
        let strings = ["\u{1b}\u{202e}\u{fffe}\n\0\"\\", "\u{10ffff}"];
        let document = serde_json::to_string_pretty(&strings).expect("strings");
        let shown = json(&document);
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(
            serde_json::from_str::<[String; 2]>(&shown).expect("the same document"),
            strings
        );
    }
}
