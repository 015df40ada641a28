//! The reference interpreter as a backend, so that it is tested, isolated and reported like the others.
//!
//! It only adds the interface [`Backend`] to `onnx-interpreter`: a model is decoded, checked and bound at
//! load. An operator or opset that the reference does not have is *unsupported*; every other failure is an
//! error. Options: `functions` (`own`, or `bodies`: a static function body of ONNX evaluates its operator),
//! `arithmetic` and `noise` (random rounding), `unspecified` (draws and undefined conversions), `seed` (of
//! random operators without a seed), `memory` (bytes of one value), `total-memory` (bytes of all live
//! values), `steps` and `operations` (of a run), `strict` (refuse deviations from the specification),
//! `reading` (interpretations of open questions of the specification), `threads` (within an operator).

use backend_api::protocol::resident_bytes;
use std::cell::RefCell;
use std::rc::Rc;

use backend_api::{
    Answers, Backend, BackendError, Bounded, Capabilities, Description, LoadRequest, Named, Options, Profile,
    Reach, Recorder, Session, StepOutput, Stopwatch, choice,
};
use onnx_interpreter::{
    InterpretError, Limits, NodeProblem, NodeRun, Observer, Program, Radius, Readings, Sets, Unspecified,
};
use onnx_model::{Folder, Model, Source};
use onnx_tensor::{Tensor, Value};

/// The options with one line of help each.
const HELP: [(&str, &str); 12] = [
    (
        "noise",
        "seed of random rounding; each run uses the next one (default none)",
    ),
    (
        "arithmetic",
        "errors of random rounding: `rounded`, `approximated` functions, or `narrow` products (default rounded)",
    ),
    (
        "unspecified",
        "results that the specification does not determine are `chosen` by the reference, `drawn`, or `refused` (default chosen)",
    ),
    (
        "functions",
        "`own` code, or ONNX's `bodies` for the operators that have a static one (default own)",
    ),
    (
        "seed",
        "first seed of random operators without a seed attribute (default 0)",
    ),
    ("memory", "maximum bytes of one value (default 2147483648)"),
    (
        "total-memory",
        "maximum bytes of all live values (default 17179869184)",
    ),
    (
        "steps",
        "maximum steps of a run: nodes, runs of bodies, calls of functions (default 10000000)",
    ),
    (
        "operations",
        "maximum operations on elements of a run, charged before each node (default 8589934592)",
    ),
    (
        "reading",
        "interpretations of open questions of the specification, as `resize-extent=real+arg-nan=ignored`; `ambiguities` lists them (default none)",
    ),
    (
        "strict",
        "`on` refuses deviations from the specification (default off)",
    ),
    (
        "threads",
        "1 (default) to 256: threads within an operator; no result depends on their number",
    ),
];

/// The maximum number of threads; a larger number is a typing error.
const MAX_THREADS: u16 = 256;

choice! {
    /// How operators with a static function body are evaluated.
    Functions {
        /// By their own implementation.
        Own = "own",
        /// By the function body, which is an independent definition.
        Bodies = "bodies",
    }
}

choice! {
    /// What happens to results that the specification does not determine.
    Open {
        /// The reference's choice.
        Chosen = "chosen",
        /// They are drawn at random; each run has other ones.
        Drawn = "drawn",
        /// A run that needs one ends with an error.
        Refused = "refused",
    }
}

choice! {
    /// Whether deviations from the specification that real models rely on are refused.
    Strict {
        /// They are refused.
        On = "on",
        /// They run, each as its `onnx_interpreter::Deviation` states.
        Off = "off",
    }
}

/// The reference interpreter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    limits: Limits,
}

impl Reference {
    /// Reads options by name; others keep their defaults.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an unknown name or an invalid value.
    pub fn from_options(mut options: Options) -> Result<Reference, BackendError> {
        let default = Limits::default();
        let functions = options.take("functions", "a way to evaluate functions")?;
        let limits = Limits {
            function_bodies: functions.unwrap_or(Functions::Own) == Functions::Bodies,
            noise: options.take("noise", "a number")?,
            arithmetic: options
                .take("arithmetic", "a class of arithmetic")?
                .unwrap_or_default(),
            unspecified: match options.take("unspecified", "chosen, drawn or refused")? {
                None | Some(Open::Chosen) => Unspecified::Chosen,
                Some(Open::Drawn) => Unspecified::Drawn,
                Some(Open::Refused) => Unspecified::Refused,
            },
            seed: options.take("seed", "a number")?.unwrap_or(default.seed),
            value_bytes: options
                .take("memory", "a number of bytes")?
                .unwrap_or(default.value_bytes),
            live_bytes: options
                .take("total-memory", "a number of bytes")?
                .unwrap_or(default.live_bytes),
            steps: options
                .take("steps", "a number of steps")?
                .unwrap_or(default.steps),
            element_operations: options
                .take("operations", "a number of operations")?
                .unwrap_or(default.element_operations),
            readings: options
                .take::<Readings>("reading", "a choice of readings")?
                .unwrap_or_default(),
            threads: options.take_threads(MAX_THREADS)?.into(),
            strict: options.take("strict", "on or off")?.unwrap_or(Strict::Off) == Strict::On,
            ..default
        };
        options.finish()?;
        Ok(Reference { limits })
    }
}

impl Backend for Reference {
    fn describe(&self) -> Description {
        let Limits {
            seed,
            value_bytes,
            live_bytes,
            steps,
            element_operations,
            strict,
            readings,
            function_bodies,
            noise,
            arithmetic,
            unspecified,
            threads,
            ..
        } = self.limits;
        let unspecified = match unspecified {
            Unspecified::Chosen => Open::Chosen,
            Unspecified::Drawn => Open::Drawn,
            Unspecified::Refused => Open::Refused,
        };
        let functions = if function_bodies {
            Functions::Bodies
        } else {
            Functions::Own
        };
        let strict = if strict { Strict::On } else { Strict::Off };
        let options = [
            ("functions", functions.to_string()),
            ("noise", noise.map_or("none".to_owned(), |seed| seed.to_string())),
            ("arithmetic", arithmetic.to_string()),
            ("unspecified", unspecified.to_string()),
            ("seed", seed.to_string()),
            ("memory", value_bytes.to_string()),
            ("total-memory", live_bytes.to_string()),
            ("steps", steps.to_string()),
            ("operations", element_operations.to_string()),
            ("reading", readings.to_string()),
            ("strict", strict.to_string()),
            ("threads", threads.to_string()),
        ];
        Description {
            name: "reference".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: "onnx-interpreter".to_owned(),
            options: options.map(|(name, value)| (name.to_owned(), value)).into(),
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
            options: HELP.map(|(name, help)| (name.to_owned(), help.to_owned())).into(),
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let limits = onnx_model::Limits::default();
        let folder = request.folder.map(Folder::new);
        let source = Source::named("the model");
        let source = folder.as_ref().map_or(source, |folder| {
            source.with_external(folder).resident(resident_bytes())
        });
        let model = Model::decode(request.model, &source, &limits).map_err(BackendError::load)?;
        Ok(Box::new(Loaded {
            program: Program::load_within(model, &self.limits).map_err(refusal)?,
            limits: self.limits,
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
        self.program.run(inputs, limits).map_err(BackendError::run)
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
                .map_err(BackendError::run)?;
            recording.borrow_mut().recorder.end(clock.now());
        }
        let recorder = std::mem::take(&mut recording.borrow_mut().recorder);
        Ok(recorder.finish())
    }

    fn bound(&mut self, inputs: &[Named]) -> Result<Vec<Bounded>, BackendError> {
        let outputs = self
            .program
            .run_bounded(inputs, self.limits)
            .map_err(BackendError::run)?;
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
