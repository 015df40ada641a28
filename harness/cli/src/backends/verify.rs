//! `backends verify`: checks whether a worker follows the protocol.

use harness_conformance::verify::{Finding, Outcome, verify};
use harness_console::{note, outln};
use harness_worker::{Cancel, WorkerSpec};
use reports::render::RenderError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::columns::columns;
use crate::format::Format;
use crate::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The document of `--format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Verified<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    checks: &'a [Finding],
}

/// Runs the checks of the protocol. Failures are reported as they occur.
pub(super) fn verified(spec: WorkerSpec, format: Format, cancel: &Cancel) -> Result<Exit, CliError> {
    let findings = verify(spec, cancel, |finding| {
        if let Outcome::Failed(reason) = &finding.outcome {
            note(format_args!(
                "failed: {}: {}: {reason}",
                finding.group, finding.check
            ));
        }
    })?;
    match format {
        Format::Json => {
            let document = Verified {
                version: FORMAT,
                checks: &findings,
            };
            let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
            outln(format_args!("{text}"))?;
        }
        Format::Text => summary(&findings)?,
    }
    let failed = findings
        .iter()
        .any(|finding| matches!(finding.outcome, Outcome::Failed(_)));
    Ok(if failed { Exit::Regression } else { Exit::Passed })
}

/// The number of passed checks in each group.
fn summary(findings: &[Finding]) -> Result<(), CliError> {
    let mut rows = vec![
        ["checks", "passed", "not supported", "not loaded", "failed"]
            .map(String::from)
            .to_vec(),
    ];
    let count = |group: Option<&str>, is: fn(&Outcome) -> bool| {
        let of_group = findings
            .iter()
            .filter(|finding| group.is_none_or(|group| finding.group == group));
        of_group
            .filter(|finding| is(&finding.outcome))
            .count()
            .to_string()
    };
    let row = |name: &str, group: Option<&str>| {
        vec![
            name.to_owned(),
            count(group, |outcome| matches!(outcome, Outcome::Passed)),
            count(group, |outcome| matches!(outcome, Outcome::Unsupported(_))),
            count(group, |outcome| matches!(outcome, Outcome::NotLoaded(_))),
            count(group, |outcome| matches!(outcome, Outcome::Failed(_))),
        ]
    };
    for group in findings.chunk_by(|a, b| a.group == b.group) {
        if let Some(first) = group.first() {
            rows.push(row(first.group, Some(first.group)));
        }
    }
    rows.push(row("all", None));
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}
