//! Policies: what differences are let pass, and for which reason.
//!
//! `onnx-tests/tolerances.toml` holds them. A policy has a rule for all outputs, and rules for some of them, chosen by operator,
//! element type, case or output; the most specific one wins. The file has a version, which reports and baselines record: a
//! verdict can be understood only with the rules by which it was given.
//!
//! - [`Policies`]: the file, read and checked. `file` is its layout.
//! - [`Policy::allowance`]: what an output of a case is allowed.
//! - [`add_rule`]: writes a rule into the file and leaves all else, comments included, as it is.

mod edit;
mod error;
mod file;

use harness_corpus::pattern::CasePattern;
use onnx_tensor::DType;
use reports::record::{PolicyUsed, accountable_operator};

use crate::Allowance;

pub use edit::{NewRule, add_rule};
pub use error::PolicyError;
pub use file::{Policies, read_allowance};

/// The policy of ONNX's own test runner, which is also the default.
pub const OFFICIAL: &str = "official";

/// What differences are let pass.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name, and the version of the file that it stands in.
    pub used: PolicyUsed,
    /// What it is for, in a sentence.
    pub reason: String,
    /// What an output is allowed that no rule chooses.
    pub allow: Allowance,
    /// Rules for some outputs.
    pub rules: Vec<Rule>,
}

/// What some outputs are allowed.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Which outputs.
    pub choice: Choice,
    /// What they are allowed.
    pub allow: Allowance,
    /// Why, for people.
    pub reason: String,
}

/// Which outputs a rule is for: those that have all that is named here.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The case's id, or a glob over it in which `*` crosses slashes.
    pub case: Option<CasePattern>,
    /// The output's name.
    pub output: Option<String>,
    /// The operator that the case is about, with or without its since-version: `DFT`, `DFT-17`.
    pub operator: Option<String>,
    /// The element type.
    pub dtype: Option<DType>,
}

/// A case, as far as rules can choose it.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Its id.
    pub case: &'a str,
    /// Its operators.
    pub operators: &'a [String],
}

impl Policy {
    /// What the output of this name and element type is allowed. Of several rules that choose it the most specific wins: first
    /// by the case named in full, then by a glob over cases, by the output, by the operator with and without since-version,
    /// by the element type; of equally specific ones the last in the file.
    ///
    /// A tolerance is for floats. Integers, booleans and strings have it only from a rule that names their type.
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

    /// Ordered from general to specific.
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

    /// The parts that are named, as the file spells them.
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
