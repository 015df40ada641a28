//! Removes outputs and attributes, and simplifies values.

use std::sync::Arc;

use onnx_model::{Graph, Model};
use onnx_tensor::{Float, Tensor, TensorError, Value, dispatch};

use super::trials::Trials;
use crate::InvestigateError;
use crate::cut::{Part, Prepared};
use crate::locate::known;

/// Removes outputs and attributes and simplifies values while the failure persists.
pub(super) fn reduce(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let part = outputs(part, trials)?;
    let part = attributes(part, trials)?;
    values(part, trials)
}

/// Keeps one output.
fn outputs(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    if part.model.graph.outputs.len() < 2 {
        return Ok(part);
    }
    let prepared = Prepared::new(&part.model, &part.inputs);
    let all: Vec<usize> = (0..prepared.len()).collect();
    for output in &part.model.graph.outputs {
        let nothing = crate::cut::Values::new();
        let alone = prepared.cut(
            &all,
            std::slice::from_ref(&output.name),
            &known(&prepared.inputs, &nothing),
        );
        if trials.fails(&alone)? {
            return Ok(alone);
        }
    }
    Ok(part)
}

fn with_graph(part: &Part, graph: Graph) -> Part {
    Part {
        model: Model {
            graph: Arc::new(graph),
            ..part.model.clone()
        },
        inputs: part.inputs.clone(),
    }
}

/// Removes attributes that the failure does not need.
fn attributes(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let mut best = part;
    for node in 0..best.model.graph.nodes.len() {
        let mut place = 0;
        while best
            .model
            .graph
            .nodes
            .get(node)
            .is_some_and(|node| place < node.attributes.len())
        {
            let mut graph = Graph::clone(&best.model.graph);
            if let Some(node) = graph.nodes.get_mut(node) {
                node.attributes.remove(place);
            }
            let part = with_graph(&best, graph);
            match trials.fails(&part)? {
                true => best = part,
                false => place += 1,
            }
        }
    }
    Ok(best)
}

/// How a float is simplified.
#[derive(Clone, Copy)]
enum Simple {
    One,
    Rounded,
}

/// Replaces the floats of each tensor by ones, or else rounds them to few digits.
fn values(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let mut best = part;
    let inputs = best.inputs.len();
    for place in 0..inputs + best.model.graph.initializers.len() {
        for form in [Simple::One, Simple::Rounded] {
            let mut part = best.clone();
            let graph = Arc::make_mut(&mut part.model.graph);
            let slot = match place.checked_sub(inputs) {
                None => part.inputs.get_mut(place),
                Some(place) => graph.initializers.get_mut(place),
            };
            let Some((_, Value::Tensor(tensor))) = slot else {
                continue;
            };
            let Ok(simple) = simple(tensor, form) else {
                continue;
            };
            if simple.same_bits(tensor) {
                break;
            }
            *tensor = simple;
            if trials.fails(&part)? {
                best = part;
                break;
            }
        }
    }
    Ok(best)
}

fn simple(tensor: &Tensor, form: Simple) -> Result<Tensor, TensorError> {
    fn one<T: Float>(x: T, form: Simple) -> T {
        match form {
            Simple::One => T::ONE,
            Simple::Rounded => T::from_f64((x.to_f64() * 8.0).round() / 8.0),
        }
    }
    dispatch!(float, tensor.dtype(), T => Ok(Tensor::from(tensor.array::<T>()?.mapv(|x| one::<T>(x, form)))))
}
