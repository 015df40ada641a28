//! Traverses graphs, functions and nodes in file order.

use std::collections::HashMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_schema::OperatorSchema;
use onnx_tensor::ValueType;

use super::attributes::Attributes;
use super::call::Call;
use super::scope::Scope;
use super::usage;
use super::{Frame, Kind, Typing, bind, infer, shapeless};
use crate::attribute_kind::kind_problem;
use crate::finding::NodePlace;
use crate::place::{body_place, function_place};
use crate::problem::Problem;
use crate::resolve::{Resolved, resolve};
use crate::structure::omitted;

impl<'m> Typing<'m, '_> {
    pub(super) fn main_graph(&mut self, model: &'m Model) {
        let frame = Frame {
            place: "main graph",
            imports: &model.opset_imports,
            attributes: None,
            depth: 0,
            called: true,
        };
        self.graph(&model.graph, frame, None, &[]);
    }

    /// Types a function that is never called: its inputs are unknown, but outputs of nodes with a fixed
    /// type are known.
    pub(super) fn uncalled(&mut self, function: &'m Arc<Function>) {
        if self.entered.contains(&Arc::as_ptr(function)) {
            return;
        }
        let attributes = Attributes::open(function);
        let frame = Frame {
            place: &function_place(function),
            imports: &function.opset_imports,
            attributes: Some(&attributes),
            depth: 0,
            called: false,
        };
        let mut scope = Scope::new(None);
        self.nodes(&function.nodes, frame, &mut scope);
    }

    /// The types of a graph's outputs for these types of its first inputs.
    pub(super) fn graph<'s>(
        &mut self,
        graph: &'m Graph,
        frame: Frame<'_, 'm>,
        outer: Option<&'s Scope<'m, 's>>,
        given: &[Kind],
    ) -> Vec<Kind> {
        let mut scope = Scope::new(outer);
        for (index, input) in graph.inputs.iter().enumerate() {
            let kind = self.declared(frame, "input", input, given.get(index).cloned().flatten());
            scope.set(&input.name, kind);
        }
        for (name, value) in &graph.initializers {
            // A sparse initializer represents a dense tensor. An input keeps its declared type.
            let kind = match shapeless(&value.value_type()) {
                ValueType::Sparse { dtype, .. } => ValueType::tensor(dtype),
                kind => kind,
            };
            scope.set_default(name, kind);
        }
        let inner: HashMap<&str, &ValueInfo> = graph
            .value_info
            .iter()
            .map(|info| (info.name.as_str(), info))
            .collect();
        let inputs = graph.inputs.iter().map(|input| &input.name);
        for name in inputs.chain(graph.initializers.iter().map(|(name, _)| name)) {
            if let Some(info) = inner.get(name.as_str()) {
                self.declared(frame, "value", info, scope.kind(name));
            }
        }
        self.nodes_with(&graph.nodes, frame, &mut scope, &inner);
        let outputs = graph.outputs.iter();
        outputs
            .map(|output| self.declared(frame, "output", output, scope.kind(&output.name)))
            .collect()
    }

    /// The type of a value: the inferred one, which must equal the declared one, otherwise the declared
    /// one.
    fn declared(&mut self, frame: Frame, what: &'static str, info: &ValueInfo, found: Kind) -> Kind {
        let declared = info.value_type.as_ref().map(shapeless);
        if let (Some(declared), Some(found)) = (&declared, &found)
            && declared != found
        {
            let problem = Problem::DeclaredType {
                what,
                name: info.name.clone(),
                declared: declared.to_string(),
                found: found.to_string(),
            };
            self.sink.push(frame.place, None, problem);
        }
        found.or(declared)
    }

    fn nodes(&mut self, nodes: &'m [Node], frame: Frame<'_, 'm>, scope: &mut Scope<'m, '_>) {
        self.nodes_with(nodes, frame, scope, &HashMap::new());
    }

    /// Types the nodes. `inner` holds the declared types of intermediate values.
    fn nodes_with(
        &mut self,
        nodes: &'m [Node],
        frame: Frame<'_, 'm>,
        scope: &mut Scope<'m, '_>,
        inner: &HashMap<&str, &ValueInfo>,
    ) {
        for (index, node) in nodes.iter().enumerate() {
            let Some(left) = self.budget.checked_sub(1) else {
                return;
            };
            self.budget = left;
            let outputs = self.node(index, node, frame, scope);
            for (position, name) in node.outputs.iter().enumerate() {
                let mut kind = outputs.get(position).cloned().flatten();
                if let Some(info) = inner.get(name.as_str()) {
                    kind = self.declared(frame, "value", info, kind);
                }
                scope.set(name, kind);
            }
        }
    }

    /// The types of a node's outputs.
    fn node(
        &mut self,
        index: usize,
        node: &'m Node,
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
    ) -> Vec<Kind> {
        let inputs: Vec<Kind> = node.inputs.iter().map(|name| scope.kind(name)).collect();
        let attributes = Attributes::of(node, frame.attributes);
        // The traversal of the structure reports unknown operators.
        let outputs = match resolve(&self.functions, frame.imports, node) {
            Ok(Resolved::Operator(schema)) => {
                return self.operator(index, schema, node, (frame, scope), &inputs, &attributes);
            }
            Ok(Resolved::Function(function)) => {
                let given = node.inputs.iter().map(|name| !scope.is_absent(name));
                let given: Vec<bool> = given.collect();
                self.call(function, frame, (&inputs, given), attributes.clone())
            }
            Ok(Resolved::Foreign) | Err(_) => {
                self.unknown_bodies(node, frame, scope);
                Vec::new()
            }
        };
        let shown = outputs.as_slice();
        self.record(frame, || {
            usage::of_unknown(frame.place, index, node, (&inputs, shown), &attributes)
        });
        outputs
    }

    fn operator(
        &mut self,
        index: usize,
        schema: &'static OperatorSchema,
        node: &'m Node,
        (frame, scope): (Frame<'_, 'm>, &Scope<'m, '_>),
        inputs: &[Kind],
        attributes: &Attributes<'m>,
    ) -> Vec<Kind> {
        let (mut bound, mut problems) = bind(schema, inputs.iter().map(Option::as_ref));
        let call = Call {
            schema,
            node,
            inputs,
            bound: &bound,
            attributes,
        };
        problems.extend(infer::unknown_element_type(&call));
        let is_absent = |name: &String| !name.is_empty() && scope.is_absent(name);
        problems.extend(omitted("input", &node.inputs, is_absent, |at| schema.input(at)));
        problems.extend(resolved(&call));
        let from_bodies = self.bodies(&call, frame, scope, &mut problems);
        let outputs: Vec<Kind> = (0..node.outputs.len())
            .map(|position| match (&from_bodies, schema.output(position)) {
                (Some(kinds), _) => kinds.get(position).cloned().flatten(),
                (None, Some(formal)) => infer::output(&call, position, formal),
                (None, None) => None,
            })
            .collect();
        for (position, found) in outputs.iter().enumerate() {
            if let (Some(found), Some(formal)) = (found, schema.output(position)) {
                problems.extend(bind::hold(
                    &mut bound,
                    schema,
                    formal,
                    ("output", position),
                    found,
                ));
            }
        }
        for problem in problems {
            let place = NodePlace::new(index, node, Some(schema.since));
            self.sink.push(frame.place, Some(place), problem);
        }
        self.record(frame, || {
            usage::of_operator(frame.place, index, (schema, node), (inputs, &outputs), attributes)
        });
        outputs
    }

    fn record(&mut self, frame: Frame, make: impl FnOnce() -> usage::NodeUse) {
        if let Some(uses) = self.uses.as_mut().filter(|_| frame.called) {
            uses.push(make());
        }
    }

    /// The output types of a function for these inputs and attributes.
    fn call(
        &mut self,
        function: &'m Arc<Function>,
        frame: Frame<'_, 'm>,
        (inputs, given): (&[Kind], Vec<bool>),
        attributes: Attributes<'m>,
    ) -> Vec<Kind> {
        let address = Arc::as_ptr(function);
        if frame.depth >= self.limits.depth || self.active.contains(&address) {
            return Vec::new();
        }
        let attributes = attributes.inside(function);
        let signature = (address, inputs.to_vec(), given.clone(), attributes.identities());
        if let Some(outputs) = self.known.get(&signature) {
            return outputs.clone();
        }
        self.entered.insert(address);
        self.active.push(address);
        let inside = Frame {
            place: &function_place(function),
            imports: &function.opset_imports,
            attributes: Some(&attributes),
            depth: frame.depth + 1,
            called: frame.called,
        };
        let mut scope = Scope::new(None);
        for (name, kind) in function.inputs.iter().zip(inputs) {
            scope.set(name, kind.clone());
        }
        for (at, name) in function.inputs.iter().enumerate() {
            if !given.get(at).is_some_and(|given| *given) {
                scope.set_absent(name);
            }
        }
        self.nodes(&function.nodes, inside, &mut scope);
        self.active.pop();
        let outputs: Vec<Kind> = function.outputs.iter().map(|name| scope.kind(name)).collect();
        self.known.insert(signature, outputs.clone());
        outputs
    }

    /// The bodies of an unknown node.
    fn unknown_bodies(&mut self, node: &'m Node, frame: Frame<'_, 'm>, scope: &Scope<'m, '_>) {
        for attribute in &node.attributes {
            for graph in attribute.value.graphs() {
                self.body(node, &attribute.name, graph, frame, scope, &[]);
            }
        }
    }

    /// A body of a node; nothing if it is nested too deeply.
    pub(super) fn body(
        &mut self,
        node: &'m Node,
        name: &str,
        graph: &'m Graph,
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
        given: &[Kind],
    ) -> Vec<Kind> {
        if frame.depth >= self.limits.depth {
            return Vec::new();
        }
        let place = body_place(frame.place, node, name);
        let inside = Frame {
            place: &place,
            depth: frame.depth + 1,
            ..frame
        };
        self.graph(graph, inside, Some(scope), given)
    }
}

/// Reports resolved references whose value has the wrong type, or is missing although required.
fn resolved(call: &Call) -> Vec<Problem> {
    let is_reference = |attribute: &&Attribute| matches!(attribute.value, AttributeValue::Reference(_, _));
    let problem = |attribute: &Attribute| {
        let name = &attribute.name;
        match call.attributes.value(name) {
            Some(value) => kind_problem(call.schema, name, value),
            None if call.attributes.absent(name) && call.schema.attribute(name)?.required => {
                Some(Problem::AttributeMissing { name: name.clone() })
            }
            None => None,
        }
    };
    call.node
        .attributes
        .iter()
        .filter(is_reference)
        .filter_map(problem)
        .collect()
}
