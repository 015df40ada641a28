//! The times of a plan's nodes.

use std::sync::Arc;

use backend_api::{Profile, Recorder, StepOutput, Stopwatch};
use tract_onnx::prelude::{
    IntoTValue, OutletId, TValue, TVec, Tensor, TractResult, TypedModel, TypedNode, TypedRunnableModel,
};
use tract_onnx::tract_core::plan::eval;

use crate::value::dtype_of;

/// A compiled model.
pub type Plan = Arc<TypedRunnableModel>;

/// Runs a plan `runs` times and measures each node. Sources and constants are no steps.
pub fn profile(plan: &Arc<TypedRunnableModel>, inputs: &[Tensor], runs: u32) -> TractResult<Profile> {
    let (mut recorder, clock) = (Recorder::default(), Stopwatch::start());
    let mut state = plan.spawn()?;
    for _ in 0..runs {
        let values = inputs.iter().cloned().map(IntoTValue::into_tvalue).collect();
        recorder.begin(clock.now());
        state.run_plan_with_eval(values, |context, held, node, operands| {
            let start = clock.now();
            let results = eval(context, held, node, operands);
            let end = clock.now();
            if let Ok(results) = &results
                && !node.inputs.is_empty()
            {
                recorder.add(&node.name, &node.op.name(), (start, end), || {
                    outputs(plan.model(), node, results)
                });
            }
            results
        })?;
        recorder.end(clock.now());
    }
    Ok(recorder.finish())
}

fn outputs(model: &TypedModel, node: &TypedNode, results: &TVec<TValue>) -> Vec<StepOutput> {
    let output = |(slot, value): (usize, &TValue)| {
        let name = model
            .outlet_label(OutletId::new(node.id, slot))
            .unwrap_or_default();
        match dtype_of(value.datum_type()) {
            Some(dtype) => StepOutput::tensor(name, dtype.onnx_name(), value.shape()),
            None => StepOutput {
                name: name.to_owned(),
                ..StepOutput::default()
            },
        }
    };
    results.iter().enumerate().map(output).collect()
}
