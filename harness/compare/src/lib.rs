//! Compares the outputs of a backend with the expected ones.
//!
//! The comparison is strict where the specification is: number of outputs, kind, element type, shape;
//! integers, booleans and strings bit for bit. A policy decides which other differences pass
//! ([`Allowance`]): floats within a [`Tolerance`], or within the bound of rounding errors ([`Envelope`]).
//! Errors are measured for passes and failures, and each output gets a [`Level`]: exact, within rounding,
//! tolerated, out of tolerance.
//!
//! Outputs are matched with expected outputs by name: a missing, a repeated and an additional output is a
//! mismatch.
//!
//! Overview of modules: [`compare`] traverses values; `names` pairs them; `measure` compares the elements
//! of two tensors, `element` computes the difference of one, `tally` accumulates and judges; `ulp` and
//! `scalar` implement the formats; `signed_zeros` decides where the sign of zero counts.
//!
//! NaN agrees only with NaN and an infinity only with itself. (`|a − b| ≤ atol + rtol·|b|` taken literally
//! accepts any finite `a` for an infinite `b`.) −0 agrees with 0 by value, but it is not exact, and where the
//! specification defines the sign of zero, a bound does not explain the difference.
//!
//! [`Comparison::official`] is the result of ONNX's own test runner, which applies the relative tolerance
//! also to integers and booleans.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod policy;

mod columns;
mod criteria;
mod element;
mod envelope;
mod leaves;
mod measure;
mod names;
pub mod scalar;
mod signed_zeros;
mod tally;
pub mod ulp;
mod window;

use onnx_randomness::{Draws, Violation};
use onnx_tensor::{Tensor, Value};
use run_record::{Level, MismatchKind, OutputStats};

use columns::columns;
pub use criteria::{Allowance, Criteria, Tolerance};
pub use envelope::{AnswerSets, Envelope, Envelopes};
use leaves::key_text;
pub use leaves::{leaf, leaves, tensors, with_leaf};
pub use measure::sentence;
pub use signed_zeros::signed_zeros;
use tally::Measured;
pub use ulp::ulp_distance;
pub use window::{add_windows, first_elements};

/// The result of comparing all outputs of a case.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Error statistics of each tensor that could be compared, also for passes.
    pub outputs: Vec<OutputStats>,
    /// The most severe disagreement, if there is one.
    pub mismatch: Option<Mismatch>,
    /// Whether ONNX's own test runner would accept the case.
    pub official: bool,
    /// Whether the outputs differ, and every difference that the policy does not accept is one for which it
    /// asks for a bound and none is known.
    pub open: bool,
}

/// A disagreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The kind of disagreement.
    pub kind: MismatchKind,
    /// One line for display: the output and its disagreement.
    pub reason: String,
}

/// Compares `observed` with `expected`, by name. A [`Tolerance`] alone is the official rule.
pub fn compare<'a>(
    expected: &[(String, Value)],
    observed: &[(String, Value)],
    criteria: impl Into<Criteria<'a>>,
) -> Comparison {
    Comparer::new(criteria.into()).all(expected, observed, |_| false)
}

/// Compares outputs of which some are random. For these only type, shape and distribution count.
pub fn compare_drawn<'a>(
    expected: &[(String, Value)],
    observed: &[(String, Value)],
    criteria: impl Into<Criteria<'a>>,
    draws: &Draws,
) -> Comparison {
    let comparison = Comparer::new(criteria.into()).all(expected, observed, |index| draws.covers(index));
    let ordered = in_order(expected, observed);
    let judged = draws.judge(&ordered);
    comparison.with_violation(&ordered, judged)
}

/// The outputs in the order of the expected outputs. A missing one is omitted, which the comparison
/// reports.
pub fn in_order(expected: &[(String, Value)], observed: &[(String, Value)]) -> Vec<(String, Value)> {
    let answers = names::pair(expected, observed).answers;
    let named = expected.iter().zip(answers);
    named
        .filter_map(|((name, _), answer)| Some((name.clone(), answer?.clone())))
        .collect()
}

impl Comparison {
    /// The worst level of all outputs; `None` if none was measured and there is no disagreement.
    pub fn level(&self) -> Option<Level> {
        let structural = |mismatch: &Mismatch| mismatch.kind != MismatchKind::Numeric;
        if self.mismatch.as_ref().is_some_and(structural) {
            Some(Level::Outside)
        } else {
            self.outputs.iter().map(|output| output.level).max()
        }
    }

    /// The same comparison, which must also agree with the outputs of a fresh load of a model with seeds.
    pub fn reproduced(
        self,
        draws: &Draws,
        first: &[(String, Value)],
        second: &[(String, Value)],
    ) -> Comparison {
        let judged = draws.reproduced(first, second);
        self.with_violation(first, judged)
    }

    fn with_violation(
        mut self,
        observed: &[(String, Value)],
        judged: Result<(), (usize, Violation)>,
    ) -> Comparison {
        if let (None, Err((index, violation))) = (&self.mismatch, judged) {
            let name = observed.get(index).map_or("", |(name, _)| name.as_str());
            self.mismatch = Some(Mismatch {
                kind: MismatchKind::Numeric,
                reason: format!("`{name}`: {violation}"),
            });
            self.open = false;
            self.official = false;
        }
        self
    }
}

/// The severity of a disagreement: the most severe one is reported.
fn severity(kind: MismatchKind) -> u8 {
    match kind {
        MismatchKind::Count | MismatchKind::Name => 3,
        MismatchKind::Dtype => 2,
        MismatchKind::Shape => 1,
        MismatchKind::Numeric | MismatchKind::Node => 0,
    }
}

struct Comparer<'a> {
    criteria: Criteria<'a>,
    outputs: Vec<OutputStats>,
    mismatch: Option<Mismatch>,
    official: bool,
    /// Whether no difference is decided.
    open: bool,
}

impl<'a> Comparer<'a> {
    fn new(criteria: Criteria<'a>) -> Comparer<'a> {
        Comparer {
            criteria,
            outputs: Vec::new(),
            mismatch: None,
            official: true,
            open: true,
        }
    }

    fn all(
        mut self,
        expected: &[(String, Value)],
        observed: &[(String, Value)],
        drawn: impl Fn(usize) -> bool,
    ) -> Comparison {
        let paired = names::pair(expected, observed);
        if let Some(Mismatch { kind, reason }) = paired.fault {
            self.disagree(kind, reason);
        }
        for (index, ((name, expected), answer)) in expected.iter().zip(paired.answers).enumerate() {
            let Some(observed) = answer else { continue };
            match (drawn(index), expected, observed) {
                (true, Value::Tensor(expected), Value::Tensor(observed)) => {
                    self.form(name, expected, observed);
                }
                _ => self.value(name, expected, observed),
            }
        }
        Comparison {
            outputs: self.outputs,
            open: self.open && self.mismatch.is_some(),
            mismatch: self.mismatch,
            official: self.official,
        }
    }

    /// Records a disagreement that the official runner sees as well.
    fn disagree(&mut self, kind: MismatchKind, reason: String) {
        self.official = false;
        self.open = false;
        self.note(kind, reason);
    }

    fn note(&mut self, kind: MismatchKind, reason: String) {
        let graver = self
            .mismatch
            .as_ref()
            .is_none_or(|known| severity(kind) > severity(known.kind));
        if graver {
            self.mismatch = Some(Mismatch { kind, reason });
        }
    }

    fn value(&mut self, name: &str, expected: &Value, observed: &Value) {
        if let Some((expected, observed)) = columns(expected).zip(columns(observed)) {
            return self.value(name, &expected, &observed);
        }
        match (expected, observed) {
            (Value::Tensor(expected), Value::Tensor(observed)) => self.tensor(name, expected, observed),
            (Value::Sparse(expected), Value::Sparse(observed)) => {
                if expected.shape != observed.shape {
                    let reason = format!(
                        "`{name}` has shape {:?}, expected {:?}",
                        observed.shape, expected.shape
                    );
                    self.disagree(MismatchKind::Shape, reason);
                }
                self.tensor(&format!("{name}.indices"), &expected.indices, &observed.indices);
                self.tensor(&format!("{name}.values"), &expected.values, &observed.values);
            }
            (Value::Sequence(expected), Value::Sequence(observed)) => {
                self.length(name, "elements", expected.values.len(), observed.values.len());
                for (index, (expected, observed)) in expected.values.iter().zip(&observed.values).enumerate()
                {
                    self.value(&format!("{name}[{index}]"), expected, observed);
                }
            }
            (Value::Map(expected), Value::Map(observed)) if expected.key == observed.key => {
                self.length(name, "entries", expected.entries.len(), observed.entries.len());
                for (key, expected) in &expected.entries {
                    let entry = format!("{name}[{}]", key_text(key));
                    match observed.entries.get(key) {
                        Some(observed) => self.value(&entry, expected, observed),
                        None => self.disagree(MismatchKind::Count, format!("`{entry}` is missing")),
                    }
                }
            }
            (Value::Optional { value: expected, .. }, Value::Optional { value: observed, .. }) => {
                match (expected, observed) {
                    (None, None) => {}
                    (Some(expected), Some(observed)) => self.value(name, expected, observed),
                    (None, Some(_)) => {
                        self.disagree(
                            MismatchKind::Count,
                            format!("`{name}` holds a value, expected none"),
                        );
                    }
                    (Some(_), None) => {
                        self.disagree(
                            MismatchKind::Count,
                            format!("`{name}` holds no value, expected one"),
                        );
                    }
                }
            }
            // The official files do not tell whether a present value is wrapped in an optional.
            (
                Value::Optional {
                    value: Some(expected),
                    ..
                },
                observed,
            ) => self.value(name, expected, observed),
            (
                expected,
                Value::Optional {
                    value: Some(observed),
                    ..
                },
            ) => self.value(name, expected, observed),
            (expected, observed) => {
                let reason = format!(
                    "`{name}` is {}, expected {}",
                    observed.value_type(),
                    expected.value_type()
                );
                self.disagree(MismatchKind::Dtype, reason);
            }
        }
    }

    fn length(&mut self, name: &str, what: &str, expected: usize, observed: usize) {
        if expected != observed {
            self.disagree(
                MismatchKind::Count,
                format!("`{name}` has {observed} {what}, expected {expected}"),
            );
        }
    }

    /// Whether type and shape agree.
    fn form(&mut self, name: &str, expected: &Tensor, observed: &Tensor) -> bool {
        if expected.dtype() != observed.dtype() {
            let reason = format!("`{name}` is {}, expected {}", observed.dtype(), expected.dtype());
            self.disagree(MismatchKind::Dtype, reason);
            return false;
        }
        if expected.shape() != observed.shape() {
            let reason = format!(
                "`{name}` has shape {:?}, expected {:?}",
                observed.shape(),
                expected.shape()
            );
            self.disagree(MismatchKind::Shape, reason);
            return false;
        }
        true
    }

    fn tensor(&mut self, name: &str, expected: &Tensor, observed: &Tensor) {
        if !self.form(name, expected, observed) {
            return;
        }
        let Measured {
            stats,
            official,
            open,
        } = measure::measure(name, expected, observed, &self.criteria);
        self.official &= official;
        self.open &= open == stats.differing;
        if stats.differing > 0 {
            self.note(MismatchKind::Numeric, sentence(&stats));
        }
        self.outputs.push(stats);
    }
}

#[cfg(test)]
mod tests;
