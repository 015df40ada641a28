//! `tolerance`: lists and edits the policies.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use harness_compare::policy::{NewRule, Policies, add_rule, read_allowance};
use harness_console::{note, outln};
use run_record::replace;

use super::judging::Judging;
use super::{CliError, Exit};

/// List the policies for differences, or add a rule to one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask tolerance list\n  \
    cargo xtask tolerance add --policy bound --operator DFT --dtype float --allow ulp=64 --reason 'FFT of another radix'\n  \
    cargo xtask tolerance add --policy bound --case 'onnx-1.22.0/node/test_q*' --dtype uint8 --allow rtol=0,atol=1 --reason '…'\n\n\
    Exit codes: 0 done; 2 usage, or an invalid file; 73 the file cannot be written.")]
pub struct Tolerance {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print every policy with its rules.
    List {
        /// The file of policies. Default: the built-in one.
        #[arg(long, value_name = "FILE")]
        tolerances: Option<PathBuf>,
    },
    /// Add a rule and increment the version of the file; comments are kept.
    Add(Box<Add>),
}

#[derive(Args, Debug)]
struct Add {
    /// The policy that gets the rule.
    #[arg(long, value_name = "NAME")]
    policy: String,
    /// For cases about this operator, with or without since-version: `DFT`, `DFT-17`.
    #[arg(long, value_name = "OPERATOR")]
    operator: Option<String>,
    /// For outputs of this element type, as ONNX spells it: `float`, `float16`, `uint8`.
    #[arg(long, value_name = "TYPE")]
    dtype: Option<String>,
    /// For the case with this id, or the cases that match this glob (with any of *?[{).
    #[arg(long, value_name = "PATTERN")]
    case: Option<String>,
    /// For outputs of this name.
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// The allowed difference: official, exact, bound, rtol=…,atol=… or ulp=….
    #[arg(long, value_name = "ALLOWANCE", value_parser = read_allowance)]
    allow: toml_edit::Value,
    /// The allowed difference if no bound is known; only with `--allow bound`.
    #[arg(long, value_name = "ALLOWANCE", value_parser = read_allowance)]
    unbounded: Option<toml_edit::Value>,
    /// The reason.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The file. A new one begins with the built-in policies. Default: `onnx-tests/tolerances.toml`,
    /// which must exist.
    #[arg(long, value_name = "FILE")]
    tolerances: Option<PathBuf>,
}

/// The file of the project, in its checkout.
const OF_PROJECT: &str = "onnx-tests/tolerances.toml";

impl Tolerance {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        match self.action {
            Action::List { tolerances } => list(Judging {
                tolerances,
                ..Judging::default()
            }),
            Action::Add(add) => add.execute(),
        }
    }
}

fn list(judging: Judging) -> Result<Exit, CliError> {
    for policy in judging.policies()?.iter() {
        let used = &policy.used;
        outln(format_args!(
            "{} (version {}): allows {}; {}",
            used.name, used.version, policy.allow, policy.reason
        ))?;
        for rule in &policy.rules {
            outln(format_args!("  {}: {}; {}", rule.choice, rule.allow, rule.reason))?;
        }
    }
    Ok(Exit::Passed)
}

impl Add {
    fn execute(self) -> Result<Exit, CliError> {
        let rule = NewRule {
            operator: self.operator,
            dtype: self.dtype,
            case: self.case,
            output: self.output,
            allow: Some(self.allow),
            unbounded: self.unbounded,
            reason: self.reason,
        };
        let path = match self.tolerances {
            Some(path) => path,
            None if Path::new(OF_PROJECT).is_file() => PathBuf::from(OF_PROJECT),
            None => {
                return Err(CliError::Usage(format!(
                    "there is no `{OF_PROJECT}` here: name a file by --tolerances; a new one begins with the built-in policies"
                )));
            }
        };
        let is_new = !path.exists();
        if is_new {
            replace(&path, Policies::embedded_text().as_bytes())?;
        }
        let added = add_rule(&path, &self.policy, rule);
        if is_new && added.is_err() {
            // No file is left that the user did not ask for.
            let _ = fs::remove_file(&path);
        }
        let version = added?;
        note(format_args!("wrote {}, version {version}", path.display()));
        Ok(Exit::Passed)
    }
}
