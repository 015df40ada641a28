//! Walks the nodes of a model in file order.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use onnx_checker::{NodePlace, Resolved, function_place, output_types, resolve};
use onnx_model::{AttributeValue, Function, Graph, Node, topological_order};
use onnx_schema::OperatorSchema;
use onnx_tensor::{Value, ValueType};

use crate::bodies::HAS_BODIES;
use crate::call::{Attributes, Call};
use crate::extent::Expr;
use crate::fact::{Entry, Fact, extent_of, shapeless};
use crate::finding::Stop;
use crate::operands;
use crate::parameters;
use crate::rules::rule;
use crate::walker::{Frame, Scope, Walker};

impl<'m> Walker<'m> {
    /// Walks a graph whose first inputs are these values. Returns its outputs and the values of all names.
    pub fn graph<'s>(
        &mut self,
        graph: &'m Graph,
        frame: Frame<'_, 'm>,
        outer: Option<&'s Scope<'m, 's>>,
        given: &[Entry],
    ) -> (Vec<Entry>, Scope<'m, 's>) {
        let mut scope = Scope::new(outer);
        let constants: HashMap<&str, &Value> = graph
            .initializers
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .collect();
        for (index, input) in graph.inputs.iter().enumerate() {
            let mut entry = given.get(index).cloned().unwrap_or_default();
            if let Some(value) = constants.get(input.name.as_str()) {
                entry = constant(value);
            }
            let entry = match (given.get(index), frame.main) {
                (None, true) => self.input(frame, input, entry),
                _ => self.declared(frame, "input", input, entry),
            };
            scope.values.insert(&input.name, entry);
        }
        for (name, value) in &graph.initializers {
            scope.values.entry(name).or_insert_with(|| constant(value));
        }
        let declared: HashMap<&str, &onnx_model::ValueInfo> = graph
            .value_info
            .iter()
            .map(|info| (info.name.as_str(), info))
            .collect();
        let inputs = graph.inputs.iter().map(|input| &input.name);
        for name in inputs.chain(graph.initializers.iter().map(|(name, _)| name)) {
            if let (Some(info), Some(entry)) = (declared.get(name.as_str()), scope.get(name).cloned()) {
                self.declared(frame, "value", info, entry);
            }
        }
        for index in topological_order(&graph.nodes) {
            let node = &graph.nodes[index];
            if !self.spend() {
                break;
            }
            let outputs = self.node(index, node, frame, &scope);
            for (name, mut entry) in node.outputs.iter().zip(outputs) {
                if let Some(info) = declared.get(name.as_str()) {
                    entry = self.declared(frame, "value", info, entry);
                }
                scope.values.insert(name, entry);
            }
        }
        let mut outputs = Vec::with_capacity(graph.outputs.len());
        for output in &graph.outputs {
            let entry = scope.get(&output.name).cloned().unwrap_or_default();
            outputs.push(self.declared(frame, "output", output, entry));
        }
        (outputs, scope)
    }

    /// What is known of the outputs of a node, one for each that it lists.
    fn node(
        &mut self,
        index: usize,
        node: &'m Node,
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
    ) -> Vec<Entry> {
        let value = |name: &String| match name.as_str() {
            "" => Entry::default(),
            name => scope.get(name).cloned().unwrap_or_default(),
        };
        let inputs: Vec<Entry> = node.inputs.iter().map(value).collect();
        let attributes = resolved(node, frame.attributes);
        let mut outputs = match resolve(&self.functions, frame.imports, node) {
            Ok(Resolved::Operator(schema)) => {
                self.operator((index, node, schema), frame, scope, (&inputs, &attributes))
            }
            Ok(Resolved::Function(function)) => self.call(function, frame, inputs, attributes),
            Ok(Resolved::Foreign) | Err(_) => Vec::new(),
        };
        outputs.resize(node.outputs.len(), Entry::default());
        outputs
    }

    fn operator(
        &mut self,
        (index, node, schema): (usize, &'m Node, &'static OperatorSchema),
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
        (inputs, attributes): (&[Entry], &Attributes<'m>),
    ) -> Vec<Entry> {
        let cause: Rc<str> = format!("node `{}` ({})", node.label(), node.operator).into();
        let place = Rc::clone(&cause);
        let kinds: Vec<Option<ValueType>> = inputs.iter().map(|entry| entry.kind.clone()).collect();
        let given = attributes.iter().map(|(name, value)| (*name, *value));
        let kinds = output_types(schema, node, given, &kinds);
        let mut call = Call {
            schema,
            since: schema.since,
            node,
            attributes,
            inputs,
            kinds: &kinds,
            state: &mut self.state,
            cause,
        };
        operands::note(&mut call);
        let found = if schema.domain.is_empty() && HAS_BODIES.contains(&schema.name) {
            let cause = Rc::clone(&call.cause);
            self.bodies((node, schema), frame, scope, (inputs, attributes), cause)
        } else {
            let found = parameters::check(&call).and_then(|()| match rule(schema) {
                Some(rule) => rule(&mut call),
                None => Err(Stop::Unknown),
            });
            found.map(|facts| {
                let mut entries = entries(node, facts, &kinds, inputs);
                if let Some(first) = entries.first_mut() {
                    first.most = most(node, inputs);
                }
                entries
            })
        };
        match found {
            Ok(found) => {
                for extent in found.iter().filter_map(|entry| entry.fact.shape()).flatten() {
                    self.state.fill(&place, extent);
                }
                found
            }
            Err(stop) => {
                if let Stop::Broken(rule, text) = stop {
                    let shapes = self.inputs_text(node, schema, inputs, attributes);
                    let place = NodePlace::new(index, node, Some(schema.since));
                    self.report(frame, Some(place), rule, format!("{text}; inputs: {shapes}"));
                }
                entries(node, Vec::new(), &kinds, inputs)
            }
        }
    }

    fn inputs_text(
        &mut self,
        node: &'m Node,
        schema: &'static OperatorSchema,
        inputs: &[Entry],
        attributes: &Attributes<'m>,
    ) -> String {
        let mut call = Call {
            schema,
            since: schema.since,
            node,
            attributes,
            inputs,
            kinds: &[],
            state: &mut self.state,
            cause: "".into(),
        };
        call.inputs_text()
    }

    /// What is known of the outputs of a function.
    fn call(
        &mut self,
        function: &'m Arc<Function>,
        frame: Frame<'_, 'm>,
        inputs: Vec<Entry>,
        mut attributes: Attributes<'m>,
    ) -> Vec<Entry> {
        let address = Arc::as_ptr(function);
        if frame.depth >= self.limits.depth || self.active.contains(&address) {
            return Vec::new();
        }
        for default in &function.attribute_defaults {
            attributes.entry(&default.name).or_insert(&default.value);
        }
        self.active.push(address);
        let inside = Frame {
            place: &function_place(function),
            imports: &function.opset_imports,
            attributes: Some(&attributes),
            depth: frame.depth + 1,
            main: false,
        };
        let mut scope = Scope::new(None);
        for (name, entry) in function.inputs.iter().zip(inputs) {
            scope.values.insert(name, entry);
        }
        for index in topological_order(&function.nodes) {
            let node = &function.nodes[index];
            if !self.spend() {
                break;
            }
            let outputs = self.node(index, node, inside, &scope);
            for (name, entry) in node.outputs.iter().zip(outputs) {
                scope.values.insert(name, entry);
            }
        }
        self.active.pop();
        let value = |name: &String| scope.get(name).cloned().unwrap_or_default();
        function.outputs.iter().map(value).collect()
    }
}

/// The attributes of a node. References are resolved in those of the call of the enclosing function.
fn resolved<'m>(node: &'m Node, enclosing: Option<&Attributes<'m>>) -> Attributes<'m> {
    let given = node.attributes.iter().filter_map(|attribute| {
        let value = match &attribute.value {
            AttributeValue::Reference(target, _) => enclosing?.get(target.as_str()).copied()?,
            value => value,
        };
        Some((attribute.name.as_str(), value))
    });
    given.collect()
}

/// A constant of a graph. A sparse one stands for a dense tensor.
fn constant(value: &Value) -> Entry {
    let (kind, fact) = match value {
        Value::Tensor(tensor) => (ValueType::tensor(tensor.dtype()), Fact::constant(tensor.clone())),
        Value::Sparse(sparse) => {
            let shape = sparse.shape.iter().map(|&extent| extent_of(extent)).collect();
            (ValueType::tensor(sparse.values.dtype()), Fact::of(shape))
        }
        Value::Stored(stored) => {
            let shape = stored.shape.iter().map(|&extent| extent_of(extent)).collect();
            (ValueType::tensor(stored.dtype), Fact::of(shape))
        }
        other => (shapeless(&other.value_type()), Fact::Unknown),
    };
    Entry {
        kind: Some(kind),
        fact,
        source: None,
        most: None,
    }
}

/// Operators whose first output has only elements of the first input.
const KEEPS_ELEMENTS: &[&str] = &[
    "Cast",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "Reshape",
    "Slice",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];

fn entries(node: &Node, facts: Vec<Fact>, kinds: &[Option<ValueType>], inputs: &[Entry]) -> Vec<Entry> {
    let mut facts = facts.into_iter();
    let keeps = KEEPS_ELEMENTS.contains(&node.operator.as_str());
    let entry = |at: usize| Entry {
        kind: kinds.get(at).cloned().flatten(),
        fact: facts.next().unwrap_or_default(),
        source: match (at, keeps) {
            (0, true) => inputs.first().and_then(|input| input.source.clone()),
            _ => None,
        },
        most: None,
    };
    (0..node.outputs.len()).map(entry).collect()
}

/// The greatest element that the first output of a node may have, where it is counted by a Range.
fn most(node: &Node, inputs: &[Entry]) -> Option<Expr> {
    let only = |at: usize| match inputs.get(at)?.fact.integers()?.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let counted = || inputs.iter().take(2).any(|input| input.most.is_some());
    let greatest = |at: usize| inputs.get(at)?.most.clone().or_else(|| only(at));
    match node.operator.as_str() {
        "Range" => only(2)
            .filter(|delta| delta.constant().is_some_and(|delta| delta > 0))
            .and_then(|_| only(1)?.minus(&1.into())),
        "Add" if counted() => greatest(0)?.plus(&greatest(1)?),
        "Mul" if counted() => greatest(0)?.times(&greatest(1)?),
        operator if KEEPS_ELEMENTS.contains(&operator) => inputs.first()?.most.clone(),
        _ => None,
    }
}
