//! Executes the steps of a plan.

use std::ops::Range;
use std::time::Instant;

use backend_api::StepOutput;
use native_kernels::Buffer;
use onnx_tensor::Value;

use super::arena::borrow;
use super::general;
use super::plan::{Action, Place, Plan, Planned, Source, Step};
use crate::error::{NodeError, Problem, invalid};
use crate::ir::ValueId;
use crate::kernels::{Device, Elements, ElementsMut};

/// Memory that a program keeps between runs: the arena.
#[derive(Default)]
pub struct Memory {
    arena: Option<Buffer<f32>>,
}

impl Memory {
    fn arena(&mut self, length: usize) -> Result<&mut [f32], Problem> {
        let old = self.arena.take();
        let arena = match old {
            Some(arena) if arena.len() >= length => arena,
            Some(arena) => {
                // Shapes that grow by little, as those of a cache do, must not need a new arena each time.
                // The old one is freed before.
                let enough = length.max(arena.len() + arena.len() / 8);
                drop(arena);
                Buffer::try_zeroed(enough)?
            }
            None => Buffer::try_zeroed(length)?,
        };
        Ok(&mut self.arena.insert(arena)[..length])
    }
}

impl Plan {
    /// Runs the plan; an input that is not fed is `None`.
    pub fn run(
        &mut self,
        inputs: Vec<Option<Value>>,
        memory: &mut Memory,
        device: &Device,
    ) -> Result<Vec<Value>, NodeError> {
        let charged = device.steps.charge(self.steps.len());
        let arena = charged
            .and_then(|()| memory.arena(self.arena))
            .map_err(|problem| NodeError {
                node: "plan".to_owned(),
                operator: format!("{} steps", self.steps.len()),
                problem,
            })?;
        let mut values: Vec<Option<Value>> = vec![None; self.values];
        for (id, value) in self.inputs.iter().zip(inputs) {
            values[id.index()] = value;
        }
        for (number, step) in self.steps.iter_mut().enumerate() {
            let start = self.profile.is_some().then(Instant::now);
            let recorded = device.recording.start();
            run_step(step, &mut values, arena, device)?;
            if recorded.is_some() {
                let outputs = || outputs(step, &values);
                device
                    .recording
                    .add(recorded, &step.node.name, &step.node.op.label(), outputs);
            }
            if let (Some(profile), Some(start)) = (&mut self.profile, start) {
                profile.add(number, &step.node, start.elapsed());
            }
            step.dead.iter().for_each(|id| values[id.index()] = None);
        }
        if let Some(profile) = &self.profile {
            profile.write();
        }
        self.views.iter().for_each(|view| {
            device
                .recording
                .add_view(&view.name, &view.operator, || vec![described(&view.output)])
        });
        let result = |(name, source): &(String, Source)| {
            value(source, &values, arena)
                .and_then(|found| found.ok_or(missing()))
                .map_err(|problem| NodeError {
                    node: name.clone(),
                    operator: "output".to_owned(),
                    problem,
                })
        };
        self.outputs.iter().map(result).collect()
    }
}

/// The outputs of a step that ran, for a profile.
fn outputs(step: &Step, values: &[Option<Value>]) -> Vec<StepOutput> {
    let output = |planned: &Planned| match &values[planned.id.index()] {
        Some(value) => StepOutput::of(&planned.name, value),
        None => described(planned),
    };
    step.outputs.iter().flatten().map(output).collect()
}

/// A value with its element type and shape as far as they are known.
fn described(planned: &Planned) -> StepOutput {
    match (planned.dtype, &planned.shape) {
        (Some(dtype), Some(shape)) => StepOutput::tensor(&planned.name, dtype.onnx_name(), shape),
        _ => StepOutput {
            name: planned.name.clone(),
            ..StepOutput::default()
        },
    }
}

fn missing() -> Problem {
    Problem::Invalid("the value is missing: an input is not fed, or no node computes it".to_owned())
}

fn run_step(
    step: &mut Step,
    values: &mut [Option<Value>],
    arena: &mut [f32],
    device: &Device,
) -> Result<(), NodeError> {
    let Step {
        node,
        action,
        outputs: planned,
        ..
    } = step;
    let at_node = |problem: Problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    };
    let outputs = match action {
        Action::Kernel {
            kernel,
            reads,
            writes,
        } => {
            return kernel_step(kernel.as_mut(), reads, writes, values, arena, device).map_err(at_node);
        }
        Action::General { reads, bodies } => {
            let inputs = gather(reads, values, arena).map_err(at_node)?;
            let inputs: Vec<Option<&Value>> = inputs.iter().map(Option::as_ref).collect();
            general::evaluate_with(node, &inputs, bodies)?
        }
        Action::Deferred { reads, deferred } => {
            let inputs = gather(reads, values, arena).map_err(at_node)?;
            deferred.run(node, &inputs, device).map_err(at_node)?
        }
    };
    for (planned, value) in planned.iter().zip(outputs) {
        let Some(planned) = planned else { continue };
        if let Value::Tensor(tensor) = &value {
            device.steps.charge_elements(tensor.len()).map_err(at_node)?;
        }
        check_shape(planned.shape.as_deref(), &value).map_err(at_node)?;
        values[planned.id.index()] = Some(value);
    }
    Ok(())
}

/// Fails if a result has another shape than the one for which later steps are planned, which the
/// file may declare wrongly.
fn check_shape(planned: Option<&[usize]>, value: &Value) -> Result<(), Problem> {
    match (planned, value) {
        (Some(planned), Value::Tensor(tensor)) if tensor.shape() != planned => invalid(format!(
            "the result has shape {:?}, but {planned:?} is declared or follows from the inputs",
            tensor.shape()
        )),
        _ => Ok(()),
    }
}

/// Returns the inputs of a step as values.
fn gather(
    reads: &[Option<Source>],
    values: &[Option<Value>],
    arena: &[f32],
) -> Result<Vec<Option<Value>>, Problem> {
    let read = |source: &Option<Source>| match source {
        Some(source) => value(source, values, arena),
        None => Ok(None),
    };
    reads.iter().map(read).collect()
}

fn value(source: &Source, values: &[Option<Value>], arena: &[f32]) -> Result<Option<Value>, Problem> {
    Ok(match source {
        Source::Constant(constant) => Some(constant.clone()),
        Source::Value(id) => values[id.index()].clone(),
        Source::Arena(place, shape) => {
            let words = arena.get(place.words.clone()).unwrap_or_default();
            let elements = Elements::of_words(place.dtype, place.length, words)?;
            Some(Value::Tensor(elements.to_tensor(shape)?))
        }
    })
}

fn kernel_step(
    kernel: &mut dyn crate::kernels::Kernel,
    reads: &[Source],
    writes: &[Place],
    values: &[Option<Value>],
    arena: &mut [f32],
    device: &Device,
) -> Result<(), Problem> {
    let elements = writes.iter().map(|place| place.length).sum();
    device.steps.charge_elements(elements)?;
    let ranges: Vec<Range<usize>> = reads
        .iter()
        .filter_map(|source| match source {
            Source::Arena(place, _) => Some(place.words.clone()),
            _ => None,
        })
        .collect();
    let targets: Vec<Range<usize>> = writes.iter().map(|place| place.words.clone()).collect();
    let (lent, results) = borrow(arena, &ranges, &targets)?;
    let mut lent = lent.into_iter();
    let mut inputs: Vec<Elements> = Vec::with_capacity(reads.len());
    for source in reads {
        inputs.push(match source {
            Source::Arena(place, _) => {
                Elements::of_words(place.dtype, place.length, lent.next().unwrap_or_default())?
            }
            Source::Constant(Value::Tensor(tensor)) => Elements::of_tensor(tensor)?,
            Source::Value(id) => held(*id, values)?,
            Source::Constant(_) => return invalid("a constant is not a tensor"),
        });
    }
    let typed = |(place, words): (&Place, _)| ElementsMut::of_words(place.dtype, place.length, words);
    let mut outputs = writes
        .iter()
        .zip(results)
        .map(typed)
        .collect::<Result<Vec<_>, _>>()?;
    kernel.run(device, &inputs, &mut outputs)
}

fn held(id: ValueId, values: &[Option<Value>]) -> Result<Elements<'_>, Problem> {
    match &values[id.index()] {
        Some(Value::Tensor(tensor)) => Elements::of_tensor(tensor),
        _ => Err(missing()),
    }
}
