//! Measures decoding with a cache that grows by one token for each step:
//! `cargo run -p backend-native --example growing-cache -- MODEL 128`.
//!
//! The model has inputs with `past` in their names, whose open extent is the length of the cache, and an
//! output for each, with `present` instead. Step by step it is run with the outputs of the step before;
//! every other input is zero, with extents of 1 where they are open. Each step has shapes of its own, so it
//! includes the planning. Then the same inputs are run twice more, and the faster run is that of a static
//! plan. The example prints the medians and their ratio for each eighth of the steps, and the greatest memory
//! so far.

#[path = "support/memory.rs"]
mod memory;
#[path = "support/zeros.rs"]
mod zeros;

use std::process::ExitCode;
use std::time::Instant;

use backend_api::{Backend, BackendError, LoadRequest, Named, Session};
use backend_native::{Native, Settings};
use onnx_model::{Bytes, Limits, Model, Source};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, steps] = &arguments[..] else {
        eprintln!("usage: growing-cache MODEL STEPS");
        return ExitCode::from(2);
    };
    match measure(path, steps) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout)]
fn measure(path: &str, steps: &str) -> Result<(), Box<dyn std::error::Error>> {
    let steps: usize = steps.parse()?;
    // As the worker does.
    native_kernels::keep_freed_memory();
    let model: Bytes = std::fs::read(path)?.into();
    let decoded = Model::decode(model.clone(), &Source::named("the model"), &Limits::default())?;
    let mut session = Native::new(Settings::default()).load(LoadRequest {
        model,
        ..LoadRequest::default()
    })?;
    let mut given: Vec<Named> = decoded
        .graph
        .inputs
        .iter()
        .filter_map(|info| {
            let open = usize::from(!info.name.contains("past"));
            Some((info.name.clone(), zeros::zeros(info.value_type.as_ref()?, open)?))
        })
        .collect();
    let part = steps.div_ceil(8).max(1);
    let (mut growing, mut still) = (Vec::new(), Vec::new());
    for step in 1..=steps {
        let (first, outputs) = timed(session.as_mut(), &given)?;
        let again = [
            timed(session.as_mut(), &given)?.0,
            timed(session.as_mut(), &given)?.0,
        ];
        growing.push(first);
        still.push(again[0].min(again[1]));
        for (name, value) in &mut given {
            let present = name.replace("past", "present");
            if let Some((_, grown)) = outputs.iter().find(|(output, _)| *output == present) {
                *value = grown.clone();
            }
        }
        if step % part == 0 || step == steps {
            let (growing, still) = (median(&mut growing), median(&mut still));
            println!(
                "up to {step}: a step {growing:.2} ms, with a static plan {still:.2} ms, ratio {:.2}, {}",
                growing / still,
                memory::greatest()
            );
        }
    }
    Ok(())
}

fn timed(session: &mut dyn Session, given: &[Named]) -> Result<(f64, Vec<Named>), BackendError> {
    let started = Instant::now();
    let outputs = session.run(given)?;
    Ok((started.elapsed().as_secs_f64() * 1e3, outputs))
}

/// Takes all numbers and returns their median.
fn median(values: &mut Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
    values.clear();
    middle
}
