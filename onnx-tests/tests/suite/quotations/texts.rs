//! The texts of operator versions, from the C++ sources that a wheel of `onnx` carries.
//!
//! A version is registered by a macro, `ONNX_OPERATOR_SET_SCHEMA(Pad, 13, …)`. Its text is every string
//! literal in that statement and in the definitions that it names, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use harness_corpus::Archive;

/// The folder of the definitions in a wheel.
const FOLDER: &str = "onnx/defs/";

/// The other texts of a wheel.
const PROTO: &str = "onnx/onnx.proto";

/// The text of each operator version, as `Pad-13` or `ai.onnx.ml.Scaler-1`, and of `onnx.proto`.
pub struct Texts(BTreeMap<String, String>);

impl Texts {
    pub fn of(wheel: &Archive) -> Texts {
        let read = |name: &str| String::from_utf8_lossy(&wheel.read_named(name).unwrap()).into_owned();
        let is_source = |name: &str| name.ends_with(".cc") || name.ends_with(".h");
        let sources = wheel.names_below(FOLDER).filter(|name| is_source(name));
        let files: Vec<Vec<Statement>> = sources.map(|name| statements(&read(name))).collect();
        let mut texts: BTreeMap<String, String> = files
            .iter()
            .flat_map(|file| file.iter().map(move |statement| (file, statement)))
            .filter_map(|(file, statement)| Some((statement.version()?, text(statement, file, &files))))
            .collect();
        texts.insert("onnx.proto".to_owned(), squeezed(&read(PROTO)));
        Texts(texts)
    }

    /// The text at a place; an operator outside the default domain may be named without its domain.
    pub fn at(&self, place: &str) -> Option<&str> {
        let below = |name: &String| {
            name.strip_suffix(place)
                .is_some_and(|domain| domain.ends_with('.'))
        };
        let other = || self.0.iter().find(|(name, _)| below(name)).map(|(_, text)| text);
        self.0.get(place).or_else(other).map(String::as_str)
    }
}

/// The text with single spaces.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The literals of a statement and of all definitions that it names: those of its file first.
fn text(statement: &Statement, file: &[Statement], files: &[Vec<Statement>]) -> String {
    let mut text = statement.literals.clone();
    let (mut seen, mut open) = (BTreeSet::new(), vec![statement]);
    while let Some(statement) = open.pop() {
        for word in &statement.words {
            if !seen.insert(word) {
                continue;
            }
            let named = |statement: &&Statement| statement.name.as_deref() == Some(word.as_str());
            let here: Vec<&Statement> = file.iter().filter(named).collect();
            let found = if here.is_empty() {
                files.iter().flatten().filter(named).collect()
            } else {
                here
            };
            for definition in found {
                text.push('\0');
                text.push_str(&definition.literals);
                open.push(definition);
            }
        }
    }
    squeezed(&text)
}

/// A statement at the outermost level of a source file.
#[derive(Default)]
struct Statement {
    /// Its code without literals and comments.
    code: String,
    /// The name that it defines.
    name: Option<String>,
    /// The words of its code.
    words: BTreeSet<String>,
    /// Its string literals. Adjacent ones are one, as in C++; others are separated by a NUL.
    literals: String,
}

impl Statement {
    fn new(code: String, literals: String) -> Statement {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let words = code.split(|c: char| !word(c)).filter(|word| !word.is_empty());
        Statement {
            words: words.map(str::to_owned).collect(),
            name: defined(&code),
            code,
            literals,
        }
    }

    /// The operator version that the statement registers.
    fn version(&self) -> Option<String> {
        let (name, arguments) = self.code.trim_start().split_once('(')?;
        let domain = match name.strip_prefix("ONNX_")?.strip_suffix("OPERATOR_SET_SCHEMA")? {
            "" => "",
            "ML_" => "ai.onnx.ml.",
            "PREVIEW_" => "ai.onnx.preview.",
            "PREVIEW_TRAINING_" | "TRAINING_" => "ai.onnx.preview.training.",
            other => panic!("an operator of the unknown domain {other}"),
        };
        let mut arguments = arguments.split(',').map(str::trim);
        Some(format!("{domain}{}-{}", arguments.next()?, arguments.next()?))
    }
}

/// The name before the parameters or the value; the macro that registers a version defines no name.
fn defined(code: &str) -> Option<String> {
    let head = code.split(['=', '{', '(']).next()?;
    // A function type in angle brackets has parentheses of its own.
    let head = match (head.rfind('<'), code.find("> ")) {
        (Some(_), Some(end)) => code[end + 1..].split(['=', '{', '(']).next()?,
        _ => head,
    };
    let name = head
        .trim_end()
        .trim_end_matches("[]")
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    let name = name.map(str::to_owned).next();
    name.filter(|name| !name.is_empty() && !name.starts_with("ONNX_"))
}

/// The statements of a source file, those within namespaces too.
fn statements(source: &str) -> Vec<Statement> {
    let (mut statements, mut depth) = (Vec::new(), 0_usize);
    let (mut code, mut literals, mut apart) = (String::new(), String::new(), false);
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(end) = skipped(rest) {
            rest = &rest[end..];
            continue;
        }
        if let Some((literal, end)) = literal(rest) {
            if apart {
                literals.push('\0');
            }
            literals.push_str(&literal);
            (apart, rest) = (false, &rest[end..]);
            continue;
        }
        rest = &rest[c.len_utf8()..];
        apart |= !c.is_whitespace();
        match c {
            '{' if depth == 0 && code.trim_start().starts_with("namespace") => {
                code.clear();
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        code.push(c);
        if depth == 0 && matches!(c, ';' | '}') {
            statements.push(Statement::new(
                std::mem::take(&mut code),
                std::mem::take(&mut literals),
            ));
            apart = false;
        }
    }
    statements
}

/// The length of a comment, a character or a line of the preprocessor.
fn skipped(source: &str) -> Option<usize> {
    let until = |mark: &str| source.find(mark).map_or(source.len(), |at| at + mark.len());
    if source.starts_with("//") {
        Some(until("\n"))
    } else if source.starts_with("/*") {
        Some(until("*/"))
    } else if source.starts_with('#') {
        // A line that ends in `\` goes on.
        let ends = source
            .match_indices('\n')
            .find(|(at, _)| !source[..*at].ends_with('\\'));
        Some(ends.map_or(source.len(), |(at, _)| at + 1))
    } else {
        let character = source.strip_prefix('\'')?;
        let first = 1 + usize::from(character.starts_with('\\'));
        character.get(first..)?.find('\'').map(|at| at + first + 2)
    }
}

/// The string literal at the start of `source`, and its length.
fn literal(source: &str) -> Option<(String, usize)> {
    if let Some(raw) = source.strip_prefix("R\"") {
        let (mark, text) = raw.split_once('(')?;
        let close = format!("){mark}\"");
        let end = text.find(&close)?;
        let length = 2 + mark.len() + 1 + end + close.len();
        return Some((text[..end].to_owned(), length));
    }
    let text = source.strip_prefix('"')?;
    let (mut literal, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Some((literal, at + 2)),
            '\\' if !escaped => escaped = true,
            'n' if escaped => (escaped, literal) = (false, literal + "\n"),
            c => {
                escaped = false;
                literal.push(c);
            }
        }
    }
    None
}
