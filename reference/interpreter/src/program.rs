//! Checked models.

use std::cell::RefCell;
use std::rc::Rc;

use onnx_bounds::Radius;
use onnx_checker::{Functions, check_within};
use onnx_model::Model;
use onnx_operators::frame::Deviation;
use onnx_tensor::Value;

use crate::bind::{bind, label};
use crate::deviation;
use crate::error::{InterpretError, Refusal};
use crate::limits::{Budget, Limits};
use crate::observer::{Observer, Watched};
use crate::order::sorted;
use crate::run::execute;

/// A model that satisfies the specification as far as that is known without running it, and whose operators
/// in the main graph the reference implements.
#[derive(Clone, Debug)]
pub struct Program {
    model: Model,
}

impl Program {
    /// Checks a model.
    ///
    /// # Errors
    /// [`InterpretError::Invalid`] for a model with a violation of the specification that no [`Deviation`]
    /// covers, and [`InterpretError::Node`] for a node that the reference does not implement.
    pub fn load(model: Model) -> Result<Program, InterpretError> {
        Program::load_within(model, &Limits::default())
    }

    /// Like [`Program::load`], within limits: [`Limits::strict`] accepts no deviation.
    ///
    /// # Errors
    /// Those of [`Program::load`].
    pub fn load_within(model: Model, limits: &Limits) -> Result<Program, InterpretError> {
        let model = admit(&model, limits)?.unwrap_or(model);
        Ok(Program { model })
    }

    /// Runs the main graph on named inputs. Returns the outputs in the order of the graph.
    ///
    /// # Errors
    /// An input is missing, unknown or has another type than declared, an operator has no result, or a
    /// budget is exceeded.
    pub fn run(
        &self,
        inputs: &[(String, Value)],
        limits: Limits,
    ) -> Result<Vec<(String, Value)>, InterpretError> {
        unbounded(&self.model, inputs, limits)
    }

    /// Like [`Program::run`], and calls `observer` for each node that ran.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn run_observed(
        &self,
        inputs: &[(String, Value)],
        limits: Limits,
        observer: Rc<RefCell<dyn Observer>>,
    ) -> Result<Vec<(String, Value)>, InterpretError> {
        let mut budget = Budget::new(limits, false);
        budget.watched = Watched::by(observer);
        execute(&self.model, inputs, &budget).map(without_radii)
    }

    /// Like [`Program::run`], and returns with each output the maximum error of a correct implementation in
    /// the output's precision.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn run_bounded(
        &self,
        inputs: &[(String, Value)],
        limits: Limits,
    ) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
        execute(&self.model, inputs, &Budget::new(limits, true))
    }
}

/// Checks a model and runs it once: [`Program::load`] and [`Program::run`].
///
/// # Errors
/// Those of the two methods.
pub fn run(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value)>, InterpretError> {
    let sorted = admit(model, &limits)?;
    unbounded(sorted.as_ref().unwrap_or(model), inputs, limits)
}

/// Checks a model and runs it once: [`Program::load`] and [`Program::run_bounded`].
///
/// # Errors
/// Those of the two methods.
pub fn run_bounded(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
    let sorted = admit(model, &limits)?;
    execute(
        sorted.as_ref().unwrap_or(model),
        inputs,
        &Budget::new(limits, true),
    )
}

fn unbounded(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value)>, InterpretError> {
    execute(model, inputs, &Budget::new(limits, false)).map(without_radii)
}

fn without_radii(outputs: Vec<(String, Value, Radius)>) -> Vec<(String, Value)> {
    outputs
        .into_iter()
        .map(|(name, value, _)| (name, value))
        .collect()
}

/// Checks a model. Returns it with its nodes in topological order if they are in another order.
fn admit(model: &Model, limits: &Limits) -> Result<Option<Model>, InterpretError> {
    // With a limit, tolerated findings could hide one that is not.
    let all = onnx_checker::Limits {
        findings: usize::MAX,
        ..onnx_checker::Limits::default()
    };
    let found = check_within(model, all).list;
    let unsorted = found
        .iter()
        .any(|finding| deviation::of(finding) == Some(Deviation::NodeOrder));
    let refused: Vec<_> = found
        .into_iter()
        .filter(|finding| limits.strict || deviation::of(finding).is_none())
        .collect();
    if !refused.is_empty() {
        return Err(InterpretError::Invalid(Refusal(refused)));
    }
    let (functions, imports) = (Functions::new(model), &model.opset_imports);
    for node in &model.graph.nodes {
        bind(&functions, imports, node).map_err(|problem| InterpretError::Node {
            node: node.label().to_owned(),
            operator: label(imports, node),
            problem: Box::new(problem),
        })?;
    }
    Ok(unsorted.then(|| sorted(model)))
}
