//! Tests of the ledger of readings.

use super::*;

const QUESTION: &str = r#"format = 1
[[question]]
name = "a"
asks = "Which?"
operators = ["Resize-19"]
text = ["Resize-19: nothing"]
default = "x"
by = "text"
why = "it says so"
cases = ["own/Resize/a*"]
[question.answers]
x = { says = "1", who = "ort" }
y = { says = "2", who = "tract" }
"#;

#[track_caller]
fn refused(from: &str, to: &str, part: &str) {
    assert!(QUESTION.contains(from), "{from}");
    let error = Readings::parse(&QUESTION.replacen(from, to, 1))
        .unwrap_err()
        .to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
fn a_question_has_cases_and_answers() {
    let readings = Readings::parse(QUESTION).unwrap();
    let question = &readings.questions()[0];
    assert_eq!(question.others().collect::<Vec<_>>(), ["y"]);
    assert!(question.is_about(&["Add-14".to_owned(), "Resize-19".to_owned()]));
    assert!(!question.is_about(&["Resize-18".to_owned()]));
    assert!(question.has_case(&"own/Resize/abc".parse().unwrap()));
    assert!(!question.has_case(&"own/Resize/b".parse().unwrap()));
}

#[test]
fn an_incomplete_question_is_rejected() {
    refused("format = 1", "format = 2", "has format 2");
    refused("default = \"x\"", "default = \"z\"", "the default `z`");
    refused("y = { says = \"2\", who = \"tract\" }\n", "", "another answer");
    refused("by = \"text\"", "by = \"me\"", "unknown variant");
    refused("why = \"it says so\"", "why = \" \"", "must not be empty");
    refused("own/Resize/a*", "own/Resize/[", "is not a pattern");
    refused("[\"Resize-19\"]", "[]", "must not be empty");
}

#[test]
fn the_embedded_ledger_is_valid() {
    assert!(!Readings::embedded().unwrap().questions().is_empty());
}
