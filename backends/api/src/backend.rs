//! The interface of a backend: it describes itself, loads models, and runs them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use onnx_model::Bytes;
use onnx_tensor::{Tensor, Value};
use serde::{Deserialize, Serialize};

use crate::{BackendError, Profile};

/// A value with the name of its graph input or output.
pub type Named = (String, Value);

/// A backend that runs ONNX models. Each worker process has one.
pub trait Backend {
    /// Returns the name, version and settings of the backend. The description is constant for the life of the
    /// worker.
    fn describe(&self) -> Description;

    /// Returns what the backend declares to support; empty if it cannot list that.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Loads a model. For anything that the backend knows to be unsupported, returns
    /// [`BackendError::Unsupported`]. Every other failure is an error and never counts as unsupported.
    ///
    /// The backend owns the request. One that drops the bytes of the file after it has decoded them needs
    /// less memory while it prepares the weights.
    fn load(&mut self, model: LoadRequest) -> Result<Box<dyn Session>, BackendError>;

    /// Loads a model, runs it once, then runs it `runs` times and measures each step. The model is loaded for
    /// this request only, so that a backend can prepare it for the measurement.
    ///
    /// # Errors
    /// Those of [`Backend::load`] and [`Session::profile`].
    fn profile(&mut self, model: LoadRequest, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        let mut session = self.load(model)?;
        session.run(inputs)?;
        session.profile(inputs, runs)
    }
}

/// A loaded model.
pub trait Session {
    /// Runs the model once. `inputs` does not contain omitted optional inputs. The outputs have the order of
    /// the graph; an absent optional is a [`Value::Optional`] without a value.
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError>;

    /// Runs the model once and returns a bound for each output: how far a correct implementation may be from
    /// it. Only a reference implements this.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] by default.
    fn bound(&mut self, inputs: &[Named]) -> Result<Vec<Bounded>, BackendError> {
        let _ = inputs;
        Err(BackendError::unsupported(
            "bounds: this backend is not a reference",
        ))
    }

    /// Runs the model `runs` times and measures each step. Times with this measurement are longer than those
    /// of [`Session::run`].
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] by default.
    fn profile(&mut self, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        let _ = (inputs, runs);
        Err(BackendError::unsupported(
            "profiles: this backend does not measure its steps",
        ))
    }

    /// Returns the provider of each node, if the backend knows it.
    fn placement(&self) -> Vec<Placement> {
        Vec::new()
    }
}

/// A model as a worker receives it.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// The bytes of the file; a clone shares them.
    pub model: Bytes,
    /// The folder of the external data, if the model is on disk.
    pub folder: Option<PathBuf>,
    /// The values that inputs will have in every run. They are sent only to a backend that requests them
    /// ([`Description::wants_inputs_at_load`]). The backend decides which of them become constants;
    /// [`Session::run`] receives all of them too.
    pub inputs: Vec<Named>,
}

/// The identity of a backend.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Description {
    /// The short name: `ort`, `tract`, `reference`.
    pub name: String,
    /// The version of its runtime.
    pub version: String,
    /// How the runtime was built and where it was loaded from, as free text.
    #[serde(default)]
    pub build: String,
    /// The options in effect, including defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Whether the backend uses [`LoadRequest::inputs`].
    #[serde(default)]
    pub wants_inputs_at_load: bool,
    /// The device or execution provider that is meant to run the models, as in [`Placement::provider`]. Empty
    /// if the backend has only one or cannot tell.
    #[serde(default)]
    pub provider: String,
}

/// What a backend declares to support.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capabilities {
    /// The highest opset of each domain; `""` is `ai.onnx`.
    #[serde(default)]
    pub opsets: BTreeMap<String, i64>,
    /// The supported operator versions, such as `Softmax-13` or `ai.onnx.ml.Scaler-1`; empty if the backend
    /// cannot list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// The available devices or execution providers.
    #[serde(default)]
    pub devices: Vec<String>,
    /// The options, each with one line of help.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// The provider that runs a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Placement {
    /// The name or the first output of the node.
    pub node: String,
    /// The operator; a fused operator may have a name that only the backend defines.
    #[serde(default)]
    pub operator: Option<String>,
    /// The device or execution provider.
    pub provider: String,
}

/// An output with a bound on the difference of a correct implementation.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The name of the output in the graph.
    pub name: String,
    /// The exact result, rounded once to its type.
    pub value: Value,
    /// The largest difference from `value` of a correct implementation.
    pub reach: Reach,
}

/// An interval of right answers of one element. An element may have several.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answers {
    /// The row-major position of the element.
    pub place: u64,
    /// The least value; not NaN.
    pub low: f64,
    /// The greatest value; not less than `low`.
    pub high: f64,
}

/// The largest difference of a correct implementation from an exact result.
#[derive(Clone, Debug)]
pub enum Reach {
    /// There is none: only the exact result is correct.
    Exact,
    /// An absolute difference for each element.
    Within {
        /// A tensor of double in the shape of the output; infinite for an element without a bound.
        radius: Tensor,
        /// A short text of the error model: `gamma_n, n = 576`.
        model: String,
        /// The elements whose right answers are other intervals than the one around the exact
        /// result, in order of their places.
        sets: Vec<Answers>,
    },
    /// There is no bound.
    Unknown {
        /// The reason.
        reason: String,
    },
}
