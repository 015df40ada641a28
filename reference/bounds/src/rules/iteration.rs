//! Loop, Scan, SequenceMap: errors are propagated from one iteration to the next, and collected for the
//! outputs.
//!
//! Outside of its bodies such an operator only moves values: it slices, carries, stacks. So it is evaluated
//! again with radii instead of values, with a host that maps the radii of a body's inputs to those of its
//! outputs: iteration k runs on its original values and on the propagated radii. If the error of a
//! condition could change the number of iterations, or a value other than a float tensor has an error, the
//! radius is unknown.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ndarray::ArrayD;
use onnx_model::{Attribute, AttributeValue, Graph};
use onnx_operators::frame::{Call, Deviation, Host, OpError, Outputs, Reading};
use onnx_tensor::{DType, Tensor, Value};

use super::{Entry, entry};
use crate::bodies::Bodies;
use crate::query::{is_float, reals};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("Loop", iterated),
    entry("Scan", iterated),
    entry("SequenceMap", iterated),
];

fn iterated(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let body = query.call.graph("body")?;
    let host = RadiusHost {
        bodies: query.bodies,
        body,
        ran: query.bodies.ran(),
        iteration: Cell::new(0),
        obstacle: RefCell::default(),
    };
    let inputs = (0..query.call.input_count())
        .map(|index| host.as_radius(query.call.optional(index), query.errors.get(index)))
        .collect::<Option<Vec<_>>>();
    let Some(inputs) = inputs else {
        return super::exact::decides(query);
    };
    let attributes = untyped(query.call.given_attributes(), !host.ran.is_empty());
    let wanted: Vec<bool> = (0..query.call.output_count())
        .map(|index| query.call.wants(index))
        .collect();
    let call = Call::new(query.call.schema(), &inputs, &attributes, &wanted, &host);
    let outputs = (query.eval)(&call);
    if let Some(obstacle) = host.obstacle.take() {
        return Ok(vec![Radius::unknown(obstacle); query.outputs.len()]);
    }
    let radius = |(index, output): (usize, Option<Value>)| match output {
        Some(Value::Tensor(tensor)) if query.unit(index) > 0.0 => match reals(&tensor) {
            Some(radius) => Radius::within(radius, "propagated from iteration to iteration"),
            None => Radius::unknown("the output is not a numeric tensor"),
        },
        Some(Value::Tensor(_)) | None => Radius::Exact,
        Some(other) => match query.outputs.get(index) {
            Some(Some(value)) if is_exact(value, &other) => Radius::Exact,
            _ => Radius::unknown("a sequence or an optional of values with errors"),
        },
    };
    Ok(outputs?.into_iter().enumerate().map(radius).collect())
}

/// Whether a value that is not a tensor is exact: the evaluation on radii returned each of its tensors
/// unchanged, or zeros.
fn is_exact(value: &Value, radius: &Value) -> bool {
    match (value, radius) {
        (Value::Tensor(value), Value::Tensor(radius)) => {
            let zeros = |radii: onnx_tensor::Array<f64>| radii.iter().all(|radius| *radius == 0.0);
            value.same_bits(radius) || is_float(value.dtype()) && reals(radius).is_some_and(zeros)
        }
        (Value::Sequence(values), Value::Sequence(radii)) => {
            let mut pairs = values.values.iter().zip(&radii.values);
            values.values.len() == radii.values.len() && pairs.all(|(value, radius)| is_exact(value, radius))
        }
        (Value::Optional { value, .. }, Value::Optional { value: radius, .. }) => match (value, radius) {
            (Some(value), Some(radius)) => is_exact(value, radius),
            (value, radius) => value.is_none() && radius.is_none(),
        },
        _ => false,
    }
}

/// The attributes, with bodies without the types of their inputs and outputs: radii are always f64.
fn untyped(attributes: &[Attribute], runs: bool) -> Vec<Attribute> {
    let strip = |graph: &Arc<Graph>| {
        let mut graph = Graph::clone(graph);
        graph
            .inputs
            .iter_mut()
            .chain(&mut graph.outputs)
            .for_each(|info| info.value_type = None);
        Arc::new(graph)
    };
    let attribute = |attribute: &Attribute| match &attribute.value {
        AttributeValue::Graph(graph) if runs => Attribute {
            name: attribute.name.clone(),
            value: AttributeValue::Graph(strip(graph)),
        },
        _ => attribute.clone(),
    };
    attributes.iter().map(attribute).collect()
}

/// A host that runs bodies on radii.
struct RadiusHost<'a> {
    bodies: &'a dyn Bodies,
    body: &'a Graph,
    /// The inputs of each iteration.
    ran: Vec<Vec<Option<Value>>>,
    iteration: Cell<usize>,
    /// The reason for an unknown radius.
    obstacle: RefCell<Option<&'static str>>,
}

impl RadiusHost<'_> {
    /// The replacement of a value in an evaluation on radii: its radius if it is a float tensor, the value
    /// itself if it is exact. An unknown radius is infinite.
    fn as_radius(&self, value: Option<&Value>, radius: Option<&Radius>) -> Option<Option<Value>> {
        let Some(value) = value else { return Some(None) };
        let exact = radius.is_none_or(Radius::is_exact);
        match value {
            Value::Tensor(tensor) if is_float(tensor.dtype()) => {
                let radius = radius.unwrap_or(&Radius::Exact).array(tensor.shape());
                let radius =
                    radius.unwrap_or_else(|| ArrayD::from_elem(tensor.shape(), f64::INFINITY).into_shared());
                Some(Some(Value::Tensor(Tensor::from(radius))))
            }
            _ if exact => Some(Some(value.clone())),
            _ => None,
        }
    }

    fn fail(&self, obstacle: &'static str) -> OpError {
        self.obstacle.replace(Some(obstacle));
        OpError::invalid(obstacle)
    }
}

impl Host for RadiusHost<'_> {
    fn run_body(&self, _: &Graph, radii: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        let iteration = self.iteration.replace(self.iteration.get() + 1);
        let Some(inputs) = self.ran.get(iteration) else {
            return Err(
                self.fail("the evaluation on radii runs more iterations than the evaluation on values")
            );
        };
        let radius = |(value, radius): (&Option<Value>, &Option<Value>)| match (value, radius) {
            (Some(Value::Tensor(value)), Some(Value::Tensor(radius))) if is_float(value.dtype()) => {
                match reals(radius) {
                    Some(radius) if radius.iter().any(|radius| radius.is_infinite()) => {
                        Radius::unknown("the radius of an earlier value of the loop is unknown")
                    }
                    Some(radius) => Radius::within(radius, "propagated from iteration to iteration"),
                    None => Radius::unknown("an input of the body has no radius"),
                }
            }
            _ => Radius::Exact,
        };
        let errors = inputs.iter().zip(&radii).map(radius).collect();
        let (outputs, radii) = self.bodies.run(self.body, inputs.clone(), errors)?;
        let radius = |(output, radius): (&Option<Value>, &Radius)| {
            self.as_radius(output.as_ref(), Some(radius))
                .ok_or_else(|| self.fail("a decision of the body may change with the errors of its inputs"))
        };
        outputs.iter().zip(&radii).map(radius).collect()
    }

    fn reserve(&self, _: &[usize], _: DType) -> Result<(), OpError> {
        // The evaluation on values was within the same budget.
        Ok(())
    }

    fn step(&self) -> Result<(), OpError> {
        Ok(())
    }

    fn work(&self, _: u64) -> Result<(), OpError> {
        Ok(())
    }

    fn tolerates(&self, _: Deviation) -> bool {
        // The evaluation on values would have failed.
        true
    }

    fn takes(&self, _: Reading) -> bool {
        // No reading applies to operators with bodies.
        false
    }

    fn draw_seed(&self) -> u64 {
        0
    }
}
