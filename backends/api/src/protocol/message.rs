//! The messages of the protocol.
//!
//! Every message is defined once, generic over the form of its values `V` and its bytes `B`. With the default
//! parameters it contains them. As [`WireRequest`] and [`WireAnswer`] it contains their names, types and
//! lengths, and is the JSON header.

use std::path::{Path, PathBuf};

use onnx_model::Bytes;
use serde::{Deserialize, Serialize};

use super::blob::{Blob, Convert};
use super::bounded::BoundedOutputs;
use super::error::Problem;
use super::part::Part;
use crate::{BackendError, Capabilities, Description, Named, Placement, Profile};

/// A request in the header of a frame.
pub type WireRequest = Request<Vec<Blob>, Part>;
/// An answer in the header of a frame.
pub type WireAnswer = Answer<Vec<Blob>>;

/// A request of the harness to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(bound = "V: schemars::JsonSchema + Default + Serialize, B: schemars::JsonSchema")
)]
#[serde(tag = "request", rename_all = "snake_case")]
#[serde(bound(deserialize = "V: Deserialize<'de> + Default, B: Deserialize<'de>"))]
pub enum Request<V = Vec<Named>, B = Bytes> {
    /// The first request: the protocol versions that the harness supports. Answer: [`Answer::Hello`].
    Hello {
        /// The versions, the preferred one first.
        versions: Vec<u32>,
        /// The name and version of the harness, for logs.
        #[serde(default)]
        harness: String,
        /// Whether the worker may keep models and files by their digests ([`Hello::store`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        store: bool,
    },
    /// Answer: [`Answer::Capabilities`].
    Capabilities,
    /// Tests whether a model can be loaded, and keeps nothing. Answer: [`Answer::Probed`].
    Probe(Load<V, B>),
    /// Loads a model. Answer: [`Answer::Loaded`].
    Load(Load<V, B>),
    /// Returns the provider of each node. Answer: [`Answer::Placed`].
    Placement {
        /// From [`Loaded::session`].
        session: u64,
    },
    /// Runs a model once. Answer: [`Answer::Ran`].
    Run {
        /// From [`Loaded::session`].
        session: u64,
        /// The inputs, without omitted optional inputs.
        inputs: V,
        /// The names of the requested outputs; absent for all.
        #[serde(default)]
        outputs: Option<Vec<String>>,
    },
    /// Runs a model once and bounds its outputs; only for a reference. Answer: [`Answer::Bounded`].
    Bound {
        /// From [`Loaded::session`].
        session: u64,
        /// The inputs, without omitted optional inputs.
        inputs: V,
    },
    /// Runs a model many times and measures the time of each run. Answer: [`Answer::Benched`].
    Bench {
        /// From [`Loaded::session`].
        session: u64,
        /// The number of warm-up runs, which are not part of the measurement.
        warmup: u32,
        /// The number of measured runs, at least 1. Together with the warm-up at most [`MAX_RUNS`].
        iterations: u32,
        /// At least one set of inputs. The warm-up and the measured runs each start with the first set and
        /// cycle through all.
        sets: Vec<V>,
    },
    /// Loads a model, runs it, measures each step, and keeps nothing. Answer: [`Answer::Profiled`].
    Profile {
        /// The number of measured runs, at least 1 and at most [`MAX_PROFILED_RUNS`].
        runs: u32,
        /// The model. Its `inputs` are those of the runs, for every backend.
        #[serde(flatten)]
        load: Load<V, B>,
    },
    /// Unloads a model. Answer: [`Answer::Unloaded`].
    Unload {
        /// From [`Loaded::session`].
        session: u64,
    },
    /// The last request. After its answer, [`Answer::Bye`], the worker exits with code 0.
    Shutdown,
}

/// The maximum number of runs of one bench request, so that the header of the answer can hold their times.
pub const MAX_RUNS: u32 = 40_000;

/// The maximum number of runs of one profile request.
pub const MAX_PROFILED_RUNS: u32 = 1000;

/// A model to load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(bound = "V: schemars::JsonSchema + Default + Serialize, B: schemars::JsonSchema")
)]
pub struct Load<V = Vec<Named>, B = Bytes> {
    /// The bytes of the file, `ModelProto`.
    pub model: B,
    /// The folder of the external data, if the model is on disk.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// The external data, if the model is not on disk.
    #[serde(default = "Vec::<ExternalFile<B>>::new")]
    pub files: Vec<ExternalFile<B>>,
    /// The values that inputs will have in every run, for a backend that requests them at load.
    #[serde(default)]
    pub inputs: V,
}

/// A file of external data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExternalFile<B = Bytes> {
    /// The `location` of a tensor's external data: a relative path.
    pub location: String,
    /// The content.
    pub bytes: B,
}

/// An answer of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer<V = Vec<Named>> {
    /// To [`Request::Hello`].
    Hello(Hello),
    /// To [`Request::Capabilities`].
    Capabilities(Capabilities),
    /// To [`Request::Probe`]: the model can be loaded.
    Probed,
    /// To [`Request::Load`].
    Loaded(Loaded),
    /// To a request with bytes that are named by digest: the worker does not have all of them. The harness
    /// repeats the request and sends these.
    Missing {
        /// The digests.
        sha256: Vec<String>,
    },
    /// To [`Request::Placement`].
    Placed {
        /// Empty if the backend does not know it.
        placement: Vec<Placement>,
    },
    /// To [`Request::Run`].
    Ran(Ran<V>),
    /// To [`Request::Bound`].
    Bounded(BoundedOutputs<V>),
    /// To [`Request::Bench`].
    Benched(Benched<V>),
    /// To [`Request::Profile`].
    Profiled(Profile),
    /// To [`Request::Unload`].
    Unloaded,
    /// To [`Request::Shutdown`].
    Bye,
    /// To any request: an error of the backend.
    Failed {
        /// The error.
        error: BackendError,
    },
    /// To any request: the worker refuses the request.
    Refused(Refusal),
}

/// The protocol version in use, and the backend.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// One of the offered versions.
    pub version: u32,
    /// The backend.
    pub backend: Description,
    /// Whether the worker has a store: models and files may be named by their digests ([`Part::Named`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub store: bool,
}

/// The answer to a successful load.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loaded {
    /// The number of the session in later requests.
    pub session: u64,
    /// The time of loading in nanoseconds, measured in the worker, without decoding the request.
    pub nanoseconds: u64,
}

/// The answer to a successful run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ran<V = Vec<Named>> {
    /// The outputs in the order of the graph.
    pub outputs: V,
    /// The time of the run in nanoseconds, measured in the worker, without decoding inputs and encoding
    /// outputs.
    pub nanoseconds: u64,
}

/// The answer to a successful bench request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Benched<V = Vec<Named>> {
    /// The time of each warm-up run in order.
    pub warmup_nanoseconds: Vec<u64>,
    /// The time of each measured run in order.
    pub nanoseconds: Vec<u64>,
    /// The outputs of the first measured run.
    pub first: V,
    /// The outputs of the last measured run.
    pub last: V,
}

/// Why a worker refuses a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct Refusal {
    /// The kind, for programs.
    pub reason: RefusalKind,
    /// The reason, for a reader.
    pub message: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// There is no common version of the protocol.
    Version,
    /// The worker does not know the message.
    UnknownMessage,
    /// The fields or values of the message are invalid.
    Malformed,
    /// The session is not loaded.
    UnknownSession,
    /// The answer is longer than a frame allows.
    TooLong,
    /// The harness did not send the request, because it is longer than a frame allows. No worker says this.
    #[serde(skip)]
    NotSent,
}

impl<V, B> Request<V, B> {
    /// The names of all requests.
    pub const NAMES: &'static [&'static str] = &[
        "hello",
        "capabilities",
        "probe",
        "load",
        "placement",
        "run",
        "bound",
        "bench",
        "profile",
        "unload",
        "shutdown",
    ];

    /// The folder of the external data of a model, if the worker is to read it there.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Request::Load(load) | Request::Probe(load) | Request::Profile { load, .. } => {
                load.folder.as_deref()
            }
            _ => None,
        }
    }

    /// Returns the name in the header.
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
            Request::Profile { .. } => "profile",
            Request::Unload { .. } => "unload",
            Request::Shutdown => "shutdown",
        }
    }

    /// Converts values and bytes to another form.
    pub(super) fn convert<C: Convert<V, B>>(
        self,
        to: &mut C,
    ) -> Result<Request<C::Values, C::Bytes>, Problem> {
        Ok(match self {
            Request::Hello {
                versions,
                harness,
                store,
            } => Request::Hello {
                versions,
                harness,
                store,
            },
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
            Request::Profile { runs, load } => Request::Profile {
                runs,
                load: load.convert(to)?,
            },
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
    /// The names of all answers.
    pub const NAMES: &'static [&'static str] = &[
        "hello",
        "capabilities",
        "probed",
        "loaded",
        "missing",
        "placed",
        "ran",
        "bounded",
        "benched",
        "profiled",
        "unloaded",
        "bye",
        "failed",
        "refused",
    ];

    /// Returns the name in the header.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Hello(_) => "hello",
            Answer::Capabilities(_) => "capabilities",
            Answer::Probed => "probed",
            Answer::Loaded(_) => "loaded",
            Answer::Missing { .. } => "missing",
            Answer::Placed { .. } => "placed",
            Answer::Ran(_) => "ran",
            Answer::Bounded(_) => "bounded",
            Answer::Benched(_) => "benched",
            Answer::Profiled(_) => "profiled",
            Answer::Unloaded => "unloaded",
            Answer::Bye => "bye",
            Answer::Failed { .. } => "failed",
            Answer::Refused(_) => "refused",
        }
    }

    /// Whether this can be the answer to a request of this name.
    pub fn can_answer(&self, request: &str) -> bool {
        request
            == match self {
                Answer::Missing { .. } => return matches!(request, "probe" | "load" | "profile"),
                Answer::Hello(_) => "hello",
                Answer::Capabilities(_) => "capabilities",
                Answer::Probed => "probe",
                Answer::Loaded(_) => "load",
                Answer::Placed { .. } => "placement",
                Answer::Ran(_) => "run",
                Answer::Bounded(_) => "bound",
                Answer::Benched(_) => "bench",
                Answer::Profiled(_) => "profile",
                Answer::Unloaded => "unload",
                Answer::Bye => "shutdown",
                Answer::Failed { .. } | Answer::Refused(_) => return true,
            }
    }

    /// Converts values to another form.
    pub(super) fn convert<B, C: Convert<V, B>>(self, to: &mut C) -> Result<Answer<C::Values>, Problem> {
        Ok(match self {
            Answer::Hello(hello) => Answer::Hello(hello),
            Answer::Capabilities(capabilities) => Answer::Capabilities(capabilities),
            Answer::Probed => Answer::Probed,
            Answer::Loaded(loaded) => Answer::Loaded(loaded),
            Answer::Missing { sha256 } => Answer::Missing { sha256 },
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
                sets,
            }) => Answer::Bounded(BoundedOutputs {
                outputs: to.values(outputs)?,
                radii: to.values(radii)?,
                models,
                unknown,
                sets,
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
            Answer::Profiled(profile) => Answer::Profiled(profile),
            Answer::Unloaded => Answer::Unloaded,
            Answer::Bye => Answer::Bye,
            Answer::Failed { error } => Answer::Failed { error },
            Answer::Refused(refusal) => Answer::Refused(refusal),
        })
    }
}
