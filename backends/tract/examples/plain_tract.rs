//! Measures tract on a model without the harness, on one thread.
//!
//! `cargo run -p backend-tract --example plain_tract -- model.onnx 1x3x224x224`

use std::error::Error;

use tract_linalg::multithread::Executor;
use tract_onnx::prelude::{Framework, InferenceModelExt, IntoTValue, RunOptions, Tensor, tvec};

#[path = "../../plain.rs"]
mod plain;

fn main() -> Result<(), Box<dyn Error>> {
    let plain = plain::Plain::from_arguments()?;
    let options = RunOptions {
        executor: Some(Executor::SingleThread),
        ..RunOptions::default()
    };
    let plan = tract_onnx::onnx()
        .model_for_path(&plain.model)?
        .into_typed()?
        .into_optimized()?
        .into_runnable_with_options(&options)?;
    let inputs = plain.inputs();
    plain::measure(|number| {
        let input = Tensor::from_shape(&plain.shape, &inputs[number])?;
        plan.run(tvec!(input.into_tvalue()))?;
        Ok(())
    })
}
