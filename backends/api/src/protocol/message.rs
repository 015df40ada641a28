//! What can be said over the channel.
//!
//! Every message is defined once, over what stands for its values `V` and its bytes `B`. With the default parameters it
//! holds them; as [`WireRequest`] and [`WireAnswer`] it holds their names, types and lengths, and is the JSON header.

use std::path::PathBuf;

use onnx_model::Bytes;
use serde::{Deserialize, Serialize};

use super::blob::{Blob, Convert};
use super::bounded::BoundedOutputs;
use super::error::Problem;
use crate::{BackendError, Capabilities, Description, Named, Placement};

/// A request as it stands in the header of a frame.
pub type WireRequest = Request<Vec<Blob>, u64>;
/// An answer as it stands in the header of a frame.
pub type WireAnswer = Answer<Vec<Blob>>;

/// What the harness asks of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
#[serde(bound(deserialize = "V: Deserialize<'de> + Default, B: Deserialize<'de>"))]
pub enum Request<V = Vec<Named>, B = Bytes> {
    /// The first request: which versions of the protocol the harness speaks. Answer: [`Answer::Hello`].
    Hello {
        /// Versions, the preferred one first.
        versions: Vec<u32>,
        /// Name and version of the harness, for logs.
        #[serde(default)]
        harness: String,
    },
    /// Answer: [`Answer::Capabilities`].
    Capabilities,
    /// Says whether a model could be loaded, and keeps nothing. Answer: [`Answer::Probed`].
    Probe(Load<V, B>),
    /// Makes a model ready. Answer: [`Answer::Loaded`].
    Load(Load<V, B>),
    /// Which node runs where. Answer: [`Answer::Placed`].
    Placement {
        /// From [`Loaded::session`].
        session: u64,
    },
    /// Runs a model once. Answer: [`Answer::Ran`].
    Run {
        /// From [`Loaded::session`].
        session: u64,
        /// An omitted optional input is left out.
        inputs: V,
        /// The outputs that are wanted; all when absent.
        #[serde(default)]
        outputs: Option<Vec<String>>,
    },
    /// Runs a model once and bounds its outputs: for a worker that is a reference. Answer: [`Answer::Bounded`].
    Bound {
        /// From [`Loaded::session`].
        session: u64,
        /// An omitted optional input is left out.
        inputs: V,
    },
    /// Runs a model many times and measures each run. Answer: [`Answer::Benched`].
    Bench {
        /// From [`Loaded::session`].
        session: u64,
        /// Runs that are not counted.
        warmup: u32,
        /// Runs that are counted, at least 1. With the warm-up at most [`MAX_RUNS`].
        iterations: u32,
        /// At least one set of inputs; warm-up and measured runs each begin with the first and rotate.
        sets: Vec<V>,
    },
    /// Forgets a model. Answer: [`Answer::Unloaded`].
    Unload {
        /// From [`Loaded::session`].
        session: u64,
    },
    /// The last request. Answer: [`Answer::Bye`], after which the worker exits with code 0.
    Shutdown,
}

/// Most runs of one bench request, so that the answer's header holds their times.
pub const MAX_RUNS: u32 = 40_000;

/// A model to load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Load<V = Vec<Named>, B = Bytes> {
    /// The bytes of the file, `ModelProto`.
    pub model: B,
    /// The folder for external data, if the model has a place on disk.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// External data, if the model has none.
    #[serde(default = "Vec::new")]
    pub files: Vec<ExternalFile<B>>,
    /// Values that inputs will have in every run, for a backend that wants them at load.
    #[serde(default)]
    pub inputs: V,
}

/// A file that a model's tensors refer to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExternalFile<B = Bytes> {
    /// `location` of the tensor's external data: a relative path.
    pub location: String,
    /// Its content.
    pub bytes: B,
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer<V = Vec<Named>> {
    /// To [`Request::Hello`].
    Hello(Hello),
    /// To [`Request::Capabilities`].
    Capabilities(Capabilities),
    /// To [`Request::Probe`]: it could be loaded.
    Probed,
    /// To [`Request::Load`].
    Loaded(Loaded),
    /// To [`Request::Placement`].
    Placed {
        /// Empty if the backend cannot tell.
        placement: Vec<Placement>,
    },
    /// To [`Request::Run`].
    Ran(Ran<V>),
    /// To [`Request::Bound`].
    Bounded(BoundedOutputs<V>),
    /// To [`Request::Bench`].
    Benched(Benched<V>),
    /// To [`Request::Unload`].
    Unloaded,
    /// To [`Request::Shutdown`].
    Bye,
    /// To any request: the backend says why not.
    Failed {
        /// Why not.
        error: BackendError,
    },
    /// To any request: the worker cannot take the request as it is.
    Refused(Refusal),
}

/// Which version is spoken from now on, and with whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// One of the versions that were offered.
    pub version: u32,
    /// Who answers.
    pub backend: Description,
}

/// A model is ready.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Loaded {
    /// Stands for the model in later requests.
    pub session: u64,
    /// Time of loading, measured in the worker, without decoding the request.
    pub nanoseconds: u64,
}

/// A model has run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ran<V = Vec<Named>> {
    /// In the order of the graph.
    pub outputs: V,
    /// Time of the run, measured in the worker, without decoding inputs and encoding outputs.
    pub nanoseconds: u64,
}

/// A model has run many times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Benched<V = Vec<Named>> {
    /// Time of each run of the warm-up, in order.
    pub warmup_nanoseconds: Vec<u64>,
    /// Time of each measured run, in order.
    pub nanoseconds: Vec<u64>,
    /// Outputs of the first measured run.
    pub first: V,
    /// Outputs of the last measured run.
    pub last: V,
}

/// Why a worker cannot take a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Refusal {
    /// The kind, for programs.
    pub reason: RefusalKind,
    /// The reason, for a person.
    pub message: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// No common version of the protocol.
    Version,
    /// A message that this worker does not have.
    UnknownMessage,
    /// A message whose fields or values are wrong.
    Malformed,
    /// A session that is not loaded.
    UnknownSession,
    /// The answer would be longer than a frame can be.
    TooLong,
}

impl<V, B> Request<V, B> {
    /// Names of all requests.
    pub const NAMES: &'static [&'static str] = &[
        "hello",
        "capabilities",
        "probe",
        "load",
        "placement",
        "run",
        "bound",
        "bench",
        "unload",
        "shutdown",
    ];

    /// The name in the header.
    pub fn name(&self) -> &'static str {
        match self {
            Request::Hello { .. } => "hello",
            Request::Capabilities => "capabilities",
            Request::Probe(_) => "probe",
            Request::Load(_) => "load",
            Request::Placement { .. } => "placement",
            Request::Run { .. } => "run",
            Request::Bound { .. } => "bound",
            Request::Bench { .. } => "bench",
            Request::Unload { .. } => "unload",
            Request::Shutdown => "shutdown",
        }
    }

    /// The same request with its values and bytes in another form.
    pub(super) fn convert<C: Convert<V, B>>(
        self,
        to: &mut C,
    ) -> Result<Request<C::Values, C::Bytes>, Problem> {
        Ok(match self {
            Request::Hello { versions, harness } => Request::Hello { versions, harness },
            Request::Capabilities => Request::Capabilities,
            Request::Probe(load) => Request::Probe(load.convert(to)?),
            Request::Load(load) => Request::Load(load.convert(to)?),
            Request::Placement { session } => Request::Placement { session },
            Request::Run {
                session,
                inputs,
                outputs,
            } => Request::Run {
                session,
                inputs: to.values(inputs)?,
                outputs,
            },
            Request::Bound { session, inputs } => Request::Bound {
                session,
                inputs: to.values(inputs)?,
            },
            Request::Bench {
                session,
                warmup,
                iterations,
                sets,
            } => {
                let sets = sets
                    .into_iter()
                    .map(|set| to.values(set))
                    .collect::<Result<_, _>>()?;
                Request::Bench {
                    session,
                    warmup,
                    iterations,
                    sets,
                }
            }
            Request::Unload { session } => Request::Unload { session },
            Request::Shutdown => Request::Shutdown,
        })
    }
}

impl<V, B> Load<V, B> {
    fn convert<C: Convert<V, B>>(self, to: &mut C) -> Result<Load<C::Values, C::Bytes>, Problem> {
        let model = to.bytes("model", self.model)?;
        let mut files = Vec::new();
        for ExternalFile { location, bytes } in self.files {
            let bytes = to.bytes(&location, bytes)?;
            files.push(ExternalFile { location, bytes });
        }
        Ok(Load {
            model,
            folder: self.folder,
            files,
            inputs: to.values(self.inputs)?,
        })
    }
}

impl<V> Answer<V> {
    /// Names of all answers.
    pub const NAMES: &'static [&'static str] = &[
        "hello",
        "capabilities",
        "probed",
        "loaded",
        "placed",
        "ran",
        "bounded",
        "benched",
        "unloaded",
        "bye",
        "failed",
        "refused",
    ];

    /// The name in the header.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Hello(_) => "hello",
            Answer::Capabilities(_) => "capabilities",
            Answer::Probed => "probed",
            Answer::Loaded(_) => "loaded",
            Answer::Placed { .. } => "placed",
            Answer::Ran(_) => "ran",
            Answer::Bounded(_) => "bounded",
            Answer::Benched(_) => "benched",
            Answer::Unloaded => "unloaded",
            Answer::Bye => "bye",
            Answer::Failed { .. } => "failed",
            Answer::Refused(_) => "refused",
        }
    }

    /// Whether this can be the answer to the request of this name.
    pub fn can_answer(&self, request: &str) -> bool {
        request
            == match self {
                Answer::Hello(_) => "hello",
                Answer::Capabilities(_) => "capabilities",
                Answer::Probed => "probe",
                Answer::Loaded(_) => "load",
                Answer::Placed { .. } => "placement",
                Answer::Ran(_) => "run",
                Answer::Bounded(_) => "bound",
                Answer::Benched(_) => "bench",
                Answer::Unloaded => "unload",
                Answer::Bye => "shutdown",
                Answer::Failed { .. } | Answer::Refused(_) => return true,
            }
    }

    /// The same answer with its values in another form.
    pub(super) fn convert<B, C: Convert<V, B>>(self, to: &mut C) -> Result<Answer<C::Values>, Problem> {
        Ok(match self {
            Answer::Hello(hello) => Answer::Hello(hello),
            Answer::Capabilities(capabilities) => Answer::Capabilities(capabilities),
            Answer::Probed => Answer::Probed,
            Answer::Loaded(loaded) => Answer::Loaded(loaded),
            Answer::Placed { placement } => Answer::Placed { placement },
            Answer::Ran(Ran { outputs, nanoseconds }) => Answer::Ran(Ran {
                outputs: to.values(outputs)?,
                nanoseconds,
            }),
            Answer::Bounded(BoundedOutputs {
                outputs,
                radii,
                models,
                unknown,
            }) => Answer::Bounded(BoundedOutputs {
                outputs: to.values(outputs)?,
                radii: to.values(radii)?,
                models,
                unknown,
            }),
            Answer::Benched(Benched {
                warmup_nanoseconds,
                nanoseconds,
                first,
                last,
            }) => {
                let (first, last) = (to.values(first)?, to.values(last)?);
                Answer::Benched(Benched {
                    warmup_nanoseconds,
                    nanoseconds,
                    first,
                    last,
                })
            }
            Answer::Unloaded => Answer::Unloaded,
            Answer::Bye => Answer::Bye,
            Answer::Failed { error } => Answer::Failed { error },
            Answer::Refused(refusal) => Answer::Refused(refusal),
        })
    }
}
