//! Runs every adapter on the reference: generated cases of every operator version give the same
//! outputs after a conversion to the next version and to the newest one.

use std::collections::{BTreeMap, BTreeSet};

use onnx_generator::{Case, Phase, plan};
use onnx_interpreter::{Limits, run};
use onnx_model::Model;
use onnx_schema::{OperatorSchema, newest_opset};
use onnx_upgrade::{Adapter, Step, Targets, UpgradeError, steps, upgrade};

use crate::forms::{Form, formed};

/// The maximum number of cases of a version.
const MOST: usize = 40;

/// The results of conversions of generated cases.
#[derive(Default)]
struct Sum {
    equal: usize,
    /// Steps with a refused conversion.
    refused: BTreeSet<String>,
    /// Conversions that changed an answer.
    wrong: Vec<String>,
    /// Versions with a conversion that gives equal outputs.
    shown: BTreeSet<String>,
}

impl Sum {
    fn add(&mut self, schema: &'static OperatorSchema, case: &Case, model: &Model, to: u32) {
        let Ok(before) = run(model, &case.inputs, Limits::default()) else {
            return;
        };
        let label = format!("{} {} to opset {to}", case.suite, case.name);
        match upgrade(model, &Targets::from([(schema.domain.to_owned(), to)])) {
            Ok(upgraded) => match run(&upgraded.model, &case.inputs, Limits::default()) {
                Ok(after) if before == after || case.random => {
                    self.equal += 1;
                    self.shown.insert(schema.to_string());
                }
                Ok(after) => self.wrong.push(format!("{label}: {before:?} became {after:?}")),
                Err(error) => self.wrong.push(format!("{label}: {error}")),
            },
            Err(UpgradeError::NoAdapter(refusals)) => {
                self.refused.extend(
                    refusals
                        .iter()
                        .map(|refusal| format!("{} to {}", refusal.operator, refusal.to)),
                );
            }
            Err(error) => self.wrong.push(format!("{label}: {error}")),
        }
    }

    #[track_caller]
    fn check(&self) {
        let shown = self
            .wrong
            .iter()
            .take(40)
            .map(|text| text.chars().take(400).collect::<String>());
        let shown = shown.collect::<Vec<_>>().join("\n");
        assert!(self.wrong.is_empty(), "{} wrong:\n{shown}", self.wrong.len());
    }
}

fn cases(schema: &'static OperatorSchema, most: usize) -> Vec<Case> {
    let Ok(mut plan) = plan(schema, 0) else {
        return Vec::new();
    };
    plan.extend(Phase::Option, most);
    plan.draw(most);
    plan.into_cases().into_iter().map(|(_, case)| case).collect()
}

/// All steps that have no adapter for some node, each with the reason.
const REFUSED: &[&str] = &[
    // The defaults of version 1 are those of the element type, which a float cannot represent; from
    // version 11 on this is possible.
    "Clip-1 to 6",
    // Training, which versions 7 to 10 do not have; from version 12 on it is possible.
    "Dropout-6 to 7",
    // Removed types.
    "Erf-9 to 13",
    "ReduceLogSum-18 to 28",
    "ReduceLogSumExp-18 to 28",
    "QuantizeLinear-13 to 19",
    // `tf_half_pixel_for_nn`
    "Resize-11 to 13",
    // `sequence_lens`
    "Scan-8 to 9",
    // TreeEnsemble
    "ai.onnx.ml.TreeEnsembleClassifier-3 to 5",
    "ai.onnx.ml.TreeEnsembleRegressor-3 to 5",
];

#[test]
fn a_converted_model_gives_the_same_outputs() {
    let mut sum = Sum::default();
    for Step { from, to } in steps() {
        let newest = newest_opset(from.domain).unwrap_or(to.since);
        for case in cases(from, MOST) {
            for target in BTreeSet::from([to.since, newest]) {
                sum.add(from, &case, &case.model, target);
            }
        }
    }
    sum.check();
    assert!(sum.equal > 30_000, "{} conversions", sum.equal);
    let refused: BTreeSet<&str> = sum.refused.iter().map(String::as_str).collect();
    assert_eq!(refused, REFUSED.iter().copied().collect());
}

/// Without declared shapes, in a branch, and in a function.
#[test]
fn so_does_one_in_a_body_a_function_or_without_shapes() {
    for form in Form::ALL {
        let mut sum = Sum::default();
        for Step { from, .. } in steps().filter(|step| matches!(step.adapter(), Adapter::Rewritten(_))) {
            let newest = newest_opset(from.domain).unwrap_or(1);
            for case in cases(from, 15) {
                if let Some(model) = formed(&case, form) {
                    sum.add(from, &case, &model, newest);
                }
            }
        }
        sum.check();
        println!("{form:?}: {} equal, refused {:?}", sum.equal, sum.refused);
        assert!(sum.equal > 500, "{form:?}: {} conversions", sum.equal);
    }
}

/// The cases need the adapters: if only the import changes, a case of each rewritten step fails or
/// gives other outputs.
#[test]
fn every_rewrite_is_needed() {
    /// Steps whose old form is accepted, or gives the same, although the schemas differ; each with
    /// the reason.
    const ACCEPTED: &[(&str, &str)] = &[
        ("GRU-1 to 3", "the default that differs is a misspelling"),
        (
            "Resize-11 to 13",
            "the reference takes an empty tensor for an input that is left out",
        ),
        // No generated case needs the adapter; `by_hand.rs` has one.
        ("BatchNormalization-9 to 14", "training"),
        ("Dropout-7 to 10", "a mask"),
        ("GroupNormalization-18 to 21", "version 18 is deprecated"),
        ("Split-1 to 2", "lengths as an input"),
        ("ai.onnx.ml.LabelEncoder-2 to 4", "repeated keys"),
    ];
    let mut idle = BTreeMap::new();
    for step in steps() {
        let Adapter::Rewritten(what) = step.adapter() else {
            continue;
        };
        let differs = |case: &Case| {
            let Ok(before) = run(&case.model, &case.inputs, Limits::default()) else {
                return false;
            };
            let mut raised = case.model.clone();
            raised
                .opset_imports
                .insert(step.from.domain.to_owned(), i64::from(step.to.since));
            run(&raised, &case.inputs, Limits::default()).map_or(true, |after| before != after)
        };
        if !cases(step.from, 200).iter().any(differs) {
            idle.insert(format!("{} to {}", step.from, step.to.since), what);
        }
    }
    for (step, _) in ACCEPTED {
        assert!(idle.remove(*step).is_some(), "{step} is needed");
    }
    assert!(idle.is_empty(), "{idle:#?}");
}

/// A step that the operators mark as a change of meaning has a row, or a case shows that the
/// meaning does not change.
#[test]
fn every_change_of_meaning_is_shown() {
    use onnx_operators::frame::Change;
    let mut open = Vec::new();
    for step in steps().filter(|step| step.adapter() == Adapter::Unchanged) {
        let definition =
            onnx_operators::all().find(|def| (def.domain, def.name) == (step.to.domain, step.to.name));
        let row = definition.and_then(|def| def.versions.iter().find(|row| row.since == step.to.since));
        let changes = row.is_some_and(|row| row.change == Change::Semantics);
        if changes && cases(step.from, MOST).is_empty() {
            open.push(format!("{} to {}", step.from, step.to.since));
        }
    }
    assert!(
        open.is_empty(),
        "no case shows that these keep their meaning: {open:#?}"
    );
}
