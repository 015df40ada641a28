//! Measures what further input shapes cost:
//! `cargo run -p backend-native --example shape-time -- MODEL 1 2 3`.
//!
//! Each number becomes the extent of every open axis of the inputs, whose elements are zero. It
//! prints one line for each: the milliseconds of the first run, which makes the plan, and of the
//! second, and the greatest memory so far.

#[path = "support/memory.rs"]
mod memory;
#[path = "support/zeros.rs"]
mod zeros;

use std::process::ExitCode;
use std::time::Instant;

use backend_api::{Backend, BackendError, LoadRequest, Named};
use backend_native::{Native, Settings};
use onnx_model::{Bytes, Limits, Model, Source};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((path, extents)) = arguments.split_first() else {
        eprintln!("usage: shape-time MODEL EXTENT...");
        return ExitCode::from(2);
    };
    match measure(path, extents) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout)]
fn measure(path: &str, extents: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let model: Bytes = std::fs::read(path)?.into();
    let decoded = Model::decode(model.clone(), &Source::named("the model"), &Limits::default())?;
    let inputs = &decoded.graph.inputs;
    let mut session = Native::new(Settings::default()).load(LoadRequest {
        model,
        ..LoadRequest::default()
    })?;
    for extent in extents {
        let extent: usize = extent.parse()?;
        let given: Vec<Named> = inputs
            .iter()
            .filter_map(|info| {
                Some((
                    info.name.clone(),
                    zeros::zeros(info.value_type.as_ref()?, extent)?,
                ))
            })
            .collect();
        let mut run = || {
            let started = Instant::now();
            session.run(&given)?;
            Ok::<_, BackendError>(started.elapsed().as_secs_f64() * 1e3)
        };
        let (first, second) = (run()?, run()?);
        println!(
            "{extent}: first run {first:.2} ms, second {second:.2} ms, {}",
            memory::greatest()
        );
    }
    Ok(())
}
