//! Parses targets, and prints the table of steps.

use harness_console::outln;
use onnx_schema::canonical_domain;
use onnx_upgrade::{Adapter, Targets, steps};

use crate::columns::columns;
use crate::{CliError, Exit};

/// `21` or `ai.onnx.ml=4`.
pub(super) fn parse(texts: &[String]) -> Result<Targets, CliError> {
    let mut targets = Targets::new();
    for text in texts {
        let (domain, opset) = text.split_once('=').unwrap_or(("", text));
        let opset = opset.parse().map_err(|_| {
            CliError::Usage(format!(
                "`{text}` is not an opset: expected --to 21, or --to DOMAIN=OPSET"
            ))
        })?;
        if targets
            .insert(canonical_domain(domain).to_owned(), opset)
            .is_some()
        {
            return Err(CliError::Usage(format!(
                "--to gives domain `{}` twice",
                shown(domain)
            )));
        }
    }
    Ok(targets)
}

/// A domain as text.
pub(super) fn shown(domain: &str) -> &str {
    if domain.is_empty() { "ai.onnx" } else { domain }
}

/// One line for each step.
pub(super) fn list_steps() -> Result<Exit, CliError> {
    let mut rows = vec![["from", "to", "adapter"].map(str::to_owned).to_vec()];
    let (mut unchanged, mut rewritten, mut none) = (0, 0, 0);
    for step in steps() {
        let words = match step.adapter() {
            Adapter::Unchanged => {
                unchanged += 1;
                "unchanged".to_owned()
            }
            Adapter::Rewritten(what) => {
                rewritten += 1;
                what.to_owned()
            }
            Adapter::None(reason) => {
                none += 1;
                format!("NONE: {reason}")
            }
        };
        rows.push(vec![step.from.to_string(), step.to.since.to_string(), words]);
    }
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    outln(format_args!(
        "{} steps: {unchanged} are unchanged, {rewritten} have an adapter that rewrites, {none} have none",
        unchanged + rewritten + none
    ))?;
    Ok(Exit::Passed)
}
