//! Measures rten on a model without the harness, on one thread.
//!
//! `cargo run -p backend-rten --example plain_rten -- model.onnx 1x3x224x224`

use std::error::Error;
use std::sync::Arc;

use rten::{ModelOptions, RunOptions, ThreadPool, Value, ValueOrView};

#[path = "../../plain.rs"]
mod plain;

fn main() -> Result<(), Box<dyn Error>> {
    let plain = plain::Plain::from_arguments()?;
    let pool = Arc::new(ThreadPool::with_num_threads(1));
    let model = pool.run(|| {
        let mut options = ModelOptions::with_all_ops();
        options.enable_optimization(true);
        options.prepack_weights(true);
        options.load_file(&plain.model)
    })?;
    let options = RunOptions::default().with_thread_pool(Some(pool));
    let [id] = model.input_ids() else {
        return Err("expected a model with one input".into());
    };
    let inputs = plain.inputs();
    plain::measure(|number| {
        let input = Value::from_shape(&plain.shape, inputs[number].clone())?;
        model.run(
            vec![(*id, ValueOrView::from(input))],
            model.output_ids(),
            Some(options.clone()),
        )?;
        Ok(())
    })
}
