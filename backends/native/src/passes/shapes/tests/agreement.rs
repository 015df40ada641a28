//! Shape rules against those of `onnx-shapes`, on generated operators and networks: as they are, with open
//! extents of inputs, and with inputs that are constants.
#![allow(clippy::print_stdout, reason = "a test that prints what it counted")]

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_generator::Case;
use onnx_model::Model;
use onnx_shapes::{Inference, infer};
use onnx_tensor::{Dim, Value, ValueType};

use super::super::super::infer;
use crate::import::import;
use crate::ir::shape;

/// What the two say of extents.
#[derive(Default)]
struct Counted {
    /// The same number or name.
    equal: usize,
    /// Only `onnx-shapes` knows more than the rank, or the rank.
    more: usize,
    /// Only native knows, by operator.
    less: BTreeMap<String, Vec<String>>,
    /// Contradictions.
    wrong: Vec<String>,
}

/// The model with its tensors as constants.
fn closed(model: &Model, inputs: &[(String, Value)]) -> Model {
    let mut model = onnx_shapes::opened(model);
    let graph = Arc::make_mut(&mut model.graph);
    let tensors = inputs.iter().filter(|(_, value)| value.as_tensor().is_some());
    for (name, value) in tensors {
        graph.inputs.retain(|input| input.name != *name);
        graph.initializers.push((name.clone(), value.clone()));
    }
    model
}

/// What `onnx-shapes` says of the extents of inputs, by the names that the model declares: two may be one.
fn names(model: &Model, inference: &mut Inference) -> BTreeMap<String, Dim> {
    let mut names = BTreeMap::new();
    for input in &model.graph.inputs {
        let declared = input.value_type.as_ref().and_then(|kind| shape(Some(kind)));
        let Some(ValueType::Tensor {
            shape: Some(known), ..
        }) = inference.value_type(&input.name)
        else {
            continue;
        };
        for (dim, known) in declared.unwrap_or_default().iter().zip(known) {
            if let Dim::Named(name) = dim {
                names.insert(name.clone(), known);
            }
        }
    }
    names
}

impl Counted {
    fn extent(&mut self, place: &str, own: &Dim, theirs: &Dim) {
        match (own, theirs) {
            (Dim::Fixed(own), Dim::Fixed(theirs)) if own != theirs => {
                self.wrong
                    .push(format!("{place}: {own}, and {theirs} by onnx-shapes"));
            }
            (own, theirs) if own == theirs => self.equal += 1,
            (Dim::Unknown, _) => self.more += 1,
            (Dim::Named(_), Dim::Fixed(_)) => self.more += 1,
            (Dim::Named(own), Dim::Named(theirs)) => {
                self.wrong
                    .push(format!("{place}: {own}, and {theirs} by onnx-shapes"));
            }
            (own, _) => {
                let operator = place.split('/').next().unwrap_or(place).to_owned();
                self.less
                    .entry(operator)
                    .or_default()
                    .push(format!("{place}: {own:?}"));
            }
        }
    }

    fn output(&mut self, place: &str, own: Option<&[Dim]>, inference: &mut Inference, name: &str) {
        let theirs = match inference.value_type(name) {
            Some(ValueType::Tensor {
                shape: Some(shape), ..
            }) => Some(shape),
            _ => None,
        };
        match (own, theirs) {
            (Some(own), Some(theirs)) if own.len() == theirs.len() => {
                for (own, theirs) in own.iter().zip(&theirs) {
                    self.extent(place, own, theirs);
                }
            }
            (Some(own), Some(theirs)) => {
                self.wrong
                    .push(format!("{place}: {own:?}, and {theirs:?} by onnx-shapes"));
            }
            (None, Some(theirs)) => self.more += theirs.len().max(1),
            (Some(_), None) => self.extent(place, &Dim::Fixed(0), &Dim::Unknown),
            (None, None) => self.equal += 1,
        }
    }

    fn model(&mut self, place: &str, model: &Model) {
        let Ok(imported) = import(model) else { return };
        let mut graph = imported.graph;
        for &id in &graph.outputs {
            graph.values[id.index()].known = None;
        }
        if infer::run(&mut graph).is_err() {
            return;
        }
        let mut inference = infer(model);
        let names = names(model, &mut inference);
        for (&id, output) in graph.outputs.iter().zip(&model.graph.outputs) {
            let renamed = |dim: &Dim| match dim {
                Dim::Named(name) => names.get(name).unwrap_or(dim).clone(),
                other => other.clone(),
            };
            let own = shape(graph.known(id)).map(|dims| dims.iter().map(renamed).collect::<Vec<_>>());
            self.output(place, own.as_deref(), &mut inference, &output.name);
        }
    }

    fn case(&mut self, case: &Case) {
        let place = format!("{}/{}", case.suite, case.name);
        self.model(&format!("{place} as it is"), &case.model);
        self.model(&format!("{place} opened"), &onnx_shapes::opened(&case.model));
        self.model(&format!("{place} closed"), &closed(&case.model, &case.inputs));
    }
}

#[test]
fn the_rules_are_those_of_onnx_shapes() {
    let mut counted = Counted::default();
    let networks = onnx_generator::graphs::graphs(0, 100);
    for case in onnx_generator::cases(0, 6000).into_iter().chain(networks) {
        counted.case(&case);
    }
    let Counted {
        equal,
        more,
        less,
        mut wrong,
    } = counted;
    println!("{equal} extents are equal, {more} are known to onnx-shapes only");
    for (operator, places) in &less {
        println!(
            "{operator}: {} known to native only, as {}",
            places.len(),
            places[0]
        );
    }
    let count = wrong.len();
    wrong.truncate(100);
    assert!(wrong.is_empty(), "{count} contradictions\n{}", wrong.join("\n"));
    assert!(less.is_empty(), "known to native only: {:?}", less.keys());
    assert!(equal > more, "{equal} equal, {more} known to onnx-shapes only");
}
