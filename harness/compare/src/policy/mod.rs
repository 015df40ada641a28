//! Policies: which differences pass, and why.
//!
//! `onnx-tests/tolerances.toml` holds them. A policy has an allowance for all outputs, and rules for some
//! of them, selected by operator, element type, case or output; the most specific rule applies. Reports and
//! baselines record the version of the file, because a verdict depends on its rules.
//!
//! - [`Policies`]: the file, read and checked. `file` is its format.
//! - [`Policy::allowance`]: the allowance of an output of a case.
//! - [`add_rule`]: adds a rule to the file and keeps everything else, including comments.

mod edit;
mod error;
mod file;

use harness_corpus::pattern::CasePattern;
use onnx_tensor::DType;
use run_record::{PolicyUsed, accountable_operator};

use crate::Allowance;

pub use edit::{NewRule, add_rule};
pub use error::PolicyError;
pub use file::{File, Policies, read_allowance};

/// The policy of ONNX's own test runner, which is also the default.
pub const OFFICIAL: &str = "official";

/// The policy of models that the user names, and of generated graphs: the judge of `compare`.
pub const JUDGE: &str = "judge";

/// Which differences pass.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name, and the version of its file.
    pub used: PolicyUsed,
    /// Its purpose, in one sentence.
    pub reason: String,
    /// The allowance of an output without a matching rule.
    pub allow: Allowance,
    /// Whether the reference's own runs decide on an answer about which there are such runs.
    pub judge: bool,
    /// Rules for some outputs.
    pub rules: Vec<Rule>,
}

/// The allowance of some outputs.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The outputs.
    pub choice: Choice,
    /// Their allowance.
    pub allow: Allowance,
    /// The reason, for display.
    pub reason: String,
}

/// The outputs of a rule: those that match all fields that are set.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The case's id, or a glob pattern in which `*` also matches slashes.
    pub case: Option<CasePattern>,
    /// The output's name.
    pub output: Option<String>,
    /// The operator under test, with or without its since_version: `DFT`, `DFT-17`.
    pub operator: Option<String>,
    /// The element type.
    pub dtype: Option<DType>,
}

/// The properties of a case that rules match.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Its id.
    pub case: &'a str,
    pub operators: &'a [String],
}

impl Policy {
    /// The allowance of the output of this name and element type. Of several matching rules the most
    /// specific applies: in this order by the full case id, a glob over cases, the output, the operator
    /// with and without since_version, and the element type; of equally specific ones the last in the file.
    ///
    /// A tolerance is for floats. It applies to integers, booleans and strings only through a rule with
    /// their element type.
    pub fn allowance(&self, scope: Scope<'_>, output: &str, dtype: DType) -> Allowance {
        let tolerant = dtype.is_float() || matches!(dtype, DType::Complex64 | DType::Complex128);
        let fits = |rule: &&Rule| {
            let sized = matches!(rule.allow, Allowance::Tolerance(_) | Allowance::Ulp(_));
            rule.choice.chooses(scope, output, dtype) && (tolerant || !sized || rule.choice.dtype.is_some())
        };
        let best = self
            .rules
            .iter()
            .filter(fits)
            .max_by_key(|rule| rule.choice.specificity());
        best.map_or_else(|| self.allow.clone(), |rule| rule.allow.clone())
    }
}

impl Choice {
    fn chooses(&self, scope: Scope<'_>, output: &str, dtype: DType) -> bool {
        let about = || accountable_operator(scope.case, scope.operators).unwrap_or_default();
        self.case.as_ref().is_none_or(|case| case.matches(scope.case))
            && self.output.as_ref().is_none_or(|name| name == output)
            && self.dtype.is_none_or(|chosen| chosen == dtype)
            && self.operator.as_ref().is_none_or(|operator| {
                let about = about();
                about == operator || about.rsplit_once('-').is_some_and(|(name, _)| name == operator)
            })
    }

    /// The order from general to specific.
    fn specificity(&self) -> [u8; 5] {
        let versioned = |operator: &String| operator.contains('-');
        [
            u8::from(self.case.as_ref().is_some_and(CasePattern::is_exact)),
            u8::from(self.case.is_some()),
            u8::from(self.output.is_some()),
            self.operator
                .as_ref()
                .map_or(0, |operator| if versioned(operator) { 2 } else { 1 }),
            u8::from(self.dtype.is_some()),
        ]
    }

    /// The fields that are set, with their names in the file.
    fn parts(&self) -> [(&'static str, Option<&str>); 4] {
        [
            ("operator", self.operator.as_deref()),
            ("dtype", self.dtype.map(DType::onnx_name)),
            ("case", self.case.as_ref().map(CasePattern::text)),
            ("output", self.output.as_deref()),
        ]
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = self
            .parts()
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key} {}", value?)));
        f.write_str(&named.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests;
