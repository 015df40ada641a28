//! Packages of statements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use harness_statement::rules::built_in;
use harness_statement::{Evidence, Rules, Subject, Waivers, envelope, parse, verify, write};
use run_record::{Event, LOG, PolicyUsed, RunFinished, RunLog};

use super::tables::events;
use super::{Budget, Text, run};

/// The statement of a package, with the log as it was: a package is accepted only if its statement is the one
/// that was written.
pub fn statement(budget: Budget) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(text)?;
    let folder = place.path().join("claim");
    let rules = Rules::new(PolicyUsed::default(), None, Waivers::default()).map_err(text)?;
    package(&folder, &rules)?;
    let path = folder.join("statement.json");
    let sealed = fs::read_to_string(&path).map_err(text)?;
    let payload = envelope::open(&sealed, None).map_err(text)?;
    let original = parse(&payload).map_err(text)?;
    let sound = vec![String::from_utf8(payload).map_err(text)?];
    run(budget, Text, sound, |payload: &String| {
        fs::write(&path, envelope::seal(payload.as_bytes(), None)).map_err(text)?;
        match verify(&folder, &rules, None) {
            Ok(verified) if verified.findings.is_empty() => {
                let lists = &verified.statement.predicate;
                let same = (lists.result, &lists.passed_tests, &lists.failed_tests)
                    == (
                        original.predicate.result,
                        &original.predicate.passed_tests,
                        &original.predicate.failed_tests,
                    );
                same.then_some(())
                    .ok_or_else(|| "a statement with other lists is accepted".to_owned())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    })
}

/// The text of an envelope, which is accepted only in the form in which it is written.
pub fn sealed(budget: Budget) -> Result<(), String> {
    let sound = vec![envelope::seal(b"{\"a\": [1, 2]}", None)];
    run(budget, Text, sound, |file: &String| {
        match envelope::open(file, None) {
            Ok(payload) if envelope::seal(&payload, None) != *file => {
                // A signature is not checked here, and may be anything.
                let signed = file.contains("\"sig\"");
                signed
                    .then_some(())
                    .ok_or_else(|| "an envelope in another form is accepted".to_owned())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    })
}

/// A package of a complete run.
fn package(folder: &Path, rules: &Rules) -> Result<(), String> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let path = scratch.path().join(LOG);
    let mut log = RunLog::create(&path).map_err(text)?;
    let end = Event::RunFinished(RunFinished {
        wall_s: 1.0,
        complete: true,
    });
    for event in events().iter().chain([&end]) {
        log.write(event).map_err(text)?;
    }
    let mut files: BTreeMap<String, Vec<u8>> = built_in();
    files.insert(LOG.to_owned(), fs::read(&path).map_err(text)?);
    let evidence = Evidence {
        backend: "ort".to_owned(),
        profile: "all".to_owned(),
        subject: vec![Subject::new("worker", "00")],
        files,
    };
    write(folder, &evidence, rules, None).map(drop).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
