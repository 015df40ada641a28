//! The reference interpreter as a backend, so that it is tested, isolated and reported like the others.
//!
//! It only adds the interface [`Backend`] to `onnx-interpreter`: a model is decoded, checked and bound at
//! load. An operator or opset that the reference does not have is *unsupported*; every other failure is an
//! error.

mod settings;

use std::cell::RefCell;
use std::rc::Rc;

use backend_api::protocol::resident_bytes;
use backend_api::{
    Answers, Backend, BackendError, Bounded, Capabilities, Description, LoadRequest, Named, Options, Profile,
    Reach, Recorder, Session, StepOutput, Stopwatch,
};
use onnx_interpreter::{
    InterpretError, Limits, NodeProblem, NodeRun, Observer, Program, Radius, Sets, Unspecified,
};
use onnx_model::{Folder, Model, Source};
use onnx_tensor::{Tensor, Value};

use crate::settings::Settings;

/// The reference interpreter.
#[derive(Clone, Default, Debug)]
pub struct Reference {
    settings: Settings,
}

impl Reference {
    /// Reads options by name; others keep their defaults.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an unknown name or an invalid value.
    pub fn from_options(options: Options) -> Result<Reference, BackendError> {
        let settings = Settings::from_options(options)?;
        Ok(Reference { settings })
    }
}

impl Backend for Reference {
    fn describe(&self) -> Description {
        Description {
            name: "reference".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: "onnx-interpreter".to_owned(),
            options: self.settings.in_effect(),
            wants_inputs_at_load: false,
            provider: String::new(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let opset = |domain: &onnx_schema::Domain| (domain.name.to_owned(), i64::from(domain.newest_opset));
        let contrib = onnx_schema::newest_opset(onnx_schema::CONTRIB_DOMAIN)
            .map(|opset| (onnx_schema::CONTRIB_DOMAIN.to_owned(), i64::from(opset)));
        Capabilities {
            opsets: onnx_schema::domains().iter().map(opset).chain(contrib).collect(),
            operators: onnx_interpreter::implemented().map(ToString::to_string).collect(),
            devices: vec!["cpu".to_owned()],
            options: Settings::help(),
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let folder = request.folder.map(Folder::new);
        let source = Source::named("the model");
        let source = folder.as_ref().map_or(source, |folder| {
            source.with_external(folder).resident(resident_bytes())
        });
        let model = Model::decode(request.model, &source, &onnx_model::Limits::default())
            .map_err(BackendError::load)?;
        let limits = self.settings.limits();
        Ok(Box::new(Loaded {
            program: Program::load_within(model, &limits).map_err(refusal)?,
            limits,
        }))
    }
}

/// A feature that the reference does not have is unsupported; one that the specification does not have is an
/// error.
fn refusal(error: InterpretError) -> BackendError {
    match &error {
        InterpretError::Node {
            operator, problem, ..
        } if matches!(
            **problem,
            NodeProblem::NotImplemented | NodeProblem::ForeignDomain(_)
        ) =>
        {
            BackendError::Unsupported {
                message: error.to_string(),
                operator: Some(operator.clone()),
            }
        }
        _ => BackendError::load(error),
    }
}

/// A run that exceeds a limit of the reference is unsupported; every other failure is an error.
fn failure(error: InterpretError) -> BackendError {
    if error.is_of_budget() {
        BackendError::unsupported(error)
    } else {
        BackendError::run(error)
    }
}

/// Records the time of each node.
struct Recording {
    recorder: Recorder,
    clock: Stopwatch,
}

impl Observer for Recording {
    fn ran(&mut self, run: &NodeRun<'_>) {
        let span = (self.clock.at(run.start), self.clock.at(run.end));
        self.recorder.add(run.node.label(), &run.operator, span, || {
            let named = run.node.outputs.iter().zip(run.outputs);
            let output = |(name, value): (&String, &Option<Value>)| {
                let value = value.as_ref().filter(|_| !name.is_empty())?;
                Some(StepOutput::of(name, value))
            };
            named.filter_map(output).collect()
        });
    }
}

struct Loaded {
    program: Program,
    limits: Limits,
}

impl Session for Loaded {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let limits = self.limits;
        if let Some(seed) = &mut self.limits.noise {
            *seed = seed.wrapping_add(1);
        }
        if self.limits.unspecified == Unspecified::Drawn {
            // The seeds of one run follow each other.
            self.limits.seed = self.limits.seed.wrapping_add(1 << 32);
        }
        self.program.run(inputs, limits).map_err(failure)
    }

    fn profile(&mut self, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        let clock = Stopwatch::start();
        let recording = Rc::new(RefCell::new(Recording {
            recorder: Recorder::default(),
            clock,
        }));
        for _ in 0..runs {
            recording.borrow_mut().recorder.begin(clock.now());
            let observer: Rc<RefCell<dyn Observer>> = Rc::<RefCell<Recording>>::clone(&recording);
            self.program
                .run_observed(inputs, self.limits, observer)
                .map_err(failure)?;
            recording.borrow_mut().recorder.end(clock.now());
        }
        let recorder = std::mem::take(&mut recording.borrow_mut().recorder);
        Ok(recorder.finish())
    }

    fn bound(&mut self, inputs: &[Named]) -> Result<Vec<Bounded>, BackendError> {
        let outputs = self.program.run_bounded(inputs, self.limits).map_err(failure)?;
        let bounded = |(name, value, radius): (String, Value, Radius)| {
            let radius = match radius {
                Radius::Exact => Reach::Exact,
                Radius::Within { radius, model, sets } => Reach::Within {
                    radius: Tensor::from(radius.into_shared()),
                    model: model.into_owned(),
                    sets: answers(&sets),
                },
                Radius::Unknown(reason) => Reach::Unknown {
                    reason: reason.into_owned(),
                },
            };
            Bounded {
                name,
                value,
                reach: radius,
            }
        };
        Ok(outputs.into_iter().map(bounded).collect())
    }
}

/// The answers of every element with a set.
fn answers(sets: &Sets) -> Vec<Answers> {
    let all = sets
        .iter()
        .flat_map(|(place, spans)| spans.iter().map(move |span| (place, span)));
    let answers = all.map(|(place, span)| Answers {
        place: place as u64,
        low: span.low,
        high: span.high,
    });
    answers.collect()
}
