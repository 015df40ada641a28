//! Finds inputs for models without declared extents, and asks the reference to run them:
//! `cargo run -p harness-investigate --example open-extents -- target/debug/onnx-worker-reference FOLDER…`
//!
//! A folder is one of cases, or a model. Each model is tried as it is, with a name of its own in place of
//! every declared extent, and with no extents at all; what is declared of other values than the inputs is
//! removed. Every model that the reference runs as it is and not otherwise has a line, and a last line
//! counts. `EVERY=5` takes every fifth model, `MEGABYTES=30` leaves out larger ones (50).

use backend_api::protocol::External;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness_console::outln;
use harness_investigate::inputs::{Request, answered};
use harness_investigate::runner::Runner;
use harness_investigate::subject::{self, Subject};
use harness_worker::{Cancel, WorkerSpec};
use onnx_model::Model;
use onnx_shapes::opened;
use onnx_tensor::{Dim, ValueType};

/// The time limit of one run.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The models with open extents that were run.
#[derive(Default)]
struct Tally {
    models: usize,
    named: usize,
    unknown: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("usage: open-extents REFERENCE FOLDER…")?;
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(Ok(usual), |text| {
            text.parse().map_err(|_| format!("{name}={text}"))
        })
    };
    let (every, bytes) = (number("EVERY", 1)?, number("MEGABYTES", 50)? << 20);
    let spec = WorkerSpec::new("reference", program);
    let mut reference = Runner::start(spec, Cancel::on_signals()?, TIMEOUT)?;
    for folder in arguments {
        let mut tally = Tally::default();
        for file in subject::files(Path::new(&folder))?.iter().step_by(every as usize) {
            if file.metadata()?.len() <= bytes {
                tally.model(file, &mut reference)?;
            }
        }
        outln(format_args!(
            "{folder}: of {} models {} run with named extents, {} with none",
            tally.models, tally.named, tally.unknown
        ))?;
    }
    Ok(())
}

impl Tally {
    fn model(&mut self, file: &Path, reference: &mut Runner) -> Result<(), Box<dyn Error>> {
        for subject in subject::open(file)? {
            let Ok(subject) = subject else { continue };
            if asked(&subject, reference)?.is_err() {
                continue;
            }
            self.models += 1;
            let named = opened(&subject.model);
            let forms = [
                ("without extents", unknown(&named), &mut self.unknown),
                ("with named extents", named, &mut self.named),
            ];
            for (form, model, count) in forms {
                let open = Subject {
                    bytes: model.encode().into(),
                    model,
                    external: External::default(),
                    ..subject.clone()
                };
                let start = Instant::now();
                match asked(&open, reference)? {
                    Ok(()) => *count += 1,
                    Err(reason) => outln(format_args!(
                        "{} {form}, {:.1} s: {reason}",
                        file.display(),
                        start.elapsed().as_secs_f64()
                    ))?,
                }
            }
        }
        Ok(())
    }
}

/// Why the reference gives no outputs for inputs that are drawn.
fn asked(subject: &Subject, reference: &mut Runner) -> Result<Result<(), String>, Box<dyn Error>> {
    match answered(subject, &Request::default(), reference) {
        Ok(answered) => Ok(answered.outputs.map(drop).map_err(|refusal| refusal.reason)),
        Err(error @ harness_investigate::InvestigateError::Input { .. }) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// The model with no extents of inputs in place of names.
fn unknown(model: &Model) -> Model {
    let mut model = model.clone();
    for input in &mut Arc::make_mut(&mut model.graph).inputs {
        if let Some(ValueType::Tensor {
            shape: Some(shape), ..
        }) = &mut input.value_type
        {
            shape.fill(Dim::Unknown);
        }
    }
    model
}
