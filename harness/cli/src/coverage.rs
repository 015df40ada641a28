//! `coverage`: shows what cases exercise, and what they do not.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use harness_conformance::coverage::{catalogue, implemented};
use harness_conformance::survey::{Survey, survey};
use harness_console::{look, outln};
use harness_fetch::Lockfile;
use harness_worker::backend;
use reports::render;
use run_record::OperatorVersion;
use run_record::coverage;

use super::limits::Memory;
use super::selection::{Cases, fetcher};
use super::unreadable::Unreadable;
use super::{CliError, Exit};

/// Show for each operator version of the specification whether the reference implements it, how many
/// cases exercise it, and which types and attribute values they use. The project's own cases count in
/// addition to the official ones. No case is run.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask coverage\n  \
    cargo xtask coverage --operator Resize --gaps\n  \
    cargo xtask coverage --format json > coverage.json\n  \
    cargo xtask coverage --release all --format csv > coverage.csv\n  \
    cargo xtask coverage --cases ./my-cases\n\n\
    Exit codes: 0 done; 2 usage; 4 no case, a case that cannot be read, or a corpus \
    below its pinned count; 6 the reference's worker is missing.")]
pub struct Coverage {
    #[command(flatten)]
    cases: Cases,
    /// List what no case exercises: operator versions, types, attributes, values, and combinations of a
    /// type with an enumerated value.
    #[arg(long)]
    gaps: bool,
    /// Only this operator, or this version of it: `Resize`, `ai.onnx.ml.Scaler`, `Softmax-13` (repeatable).
    #[arg(long = "operator", value_name = "OPERATOR")]
    operators: Vec<String>,
    #[command(flatten)]
    memory: Memory,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Format {
    Text,
    Csv,
    Json,
}

impl Coverage {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let catalogue = self.catalogue()?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let selected = self.cases.select_with_own(&lock, &fetcher)?;
        let Survey { cases, unreadable } = survey(&selected.selection.cases);
        let unreadable = Unreadable::of(&selected.selection, unreadable)?;
        let coverage = coverage::Coverage::of(&catalogue, &cases);
        let text = if self.gaps {
            self.gaps(&coverage)?
        } else {
            let mut reference = backend::parse("reference", &lock, &fetcher)?;
            reference.limits.memory = self.memory.limit();
            let implemented = implemented(&reference)?;
            self.table(&coverage, &implemented)?
        };
        outln(format_args!("{}", text.trim_end()))?;
        Ok(unreadable.exit())
    }

    /// The requested operator versions.
    fn catalogue(&self) -> Result<Vec<OperatorVersion>, CliError> {
        let mut versions = catalogue();
        let is = |version: &OperatorVersion, asked: &str| {
            let id = version.id();
            id == asked || id.rsplit_once('-').is_some_and(|(operator, _)| operator == asked)
        };
        for asked in &self.operators {
            if !versions.iter().any(|version| is(version, asked)) {
                return Err(CliError::Usage(format!(
                    "`{asked}` is not an operator; expected a name as in `Resize`, `ai.onnx.ml.Scaler` or `Softmax-13`"
                )));
            }
        }
        let wanted = |version: &OperatorVersion| self.operators.iter().any(|asked| is(version, asked));
        versions.retain(|version| self.operators.is_empty() || wanted(version));
        Ok(versions)
    }

    fn table(
        &self,
        coverage: &coverage::Coverage,
        implemented: &BTreeSet<String>,
    ) -> Result<String, CliError> {
        Ok(match self.format {
            Format::Text if !self.operators.is_empty() => render::coverage_details(coverage, implemented),
            Format::Text => render::coverage_text(coverage, implemented, look()),
            Format::Csv => render::coverage_csv(coverage, implemented)?,
            Format::Json => render::coverage_json(coverage, implemented)?,
        })
    }

    fn gaps(&self, coverage: &coverage::Coverage) -> Result<String, CliError> {
        Ok(match self.format {
            Format::Text => render::gaps_text(coverage),
            Format::Csv => render::gaps_csv(coverage)?,
            Format::Json => render::gaps_json(coverage)?,
        })
    }
}
