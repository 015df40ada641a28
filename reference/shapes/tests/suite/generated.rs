//! Every generated case, in three forms, against the values of the reference: as it is, with open extents
//! of all inputs, and with all inputs as constants.
#![allow(clippy::print_stdout, reason = "a test that prints what it counted")]

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_generator::{Case, cases, contrib_cases};
use onnx_model::{Graph, Model};
use onnx_shapes::{Agreement, Run, Wishes, infer, opened, solve};
use onnx_tensor::Value;

use crate::reference::run;

/// Every tensor that is an input is a constant.
fn constant(model: &Model, inputs: &[(String, Value)]) -> Model {
    let opened = opened(model);
    let mut graph = Graph::clone(&opened.graph);
    let tensors: Vec<_> = inputs
        .iter()
        .filter(|(_, value)| matches!(value, Value::Tensor(_)))
        .cloned()
        .collect();
    graph
        .inputs
        .retain(|input| !tensors.iter().any(|(name, _)| *name == input.name));
    graph.initializers.extend(tensors);
    Model {
        graph: Arc::new(graph),
        ..opened
    }
}

#[derive(Default)]
struct Counted {
    cases: usize,
    refused: usize,
    agreement: BTreeMap<&'static str, Agreement>,
    /// Extents that are not known, by operator, where all inputs are constants.
    open: BTreeMap<String, usize>,
    /// Cases for which other extents are found.
    unlike: usize,
    wrong: Vec<String>,
}

impl Counted {
    fn form(&mut self, form: &'static str, place: &str, model: &Model, run: &Run<'_>) {
        let mut inference = infer(model);
        let mut wrong = inference
            .findings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        match inference.agrees(run) {
            Ok(agreement) => {
                let sum = self.agreement.entry(form).or_default();
                sum.extents += agreement.extents;
                sum.exact += agreement.exact;
                if form == "constant" && agreement.exact < agreement.extents {
                    let operator = place.split('/').next().unwrap_or(place);
                    *self.open.entry(operator.to_owned()).or_default() += agreement.extents - agreement.exact;
                }
            }
            Err(text) => wrong.push(text),
        }
        self.wrong
            .extend(wrong.into_iter().map(|text| format!("{place} ({form}): {text}")));
    }

    /// The extents of the case are a solution of the conditions.
    fn solved(&mut self, place: &str, case: &Case) {
        let model = opened(&case.model);
        let extents: BTreeMap<String, Vec<i64>> = case
            .inputs
            .iter()
            .filter_map(|(name, value)| {
                let extents = value.as_tensor()?.shape().iter().map(|&extent| extent as i64);
                Some((name.clone(), extents.collect()))
            })
            .collect();
        let axes = extents.iter().flat_map(|(name, extents)| {
            let axes = extents.iter().enumerate();
            axes.map(move |(axis, &extent)| ((name.clone(), axis), extent))
        });
        let wishes = Wishes {
            preferred: axes.collect(),
            ..Wishes::default()
        };
        // An extent of 0 is avoided where others are possible.
        if extents.values().flatten().any(|&extent| extent == 0) {
            return;
        }
        match solve(&model, &infer(&model), &wishes) {
            Ok(solution) => {
                let same = solution
                    .extents
                    .iter()
                    .all(|(name, found)| extents.get(name).is_none_or(|own| own == found));
                self.unlike += usize::from(!same);
            }
            Err(error) => self.wrong.push(format!("{place}: {error}")),
        }
    }

    fn case(&mut self, case: &Case) {
        self.cases += 1;
        let Some(values) = run(&case.model, &case.inputs) else {
            self.refused += 1;
            return;
        };
        let run = Run {
            inputs: &case.inputs,
            values: &values,
        };
        let place = format!("{}/{}", case.suite, case.name);
        self.form("given", &place, &case.model, &run);
        self.form("open", &place, &opened(&case.model), &run);
        self.solved(&place, case);
        self.form("constant", &place, &constant(&case.model, &case.inputs), &run);
    }

    fn finish(self) {
        let share = |agreement: &Agreement| 100.0 * agreement.exact as f64 / agreement.extents.max(1) as f64;
        println!("{} cases, {} refused by the reference", self.cases, self.refused);
        for (form, agreement) in &self.agreement {
            println!(
                "{form}: {:.2} % of {} extents exact",
                share(agreement),
                agreement.extents
            );
        }
        println!(
            "other extents than those of the case are found for {} cases",
            self.unlike
        );
        let mut open: Vec<_> = self.open.into_iter().collect();
        open.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        println!("open although all inputs are constants: {open:?}");
        let count = self.wrong.len();
        let first: Vec<String> = self.wrong.into_iter().take(200).collect();
        assert!(first.is_empty(), "{count} contradictions\n{}", first.join("\n"));
    }
}

/// The number of cases; more with ONNX_SHAPES_CASES.
fn most() -> usize {
    let given = std::env::var("ONNX_SHAPES_CASES")
        .ok()
        .and_then(|most| most.parse().ok());
    given.unwrap_or(6000)
}

fn hold(cases: &[Case]) {
    let mut counted = Counted::default();
    cases.iter().for_each(|case| counted.case(case));
    counted.finish();
}

#[test]
fn generated_cases_hold() {
    hold(&cases(0, most()));
}

#[test]
fn generated_cases_of_the_runtime_hold() {
    hold(&contrib_cases(0, most()));
}
