//! Measures ONNX Runtime on a model without the harness, on one thread whose pool does not spin.
//!
//! `ORT_DYLIB_PATH=libonnxruntime.so.1.31.1 cargo run -p backend-ort --example plain_ort -- model.onnx 1x3x224x224`

use std::error::Error;

use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

#[path = "../../plain.rs"]
mod plain;

fn main() -> Result<(), Box<dyn Error>> {
    let plain = plain::Plain::from_arguments()?;
    let library = std::env::var_os("ORT_DYLIB_PATH").ok_or("ORT_DYLIB_PATH is not set")?;
    let environment = ort::init_from(library)?.with_telemetry(false).build()?;
    let mut session = Session::builder(&environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .commit_from_file(&plain.model)?;
    let inputs = plain.inputs();
    plain::measure(|number| {
        let input = TensorRef::from_array_view((plain.shape.as_slice(), inputs[number].as_slice()))?;
        session.run(ort::inputs![input])?;
        Ok(())
    })
}
