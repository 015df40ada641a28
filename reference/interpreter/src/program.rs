//! Models that were checked before they run.

use onnx_bounds::Radius;
use onnx_checker::{Functions, check_within};
use onnx_model::Model;
use onnx_operators::frame::Deviation;
use onnx_tensor::Value;

use crate::bind::{bind, label};
use crate::error::{InterpretError, Refusal};
use crate::leniency;
use crate::limits::{Budget, Limits};
use crate::order::sorted;
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
    /// [`InterpretError::Invalid`] for a model that breaks the specification where no [`Deviation`] covers it, and
    /// [`InterpretError::Node`] for a node that the reference does not have.
    pub fn load(model: Model) -> Result<Program, InterpretError> {
        Program::load_within(model, &Limits::default())
    }

    /// The same within limits: with [`Limits::strict`] no deviation covers anything.
    ///
    /// # Errors
    /// Those of [`Program::load`].
    pub fn load_within(model: Model, limits: &Limits) -> Result<Program, InterpretError> {
        let model = admit(&model, limits)?.unwrap_or(model);
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
    let sorted = admit(model, &limits)?;
    unbounded(sorted.as_ref().unwrap_or(model), inputs, limits)
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
    let outputs = execute(model, inputs, &Budget::new(limits, false))?;
    Ok(outputs
        .into_iter()
        .map(|(name, value, _)| (name, value))
        .collect())
}

/// Checks a model; gives it with its nodes in topological order where they do not stand so.
fn admit(model: &Model, limits: &Limits) -> Result<Option<Model>, InterpretError> {
    // A limit could hide a finding that nothing tolerates behind those that are.
    let all = onnx_checker::Limits {
        findings: usize::MAX,
        ..onnx_checker::Limits::default()
    };
    let found = check_within(model, all).list;
    let unsorted = found
        .iter()
        .any(|finding| leniency::towards(finding) == Some(Deviation::NodeOrder));
    let refused: Vec<_> = found
        .into_iter()
        .filter(|finding| limits.strict || leniency::towards(finding).is_none())
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
