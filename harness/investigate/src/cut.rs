//! Extracts parts of a model as models.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use backend_api::Named;
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{Value, ValueType};

use crate::form::Form;
use crate::graphs::{defines, reads};

/// A model prepared for extraction: nodes in topological order without dead nodes, no inputs with a
/// default, and the values of the inputs.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model.
    pub model: Model,
    pub inputs: Vec<Named>,
    /// For each node, the names that it reads from the graph.
    reads: Vec<Vec<String>>,
    /// Element types, where they follow from the model.
    types: HashMap<String, ValueType>,
}

impl Prepared {
    /// Prepares a model with the values of its inputs.
    pub fn new(model: &Model, inputs: &[Named]) -> Prepared {
        let mut graph = Graph::clone(&model.graph);
        let fed: HashSet<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        // A given value replaces the default.
        graph
            .initializers
            .retain(|(name, _)| !fed.contains(name.as_str()));
        let types = types(model);
        graph.nodes = needed(&graph.outputs, ordered(std::mem::take(&mut graph.nodes)));
        let reads = graph.nodes.iter().map(reads).collect();
        Prepared {
            model: Model {
                graph: Arc::new(graph),
                ..model.clone()
            },
            inputs: inputs.to_vec(),
            reads,
            types,
        }
    }

    /// The number of nodes of the main graph.
    pub fn len(&self) -> usize {
        self.model.graph.nodes.len()
    }

    /// Whether the model has no nodes.
    pub fn is_empty(&self) -> bool {
        self.model.graph.nodes.is_empty()
    }

    pub fn node(&self, index: usize) -> Option<&Node> {
        self.model.graph.nodes.get(index)
    }

    /// The names that a node reads from the graph: its inputs and the outer names of its bodies.
    pub fn reads(&self, index: usize) -> &[String] {
        self.reads.get(index).map_or(&[], Vec::as_slice)
    }

    /// The last node that reads each value.
    pub(crate) fn last_uses(&self) -> HashMap<String, usize> {
        let mut last = HashMap::new();
        for index in 0..self.len() {
            last.extend(self.reads(index).iter().map(|name| (name.clone(), index)));
        }
        last
    }

    /// The named outputs of a node that another node reads or that are graph outputs.
    pub fn wanted(&self, index: usize) -> Vec<String> {
        let outputs = self.node(index).into_iter().flat_map(defines);
        let later: HashSet<&str> = self.reads_from(index + 1).chain(self.graph_outputs()).collect();
        outputs
            .filter(|name| later.contains(name.as_str()))
            .cloned()
            .collect()
    }

    fn reads_from(&self, index: usize) -> impl Iterator<Item = &str> {
        self.reads.iter().skip(index).flatten().map(String::as_str)
    }

    fn graph_outputs(&self) -> impl Iterator<Item = &str> {
        self.model.graph.outputs.iter().map(|info| info.name.as_str())
    }

    /// The values that are computed before `cut` and needed by later nodes or by the graph outputs.
    pub fn live(&self, cut: usize) -> Vec<String> {
        let later: HashSet<&str> = self.reads_from(cut).chain(self.graph_outputs()).collect();
        let earlier = self.model.graph.nodes.iter().take(cut).flat_map(defines);
        let mut seen = HashSet::new();
        let live = earlier.filter(|name| later.contains(name.as_str()) && seen.insert(name.as_str()));
        live.cloned().collect()
    }

    /// Constants by name.
    pub fn initializer(&self, name: &str) -> Option<&Value> {
        self.model.graph.initializer(name)
    }

    /// A model of some nodes (by number, ascending) with the outputs `outputs`. Nodes that do not
    /// influence them are omitted. Names that no kept node computes and no initializer holds become
    /// inputs; `values` holds their values and thus their types. Nothing that the file declares about inner
    /// values is kept.
    pub fn cut(&self, nodes: &[usize], outputs: &[String], values: &dyn Fn(&str) -> Option<Value>) -> Part {
        self.cut_as(Form::BARE, nodes, outputs, values)
    }

    /// The complete model in a form, without dead nodes.
    pub fn complete(&self, form: Form) -> Part {
        let outputs: Vec<String> = self.graph_outputs().map(str::to_owned).collect();
        let all: Vec<usize> = (0..self.len()).collect();
        let fed = |name: &str| {
            let input = self.inputs.iter().find(|(known, _)| known == name);
            input.map(|(_, value)| value.clone())
        };
        self.cut_as(form, &all, &outputs, &fed)
    }

    /// Like [`Self::cut`]; the form states whether the types that the file declares are kept. The shapes
    /// that it adds are not: the reference computes them.
    pub fn cut_as(
        &self,
        form: Form,
        nodes: &[usize],
        outputs: &[String],
        values: &dyn Fn(&str) -> Option<Value>,
    ) -> Part {
        let graph = &self.model.graph;
        let info = |name: &String, lists: &[&[ValueInfo]]| {
            let is_it = |info: &&ValueInfo| form.keeps && info.name == *name && info.value_type.is_some();
            let declared = lists.iter().copied().flatten().find(is_it);
            declared.cloned().unwrap_or_else(|| self.info(name, values(name)))
        };
        let infos: Vec<ValueInfo> = outputs
            .iter()
            .map(|name| info(name, &[&graph.outputs, &graph.value_info]))
            .collect();
        let chosen = nodes.iter().filter_map(|index| self.node(*index)).cloned();
        let kept = needed(&infos, chosen.collect());
        let (constant, fed): (Vec<String>, Vec<String>) = taken(&kept, outputs)
            .into_iter()
            .partition(|name| self.initializer(name).is_some());
        let constant = constant.iter();
        let initializers: Vec<Named> = constant
            .filter_map(|name| Some((name.clone(), self.initializer(name)?.clone())))
            .collect();
        let inputs = fed
            .iter()
            .filter_map(|name| Some((name.clone(), values(name)?)))
            .collect();
        let mut declared: Vec<ValueInfo> = fed.iter().map(|name| info(name, &[&graph.inputs])).collect();
        let inner: HashSet<&String> = kept.iter().flat_map(defines).collect();
        let is_kept =
            |info: &&ValueInfo| form.keeps && inner.contains(&info.name) && !outputs.contains(&info.name);
        let value_info = graph.value_info.iter().filter(is_kept).cloned().collect();
        if self.model.ir_version < 4 {
            // In these IR versions every initializer is also an input.
            let typed = initializers
                .iter()
                .map(|(name, value)| self.info(name, Some(value.clone())));
            declared.extend(typed);
        }
        let graph = Graph {
            name: self.model.graph.name.clone(),
            inputs: declared,
            outputs: infos,
            initializers,
            nodes: kept,
            value_info,
        };
        Part {
            model: Model {
                graph: Arc::new(graph),
                ..self.model.clone()
            },
            inputs,
        }
    }

    /// A name with its type: that of the value, or the declared type, or the inferred type.
    fn info(&self, name: &str, value: Option<Value>) -> ValueInfo {
        let graph = &self.model.graph;
        let mut declared = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
        let value_type = value
            .map(|value| value.value_type())
            .or_else(|| self.types.get(name).cloned())
            .or_else(|| declared.find(|info| info.name == name)?.value_type.clone());
        ValueInfo {
            name: name.to_owned(),
            value_type,
        }
    }
}

/// A part of a model with the values of its inputs.
#[derive(Clone, Debug)]
pub struct Part {
    /// The model.
    pub model: Model,
    pub inputs: Vec<Named>,
}

/// The inferred element types of the values of the main graph.
fn types(model: &Model) -> HashMap<String, ValueType> {
    let uses = onnx_checker::usage(model);
    let main = uses.iter().filter(|used| used.graph == "main graph");
    let mut found = HashMap::new();
    for (node, used) in model.graph.nodes.iter().zip(main) {
        for (name, output) in node.outputs.iter().zip(&used.outputs) {
            if let Some(value_type) = output.value_type.clone().filter(|_| !name.is_empty()) {
                found.insert(name.clone(), value_type);
            }
        }
    }
    found
}

/// The nodes in a stable topological order. Nodes of a cycle stay at the end.
pub(crate) fn ordered(nodes: Vec<Node>) -> Vec<Node> {
    let given: HashSet<String> = nodes.iter().flat_map(defines).cloned().collect();
    let mut waiting: Vec<(Node, Vec<String>)> = nodes
        .into_iter()
        .map(|node| {
            let wanted = reads(&node)
                .into_iter()
                .filter(|name| given.contains(name))
                .collect();
            (node, wanted)
        })
        .collect();
    let (mut done, mut ready): (HashSet<String>, Vec<Node>) = (HashSet::new(), Vec::new());
    loop {
        let before = ready.len();
        let mut later = Vec::new();
        for (node, wanted) in waiting {
            if wanted.iter().all(|name| done.contains(name)) {
                done.extend(defines(&node).cloned());
                ready.push(node);
            } else {
                later.push((node, wanted))
            }
        }
        waiting = later;
        if waiting.is_empty() || ready.len() == before {
            ready.extend(waiting.into_iter().map(|(node, _)| node));
            return ready;
        }
    }
}

/// The names that nodes and outputs read and no node computes, each once.
fn taken(nodes: &[Node], outputs: &[String]) -> Vec<String> {
    let given: HashSet<&String> = nodes.iter().flat_map(defines).collect();
    let mut seen = HashSet::new();
    let read = nodes.iter().flat_map(reads).chain(outputs.iter().cloned());
    read.filter(|name| !given.contains(name) && seen.insert(name.clone()))
        .collect()
}

/// The nodes that influence `outputs`.
pub(crate) fn needed(outputs: &[ValueInfo], nodes: Vec<Node>) -> Vec<Node> {
    let mut wanted: HashSet<String> = outputs.iter().map(|info| info.name.clone()).collect();
    let mut kept: Vec<Node> = Vec::new();
    for node in nodes.into_iter().rev() {
        if defines(&node).any(|name| wanted.contains(name)) {
            wanted.extend(reads(&node));
            kept.push(node);
        }
    }
    kept.reverse();
    kept
}

/// Operator and version of a node: `Conv-11`.
pub fn operator(model: &Model, node: &Node) -> String {
    onnx_schema::operator_label(&model.opset_imports, &node.domain, &node.operator)
}

/// The part without declarations of inner values and without the shapes of outputs: what the reference is
/// asked, so that no declaration affects the expected values.
pub(crate) fn bare(part: &Part) -> Part {
    let mut graph = Graph::clone(&part.model.graph);
    graph.value_info.clear();
    for info in &mut graph.outputs {
        info.value_type = info.value_type.take().map(without_shape);
    }
    Part {
        model: Model {
            graph: Arc::new(graph),
            ..part.model.clone()
        },
        inputs: part.inputs.clone(),
    }
}

pub(crate) fn without_shape(value_type: ValueType) -> ValueType {
    match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::tensor(dtype),
        other => other,
    }
}

/// Values by name, of which few are live at a time.
pub type Values = BTreeMap<String, Value>;

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Tensor};

    use super::*;

    fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
        Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    /// y = (x + w)·(x + w) in a file with its nodes in the wrong order and a dead node.
    fn prepared() -> Prepared {
        let info = |name: &str| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::tensor(DType::Float)),
        };
        let model = Model::new(
            13,
            Graph {
                inputs: vec![info("x")],
                outputs: vec![info("y")],
                initializers: vec![("w".to_owned(), Tensor::vector(vec![1.0_f32]).into())],
                nodes: vec![
                    node("Mul", &["s", "s"], "y"),
                    node("Add", &["x", "w"], "s"),
                    node("Neg", &["s"], "n"),
                ],
                ..Graph::default()
            },
        );
        Prepared::new(&model, &[("x".to_owned(), Tensor::vector(vec![2.0_f32]).into())])
    }

    #[test]
    fn nodes_are_ordered_and_dead_nodes_are_removed() {
        let prepared = prepared();
        let names: Vec<&str> = prepared
            .model
            .graph
            .nodes
            .iter()
            .map(|node| node.operator.as_str())
            .collect();
        assert_eq!(names, ["Add", "Mul"]);
        assert_eq!(
            (prepared.live(0), prepared.live(1), prepared.live(2)),
            (vec![], vec!["s".to_owned()], vec!["y".to_owned()])
        );
    }

    #[test]
    fn missing_values_become_inputs_of_a_part() {
        let prepared = prepared();
        let value = |name: &str| (name != "w").then(|| Value::from(Tensor::vector(vec![3.0_f32])));
        let back = prepared.cut(&[1], &["y".to_owned()], &value);
        let names = |infos: &[ValueInfo]| infos.iter().map(|info| info.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&back.model.graph.inputs), ["s"]);
        assert!(back.model.graph.initializers.is_empty() && back.inputs.len() == 1);
        let front = prepared.cut(&[0, 1], &["s".to_owned()], &value);
        assert_eq!(front.model.graph.nodes.len(), 1);
        assert_eq!(
            (
                names(&front.model.graph.inputs),
                front.model.graph.initializers.len()
            ),
            (vec!["x".to_owned()], 1)
        );
        assert!(front.model.graph.outputs[0].value_type.is_some());
    }
}
