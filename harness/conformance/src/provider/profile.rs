//! The file of a profile.

use std::path::{Path, PathBuf};

use harness_compare::policy::{Choice, Rule};
use harness_compare::{Allowance, Tolerance};
use harness_corpus::Sha256;
use harness_corpus::pattern::CasePattern;
use run_record::{Exercise, MAX_TOML, read_text};
use schemars::JsonSchema;
use serde::Deserialize;
use time::Date;

use super::claim::{Claim, WrittenClaim, dtype};
use crate::gate::parse_date;

/// The version of the format.
const FORMAT: u32 = 1;

/// What an execution provider claims, and how its results are judged.
#[derive(Clone, Debug)]
pub struct ProviderProfile {
    /// A name for people.
    pub name: String,
    /// The provider, as in the assignment of nodes.
    pub provider: String,
    /// The text for `--backend`; `None` if the profile leaves it to the command.
    pub backend: Option<String>,
    /// What the provider claims to run.
    pub claims: Vec<Claim>,
    /// Allowances for some operators, each with its reason.
    pub tolerances: Vec<Rule>,
    /// Cases that are not judged.
    pub exclusions: Vec<Exclusion>,
    /// The digest of the file.
    pub sha256: Sha256,
}

/// Cases that are not judged, up to a day.
#[derive(Clone, Debug)]
pub struct Exclusion {
    /// The cases: an id, or a glob over ids.
    pub cases: CasePattern,
    pub reason: String,
    /// The responsible person.
    pub owner: String,
    /// The last day on which it holds.
    pub expires: Date,
    /// The issue that tracks it.
    pub link: String,
}

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProviderProfileError {
    /// The file cannot be read.
    #[error("cannot read the provider profile {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is not TOML, or has a missing, unknown or invalid field.
    #[error("{}: {message}; docs/schemas/provider-profile.json describes a profile", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problem.
        message: String,
    },
}

/// What an execution provider claims to run, where it may differ, and which cases are excluded. The file
/// is TOML.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrittenProfile {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// A name for people.
    name: String,
    /// The provider, as in the assignment of nodes: `WebGpuExecutionProvider`.
    provider: String,
    /// The text for `--backend`: `ort:ep=webgpu`. Without it the command names the backend.
    backend: Option<String>,
    /// The provider claims a case if each use of an operator in it is in one of these entries.
    #[serde(default)]
    claims: Vec<WrittenClaim>,
    /// Allowances for some operators: `|observed - expected| <= atol + rtol * |expected|`.
    #[serde(default)]
    tolerances: Vec<WrittenTolerance>,
    /// Cases that are not judged.
    #[serde(default)]
    exclusions: Vec<WrittenExclusion>,
}

/// An allowance for some operators.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenTolerance {
    /// With or without since-version: `DFT`, `DFT-17`.
    #[schemars(length(min = 1))]
    operators: Vec<String>,
    /// The element types of outputs.
    #[schemars(length(min = 1))]
    types: Vec<String>,
    #[schemars(range(min = 0))]
    rtol: Option<f64>,
    #[schemars(range(min = 0))]
    atol: Option<f64>,
    reason: String,
}

/// Cases that are not judged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenExclusion {
    /// An id or a glob over ids, in which `*` crosses slashes.
    cases: String,
    #[schemars(length(min = 1))]
    reason: String,
    #[schemars(length(min = 1))]
    owner: String,
    /// The last day on which the exclusion holds: a date of TOML.
    #[schemars(with = "String", extend("format" = "date"))]
    expires: toml::value::Datetime,
    /// The issue that tracks it.
    #[schemars(length(min = 1))]
    link: String,
}

impl ProviderProfile {
    /// Reads a profile.
    ///
    /// # Errors
    /// [`ProviderProfileError`].
    pub fn load(path: &Path) -> Result<ProviderProfile, ProviderProfileError> {
        let text = read_text(path, MAX_TOML).map_err(|source| ProviderProfileError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        ProviderProfile::parse(&text).map_err(|message| ProviderProfileError::Invalid {
            path: path.to_path_buf(),
            message,
        })
    }

    /// The profile in a text, or what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<ProviderProfile, String> {
        let written: WrittenProfile = toml::from_str(text).map_err(|error| error.to_string())?;
        if written.format != FORMAT {
            return Err(format!(
                "`format` is {}, but this program reads {FORMAT}",
                written.format
            ));
        }
        let claims = read_all("claims", written.claims, WrittenClaim::read)?;
        let tolerances = read_all("tolerances", written.tolerances, rules)?;
        Ok(ProviderProfile {
            name: written.name,
            provider: written.provider,
            backend: written.backend,
            claims,
            tolerances: tolerances.into_iter().flatten().collect(),
            exclusions: read_all("exclusions", written.exclusions, exclusion)?,
            sha256: Sha256::of(text.as_bytes()),
        })
    }

    /// Whether the profile claims a case: every use of an operator in it.
    pub fn claims(&self, exercises: &[Exercise]) -> bool {
        let covered = |exercise: &Exercise| self.claims.iter().any(|claim| claim.covers(exercise));
        !exercises.is_empty() && exercises.iter().all(covered)
    }

    /// The exclusion of a case that holds on this day.
    pub fn exclusion(&self, case: &str, today: Date) -> Option<&Exclusion> {
        let holds = |exclusion: &&Exclusion| exclusion.cases.matches(case) && exclusion.expires >= today;
        self.exclusions.iter().find(holds)
    }

    /// The exclusions that do not hold any more.
    pub fn expired(&self, today: Date) -> impl Iterator<Item = &Exclusion> {
        self.exclusions
            .iter()
            .filter(move |exclusion| exclusion.expires < today)
    }
}

/// Reads the entries of an array; a fault names the entry.
fn read_all<W, R>(
    name: &str,
    entries: Vec<W>,
    read: impl Fn(W) -> Result<R, String>,
) -> Result<Vec<R>, String> {
    let numbered = entries.into_iter().zip(1_u32..);
    numbered
        .map(|(entry, number)| read(entry).map_err(|fault| format!("entry {number} of `{name}`: {fault}")))
        .collect()
}

/// A rule for each operator and element type. An allowance for all operators is refused.
fn rules(written: WrittenTolerance) -> Result<Vec<Rule>, String> {
    if written.operators.is_empty() || written.types.is_empty() {
        return Err("a tolerance is for some operators and element types: name both".to_owned());
    }
    let allow = allowance(&written)?;
    let mut rules = Vec::new();
    for operator in &written.operators {
        for name in &written.types {
            rules.push(Rule {
                choice: Choice {
                    operator: Some(operator.clone()),
                    dtype: Some(dtype(name)?),
                    ..Choice::default()
                },
                allow: allow.clone(),
                reason: written.reason.clone(),
            });
        }
    }
    Ok(rules)
}

fn allowance(written: &WrittenTolerance) -> Result<Allowance, String> {
    let (rtol, atol) = (written.rtol.unwrap_or(0.0), written.atol.unwrap_or(0.0));
    if !(rtol.is_finite() && atol.is_finite() && rtol >= 0.0 && atol >= 0.0 && rtol + atol > 0.0) {
        return Err("set `rtol` or `atol` to a number above 0".to_owned());
    }
    Ok(Allowance::Tolerance(Tolerance {
        relative: rtol,
        absolute: atol,
    }))
}

fn exclusion(written: WrittenExclusion) -> Result<Exclusion, String> {
    for (field, text) in [
        ("reason", &written.reason),
        ("owner", &written.owner),
        ("link", &written.link),
    ] {
        if text.trim().is_empty() {
            return Err(format!("`{field}` is empty"));
        }
    }
    Ok(Exclusion {
        cases: CasePattern::new(&written.cases).map_err(|error| error.to_string())?,
        reason: written.reason,
        owner: written.owner,
        expires: parse_date(&written.expires.to_string())?,
        link: written.link,
    })
}
