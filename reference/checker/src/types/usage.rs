//! Lists what a model uses of the specification: every node with its version, types and attributes.

use onnx_model::{Attribute, AttributeValue, Model, Node};
use onnx_schema::{Formal, OperatorSchema, TypeRef, canonical_domain};
use onnx_tensor::ValueType;

use super::{self as types, Attributes, Given, Kind};
use crate::finding::{NodePlace, Sink};
use crate::limits::Limits;

/// The use of an operator by a node.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeUse {
    /// The graph or function that contains the node, as in [`crate::Finding::graph`].
    pub graph: String,
    /// Its name, otherwise its position and outputs.
    pub node: String,
    /// The domain; `""` is ai.onnx.
    pub domain: String,
    pub operator: String,
    /// The version; `None` for a function of the model and for an operator without a schema under the
    /// imports.
    pub since: Option<u32>,
    /// Every input that the signature declares; a variadic one occurs once for each name that the node
    /// lists. Inputs of a node without a version have no parameter names.
    pub inputs: Vec<ParameterUse>,
    /// The outputs, in the same way.
    pub outputs: Vec<ParameterUse>,
    /// The attributes that the node sets, in file order.
    pub attributes: Vec<AttributeUse>,
    /// The declared attributes that it does not set, by name.
    pub absent: Vec<&'static str>,
}

/// An input or output of a [`NodeUse`].
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterUse {
    /// Its name in the schema; empty without a schema.
    pub name: &'static str,
    /// Its type parameter, such as `T`; `None` for a parameter of fixed type.
    pub parameter: Option<&'static str>,
    /// Whether the node lists it with a non-empty name.
    pub given: bool,
    /// Its type, without a shape; `None` if it is absent or cannot be known without running the model.
    pub value_type: Option<ValueType>,
}

/// An attribute of a [`NodeUse`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributeUse {
    pub name: String,
    /// Its value in a canonical form: `3`, `0.5`, `same_upper`, `[1, 2]`, `tensor(float)`, `graph`. A list
    /// of more than sixteen elements ends in `…` and its length. `?` is an unresolved reference.
    pub value: String,
}

/// One entry for every node of the main graph, of the graphs inside it, and of the functions that
/// it calls, once for each combination of input types and attributes of a call. A node with bodies
/// comes after the nodes of its bodies, a call after those of its function.
///
/// The model may be invalid: an unknown operator has no version, and an unknown type is `None`.
///
/// ```
/// # use onnx_model::{Graph, Model, Node};
/// # let node = Node { operator: "Relu".into(), inputs: vec!["x".into()], outputs: vec!["y".into()], ..Node::default() };
/// # let graph = Graph { nodes: vec![node], ..Graph::default() };
/// # let model = Model { ir_version: 8, opset_imports: [(String::new(), 12)].into(), graph: graph.into(), functions: vec![],
/// #     producer_name: String::new(), producer_version: String::new(), oddities: Vec::new() };
/// let uses = onnx_checker::usage(&model);
/// assert_eq!((uses[0].operator.as_str(), uses[0].since), ("Relu", Some(6)));
/// assert_eq!(uses[0].inputs[0].parameter, Some("T"));
/// ```
pub fn usage(model: &Model) -> Vec<NodeUse> {
    // `check` reports the violations of the model.
    types::walk(model, Limits::default(), &mut Sink::new(0), true)
}

/// A node of an operator version.
pub(crate) fn of_operator(
    graph: &str,
    index: usize,
    (schema, node): (&'static OperatorSchema, &Node),
    (inputs, outputs): (&[Kind], &[Kind]),
    attributes: &Attributes,
) -> NodeUse {
    let given = |name: &str| node.attributes.iter().any(|attribute| attribute.name == name);
    NodeUse {
        since: Some(schema.since),
        inputs: parameters(schema.inputs, |at| schema.input(at), &node.inputs, inputs),
        outputs: parameters(schema.outputs, |at| schema.output(at), &node.outputs, outputs),
        absent: schema
            .attributes
            .iter()
            .map(|attribute| attribute.name)
            .filter(|name| !given(name))
            .collect(),
        ..of_unknown(graph, index, node, (&[], &[]), attributes)
    }
}

/// A node without a version.
pub(crate) fn of_unknown(
    graph: &str,
    index: usize,
    node: &Node,
    (inputs, outputs): (&[Kind], &[Kind]),
    attributes: &Attributes,
) -> NodeUse {
    let attribute = |attribute: &Attribute| AttributeUse {
        name: attribute.name.clone(),
        value: match attributes.get(&attribute.name) {
            Some(Given::Value(value)) => text(value),
            Some(Given::Open) | None => "?".to_owned(),
        },
    };
    NodeUse {
        graph: graph.to_owned(),
        node: NodePlace::new(index, node, None).label,
        domain: canonical_domain(&node.domain).to_owned(),
        operator: node.operator.clone(),
        since: None,
        inputs: parameters(&[], |_| None, &node.inputs, inputs),
        outputs: parameters(&[], |_| None, &node.outputs, outputs),
        attributes: node.attributes.iter().map(attribute).collect(),
        absent: Vec::new(),
    }
}

/// One entry for each declared or listed position.
fn parameters(
    declared: &[Formal],
    formal_at: impl Fn(usize) -> Option<&'static Formal>,
    names: &[String],
    kinds: &[Kind],
) -> Vec<ParameterUse> {
    let at = |position: usize| {
        let formal = formal_at(position);
        let given = names.get(position).is_some_and(|name| !name.is_empty());
        ParameterUse {
            name: formal.map_or("", |formal| formal.name),
            parameter: formal.and_then(|formal| match formal.type_ref {
                TypeRef::Constraint(parameter) => Some(parameter),
                TypeRef::Concrete(_) => None,
            }),
            given,
            value_type: kinds.get(position).cloned().flatten().filter(|_| given),
        }
    };
    (0..declared.len().max(names.len())).map(at).collect()
}

/// The maximum number of list elements in the text of a value.
const WRITTEN: usize = 16;

/// The canonical text of a value.
fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Float(value) => format!("{value:?}"),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::String(value) => String::from_utf8_lossy(value).into_owned(),
        AttributeValue::Tensor(value) => format!("tensor({})", value.dtype()),
        AttributeValue::Sparse(value) => format!("sparse_tensor({})", value.values.dtype()),
        AttributeValue::Graph(_) => "graph".to_owned(),
        AttributeValue::Type(value) => value.to_string(),
        AttributeValue::Floats(values) => list(values, |value| format!("{value:?}")),
        AttributeValue::Ints(values) => list(values, i64::to_string),
        AttributeValue::Strings(values) => list(values, |value| String::from_utf8_lossy(value).into_owned()),
        AttributeValue::Tensors(values) => list(values, |value| format!("tensor({})", value.dtype())),
        AttributeValue::Sparses(values) => {
            list(values, |value| format!("sparse_tensor({})", value.values.dtype()))
        }
        AttributeValue::Graphs(values) => list(values, |_| "graph".to_owned()),
        AttributeValue::Types(values) => list(values, ToString::to_string),
        AttributeValue::Reference(_, _) => "?".to_owned(),
    }
}

fn list<T>(values: &[T], text: impl Fn(&T) -> String) -> String {
    let mut texts: Vec<String> = values.iter().take(WRITTEN).map(text).collect();
    if values.len() > WRITTEN {
        texts.push(format!("… ({})", values.len()));
    }
    format!("[{}]", texts.join(", "))
}
