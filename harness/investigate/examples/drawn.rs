//! Which operators the reference runs on inputs that are drawn:
//! `cargo run -p harness-investigate --example drawn -- target/debug/onnx-worker-reference [CASES]`
//!
//! Every operand of a generated case is an input of the model, as in an export without constants: axes,
//! shapes, pads, counts, lengths. Each case is tried with its extents and with names in their place. A
//! refusal, or outputs in which nothing differs, has a line for each operator; a last line counts.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use backend_api::protocol::External;
use harness_console::outln;
use harness_investigate::InvestigateError;
use harness_investigate::inputs::{Answered, Drawn, Request, answered};
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_worker::{Cancel, WorkerSpec};
use onnx_generator::{Case, cases, contrib_cases};
use onnx_model::{Model, ValueInfo};
use onnx_shapes::opened;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("usage: drawn REFERENCE [CASES]")?;
    let most = arguments.next().map_or(Ok(3000), |most| most.parse())?;
    let spec = WorkerSpec::new("reference", program);
    let mut reference = Runner::start(spec, Cancel::on_signals()?, Duration::from_secs(20))?;
    let mut lines: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let (mut models, mut answers, mut full) = (0, 0, 0);
    for case in cases(11, most).into_iter().chain(contrib_cases(11, most / 3)) {
        let fixed = without_constants(&case);
        for (form, model) in [("named", opened(&fixed)), ("fixed", fixed)] {
            if std::env::var("FORM").is_ok_and(|only| only != form) {
                continue;
            }
            models += 1;
            let problem = match asked(model, &mut reference)? {
                Ok(is_constant) => {
                    answers += 1;
                    full += usize::from(!is_constant);
                    if !is_constant || own_is_constant(&case, &mut reference)? {
                        continue;
                    }
                    "every output has one value".to_owned()
                }
                Err(reason) => reason,
            };
            let place = format!("{} ({form}): {problem}", case.name);
            let words: String = problem
                .chars()
                .filter(|letter| !letter.is_ascii_digit())
                .take(60)
                .collect();
            lines.entry((case.suite.clone(), words)).or_default().push(place);
        }
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    for ((operator, _), places) in lines {
        outln(format_args!("{:4} {operator}: {}", places.len(), places[0]))?;
    }
    outln(format_args!(
        "{models} models: {answers} have an answer, in {full} of them something differs"
    ))?;
    Ok(())
}

/// The case with an input in place of each constant.
fn without_constants(case: &Case) -> Model {
    let mut model = case.model.clone();
    let graph = Arc::make_mut(&mut model.graph);
    for (name, value) in std::mem::take(&mut graph.initializers) {
        if graph.inputs.iter().all(|input| input.name != name) {
            graph.inputs.push(ValueInfo {
                name,
                value_type: Some(value.value_type()),
            });
        }
    }
    model
}

/// Whether all elements of each output are equal for the inputs of the case.
fn own_is_constant(case: &Case, reference: &mut Runner) -> Result<bool, Box<dyn Error>> {
    let outputs = reference.run(&RunRequest {
        model: case.model.encode().into(),
        external: External::default(),
        inputs: case.inputs.clone(),
    })?;
    let answered = Answered {
        drawn: Drawn::default(),
        outputs: outputs.map(|outputs| outputs.values),
        refused: None,
    };
    Ok(answered.outputs.is_err() || answered.is_constant())
}

/// Whether all elements of each output are equal, or why there are no outputs.
fn asked(model: Model, reference: &mut Runner) -> Result<Result<bool, String>, Box<dyn Error>> {
    let subject = Subject {
        path: "case".into(),
        name: "case".to_owned(),
        bytes: model.encode().into(),
        model,
        external: External::default(),
        stored: Vec::new(),
        unfit: None,
    };
    match answered(&subject, &Request::default(), reference) {
        Ok(answered) => {
            let is_constant = answered.is_constant();
            Ok(answered
                .outputs
                .map(|_| is_constant)
                .map_err(|refusal| refusal.reason))
        }
        Err(error @ InvestigateError::Input { .. }) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}
