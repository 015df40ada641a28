//! Imports a decoded model to the graph of this backend.
//!
//! Names become values, calls are replaced by function bodies, captured values become inputs, and every node
//! is bound to the code for its operator version. Unimplemented operators are found here, before a run.

mod bind;
mod body;
mod check;
mod error;
mod expansion;
mod flex_attention;
mod function;
mod node;
mod scope;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onnx_model::{Function, Model};
use onnx_schema::canonical_domain;
use onnx_tensor::Value;

pub use check::check;
pub use error::ImportError;
use scope::Scope;

use crate::ir::{Graph, ValueId};

/// The first IR version in which an input with an initializer may be fed. Before it, initializers had to be
/// listed as inputs and were constants (IR.md).
const OVERRIDABLE_FROM: i64 = 4;

/// An imported model.
#[derive(Clone, Debug)]
pub struct Imported {
    pub graph: Graph,
    /// The names of the graph's outputs in the file.
    pub output_names: Vec<String>,
    /// The default values of inputs, by name; these inputs need not be fed.
    pub defaults: BTreeMap<String, Value>,
}

/// Imports the main graph of a model.
pub fn import(model: &Model) -> Result<Imported, ImportError> {
    let imports = canonical(&model.opset_imports);
    let mut importer = Importer::new(model);
    expansion::check(&importer, &model.graph)?;
    let mut graph = Graph::default();
    let mut scope = Scope::new(&mut graph, None, imports);
    let mut defaults = BTreeMap::new();
    let initializers: HashMap<&str, &Value> = model
        .graph
        .initializers
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    for input in &model.graph.inputs {
        if let Some(value) = initializers.get(input.name.as_str()) {
            if model.ir_version < OVERRIDABLE_FROM {
                continue;
            }
            defaults.insert(input.name.clone(), node::dense(&input.name, value)?);
        }
        let id = scope.define(&input.name, input.value_type.clone());
        scope.graph.inputs.push(id);
    }
    for (name, value) in &model.graph.initializers {
        if !defaults.contains_key(name) {
            scope.define_constant(name, node::dense(name, value)?);
        }
    }
    importer.nodes(&mut scope, &model.graph)?;
    let outputs = model
        .graph
        .outputs
        .iter()
        .map(|output| scope.read_required(&output.name));
    let outputs = outputs.collect::<Result<Vec<ValueId>, _>>()?;
    graph.outputs = outputs;
    Ok(Imported {
        graph,
        output_names: model
            .graph
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect(),
        defaults,
    })
}

/// The state that all graphs of a model share.
struct Importer<'m> {
    /// The functions of the model by domain, name and overload.
    functions: HashMap<(&'m str, &'m str, &'m str), &'m Arc<Function>>,
    /// The current nesting depth of functions and bodies.
    depth: u32,
    /// The number of nodes so far; those of a function count once for each call.
    nodes: usize,
}

impl<'m> Importer<'m> {
    fn new(model: &'m Model) -> Importer<'m> {
        let key = |function: &'m Arc<Function>| {
            let domain = canonical_domain(&function.domain);
            (domain, function.name.as_str(), function.overload.as_str())
        };
        // If a key occurs twice, the first is used.
        let functions = model.functions.iter().rev();
        Importer {
            functions: functions.map(|function| (key(function), function)).collect(),
            depth: 0,
            nodes: 0,
        }
    }
}

/// Returns the opset imports by canonical domain.
fn canonical(imports: &BTreeMap<String, i64>) -> BTreeMap<String, i64> {
    let entry = |(domain, opset): (&String, &i64)| (canonical_domain(domain).to_owned(), *opset);
    imports.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{SparseTensor, Tensor, Value};

    use crate::fixture::{Fixture, node};

    #[test]
    fn a_sparse_initializer_becomes_a_dense_tensor() {
        let sparse = SparseTensor {
            values: Tensor::vector(vec![5.0_f32, 7.0]),
            indices: Tensor::vector(vec![0_i64, 3]),
            shape: vec![4],
        };
        let text = Fixture::new(&[4], vec![node("Add", "x w", "y", &[])])
            .initializer("w", Value::Sparse(sparse))
            .text(&[])
            .expect("nothing is rewritten");
        assert!(
            text.contains("Add-14(%0, const float[4] [5.0, 0.0, 0.0, 7.0])"),
            "{text}"
        );
    }

    #[test]
    fn nodes_in_any_order_are_sorted_topologically() {
        let nodes = vec![node("Neg", "h", "y", &[]), node("Abs", "x", "h", &[])];
        let text = Fixture::new(&[4], nodes).text(&[]).expect("nothing is rewritten");
        let (first, second) = (text.find("Abs-13"), text.find("Neg-13"));
        assert!(first.is_some() && first < second, "{text}");
    }
}
