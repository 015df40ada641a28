//! The inner graph of a node as a model: the nodes of a function, of the selected branch of an If, of
//! the iterations of a Loop or Scan.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use backend_api::Named;
use ndarray::Axis;
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

use crate::InvestigateError;
use crate::cut::Part;
use crate::graphs::reads;
use crate::runner::{RunRequest, Runner};

/// The maximum number of iterations that are inlined.
const ITERATIONS: usize = 64;

/// An inner graph of a node with the values of its inputs.
pub(crate) struct Opened {
    /// Which inner graph: `function`, `then_branch`, `iteration 3`.
    pub place: String,
    /// Its nodes as a model.
    pub part: Part,
}

/// The inner graphs of the only node of `part`, in the order of execution. Empty if it has none, or if
/// their values are unknown.
///
/// # Errors
/// A reference cannot be started again, or the command is interrupted.
pub(crate) fn open(part: &Part, reference: &mut Runner) -> Result<Vec<Opened>, InvestigateError> {
    let [node] = part.model.graph.nodes.as_slice() else {
        return Ok(Vec::new());
    };
    if let Some(function) = function(&part.model, node) {
        return Ok(vec![call(part, node, function)]);
    }
    if !node.domain.is_empty() {
        return Ok(Vec::new());
    }
    match node.operator.as_str() {
        "If" => Ok(branch(part, node).into_iter().collect()),
        "Loop" => iterate(part, &looping(part, node), reference),
        "Scan" => iterate(part, &scanning(part, node), reference),
        _ => Ok(Vec::new()),
    }
}

fn function<'m>(model: &'m Model, node: &Node) -> Option<&'m Arc<Function>> {
    let same = |function: &&Arc<Function>| {
        function.name == node.operator
            && onnx_schema::canonical_domain(&function.domain) == onnx_schema::canonical_domain(&node.domain)
            && function.overload == node.overload
    };
    model.functions.iter().find(same)
}

/// The value of a name in a part.
fn value<'p>(part: &'p Part, name: &str) -> Option<&'p Value> {
    let fed = part
        .inputs
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value);
    fed.or_else(|| part.model.graph.initializer(name))
}

/// Maps the names in a function to names in the caller.
fn names(node: &Node, function: &Function) -> HashMap<String, String> {
    // Inner names get a prefix, so that they differ from all outer names.
    let inner = function
        .nodes
        .iter()
        .flat_map(|node| &node.outputs)
        .filter(|name| !name.is_empty());
    let mut names: HashMap<String, String> = inner
        .map(|name| (name.clone(), format!("{}/{name}", node.label())))
        .collect();
    // An input that the call omits is omitted in the function.
    names.extend(
        function
            .inputs
            .iter()
            .map(|formal| (formal.clone(), String::new())),
    );
    let pair = |(formal, actual): (&String, &String)| (formal.clone(), actual.clone());
    names.extend(function.inputs.iter().zip(&node.inputs).map(pair));
    let wanted = function
        .outputs
        .iter()
        .zip(&node.outputs)
        .filter(|(_, actual)| !actual.is_empty());
    names.extend(wanted.map(pair));
    names
}

/// The nodes of a function with the names and attributes of the call.
fn call(part: &Part, node: &Node, function: &Function) -> Opened {
    let names = names(node, function);
    let given = |name: &str| {
        let defaults = function.attribute_defaults.iter();
        node.attributes
            .iter()
            .chain(defaults)
            .find(|attribute| attribute.name == name)
            .map(|found| &found.value)
    };
    let nodes = function
        .nodes
        .iter()
        .map(|inner| renamed(inner, &names, &given))
        .collect();
    let graph = Graph {
        nodes,
        ..Graph::clone(&part.model.graph)
    };
    let mut imports = part.model.opset_imports.clone();
    imports.extend(function.opset_imports.clone());
    Opened {
        place: "function".to_owned(),
        part: Part {
            model: Model {
                graph: Arc::new(graph),
                opset_imports: imports,
                ..part.model.clone()
            },
            inputs: part.inputs.clone(),
        },
    }
}

/// A node of a function with other names and with the attributes that it refers to.
fn renamed<'f>(
    node: &Node,
    names: &HashMap<String, String>,
    given: &dyn Fn(&str) -> Option<&'f AttributeValue>,
) -> Node {
    let name = |name: &String| names.get(name).unwrap_or(name).clone();
    let attribute = |attribute: &Attribute| {
        let value = match &attribute.value {
            AttributeValue::Reference(of) => given(of)?.clone(),
            AttributeValue::Graph(body) => AttributeValue::Graph(Arc::new(renamed_graph(body, names, given))),
            other => other.clone(),
        };
        Some(Attribute {
            name: attribute.name.clone(),
            value,
        })
    };
    Node {
        inputs: node.inputs.iter().map(name).collect(),
        outputs: node.outputs.iter().map(name).collect(),
        attributes: node.attributes.iter().filter_map(attribute).collect(),
        ..node.clone()
    }
}

fn renamed_graph<'f>(
    body: &Graph,
    names: &HashMap<String, String>,
    given: &dyn Fn(&str) -> Option<&'f AttributeValue>,
) -> Graph {
    let mut body = body.clone();
    body.nodes = body
        .nodes
        .iter()
        .map(|node| renamed(node, names, given))
        .collect();
    for output in &mut body.outputs {
        if let Some(actual) = names.get(&output.name) {
            output.name.clone_from(actual);
        }
    }
    body
}

/// The selected branch of an If.
fn branch(part: &Part, node: &Node) -> Option<Opened> {
    let condition = value(part, node.inputs.first()?)?.as_tensor()?;
    let Tensor::Bool(condition) = condition else {
        return None;
    };
    let place = if *condition.iter().next()? {
        "then_branch"
    } else {
        "else_branch"
    };
    let AttributeValue::Graph(body) = node.attribute(place)? else {
        return None;
    };
    Some(Opened {
        place: place.to_owned(),
        part: body_part(part, body, Vec::new()),
    })
}

/// A body as a main graph, with values for its inputs and its outer names.
fn body_part(part: &Part, body: &Graph, fed: Vec<Named>) -> Part {
    let mut inputs = fed;
    let inside: Vec<String> = body.nodes.iter().flat_map(reads).collect();
    inputs.extend(
        part.inputs
            .iter()
            .filter(|(name, _)| inside.contains(name))
            .cloned(),
    );
    let typed = |(name, value): &Named| ValueInfo {
        name: name.clone(),
        value_type: Some(value.value_type()),
    };
    let mut initializers = body.initializers.clone();
    initializers.extend(part.model.graph.initializers.iter().cloned());
    let graph = Graph {
        inputs: inputs.iter().map(typed).collect(),
        initializers,
        ..body.clone()
    };
    Part {
        model: Model {
            graph: Arc::new(graph),
            ir_version: part.model.ir_version.max(4),
            ..part.model.clone()
        },
        inputs,
    }
}

/// The iterations of a body.
#[derive(Default)]
struct Repeated {
    /// The body.
    body: Option<Arc<Graph>>,
    /// Values of body inputs for each iteration, in order; carried values only for the first.
    first: Vec<Named>,
    /// The values that iteration number N adds, by the position of the body input.
    each: Vec<BTreeMap<usize, Value>>,
    /// Body outputs that become body inputs of the next iteration: (output, input).
    carried: Vec<(usize, usize)>,
    /// The body output that determines whether a next iteration follows.
    goes_on: Option<usize>,
}

fn looping(part: &Part, node: &Node) -> Repeated {
    let Some(AttributeValue::Graph(body)) = node.attribute("body") else {
        return Repeated::default();
    };
    let number = |name: &String| match value(part, name)?.as_tensor()? {
        Tensor::Int64(count) => usize::try_from(*count.iter().next()?).ok(),
        _ => None,
    };
    let count = node
        .inputs
        .first()
        .filter(|name| !name.is_empty())
        .map_or(Some(ITERATIONS), number);
    let states: Option<Vec<Value>> = node
        .inputs
        .iter()
        .skip(2)
        .map(|name| value(part, name).cloned())
        .collect();
    let (Some(count), Some(states)) = (count, states) else {
        return Repeated::default();
    };
    let names = body.inputs.iter().map(|info| info.name.clone());
    let start = [Tensor::scalar(0_i64).into(), Tensor::scalar(true).into()];
    let each = (0..count.min(ITERATIONS))
        .map(|index| BTreeMap::from([(0, Tensor::scalar(i64::try_from(index).unwrap_or(i64::MAX)).into())]));
    let count = states.len();
    Repeated {
        first: names.zip(start.into_iter().chain(states)).collect(),
        each: each.collect(),
        carried: (0..count).map(|state| (state + 1, state + 2)).collect(),
        goes_on: Some(0),
        body: Some(Arc::clone(body)),
    }
}

/// Supports only scans along the first axis, forward.
fn scanning(part: &Part, node: &Node) -> Repeated {
    let (Some(AttributeValue::Graph(body)), Some(AttributeValue::Int(count))) =
        (node.attribute("body"), node.attribute("num_scan_inputs"))
    else {
        return Repeated::default();
    };
    let plain = ["scan_input_axes", "scan_input_directions"]
        .iter()
        .all(|name| match node.attribute(name) {
            Some(AttributeValue::Ints(values)) => values.iter().all(|value| *value == 0),
            _ => true,
        });
    let old = part.model.opset_imports.get("").is_some_and(|opset| *opset < 9);
    let values: Option<Vec<Value>> = node
        .inputs
        .iter()
        .map(|name| value(part, name).cloned())
        .collect();
    let states = usize::try_from(*count)
        .ok()
        .and_then(|count| node.inputs.len().checked_sub(count));
    let (true, false, Some(values), Some(states)) = (plain, old, values, states) else {
        return Repeated::default();
    };
    let (carried, scanned) = values.split_at(states);
    let steps = scanned
        .first()
        .and_then(Value::as_tensor)
        .and_then(|tensor| tensor.shape().first().copied());
    let each = (0..steps.unwrap_or(0).min(ITERATIONS)).map(|index| {
        let slices = scanned.iter().enumerate();
        slices
            .filter_map(|(at, value)| Some((states + at, slice(value.as_tensor()?, index).ok()?.into())))
            .collect()
    });
    let names = body.inputs.iter().map(|info| info.name.clone());
    Repeated {
        first: names.zip(carried.iter().cloned()).collect(),
        each: each.collect(),
        carried: (0..states).map(|state| (state, state)).collect(),
        goes_on: None,
        body: Some(Arc::clone(body)),
    }
}

fn slice(tensor: &Tensor, index: usize) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let array = tensor.array::<T>()?;
        Ok(Tensor::from(array.index_axis(Axis(0), index).to_owned().into_shared()))
    })
}

/// Each iteration, with the values that the reference computes for carried inputs.
fn iterate(
    part: &Part,
    repeated: &Repeated,
    reference: &mut Runner,
) -> Result<Vec<Opened>, InvestigateError> {
    let Some(body) = &repeated.body else {
        return Ok(Vec::new());
    };
    let names: Vec<&String> = body.inputs.iter().map(|info| &info.name).collect();
    let mut state: BTreeMap<usize, Value> = BTreeMap::new();
    for (name, value) in &repeated.first {
        if let Some(position) = names.iter().position(|known| *known == name) {
            state.insert(position, value.clone());
        }
    }
    let mut opened = Vec::new();
    for (number, each) in repeated.each.iter().enumerate() {
        state.extend(each.iter().map(|(position, value)| (*position, value.clone())));
        let fed = names.iter().enumerate();
        let fed = fed.filter_map(|(position, name)| Some(((*name).clone(), state.get(&position)?.clone())));
        let part = body_part(part, body, fed.collect());
        let request = RunRequest {
            model: part.model.encode().into(),
            files: Vec::new(),
            inputs: part.inputs.clone(),
        };
        opened.push(Opened {
            place: format!("iteration {number}"),
            part,
        });
        let Ok(outputs) = reference.run(&request)? else {
            break;
        };
        let output = |position: usize| outputs.values.get(position).map(|(_, value)| value);
        let stops = |value: &Value| matches!(value, Value::Tensor(Tensor::Bool(goes)) if !goes.iter().all(|goes| *goes));
        if repeated.goes_on.and_then(output).is_some_and(stops) {
            break;
        }
        let next = repeated.carried.iter();
        let next: Vec<(usize, Value)> = next
            .filter_map(|(from, to)| Some((*to, output(*from)?.clone())))
            .collect();
        state.extend(next);
    }
    Ok(opened)
}
