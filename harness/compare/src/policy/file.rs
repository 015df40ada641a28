//! The format of `tolerances.toml`, and its conversion to policies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness_corpus::pattern::CasePattern;
use onnx_tensor::DType;
use run_record::PolicyUsed;
use run_record::{MAX_TOML, read_text};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Choice, OFFICIAL, Policy, PolicyError, Rule};
use crate::{Allowance, Tolerance};

/// The file at build time, so that an installed binary needs no source tree.
const EMBEDDED: &str = include_str!("../../../../onnx-tests/tolerances.toml");

/// Its path in the source tree.
const EMBEDDED_PATH: &str = "onnx-tests/tolerances.toml";

/// The version of the file format that this build reads.
const FORMAT: u32 = 1;

/// The policies of a file.
#[derive(Clone, Debug)]
pub struct Policies {
    path: PathBuf,
    policies: BTreeMap<String, Arc<Policy>>,
}

/// Policies: which differences from the expected output pass. The file is TOML.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The version of the format.
    #[schemars(with = "u32", extend("const" = FORMAT))]
    format: Spanned<u32>,
    /// The version of the policies, which results name.
    version: u32,
    /// The policies by name.
    #[schemars(with = "BTreeMap<String, PolicyTable>")]
    policies: BTreeMap<String, Spanned<PolicyTable>>,
}

/// A policy.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PolicyTable {
    /// Why it allows what it allows.
    #[schemars(with = "String")]
    reason: Spanned<String>,
    /// The difference that passes where no rule says otherwise.
    #[schemars(with = "Allow")]
    allow: Spanned<Allow>,
    /// The difference that passes for outputs without a bound.
    #[schemars(with = "Option<Allow>")]
    unbounded: Option<Spanned<Allow>>,
    /// Whether the reference's own runs judge an answer.
    #[serde(default)]
    judge: bool,
    /// Exceptions.
    #[serde(default)]
    #[schemars(with = "Vec<RuleTable>")]
    rules: Vec<Spanned<RuleTable>>,
}

/// An exception from a policy, for the outputs that all of its conditions select.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    /// An operator with or without since-version: `DFT`, `DFT-17`.
    operator: Option<String>,
    /// The element type of the output.
    #[schemars(with = "Option<String>")]
    dtype: Option<Spanned<String>>,
    /// An id of a case, or a glob over ids.
    #[schemars(with = "Option<String>")]
    case: Option<Spanned<String>>,
    /// The name of the output.
    output: Option<String>,
    /// The difference that passes.
    #[schemars(with = "Allow")]
    allow: Spanned<Allow>,
    /// The difference that passes for an output without a bound.
    #[schemars(with = "Option<Allow>")]
    unbounded: Option<Spanned<Allow>>,
    /// Why the exception is there.
    #[schemars(with = "String")]
    reason: Spanned<String>,
}

/// A difference that passes.
#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected \"official\", \"exact\", \"bound\", { rtol = …, atol = … } or { ulp = … }"
)]
enum Allow {
    Name(Name),
    Tolerance(ToleranceTable),
    Ulp(UlpTable),
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Name {
    /// The tolerances of ONNX's own test runner, or of the case.
    Official,
    /// None.
    Exact,
    /// What rounding can explain.
    Bound,
}

/// `|observed - expected| <= atol + rtol * |expected|`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToleranceTable {
    rtol: f64,
    atol: f64,
}

/// Units in the last place.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UlpTable {
    ulp: f64,
}

impl Policies {
    /// The embedded policies.
    ///
    /// # Errors
    /// None as long as the tests pass: one of them reads the file.
    pub fn embedded() -> Result<Policies, PolicyError> {
        Policies::parse(EMBEDDED, Path::new(EMBEDDED_PATH))
    }

    /// The text of the embedded policies, from which a file of one's own can start.
    pub fn embedded_text() -> &'static str {
        EMBEDDED
    }

    /// Reads another file.
    pub fn load(path: &Path) -> Result<Policies, PolicyError> {
        Policies::parse(&Policies::read(path)?, path)
    }

    pub(super) fn read(path: &Path) -> Result<String, PolicyError> {
        read_text(path, MAX_TOML).map_err(|source| PolicyError::Read {
            path: path.to_owned(),
            source,
        })
    }

    /// The policy of this name.
    pub fn get(&self, name: &str) -> Result<Arc<Policy>, PolicyError> {
        let unknown = || PolicyError::Unknown {
            path: self.path.clone(),
            name: name.to_owned(),
            known: self.policies.keys().cloned().collect::<Vec<_>>().join(", "),
        };
        self.policies.get(name).cloned().ok_or_else(unknown)
    }

    /// All policies, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.policies.values()
    }

    pub(super) fn parse(text: &str, path: &Path) -> Result<Policies, PolicyError> {
        let at = |offset: usize, problem: String| PolicyError::Line {
            path: path.to_owned(),
            line: text
                .get(..offset)
                .map_or(1, |before| before.matches('\n').count() + 1),
            problem,
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            at(start, error.message().to_owned())
        })?;
        if *file.format.get_ref() != FORMAT {
            let problem = format!(
                "format is {}, but this program reads {FORMAT}",
                file.format.get_ref()
            );
            return Err(at(file.format.span().start, problem));
        }
        let mut policies = BTreeMap::new();
        for (name, table) in file.policies {
            let used = PolicyUsed {
                name: name.clone(),
                version: file.version,
            };
            let start = table.span().start;
            let policy =
                policy(used, table.into_inner(), start).map_err(|(start, problem)| at(start, problem))?;
            policies.insert(name, Arc::new(policy));
        }
        let policies = Policies {
            path: path.to_owned(),
            policies,
        };
        policies.get(OFFICIAL)?;
        Ok(policies)
    }
}

/// Offset in the file, and the problem.
type Fault = (usize, String);

fn policy(used: PolicyUsed, table: PolicyTable, start: usize) -> Result<Policy, Fault> {
    let allow = allowance(table.allow, table.unbounded)?;
    let official = used.name == OFFICIAL;
    if official && (allow != Allowance::Official || table.judge || !table.rules.is_empty()) {
        let problem =
            "the policy `official` must be that of ONNX's own runner: allow = \"official\", and no rules";
        return Err((start, problem.to_owned()));
    }
    let mut rules: Vec<Rule> = Vec::new();
    for rule in table.rules {
        let start = rule.span().start;
        let rule = self::rule(rule.into_inner(), start)?;
        if rules
            .iter()
            .any(|known| known.choice.parts() == rule.choice.parts())
        {
            return Err((start, format!("a second rule for {}", rule.choice)));
        }
        rules.push(rule);
    }
    Ok(Policy {
        used,
        reason: reason(table.reason)?,
        allow,
        judge: table.judge,
        rules,
    })
}

fn rule(table: RuleTable, start: usize) -> Result<Rule, Fault> {
    let dtype = table.dtype.map(|name| {
        let start = name.span().start;
        DType::from_onnx_name(name.get_ref()).map_err(|error| (start, error.to_string()))
    });
    let case = table.case.map(|glob| {
        let start = glob.span().start;
        CasePattern::new(glob.get_ref()).map_err(|error| (start, error.to_string()))
    });
    let choice = Choice {
        case: case.transpose()?,
        output: table.output,
        operator: table.operator,
        dtype: dtype.transpose()?,
    };
    if choice.parts().iter().all(|(_, value)| value.is_none()) {
        let problem = "a rule must set at least one of operator, dtype, case and output";
        return Err((start, problem.to_owned()));
    }
    Ok(Rule {
        choice,
        allow: allowance(table.allow, table.unbounded)?,
        reason: reason(table.reason)?,
    })
}

fn reason(text: Spanned<String>) -> Result<String, Fault> {
    if text.get_ref().trim().is_empty() {
        Err((text.span().start, "the reason is empty".to_owned()))
    } else {
        Ok(text.into_inner())
    }
}

fn allowance(allow: Spanned<Allow>, unbounded: Option<Spanned<Allow>>) -> Result<Allowance, Fault> {
    let start = allow.span().start;
    let number = |what: &str, value: f64| {
        if value.is_finite() && value >= 0.0 {
            Ok(value)
        } else {
            Err((
                start,
                format!("{what} must be a non-negative number, got {value}"),
            ))
        }
    };
    let is_bound = matches!(allow.get_ref(), Allow::Name(Name::Bound));
    match (is_bound, &unbounded) {
        (true, None) => {
            let problem = "allow = \"bound\" requires `unbounded`, the allowance without a known bound";
            return Err((start, problem.to_owned()));
        }
        (false, Some(unbounded)) => {
            let problem = "`unbounded` requires allow = \"bound\"";
            return Err((unbounded.span().start, problem.to_owned()));
        }
        _ => {}
    }
    match (allow.into_inner(), unbounded) {
        (Allow::Name(Name::Official), _) => Ok(Allowance::Official),
        (Allow::Name(Name::Exact), _) => Ok(Allowance::Exact),
        (Allow::Tolerance(ToleranceTable { rtol, atol }), _) => Ok(Allowance::Tolerance(Tolerance {
            relative: number("rtol", rtol)?,
            absolute: number("atol", atol)?,
        })),
        (Allow::Ulp(UlpTable { ulp }), _) => Ok(Allowance::Ulp(number("ulp", ulp)?)),
        // The check above ensures that a bound has an alternative.
        (Allow::Name(Name::Bound), None) => Ok(Allowance::Exact),
        (Allow::Name(Name::Bound), Some(unbounded)) => Ok(Allowance::Bound {
            unbounded: Box::new(allowance(unbounded, None)?),
        }),
    }
}

/// Parses an allowance from the command line: `official`, `exact`, `bound`, `rtol=1e-3,atol=1e-6` or
/// `ulp=4`. Returns the value in the format of the file.
pub fn read_allowance(text: &str) -> Result<toml_edit::Value, String> {
    let malformed =
        || format!("`{text}` is not an allowance: expected official, exact, bound, rtol=…,atol=… or ulp=…");
    if ["official", "exact", "bound"].contains(&text) {
        return Ok(text.into());
    }
    let mut table = toml_edit::InlineTable::new();
    for part in text.split(',') {
        let (key, value) = part.split_once('=').ok_or_else(malformed)?;
        let value: f64 = value.parse().map_err(|_| malformed())?;
        table.insert(key, value.into());
    }
    let mut keys: Vec<&str> = table.iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    match keys.as_slice() {
        ["atol", "rtol"] | ["ulp"] => Ok(table.into()),
        _ => Err(malformed()),
    }
}
