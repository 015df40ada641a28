//! The stages of a mutant, and their results.

use backend_api::{Backend, BackendError, LoadRequest, Options};
use backend_native::{Native, Settings};
use backend_reference::Reference;
use onnx_model::{Limits, Model, Source};

use crate::recipe::Mutant;

/// The limits of the reference: enough for every seed, and low enough that no valid mutant comes near
/// the limits of a worker.
const REFERENCE: [&str; 4] = [
    "memory=67108864",
    "total-memory=268435456",
    "steps=100000",
    "operations=50000000",
];

/// The step limit of a run of the native backend: it ends loops that a mutation made long.
const NATIVE_STEPS: u64 = 1_000_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Decodes the bytes.
    Decode,
    /// Runs the static checker.
    Check,
    /// Loads and runs the model in the reference.
    Reference,
    /// Loads and runs the model in the native backend.
    Native,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 4] = [Stage::Decode, Stage::Check, Stage::Reference, Stage::Native];

    /// The name for output and for the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Decode => "decode",
            Stage::Check => "check",
            Stage::Reference => "reference",
            Stage::Native => "native",
        }
    }
}

/// The result of a stage that ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// The stage was not reached.
    NotRun,
    /// The file is not a model.
    Refused,
    /// The file is a model.
    Decoded,
    /// The checker has findings.
    Findings,
    /// The checker has no findings.
    Clean,
    /// Not supported, at load or at run.
    Unsupported,
    /// Refused at load.
    LoadError,
    /// Refused at run.
    RunError,
    /// More memory than allowed.
    OutOfMemory,
    /// The model was run.
    Answered,
    Panicked,
}

impl Outcome {
    /// All results, in the order of a table.
    pub const ALL: [Outcome; 11] = [
        Outcome::NotRun,
        Outcome::Refused,
        Outcome::Decoded,
        Outcome::Findings,
        Outcome::Clean,
        Outcome::Unsupported,
        Outcome::LoadError,
        Outcome::RunError,
        Outcome::OutOfMemory,
        Outcome::Answered,
        Outcome::Panicked,
    ];

    /// The name for a person.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::NotRun => "not run",
            Outcome::Refused => "refused",
            Outcome::Decoded => "decoded",
            Outcome::Findings => "findings",
            Outcome::Clean => "no findings",
            Outcome::Unsupported => "unsupported",
            Outcome::LoadError => "load error",
            Outcome::RunError => "run error",
            Outcome::OutOfMemory => "out of memory",
            Outcome::Answered => "answered",
            Outcome::Panicked => "panicked",
        }
    }
}

/// The backends of the stages.
pub struct Runner {
    reference: Reference,
    native: Native,
}

impl Runner {
    /// The reference and the native backend with limits.
    ///
    /// # Errors
    /// The reference does not know an option.
    pub fn new() -> Result<Runner, BackendError> {
        let options = Options::from_args(
            REFERENCE
                .iter()
                .flat_map(|option| ["--opt".into(), option.into()]),
        )?;
        Ok(Runner {
            reference: Reference::from_options(options)?,
            native: Native::new(Settings {
                steps: NATIVE_STEPS,
                ..Settings::default()
            }),
        })
    }

    /// Runs one stage of a mutant. The caller catches panics.
    pub fn run(&mut self, stage: Stage, mutant: &Mutant) -> Outcome {
        let decode = || {
            Model::decode(
                mutant.model.clone(),
                &Source::named("the mutant"),
                &Limits::default(),
            )
        };
        match stage {
            Stage::Decode => decode().map_or(Outcome::Refused, |_| Outcome::Decoded),
            Stage::Check => match decode() {
                Ok(model) => {
                    // Shapes are inferred of any model, also of one with findings.
                    drop(onnx_shapes::infer(&model));
                    if onnx_checker::check(&model).is_empty() {
                        Outcome::Clean
                    } else {
                        Outcome::Findings
                    }
                }
                Err(_) => Outcome::Refused,
            },
            Stage::Reference => load_and_run(&mut self.reference, mutant),
            Stage::Native => load_and_run(&mut self.native, mutant),
        }
    }
}

fn load_and_run(backend: &mut dyn Backend, mutant: &Mutant) -> Outcome {
    let request = LoadRequest {
        model: mutant.model.clone().into(),
        ..LoadRequest::default()
    };
    let ran = backend
        .load(request)
        .and_then(|mut session| session.run(&mutant.inputs));
    if let Err(error) = &ran {
        // The native backend converts a panic to an error, but it is still a fault.
        let text = error.to_string();
        assert!(!text.contains(backend_native::INTERNAL_ERROR), "{text}");
    }
    match ran {
        Ok(_) => Outcome::Answered,
        Err(BackendError::Unsupported { .. }) => Outcome::Unsupported,
        Err(BackendError::Load { .. }) => Outcome::LoadError,
        Err(BackendError::OutOfMemory { .. }) => Outcome::OutOfMemory,
        Err(BackendError::NotTaken { .. }) => Outcome::Unsupported,
        Err(BackendError::Run { .. } | BackendError::Option { .. } | BackendError::Missing { .. }) => {
            Outcome::RunError
        }
    }
}
