//! Models that were checked before they run.

use onnx_bounds::Radius;
use onnx_checker::{Functions, check};
use onnx_model::Model;
use onnx_tensor::Value;

use crate::bind::{bind, label};
use crate::error::{InterpretError, Refusal};
use crate::leniency::Leniency;
use crate::limits::{Budget, Limits};
use crate::run::execute;

/// A model that keeps the specification, as far as that can be told without running it, and of whose main graph the reference
/// has every operator.
#[derive(Clone, Debug)]
pub struct Program {
    model: Model,
}

impl Program {
    /// Checks a model.
    ///
    /// # Errors
    /// [`InterpretError::Invalid`] for a model that breaks the specification where no [`Leniency`] covers it, and
    /// [`InterpretError::Node`] for a node that the reference does not have.
    pub fn load(model: Model) -> Result<Program, InterpretError> {
        admit(&model)?;
        Ok(Program { model })
    }

    /// Runs the main graph on named inputs; gives the outputs in the order of the graph.
    ///
    /// # Errors
    /// An input that is missing, unknown or of another type than declared, an operator without a result, or a budget overrun.
    pub fn run(
        &self,
        inputs: &[(String, Value)],
        limits: Limits,
    ) -> Result<Vec<(String, Value)>, InterpretError> {
        unbounded(&self.model, inputs, limits)
    }

    /// As [`Program::run`], and with each output how far a right implementation in the output's precision may be from it.
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

/// Checks a model and runs it once: [`Program::load`] and [`Program::run`] in one.
///
/// # Errors
/// As these two.
pub fn run(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value)>, InterpretError> {
    admit(model)?;
    unbounded(model, inputs, limits)
}

/// Checks a model and runs it once: [`Program::load`] and [`Program::run_bounded`] in one.
///
/// # Errors
/// As these two.
pub fn run_bounded(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
    admit(model)?;
    execute(model, inputs, &Budget::new(limits, true))
}

fn unbounded(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value)>, InterpretError> {
    let outputs = execute(model, inputs, &Budget::new(limits, false))?;
    Ok(outputs
        .into_iter()
        .map(|(name, value, _)| (name, value))
        .collect())
}

fn admit(model: &Model) -> Result<(), InterpretError> {
    let found = check(model);
    let refused: Vec<_> = found
        .list
        .into_iter()
        .filter(|finding| Leniency::towards(finding).is_none())
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
    Ok(())
}
