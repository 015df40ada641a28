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
    let nothing = crate::cut::Values::new();
    let known = known(&prepared.inputs, &nothing);
    let form = trials.form();
    let alone = part.model.graph.outputs.iter().map(|output| {
        let wanted = std::slice::from_ref(&output.name);
        ((), prepared.cut_as(form, &all, wanted, &known))
    });
    let found = trials.first(alone)?;
    Ok(found.map_or(part, |((), alone)| alone))
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
    let (mut best, mut next) = (part, (0, 0));
    loop {
        let found = trials.first(fewer_attributes(&best, next))?;
        // The attribute that follows now has the place of the removed one.
        match found {
            Some((place, part)) => (next, best) = (place, part),
            None => return Ok(best),
        }
    }
}

/// The models without one attribute, from a node and its attribute on.
fn fewer_attributes(part: &Part, from: (usize, usize)) -> impl Iterator<Item = ((usize, usize), Part)> {
    let nodes = part.model.graph.nodes.iter().enumerate();
    let places = nodes.flat_map(|(node, found)| (0..found.attributes.len()).map(move |place| (node, place)));
    places.filter(move |place| *place >= from).map(|(node, place)| {
        let mut graph = Graph::clone(&part.model.graph);
        if let Some(node) = graph.nodes.get_mut(node) {
            node.attributes.remove(place);
        }
        ((node, place), with_graph(part, graph))
    })
}

/// How a float is simplified.
#[derive(Clone, Copy)]
enum Simple {
    One,
    Rounded,
}

/// Replaces the floats of each tensor by ones, or else rounds them to few digits.
fn values(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let (mut best, mut next) = (part, 0);
    loop {
        let found = trials.first(simpler(&best, next))?;
        match found {
            Some((place, part)) => (next, best) = (place + 1, part),
            None => return Ok(best),
        }
    }
}

/// The models with one simpler tensor, from a place among inputs and initializers on.
fn simpler(part: &Part, from: usize) -> impl Iterator<Item = (usize, Part)> {
    let values = part.inputs.iter().chain(&part.model.graph.initializers);
    let tensors = values.enumerate().skip(from);
    let tensors = tensors.filter_map(|(place, (_, value))| Some((place, value.as_tensor()?)));
    tensors.flat_map(move |(place, tensor)| {
        let forms = [Simple::One, Simple::Rounded].map(|form| simple(tensor, form).ok());
        // A tensor of ones is not rounded.
        let changed = forms
            .into_iter()
            .flatten()
            .take_while(|simple| !simple.same_bits(tensor));
        changed.map(move |simple| (place, replaced(part, place, simple)))
    })
}

/// The model with another tensor in a place among inputs and initializers.
fn replaced(part: &Part, place: usize, tensor: Tensor) -> Part {
    let mut part = part.clone();
    let slot = match place.checked_sub(part.inputs.len()) {
        None => part.inputs.get_mut(place),
        Some(place) => Arc::make_mut(&mut part.model.graph).initializers.get_mut(place),
    };
    if let Some((_, value)) = slot {
        *value = Value::Tensor(tensor);
    }
    part
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
