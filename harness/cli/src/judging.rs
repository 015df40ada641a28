//! By which policy results are judged.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use harness_compare::policy::{Policies, Policy};

use super::CliError;
use super::repeat::Arguments;

/// By which policy results are judged.
#[derive(Args, Clone, Debug)]
pub struct Judging {
    /// The policy that decides what passes: official, bound, strict, or another of the file (default official; of a gate, the policy of its baseline).
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// The file of policies; the one built in, onnx-tests/tolerances.toml, when left out.
    #[arg(long, value_name = "FILE")]
    pub tolerances: Option<PathBuf>,
    /// Do not ask the reference how far rounding can lead: quicker, and no difference is explained then.
    #[arg(long)]
    pub no_bounds: bool,
}

impl Judging {
    /// What was asked for, as it is typed.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments::default()
            .option("--policy", self.policy.as_ref())
            .path("--tolerances", self.tolerances.as_deref())
            .switch("--no-bounds", self.no_bounds)
    }

    /// The file's policies.
    pub fn policies(&self) -> Result<Policies, CliError> {
        Ok(match &self.tolerances {
            Some(path) => Policies::load(path)?,
            None => Policies::embedded()?,
        })
    }

    /// The policy that was asked for, or the one called `default`.
    pub fn policy(&self, default: &str) -> Result<Arc<Policy>, CliError> {
        Ok(self.policies()?.get(self.policy.as_deref().unwrap_or(default))?)
    }
}
