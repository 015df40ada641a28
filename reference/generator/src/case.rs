//! A generated case: a model and its inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_schema::TypeRef;
use onnx_tensor::{Value, ValueType};

use crate::draft::{Decision, Draft, Reject, Types};

/// A generated case. It has no expected outputs: a witness computes them.
#[derive(Clone, Debug)]
pub struct Case {
    /// The operator version, in the notation of the schema: `Relu-14`, `ai.onnx.ml.Scaler-1`.
    pub suite: String,
    /// The cell and a number: `T=float-3`.
    pub name: String,
    /// A model of one node and the nodes that it needs.
    pub model: Model,
    pub inputs: Vec<(String, Value)>,
    pub decisions: Vec<Decision>,
    /// The types of the parameters that occur.
    pub types: Types,
    /// The types of all parameters, including those that do not occur.
    pub(crate) assigned: Types,
    /// Whether the outputs are random, so that only their types and shapes can be expected.
    pub random: bool,
}

impl Draft<'_> {
    /// The case that the declaration has built.
    pub(crate) fn finish(mut self, name: String) -> Result<Case, Reject> {
        while self.inputs.last().is_some_and(Option::is_none) && self.inputs.len() > self.schema.min_inputs {
            self.inputs.pop();
        }
        let results = match std::mem::take(&mut self.results) {
            given if given.is_empty() => self.declared_results()?,
            given => given,
        };
        let (constants, results_count) = (self.constants(), results.len());
        self.inputs_given = self.inputs.iter().map(Option::is_some).collect();
        let names: Vec<String> = (0..self.inputs.len()).map(|index| format!("x{index}")).collect();
        let given = |(name, value): (&String, &Option<Value>)| {
            if value.is_some() {
                name.clone()
            } else {
                String::new()
            }
        };
        let node = Node {
            domain: self.schema.domain.to_owned(),
            operator: self.schema.name.to_owned(),
            inputs: names.iter().zip(&self.inputs).map(given).collect(),
            outputs: (0..results.len()).map(|index| format!("y{index}")).collect(),
            attributes: std::mem::take(&mut self.attributes),
            ..Node::default()
        };
        let values = names.into_iter().zip(std::mem::take(&mut self.inputs));
        let values = values.filter_map(|(name, value)| Some((name, value?)));
        let (initializers, inputs): (Vec<_>, Vec<_>) =
            values.partition(|(name, value)| constants.holds(name) && matches!(value, Value::Tensor(_)));
        let graph = Graph {
            name: self.schema.name.to_owned(),
            inputs: inputs
                .iter()
                .map(|(name, value)| info(name, value.value_type()))
                .collect(),
            outputs: node
                .outputs
                .iter()
                .zip(results)
                .map(|(name, of)| info(name, of))
                .collect(),
            initializers,
            nodes: self.nodes.iter().cloned().chain([node]).collect(),
            value_info: Vec::new(),
        };
        Ok(Case {
            suite: self.schema.to_string(),
            name,
            model: model(self.schema.domain, self.schema.since, graph),
            inputs,
            types: self.used_types(results_count),
            decisions: self.decisions,
            assigned: self.types.clone(),
            random: self.random,
        })
    }

    /// The types of the parameters that occur: an omitted input does not determine its type.
    fn used_types(&self, results: usize) -> Types {
        let name = |formal: &onnx_schema::Formal| match formal.type_ref {
            TypeRef::Constraint(name) => name,
            TypeRef::Concrete(_) => formal.name,
        };
        let given = self.inputs_given.iter().enumerate().filter(|(_, given)| **given);
        let inputs = given
            .filter_map(|(position, _)| self.schema.input(position))
            .map(name);
        let outputs = (0..results)
            .filter_map(|position| self.schema.output(position))
            .map(name);
        let used: Vec<&str> = inputs.chain(outputs).collect();
        let types = self.types.iter().filter(|(name, _)| used.contains(*name));
        types.map(|(name, of)| (*name, *of)).collect()
    }

    /// Decides which tensors are constants of the model: constant folding must not change an answer.
    fn constants(&mut self) -> Constants {
        let count = self.inputs.iter().flatten().count();
        let options: &[&str] = match count {
            0 => return Constants::None,
            1 => &["none", "all"],
            _ => &["none", "none", "tail", "all"],
        };
        match self.pick("constants", options) {
            "tail" => Constants::Tail,
            "all" => Constants::All,
            _ => Constants::None,
        }
    }
}

enum Constants {
    None,
    /// All but the first input.
    Tail,
    All,
}

impl Constants {
    fn holds(&self, name: &str) -> bool {
        match self {
            Constants::None => false,
            Constants::Tail => name != "x0",
            Constants::All => true,
        }
    }
}

impl Case {
    /// A case of a complete graph, which belongs to no operator version.
    pub(crate) fn of_graph(suite: String, name: String, model: Model, inputs: Vec<(String, Value)>) -> Case {
        Case {
            suite,
            name,
            model,
            inputs,
            decisions: Vec::new(),
            types: Types::new(),
            assigned: Types::new(),
            random: false,
        }
    }
}

fn info(name: &str, value_type: ValueType) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(value_type),
    }
}

/// The opset of ONNX beside a domain that is no part of its releases: the first with integers of 4 bits,
/// which runtimes of the last years read.
const BESIDE: u32 = 21;

/// A model with this opset of a domain.
fn model(domain: &str, opset: u32, graph: Graph) -> Model {
    let release = onnx_schema::first_release(domain, opset);
    let mut imports = BTreeMap::from([(domain.to_owned(), i64::from(opset))]);
    let main = release.and_then(|release| release.opset_of("")).unwrap_or(BESIDE);
    imports.entry(String::new()).or_insert(i64::from(main));
    Model {
        ir_version: onnx_schema::ir_version(domain, opset),
        opset_imports: imports,
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "onnx-generator".to_owned(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}
