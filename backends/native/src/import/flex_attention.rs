//! Expands FlexAttention into operators of `ai.onnx`.
//!
//! `Y = prob_mod(Softmax(score_mod(Q·Kᵀ·scale)))·V` for `[batch, heads, sequence, size]`. Several heads of
//! queries can share a head of keys and values: the heads of Q are split into groups, and the axis of the
//! group broadcasts. A graph of the node becomes the body of a Loop with one round, so it can read values of
//! the graphs around it. Scores and probabilities have the type of `softmax_precision`; products are computed
//! in f32, or in f64 if Q is of f64.

use std::collections::BTreeSet;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph as FileGraph, Node as FileNode, ValueInfo};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Tensor, Value, ValueType};

use super::node::Actual;
use super::scope::Scope;
use super::{ImportError, Importer, bind};
use crate::error::Problem;
use crate::ir::{Graph, ValueId, dtype};
use crate::passes::infer_node;

/// The first opset in which the operators have the inputs that are used here.
const FIRST_OPSET: i64 = 13;

/// Whether a schema is that of FlexAttention.
pub fn is_flex_attention(schema: &OperatorSchema) -> bool {
    (schema.domain, schema.name) == ("ai.onnx.preview", "FlexAttention")
}

/// Returns the element type of a value; infers those of the nodes before it if it is not declared.
fn type_of(graph: &mut Graph, id: ValueId) -> Option<DType> {
    let definitions = graph.definitions();
    let (mut needed, mut open) = (BTreeSet::new(), vec![id]);
    while let Some(id) = open.pop() {
        let producer = definitions.get(id.index()).copied().flatten();
        if let (None, Some(at)) = (graph.known(id), producer)
            && needed.insert(at)
        {
            open.extend(graph.nodes[at].inputs.iter().flatten());
        }
    }
    for at in needed {
        let node = graph.nodes[at].clone();
        infer_node(graph, &node).ok()?;
    }
    dtype(graph.known(id))
}

/// The expansion of one node.
struct Expansion<'i, 'f, 's, 'g> {
    importer: &'i mut Importer<'f>,
    scope: &'s mut Scope<'g>,
    /// The attributes of the call, if the node is in a function.
    actual: Option<&'s Actual>,
    /// The beginning of all new names.
    prefix: String,
    count: usize,
}

impl Importer<'_> {
    /// Imports a FlexAttention.
    pub fn flex_attention(
        &mut self,
        scope: &mut Scope,
        node: &FileNode,
        schema: &'static OperatorSchema,
        given: &Actual,
        actual: Option<&Actual>,
    ) -> Result<(), ImportError> {
        let fail = |problem: Problem| ImportError::from(bind::node_error(node, schema, problem));
        let opset = scope.imports.get("").copied().unwrap_or_default();
        if opset < FIRST_OPSET {
            let text = format!("it needs opset {FIRST_OPSET} of ai.onnx or later, the model imports {opset}");
            return Err(fail(Problem::Unsupported(text)));
        }
        if node.outputs[0].is_empty() {
            return Ok(());
        }
        let query = scope.read_required(&node.inputs[0])?;
        let Some(own) = type_of(scope.graph, query) else {
            let text = "the element type of Q is unknown before a run".to_owned();
            return Err(fail(Problem::Unsupported(text)));
        };
        let wide = match own {
            DType::Double => DType::Double,
            _ => DType::Float,
        };
        let precision = match given.get("softmax_precision") {
            Some(AttributeValue::Int(number)) => DType::from_onnx(*number).ok(),
            _ => Some(wide),
        };
        let floats = [DType::Float, DType::Double, DType::Float16, DType::Bfloat16];
        let Some(precision) = precision.filter(|found| floats.contains(found)) else {
            let text = "`softmax_precision` is not a floating-point type".to_owned();
            return Err(fail(Problem::Invalid(text)));
        };
        let mut expansion = Expansion {
            importer: self,
            scope,
            actual,
            prefix: format!("{}/FlexAttention", node.outputs[0]),
            count: 0,
        };
        expansion.all(node, given, [own, wide, precision])
    }
}

impl Expansion<'_, '_, '_, '_> {
    fn all(
        &mut self,
        node: &FileNode,
        given: &Actual,
        [own, wide, precision]: [DType; 3],
    ) -> Result<(), ImportError> {
        let q = self.cast(&node.inputs[0], wide)?;
        let k = self.cast(&node.inputs[1], wide)?;
        let v = self.cast(&node.inputs[2], wide)?;
        let [queries, keys, values] = [
            self.apply("Shape", &[&q])?,
            self.apply("Shape", &[&k])?,
            self.apply("Shape", &[&v])?,
        ];
        let group = self.constant(Tensor::vector(vec![2_i64]));
        let any = self.constant(Tensor::vector(vec![-1_i64]));
        let own_heads = self.part(&queries, 0, 3)?;
        let grouped = [self.part(&keys, 0, 2)?, any, self.part(&queries, 2, 4)?];
        let grouped = self.joined(&grouped)?;
        let q = self.apply("Reshape", &[&q, &grouped])?;
        let turn = ("perm", AttributeValue::Ints(vec![0, 1, 3, 2]));
        let k = self.with("Transpose", &[&k], vec![turn])?;
        let k = self.apply("Unsqueeze", &[&k, &group])?;
        let v = self.apply("Unsqueeze", &[&v, &group])?;
        let scale = self.scale(given, wide, &queries)?;
        let scores = self.apply("MatMul", &[&q, &k])?;
        let scores = self.apply("Mul", &[&scores, &scale])?;
        let by_group = self.apply("Shape", &[&scores])?;
        let by_head = [own_heads.clone(), self.part(&keys, 2, 3)?];
        let by_head = self.joined(&by_head)?;
        let scores = self.apply("Reshape", &[&scores, &by_head])?;
        let scores = self.cast(&scores, precision)?;
        let scores = self.modified(given.get("score_mod"), scores)?;
        let last = ("axis", AttributeValue::Int(-1));
        let weights = self.with("Softmax", &[&scores], vec![last])?;
        let weights = self.modified(given.get("prob_mod"), weights)?;
        let weights = self.cast(&weights, wide)?;
        let weights = self.apply("Reshape", &[&weights, &by_group])?;
        let sums = self.apply("MatMul", &[&weights, &v])?;
        let shape = [own_heads, self.part(&values, 3, 4)?];
        let shape = self.joined(&shape)?;
        let sums = self.apply("Reshape", &[&sums, &shape])?;
        let to = ("to", AttributeValue::Int(own as i64));
        self.node("Cast", &[&sums], &node.outputs[0], vec![to])
    }

    /// Returns the factor of the scores: the attribute, or the reciprocal root of the size of a head.
    fn scale(&mut self, given: &Actual, wide: DType, queries: &str) -> Result<String, ImportError> {
        if let Some(AttributeValue::Float(scale)) = given.get("scale") {
            let scale = self.constant(Tensor::scalar(*scale));
            return self.cast(&scale, wide);
        }
        let size = self.part(queries, 3, 4)?;
        let size = self.cast(&size, wide)?;
        let root = self.apply("Sqrt", &[&size])?;
        self.apply("Reciprocal", &[&root])
    }

    /// Passes values through a graph attribute.
    fn modified(&mut self, graph: Option<&AttributeValue>, values: String) -> Result<String, ImportError> {
        let Some(AttributeValue::Graph(graph)) = graph else {
            return Ok(values);
        };
        let [round, going, goes_on] = ["round", "going", "goes_on"].map(|part| self.name(part));
        let scalar = |name: &str, dtype: DType| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype,
                shape: Some(Vec::new()),
            }),
        };
        let mut body = FileGraph::clone(graph);
        let own = std::mem::take(&mut body.inputs);
        body.inputs = vec![scalar(&round, DType::Int64), scalar(&going, DType::Bool)];
        body.inputs.extend(own);
        body.outputs.insert(0, scalar(&goes_on, DType::Bool));
        body.nodes.push(FileNode {
            operator: "Identity".to_owned(),
            inputs: vec![going],
            outputs: vec![goes_on],
            ..FileNode::default()
        });
        let once = self.constant(Tensor::scalar(1_i64));
        let body = ("body", AttributeValue::Graph(Arc::new(body)));
        let by_head = self.apply("Shape", &[&values])?;
        let result = self.with("Loop", &[&once, "", &values], vec![body])?;
        // The graph must keep the shape.
        self.apply("Reshape", &[&result, &by_head])
    }

    fn cast(&mut self, value: &str, to: DType) -> Result<String, ImportError> {
        self.with("Cast", &[value], vec![("to", AttributeValue::Int(to as i64))])
    }

    /// Returns elements of a shape.
    fn part(&mut self, shape: &str, start: i64, end: i64) -> Result<String, ImportError> {
        let [start, end] = [start, end].map(|at| self.constant(Tensor::vector(vec![at])));
        self.apply("Slice", &[shape, &start, &end])
    }

    fn joined(&mut self, parts: &[String]) -> Result<String, ImportError> {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        self.with("Concat", &parts, vec![("axis", AttributeValue::Int(0))])
    }

    fn constant(&mut self, tensor: Tensor) -> String {
        let name = self.name("constant");
        self.scope.define_constant(&name, Value::Tensor(tensor));
        name
    }

    fn apply(&mut self, operator: &str, inputs: &[&str]) -> Result<String, ImportError> {
        self.with(operator, inputs, Vec::new())
    }

    /// Adds a node, and returns the name of its output.
    fn with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: Vec<(&str, AttributeValue)>,
    ) -> Result<String, ImportError> {
        let output = self.name(operator);
        self.node(operator, inputs, &output, attributes)?;
        Ok(output)
    }

    fn node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<(&str, AttributeValue)>,
    ) -> Result<(), ImportError> {
        let attribute = |(name, value): (&str, AttributeValue)| Attribute {
            name: name.to_owned(),
            value,
        };
        let node = FileNode {
            name: output.to_owned(),
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            attributes: attributes.into_iter().map(attribute).collect(),
            ..FileNode::default()
        };
        self.importer.node(self.scope, &node, self.actual)
    }

    fn name(&mut self, part: &str) -> String {
        self.count += 1;
        format!("{}/{part}{}", self.prefix, self.count)
    }
}
