//! A backend with a fault, for tests: the reference interpreter on a copy of the model with one changed
//! node.
//!
//! `--opt fault=NODE:KIND` gives the node (by its name, or by its first output if it has none) and the kind
//! of change; with `NODE&OTHER:KIND` the node is changed only in models that contain both nodes, as if they
//! were fused. A model without the node is unchanged, like every model with `--opt fault=none`. With
//! `session:stale` no node changes: a session gives the outputs for the first shape of its inputs for every
//! other shape too.
//!
//! `--opt refuses=WHAT` refuses models that lack or have something outside of their nodes ([`Refusal`]),
//! before any fault.

use std::process::{ExitCode, abort};
use std::sync::Arc;
use std::thread::park;

use backend_api::{Backend, BackendError, Description, LoadRequest, Named, Session};
use backend_reference::Reference;
use onnx_model::{AttributeValue, Folder, Graph, Limits, Model, Node, Source};
use onnx_tensor::{Tensor, Value};

/// The variable with the fault of a worker without the option: the program starts the worker of the
/// reference without options.
const REFERENCE: &str = "MOCK_REFERENCE";

mod refusal;

use refusal::Refusal;

/// The backend.
struct Faulty {
    refuses: Option<Refusal>,
    node: String,
    /// Another node that must be present for the fault to occur.
    with: Option<String>,
    kind: String,
    reference: Reference,
}

impl Backend for Faulty {
    fn describe(&self) -> Description {
        Description {
            // With a fault at `nobody` it is another runtime without a fault, and with one at `third` another
            // one with it.
            name: if ["nobody", "third"].contains(&self.node.as_str()) {
                "another"
            } else {
                "faulty"
            }
            .to_owned(),
            version: "1".to_owned(),
            options: self.reference.describe().options,
            ..Description::default()
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        if self.kind.is_empty() && self.refuses.is_none() {
            return self.reference.load(request);
        }
        if self.kind == "stale" {
            let (session, first) = (self.reference.load(request)?, None);
            return Ok(Box::new(Stale { session, first }));
        }
        let folder = request.folder.as_ref().map(Folder::new);
        let source = Source::named("the model");
        let source = folder
            .as_ref()
            .map_or(source, |folder| source.with_external(folder));
        let mut model =
            Model::decode(request.model.clone(), &source, &Limits::default()).map_err(BackendError::load)?;
        if let Some(refusal) = self.refuses {
            refusal.check(&model)?;
        }
        if self.kind.is_empty() {
            return self.reference.load(request);
        }
        let named = |name: &str| model.graph.nodes.iter().any(|node| node.name == name);
        if !self.with.as_deref().is_none_or(named) {
            return self.reference.load(request);
        }
        if !change(Arc::make_mut(&mut model.graph), &self.node, &self.kind)?
            && !change_in_functions(&mut model, &self.node)
        {
            return self.reference.load(request);
        }
        self.reference.load(LoadRequest {
            model: model.encode().into(),
            ..request
        })
    }
}

/// A session that keeps the outputs of its first run for inputs of other shapes.
struct Stale {
    session: Box<dyn Session>,
    /// The shapes of the first inputs, and their outputs.
    first: Option<(Vec<Vec<usize>>, Vec<Named>)>,
}

impl Session for Stale {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let shape = |(_, value): &Named| {
            value
                .as_tensor()
                .map_or_else(Vec::new, |tensor| tensor.shape().to_vec())
        };
        let shapes: Vec<Vec<usize>> = inputs.iter().map(shape).collect();
        match &self.first {
            Some((first, outputs)) if *first != shapes => Ok(outputs.clone()),
            _ => {
                let outputs = self.session.run(inputs)?;
                self.first.get_or_insert_with(|| (shapes, outputs.clone()));
                Ok(outputs)
            }
        }
    }
}

/// Changes the node, in the graph or in a body; returns whether it exists.
fn change(graph: &mut Graph, name: &str, kind: &str) -> Result<bool, BackendError> {
    let Some(place) = graph.nodes.iter().position(|node| node.label() == name) else {
        for node in &mut graph.nodes {
            for attribute in &mut node.attributes {
                if let AttributeValue::Graph(body) = &mut attribute.value
                    && change(Arc::make_mut(body), name, kind)?
                {
                    return Ok(true);
                }
            }
        }
        return Ok(false);
    };
    match kind {
        "abort" => abort(),
        "hang" => loop {
            park();
        },
        "error" => {
            return Err(BackendError::load(format!(
                "cannot compile `{name}` at 0x{:x}",
                std::process::id()
            )));
        }
        "unsupported" => return Err(BackendError::unsupported(format!("node `{name}` has no kernel"))),
        "run-error" => {
            let far = Tensor::scalar(99_i64);
            graph.initializers.push(("far".to_owned(), far.into()));
            graph.nodes.get_mut(place).into_iter().for_each(cannot_run);
        }
        "nan" => not_a_number(graph, place),
        "constant" => constant(graph, place),
        "attribute" => graph.nodes.get_mut(place).into_iter().for_each(attribute),
        "swap" => graph
            .nodes
            .get_mut(place)
            .into_iter()
            .for_each(|node| node.inputs.swap(0, 1)),
        other => return Err(BackendError::load(format!("the mock has no fault `{other}`"))),
    }
    Ok(true)
}

/// Changes an attribute of the node in a function; returns whether it exists.
fn change_in_functions(model: &mut Model, name: &str) -> bool {
    let nodes = model
        .functions
        .iter_mut()
        .flat_map(|function| &mut Arc::make_mut(function).nodes);
    let mut named = nodes.filter(|node| node.name == name);
    named.next().map(attribute).is_some()
}

/// Replaces the first constant among the inputs of the node by other values under a new name.
fn constant(graph: &mut Graph, place: usize) {
    let Some(node) = graph.nodes.get_mut(place) else {
        return;
    };
    for input in &mut node.inputs {
        let known = graph.initializers.iter().find(|(name, _)| name == input);
        if let Some((_, Value::Tensor(Tensor::Float(array)))) = known {
            let wrong = Tensor::from(array.mapv(|x| 1.5 * x + 0.25));
            let name = format!("{input}_wrong");
            graph.initializers.push((name.clone(), wrong.into()));
            *input = name;
            return;
        }
    }
}

/// Reads element 99 of a vector of one element in place of the node, which fails in a run.
fn cannot_run(node: &mut Node) {
    node.operator = "Gather".to_owned();
    node.attributes.clear();
    let first = node.inputs.first().cloned().unwrap_or_default();
    node.inputs = vec![first, "far".to_owned()];
}

/// Divides zero by zero in place of the node.
fn not_a_number(graph: &mut Graph, place: usize) {
    let Some(node) = graph.nodes.get_mut(place) else {
        return;
    };
    let Some(first) = node.inputs.first().cloned() else {
        return;
    };
    let zero = format!("{}_zero", node.label());
    let difference = Node {
        operator: "Sub".to_owned(),
        inputs: vec![first.clone(), first],
        outputs: vec![zero.clone()],
        ..Node::default()
    };
    node.operator = "Div".to_owned();
    node.attributes.clear();
    node.inputs = vec![zero.clone(), zero];
    graph.nodes.insert(place, difference);
}

/// Changes the first number among the attributes.
fn attribute(node: &mut Node) {
    for attribute in &mut node.attributes {
        match &mut attribute.value {
            AttributeValue::Float(value) => *value = 1.5 * *value + 0.25,
            AttributeValue::Int(value) => *value = 1 - *value,
            AttributeValue::Ints(values) => values.reverse(),
            _ => continue,
        }
        return;
    }
}

fn main() -> ExitCode {
    backend_api::serve(|mut options| {
        let named = std::env::var(REFERENCE).unwrap_or_default();
        let fault = options.take::<String>("fault", "NODE:KIND")?.unwrap_or(named);
        let refuses = options.take::<Refusal>(
            "refuses",
            "stale, no-output-shape, no-inner-shape, symbol, dead-node or import",
        )?;
        let (node, kind) = fault.rsplit_once(':').unwrap_or(("", ""));
        let (node, with) = match node.split_once('&') {
            Some((node, with)) => (node, Some(with.to_owned())),
            None => (node, None),
        };
        Ok(Faulty {
            refuses,
            node: node.to_owned(),
            with,
            kind: kind.to_owned(),
            // Other arguments are options of the reference.
            reference: Reference::from_options(options)?,
        })
    })
}
