//! Generated cases of the operators that ONNX Runtime adds, beside the reference: over their types,
//! attributes and options, as the model is, without passes, and with all inputs but the first as
//! initializers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backend_api::{BackendError, Named};
use backend_native::Settings;
use onnx_interpreter::{Limits, Radius, run_bounded};
use onnx_model::Model;
use onnx_tensor::{DType, Value};

use super::near::within;
use super::{native, numbers, untouched};

/// Operators of the generator that native does not run, each with the reason.
const MISSING: &[(&str, &str)] = &[
    (
        "BifurcationDetector",
        "a search in lists of words, without a kernel",
    ),
    ("NGramRepeatBlock", "a search in lists of words, without a kernel"),
    (
        "Tokenizer",
        "its expressions match as much as possible, as no crate of native does",
    ),
];

/// Operators of which the reference refuses right answers, each with the reason.
const DISPUTED: &[(&str, &str)] = &[
    (
        "LayerNormalization-1",
        "the result has the type of the scale (V), not that of X",
    ),
    (
        "QLinearLeakyRelu",
        "the bound leaves out the rounding of alpha · x, where it decides between two steps",
    ),
];

fn is_listed(list: &[(&str, &str)], operator: &str) -> bool {
    list.iter().any(|(name, _)| operator.contains(name))
}

/// Compares the outputs with those of the reference.
fn compared(found: &[Named], exact: &[(String, Value, Radius)]) -> Result<(), String> {
    if found.len() != exact.len() {
        return Err(format!("{} outputs instead of {}", found.len(), exact.len()));
    }
    for ((_, found), (name, exact, radius)) in found.iter().zip(exact) {
        match within(found, exact, radius) {
            Some(Err(problem)) => return Err(format!("`{name}`: {problem}")),
            Some(Ok(())) => {}
            None => near(found, exact).map_err(|problem| format!("`{name}`: {problem}"))?,
        }
    }
    Ok(())
}

/// Compares an output without a bound with the largest element.
fn near(found: &Value, exact: &Value) -> Result<(), String> {
    let (Value::Tensor(found), Value::Tensor(exact)) = (found, exact) else {
        return if found == exact {
            Ok(())
        } else {
            Err("another value".to_owned())
        };
    };
    let (Some(ours), Some(theirs)) = (numbers(found), numbers(exact)) else {
        return if found == exact {
            Ok(())
        } else {
            Err("another tensor".to_owned())
        };
    };
    let largest = theirs.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
    // A mask of -10000 leaves steps of 2⁻¹⁰ to scores in float, so a weight can be off by 0.1 %.
    let halves = [DType::Float16, DType::Bfloat16].contains(&exact.dtype());
    let allowed = if halves { 2e-2 } else { 2e-3 } * largest;
    let far = ours
        .iter()
        .zip(&theirs)
        .position(|(x, y)| (x - y).abs() > allowed || x.is_nan() != y.is_nan());
    match far {
        Some(at) => Err(format!(
            "element {at} is {}, not {} (no bound)",
            ours[at], theirs[at]
        )),
        None => Ok(()),
    }
}

/// The model with all inputs but the first as initializers, and the input that remains.
fn with_constants(model: &Model, inputs: &[Named]) -> (Model, Vec<Named>) {
    let (first, rest) = inputs.split_at(inputs.len().min(1));
    let mut model = model.clone();
    let graph = Arc::make_mut(&mut model.graph);
    graph
        .inputs
        .retain(|input| first.iter().any(|(name, _)| *name == input.name));
    graph.initializers.extend(rest.iter().cloned());
    (model, first.to_vec())
}

/// What happened to the cases of an operator.
#[derive(Default)]
struct Tally {
    held: usize,
    wrong: BTreeSet<String>,
    refused: BTreeSet<String>,
}

fn check_share(share: usize, shares: usize) {
    let mut operators: BTreeMap<String, Tally> = BTreeMap::new();
    for case in onnx_generator::contrib_cases(43, 4000)
        .into_iter()
        .skip(share)
        .step_by(shares)
    {
        let Ok(exact) = run_bounded(&case.model, &case.inputs, Limits::default()) else {
            continue;
        };
        let tally = operators.entry(case.suite.clone()).or_default();
        let (constant, first) = with_constants(&case.model, &case.inputs);
        let runs = [
            ("as it is", native(Settings::default(), &case.model, &case.inputs)),
            ("without passes", native(untouched(), &case.model, &case.inputs)),
            ("with constants", native(Settings::default(), &constant, &first)),
        ];
        for (how, outcome) in runs {
            match outcome {
                Ok(found) => match compared(&found, &exact) {
                    Ok(()) => tally.held += 1,
                    Err(problem) => drop(tally.wrong.insert(format!("{} {how}: {problem}", case.name))),
                },
                Err(BackendError::Unsupported { message, .. }) => drop(tally.refused.insert(message)),
                Err(error) => drop(tally.wrong.insert(format!("{} {how}: {error}", case.name))),
            }
        }
    }
    let mut problems = Vec::new();
    for (operator, tally) in &operators {
        let missing = is_listed(MISSING, operator);
        let wrong = tally
            .wrong
            .iter()
            .filter(|_| !is_listed(DISPUTED, operator))
            .take(3);
        problems.extend(wrong.map(|problem| format!("{operator}: {problem}")));
        if missing == (tally.held > 0) {
            let reasons: Vec<&String> = tally.refused.iter().take(2).collect();
            problems.push(format!("{operator}: {} held, refused: {reasons:?}", tally.held));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(operators.len() > 60, "{} operators", operators.len());
}

#[test]
fn generated_cases_agree_with_the_reference_first_half() {
    check_share(0, 2);
}

#[test]
fn generated_cases_agree_with_the_reference_second_half() {
    check_share(1, 2);
}
