//! The policy by which results are judged.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use harness_compare::policy::{Policies, Policy, Rule};

use super::CliError;
use super::arguments::Arguments;

/// The policy by which results are judged.
#[derive(Args, Clone, Default, Debug)]
pub struct Judging {
    /// The policy that decides what passes: official, judge, bound, strict, or another of the file.
    /// Default: judge for cases of your own and generated ones, official for others; for a gate, the policy
    /// of its baseline.
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// The file of policies. Default: the built-in one, onnx-tests/tolerances.toml.
    #[arg(long, value_name = "FILE")]
    pub tolerances: Option<PathBuf>,
    /// More rules, those of a provider profile; a command sets them.
    #[arg(skip)]
    pub rules: Vec<Rule>,
}

/// Whether the bounds of rounding errors are computed.
#[derive(Args, Clone, Copy, Default, Debug)]
pub struct Bounds {
    /// Do not compute the bounds of rounding errors by the reference: faster, but no difference is
    /// explained.
    #[arg(long)]
    pub no_bounds: bool,
}

impl Judging {
    /// The options as arguments.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments::default()
            .option("--policy", self.policy.as_ref())
            .path("--tolerances", self.tolerances.as_deref())
    }

    /// The file's policies.
    pub fn policies(&self) -> Result<Policies, CliError> {
        Ok(match &self.tolerances {
            Some(path) => Policies::load(path)?,
            None => Policies::embedded()?,
        })
    }

    /// The requested policy, or the one called `default`.
    pub fn policy(&self, default: &str) -> Result<Arc<Policy>, CliError> {
        let policy = self.policies()?.get(self.policy.as_deref().unwrap_or(default))?;
        if self.rules.is_empty() {
            return Ok(policy);
        }
        let mut own = Policy::clone(&policy);
        own.used.name.push_str("+profile");
        own.rules.extend(self.rules.iter().cloned());
        Ok(Arc::new(own))
    }
}
