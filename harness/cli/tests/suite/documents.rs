//! The command lines of the documents: this program takes each of them, and those that need no model, no
//! worker and no data print what the documents say.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use harness_cli::{Command, Global};

use crate::program::Place;

/// The documents with command lines, and folders of them.
const DOCUMENTS: [&str; 6] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs",
    "backends/python",
    "backends/c",
    "packaging/wheel",
];

/// Commands of `cargo xtask` alone.
const DEVELOPMENT: [&str; 5] = ["dist", "docs", "gaps", "generate", "repo"];

/// Words that end a command in a shell.
const ENDS: [&str; 5] = ["|", ">", "&&", ";", "&"];

/// A command line of a document: the words after the name of the program.
struct Line {
    document: PathBuf,
    words: Vec<String>,
}

/// The documents, each with its text.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = DOCUMENTS.iter().flat_map(|name| {
        let path = root.join(name);
        let inner = fs::read_dir(&path).map(|folder| folder.map(|entry| entry.unwrap().path()).collect());
        inner.unwrap_or(vec![path])
    });
    let documents = files.filter(|file| file.extension().is_some_and(|is| is == "md"));
    documents
        .map(|file| (file.clone(), fs::read_to_string(file).unwrap()))
        .collect()
}

/// Every command line in the blocks of code of the documents.
fn lines() -> Vec<Line> {
    let mut lines = Vec::new();
    for (document, text) in documents() {
        let text = text.replace("\\\n", " ");
        let blocks = text.split("\n```").skip(1).step_by(2);
        let commands = blocks.flat_map(str::lines).filter_map(words);
        lines.extend(commands.map(|words| Line {
            document: document.clone(),
            words,
        }));
    }
    lines
}

/// The words of a command of this program, without the comment and the commands after it.
fn words(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start().trim_start_matches("$ ");
    let rest = line
        .strip_prefix("cargo xtask ")
        .or_else(|| line.strip_prefix("onnx-conformance "))?;
    let mut words = Vec::new();
    for word in shlex::split(rest)? {
        if ENDS.contains(&word.as_str()) {
            break;
        }
        match word.strip_suffix(';') {
            Some(last) => {
                words.push(last.to_owned());
                break;
            }
            None => words.push(word),
        }
    }
    let first = words.first()?;
    let is_command =
        !DEVELOPMENT.contains(&first.as_str()) && first.starts_with(|c: char| c.is_ascii_lowercase());
    is_command.then_some(words)
}

#[test]
fn every_command_line_of_the_documents_is_taken() {
    let program = Global::augment_args(clap::Command::new("onnx-conformance"));
    let program = Command::augment_subcommands(program.subcommand_required(true));
    let lines = lines();
    let refused: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let words = std::iter::once("onnx-conformance").chain(line.words.iter().map(String::as_str));
            let error = program.clone().try_get_matches_from(words).err()?;
            Some(format!(
                "{}: `{}`: {error}",
                line.document.display(),
                line.words.join(" ")
            ))
        })
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(lines.len() > 150, "{} command lines", lines.len());
}

/// Runs a command line that a document has, and checks the beginning of its result.
#[track_caller]
fn check(place: &Place, command: &str, said: &str) {
    let is_documented = documents().iter().any(|(_, text)| text.contains(command));
    assert!(is_documented, "no document has `{command}`");
    let ended = place.run(command);
    assert_eq!(ended.code, Some(0), "{command}: {}", ended.stderr);
    let result = format!("{}{}", ended.stdout, ended.stderr);
    assert!(result.contains(said), "{command}: {result}");
}

#[test]
fn commands_without_models_do_what_the_documents_say() {
    let place = Place::new();
    check(&place, "ambiguities --list", "resize-extent");
    check(&place, "statement profiles", "opset21-inference-float32");
    check(&place, "config show", "");
    check(&place, "history schema", "CREATE VIEW results");
}
