//! Runs one operator: its result, its error bound, and its random rounding.

use std::cell::RefCell;

use onnx_bounds::{Query, Radius};
use onnx_model::{Attribute, Node};
use onnx_operators::frame::{Call, Host, OpError, Outputs, Version};
use onnx_schema::{AttributeKind, OperatorSchema};
use onnx_tensor::Value;

use super::host::BodyHost;
use super::{Frame, Results};
use crate::error::NodeProblem;
use crate::nan;
use crate::noise::{Surroundings, writes_text};
use crate::origin::Origin;
use crate::scope::Scope;
use crate::settled::settled;
use crate::text;
use crate::unspecified;
use crate::wide;

/// Why the outputs of an If have no bound.
const OPEN_BRANCH: &str = "the condition of If has an error: another branch may run";

/// A node of an operator, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) frame: &'a Frame<'a>,
    /// The index of the node in its graph or function.
    pub(super) index: usize,
    pub(super) node: &'a Node,
    pub(super) scope: &'a Scope<'a>,
    /// What the node computes in float in place of a 16-bit type.
    pub(super) kept: wide::Kept,
}

/// An operator that ran, before its error is known.
struct Ran<'a> {
    call: &'a Call<'a>,
    version: &'static Version,
    host: &'a BodyHost<'a>,
    outputs: &'a Outputs,
}

impl Place<'_> {
    /// Runs the node by an implementation of its operator.
    pub(super) fn operator(
        self,
        schema: &'static OperatorSchema,
        version: &'static Version,
        inputs: &[Option<Value>],
        attributes: &[Attribute],
    ) -> Result<Results, NodeProblem> {
        self.charge(schema, inputs)?;
        let wanted: Vec<bool> = self.node.outputs.iter().map(|name| !name.is_empty()).collect();
        let host = BodyHost {
            frame: self.frame,
            scope: self.scope,
            index: self.index,
            text: text::longest(inputs, attributes),
            branches: schema.name == "If",
            kept: self.kept,
            ran: RefCell::default(),
            radii: RefCell::default(),
        };
        let call = Call::new(schema, inputs, attributes, &wanted, &host);
        let outputs = nan::canonical(schema, (version.eval)(&call)?);
        let unspecified = self.frame.budget.limits.unspecified;
        let outputs = unspecified::apply(unspecified, schema, inputs, outputs, || host.draw_seed())?;
        let missing =
            (0..wanted.len()).find(|&index| wanted[index] && !matches!(outputs.get(index), Some(Some(_))));
        if let Some(index) = missing {
            return Err(NodeProblem::MissingOutput(index));
        }
        let ran = Ran {
            call: &call,
            version,
            host: &host,
            outputs: &outputs,
        };
        let radii = self.bounds(&ran);
        let (rounded, origin) = self.rounded(&ran, schema, inputs);
        Ok(Results {
            origins: vec![origin; outputs.len()],
            kept: vec![self.kept == wide::Kept::Results; outputs.len()],
            outputs: rounded.unwrap_or(outputs),
            radii,
        })
    }

    /// Charges the elements that an operator reads. An operator with a body only passes its inputs to it.
    fn charge(self, schema: &OperatorSchema, inputs: &[Option<Value>]) -> Result<(), OpError> {
        if has_body(schema) {
            return Ok(());
        }
        let mut values = inputs.iter().flatten();
        values.try_for_each(|value| self.frame.budget.read(value))
    }

    /// The error radii of the outputs; none if not requested.
    fn bounds(self, ran: &Ran<'_>) -> Vec<Radius> {
        let radii = self.frame.radii(self.node, self.scope);
        match self.frame.bounded {
            // The outputs of an If are those of its branch.
            true if ran.host.branches => match radii.first() {
                None | Some(Radius::Exact) => ran.host.radii.take(),
                Some(_) => vec![Radius::unknown(OPEN_BRANCH); ran.outputs.len()],
            },
            true => onnx_bounds::bound(&ran.query(&radii)),
            false => Vec::new(),
        }
    }

    /// The outputs under random rounding, if the run has it and the operator rounds, and their origin.
    fn rounded(
        self,
        ran: &Ran<'_>,
        schema: &OperatorSchema,
        inputs: &[Option<Value>],
    ) -> (Option<Outputs>, Origin) {
        // Without random rounding nobody asks.
        let Some(noise) = &self.frame.budget.noise else {
            return (None, Origin::Rounded);
        };
        let operands = operands(schema, self.node, self.scope);
        if settled(schema, operands, inputs) && !writes_text(schema.name, ran.outputs) {
            return (None, Origin::Settled);
        }
        if !onnx_bounds::rules::rounds(schema.domain, schema.name) {
            return (None, operands);
        }
        let surroundings = Surroundings {
            operands,
            kept: self.kept,
            graph: self.frame.graph,
            node: self.node,
        };
        let exact = vec![Radius::Exact; inputs.len()];
        let (outputs, is_rounded) = noise.perturb(&ran.query(&exact), surroundings);
        let origin = if is_rounded { Origin::Rounded } else { operands };
        (Some(outputs), origin)
    }
}

impl Ran<'_> {
    /// What the rules of errors ask of the node, for operands with these errors.
    fn query<'q>(&'q self, errors: &'q [Radius]) -> Query<'q> {
        Query {
            call: self.call,
            eval: self.version.eval,
            bodies: self.host,
            outputs: self.outputs,
            errors,
        }
    }
}

/// Whether an operator runs a graph in an attribute.
fn has_body(schema: &OperatorSchema) -> bool {
    let mut kinds = schema.attributes.iter().map(|attribute| attribute.kind);
    kinds.any(|kind| kind == AttributeKind::Graph)
}

/// What random rounding did to the operands of a node; a body may read more than its node lists.
fn operands(schema: &OperatorSchema, node: &Node, scope: &Scope<'_>) -> Origin {
    if has_body(schema) {
        return Origin::Rounded;
    }
    let named = node.inputs.iter().filter(|name| !name.is_empty());
    named
        .map(|name| scope.origin(name))
        .max()
        .unwrap_or(Origin::Settled)
}
