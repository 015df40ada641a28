//! What a backend is: it describes itself, loads models, and runs them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use onnx_model::Bytes;
use onnx_tensor::{Tensor, Value};
use serde::{Deserialize, Serialize};

use crate::BackendError;

/// A value under the name of a graph input or output.
pub type Named = (String, Value);

/// Something that can run ONNX models. One lives in each worker process.
pub trait Backend {
    /// Who this is, and how it is set up. Constant for the life of the worker.
    fn describe(&self) -> Description;

    /// What it says it can do; an empty answer means that it cannot tell without trying.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Compiles a model. What the backend knows it cannot do is [`BackendError::Unsupported`]; anything else that goes
    /// wrong is an error, and never counted as unsupported.
    fn load(&mut self, model: &LoadRequest) -> Result<Box<dyn Session>, BackendError>;
}

/// A model made ready to run.
pub trait Session {
    /// Runs once. An omitted optional input is left out of `inputs`; outputs come in the order of the graph, an absent
    /// optional as [`Value::Optional`] without value.
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError>;

    /// Runs once, and says of each output how far a right implementation may be from it. For a backend that is a reference; others
    /// leave it out.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] by default.
    fn bound(&mut self, inputs: &[Named]) -> Result<Vec<Bounded>, BackendError> {
        let _ = inputs;
        Err(BackendError::unsupported("bounds: this backend is no reference"))
    }

    /// Which node runs where, if the backend can tell.
    fn placement(&self) -> Vec<Placement> {
        Vec::new()
    }
}

/// A model as a worker gets it.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// The bytes of the file; a clone shares them.
    pub model: Bytes,
    /// The folder for external data, if the model has a place on disk.
    pub folder: Option<PathBuf>,
    /// Values that inputs will have in every run; sent only to a backend that asks for them
    /// ([`Description::wants_inputs_at_load`]). The backend decides which of them it takes as constants; all of them are
    /// fed to [`Session::run`] as well.
    pub inputs: Vec<Named>,
}

/// Who a backend is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Description {
    /// Short name: `ort`, `tract`, `reference`.
    pub name: String,
    /// Version of the runtime behind it.
    pub version: String,
    /// How it was built, and from where it was loaded; free text.
    #[serde(default)]
    pub build: String,
    /// Options in effect, defaults included.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Whether [`LoadRequest::inputs`] is wanted.
    #[serde(default)]
    pub wants_inputs_at_load: bool,
    /// The device or execution provider that models are meant to run on, as [`Placement::provider`] names it; empty if the
    /// backend has but one, or cannot tell.
    #[serde(default)]
    pub provider: String,
}

/// What a backend says it can do.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Capabilities {
    /// Highest opset for each domain; `""` is `ai.onnx`.
    #[serde(default)]
    pub opsets: BTreeMap<String, i64>,
    /// The operator versions it has, `Softmax-13` or `ai.onnx.ml.Scaler-1`; empty where it cannot list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// Devices or execution providers at hand.
    #[serde(default)]
    pub devices: Vec<String>,
    /// The options it understands, with a line of help each.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// Where a node ran.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Placement {
    /// The node's name or first output.
    pub node: String,
    /// Its operator; a fused one may have a name of the backend's own.
    #[serde(default)]
    pub operator: Option<String>,
    /// The device or execution provider.
    pub provider: String,
}

/// An output with how far a right implementation may be from it.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The graph's name for it.
    pub name: String,
    /// The exact result, rounded once to its type.
    pub value: Value,
    /// How far from it.
    pub reach: Reach,
}

/// How far a right implementation may be from an exact result.
#[derive(Clone, Debug)]
pub enum Reach {
    /// Not at all.
    Exact,
    /// By an absolute amount for each element.
    Within {
        /// A tensor of double in the shape of the output; infinite where nothing can be promised.
        radius: Tensor,
        /// The error model in a few words: `gamma_n, n = 576`.
        model: String,
    },
    /// Nothing is known.
    Unknown {
        /// Why.
        reason: String,
    },
}
