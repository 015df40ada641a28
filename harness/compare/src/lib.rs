//! Holding a backend's outputs against the expected ones.
//!
//! Strict where the specification is: number of outputs, kind, element type, shape; integers, booleans and strings to the
//! last bit. What else may differ, a policy says ([`Allowance`]): floats within a [`Tolerance`], or anything within what
//! rounding can do ([`Envelope`]). Errors are measured whether an output passes or not, and each output gets a
//! [`Level`]: exact, within rounding, tolerated, outside.
//!
//! Answers are matched with expected outputs by name: a missing, a repeated and an additional answer is a mismatch.
//!
//! The way through it: [`compare`] walks values; `names` pairs them; `measure` the elements of two tensors, `element` says how one differs,
//! `tally` adds it up and judges it; `ulp` and `scalar` know the formats; `copies` where the sign of zero counts.
//!
//! Rules that others break (`|a − b| ≤ atol + rtol·|b|` taken literally accepts any finite `a` where `b` is infinite): here
//! NaN agrees only with NaN and an infinity only with itself; −0 agrees with 0 by value, but where elements are only copied a
//! bound does not explain it.
//!
//! Beside our verdict stands what ONNX's own test runner would have said ([`Comparison::official`]): it applies the relative
//! tolerance to integers and booleans too.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod policy;

mod copies;
mod criteria;
mod element;
mod envelope;
mod leaves;
mod measure;
mod names;
pub mod scalar;
mod tally;
pub mod ulp;
mod window;

use onnx_randomness::{Draws, Violation};
use onnx_tensor::{Tensor, Value};
use reports::record::{Level, MismatchKind, OutputStats};

pub use copies::copies;
pub use criteria::{Allowance, Criteria, Tolerance};
pub use envelope::{Envelope, Envelopes};
use leaves::key_text;
pub use leaves::{leaves, with_leaf};
pub use ulp::ulp_distance;
pub use window::{add_windows, first_elements};

/// What comparing all outputs of a case gave.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Error statistics for each tensor that could be compared, on passes too.
    pub outputs: Vec<OutputStats>,
    /// The gravest disagreement, if there is one.
    pub mismatch: Option<Mismatch>,
    /// Whether ONNX's own test runner would have let the case pass.
    pub official: bool,
}

/// A disagreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// In what the outputs disagree.
    pub kind: MismatchKind,
    /// For a person: the output and what is wrong with it.
    pub reason: String,
}

/// Compares `observed` with `expected`, by name. A [`Tolerance`] alone is the official rule.
pub fn compare<'a>(
    expected: &[(String, Value)],
    observed: &[(String, Value)],
    yardstick: impl Into<Criteria<'a>>,
) -> Comparison {
    Comparer::new(yardstick.into()).all(expected, observed, |_| false)
}

/// Compares outputs some of which are drawn: of those only type and shape count, and the promises of their distributions.
pub fn compare_drawn<'a>(
    expected: &[(String, Value)],
    observed: &[(String, Value)],
    yardstick: impl Into<Criteria<'a>>,
    draws: &Draws,
) -> Comparison {
    let comparison = Comparer::new(yardstick.into()).all(expected, observed, |index| draws.covers(index));
    let ordered = in_order(expected, observed);
    let judged = draws.judge(&ordered);
    comparison.with_violation(&ordered, judged)
}

/// The answers in the order of the expected outputs; one that is missing is left out, and the comparison says so.
pub fn in_order(expected: &[(String, Value)], observed: &[(String, Value)]) -> Vec<(String, Value)> {
    let answers = names::pair(expected, observed).answers;
    let named = expected.iter().zip(answers);
    named
        .filter_map(|((name, _), answer)| Some((name.clone(), answer?.clone())))
        .collect()
}

impl Comparison {
    /// How well the outputs are explained, the worst of all; none where none was measured and nothing else is wrong.
    pub fn level(&self) -> Option<Level> {
        let structural = |mismatch: &Mismatch| mismatch.kind != MismatchKind::Numeric;
        match self.mismatch.as_ref().is_some_and(structural) {
            true => Some(Level::Outside),
            false => self.outputs.iter().map(|output| output.level).max(),
        }
    }

    /// The same, held also to what a fresh load of a model with seeds gave.
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
            self.official = false;
        }
        self
    }
}

/// How grave a disagreement is: the gravest is the one told first.
fn gravity(kind: MismatchKind) -> u8 {
    match kind {
        MismatchKind::Count | MismatchKind::Name => 3,
        MismatchKind::Dtype => 2,
        MismatchKind::Shape => 1,
        MismatchKind::Numeric => 0,
    }
}

struct Comparer<'a> {
    yardstick: Criteria<'a>,
    outputs: Vec<OutputStats>,
    mismatch: Option<Mismatch>,
    official: bool,
}

impl<'a> Comparer<'a> {
    fn new(yardstick: Criteria<'a>) -> Comparer<'a> {
        Comparer {
            yardstick,
            outputs: Vec::new(),
            mismatch: None,
            official: true,
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
            mismatch: self.mismatch,
            official: self.official,
        }
    }

    /// Notes a disagreement that the official runner sees as well.
    fn disagree(&mut self, kind: MismatchKind, reason: String) {
        self.official = false;
        self.note(kind, reason);
    }

    fn note(&mut self, kind: MismatchKind, reason: String) {
        let graver = self
            .mismatch
            .as_ref()
            .is_none_or(|known| gravity(kind) > gravity(known.kind));
        if graver {
            self.mismatch = Some(Mismatch { kind, reason });
        }
    }

    fn value(&mut self, name: &str, expected: &Value, observed: &Value) {
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
            // The official files do not say whether a present value is wrapped in an optional.
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
        let (stats, official) = measure::measure(name, expected, observed, &self.yardstick);
        self.official &= official;
        if stats.differing > 0 {
            self.note(MismatchKind::Numeric, measure::sentence(&stats));
        }
        self.outputs.push(stats);
    }
}

#[cfg(test)]
mod tests;
