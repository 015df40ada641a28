//! Bodies of If, Loop, Scan and SequenceMap.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_model::{AttributeValue, Graph as FileGraph};

use super::node::{Actual, dense};
use super::scope::Scope;
use super::{ImportError, Importer};
use crate::ir::{Graph, Operator, ValueId};

/// A body with the names that it captures from the outer graph, in the order of its last inputs.
struct Body {
    graph: Graph,
    captured: Vec<String>,
}

impl Importer<'_> {
    /// Imports the two bodies of an If with one list of captured values, which is appended to the node's
    /// inputs.
    pub fn branches(
        &mut self,
        scope: &mut Scope,
        operator: &Operator,
        inputs: &mut Vec<Option<ValueId>>,
        actual: Option<&Actual>,
    ) -> Result<[Arc<Graph>; 2], ImportError> {
        let mut bodies = Vec::with_capacity(2);
        for name in ["then_branch", "else_branch"] {
            bodies.push(self.body(scope, operator, name, actual)?);
        }
        let mut names: Vec<String> = Vec::new();
        let mut listed: HashSet<&str> = HashSet::new();
        for name in bodies.iter().flat_map(|body| &body.captured) {
            if listed.insert(name) {
                names.push(name.clone());
            }
        }
        for body in &mut bodies {
            let own = std::mem::take(&mut body.graph.inputs);
            if own.len() != body.captured.len() {
                return Err(ImportError::BranchInputs);
            }
            let captured: HashMap<String, ValueId> = body.captured.drain(..).zip(own).collect();
            for name in &names {
                let known = captured.get(name).copied();
                let id = known.unwrap_or_else(|| body.graph.add(name, None, None));
                body.graph.inputs.push(id);
            }
        }
        for name in &names {
            inputs.push(scope.read(name)?);
        }
        let mut bodies = bodies.into_iter().map(|body| Arc::new(body.graph));
        match (bodies.next(), bodies.next()) {
            (Some(then), Some(otherwise)) => Ok([then, otherwise]),
            _ => Err(ImportError::Undefined {
                name: "else_branch".to_owned(),
            }),
        }
    }

    /// Imports the body of a Loop, Scan or SequenceMap; its captured values are appended to the node's
    /// inputs.
    pub fn only_body(
        &mut self,
        scope: &mut Scope,
        operator: &Operator,
        inputs: &mut Vec<Option<ValueId>>,
        actual: Option<&Actual>,
    ) -> Result<Arc<Graph>, ImportError> {
        let body = self.body(scope, operator, "body", actual)?;
        for name in &body.captured {
            inputs.push(scope.read(name)?);
        }
        Ok(Arc::new(body.graph))
    }

    fn body(
        &mut self,
        scope: &mut Scope,
        operator: &Operator,
        attribute: &str,
        actual: Option<&Actual>,
    ) -> Result<Body, ImportError> {
        let Some(AttributeValue::Graph(file)) = operator.attributes.get(attribute) else {
            return Err(ImportError::Undefined {
                name: format!("{attribute} of {}", operator.schema),
            });
        };
        let file: Arc<FileGraph> = Arc::clone(file);
        self.deeper()?;
        let mut graph = Graph::default();
        let outer = scope.as_outer();
        let mut inner = Scope::new(&mut graph, Some(&outer), scope.imports.clone());
        for input in &file.inputs {
            let id = inner.define(&input.name, input.value_type.clone());
            inner.graph.inputs.push(id);
        }
        for (name, value) in &file.initializers {
            inner.define_constant(name, dense(name, value)?);
        }
        self.all(&mut inner, &file.nodes, actual)?;
        let outputs = file
            .outputs
            .iter()
            .map(|output| inner.read_required(&output.name));
        let outputs = outputs.collect::<Result<Vec<ValueId>, _>>()?;
        let (names, ids): (Vec<String>, Vec<ValueId>) = inner.captured.into_iter().unzip();
        graph.inputs.extend(ids);
        graph.outputs = outputs;
        graph.declared = file
            .outputs
            .iter()
            .map(|output| output.value_type.clone())
            .collect();
        self.depth -= 1;
        Ok(Body {
            graph,
            captured: names,
        })
    }
}
