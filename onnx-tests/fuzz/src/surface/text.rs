//! Mutation of text by lines and words, so that most of it keeps the expected form.

use mutatis::{Candidates, Context, Mutate, Result};

use super::bytes::span;

/// Changes of a text.
#[derive(Clone, Copy, Default, Debug)]
pub struct Text;

/// Words of TOML, JSON, globs and numbers, and words that no parser expects.
const WORDS: [&str; 30] = [
    "0",
    "-1",
    "1",
    "9223372036854775808",
    "-9223372036854775808",
    "1e400",
    "nan",
    "inf",
    "-0.0",
    "0x7fffffff",
    "true",
    "null",
    "\"\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    ",",
    "\"",
    "'''",
    "*",
    "**/{a,b}[!c]",
    "../..",
    "\\u0000",
    "\u{202e}",
    "\u{fffe}",
    "\0",
    "onnx-1.99.0",
    "values = [[[[[[[[[[[[[[[[",
];

impl Mutate<String> for Text {
    fn mutate(&mut self, candidates: &mut Candidates, value: &mut String) -> Result<()> {
        candidates.mutation(|context| {
            edit_lines(value, |lines| {
                let (from, to) = span(context, lines.len());
                drop(lines.drain(from..to));
            });
            Ok(())
        })?;
        candidates.mutation(|context| {
            edit_words(value, |words| {
                if let Some(at) = context.rng().gen_index(words.len()) {
                    words.remove(at);
                }
            });
            Ok(())
        })?;
        if candidates.shrink() {
            return Ok(());
        }
        candidates.mutation(|context| {
            edit_lines(value, |lines| {
                let (from, to) = span(context, lines.len());
                let copy = lines[from..to].to_vec();
                let at = context.rng().gen_index(lines.len() + 1).unwrap_or(0);
                lines.splice(at..at, copy);
            });
            Ok(())
        })?;
        candidates.mutation(|context| {
            edit_words(value, |words| swap(context, words));
            Ok(())
        })?;
        candidates.mutation(|context| {
            edit_words(value, |words| {
                let word = context.rng().choose(WORDS).unwrap_or_default().to_owned();
                if let Some(at) = context.rng().gen_index(words.len()) {
                    words[at] = word;
                }
            });
            Ok(())
        })?;
        candidates.mutation(|context| {
            edit_words(value, |words| {
                let word = context.rng().choose(WORDS).unwrap_or_default().to_owned();
                let at = context.rng().gen_index(words.len() + 1).unwrap_or(0);
                words.insert(at, word);
            });
            Ok(())
        })
    }
}

fn swap(context: &mut Context, words: &mut [String]) {
    let (first, second) = (
        context.rng().gen_index(words.len()),
        context.rng().gen_index(words.len()),
    );
    if let (Some(first), Some(second)) = (first, second) {
        words.swap(first, second);
    }
}

fn edit_lines(text: &mut String, edit: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    edit(&mut lines);
    *text = lines.concat();
}

/// A word is a sequence of letters and digits, or a single other character.
fn edit_words(text: &mut String, edit: impl FnOnce(&mut Vec<String>)) {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for character in text.chars() {
        let plain = character.is_alphanumeric() || matches!(character, '_' | '.' | '-');
        match words.last_mut() {
            Some(word) if plain && inside => word.push(character),
            _ => words.push(character.into()),
        }
        inside = plain;
    }
    edit(&mut words);
    *text = words.concat();
}
