//! A loaded model as a session of the backend.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

use backend_api::{BackendError, LoadRequest, Named, Placement, Profile, Session};
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Value, ValueType};
use ort::sys;

use crate::ffi::{self, Owned, value_type};
use crate::profile;
use crate::runtime::Runtime;
use crate::session_options::{EXTERNAL_DATA_FOLDER_SINCE, profiled, session_options};
use crate::values::{self, Feed};
use crate::{Settings, complex, error, providers, taken, working_folder};

/// A loaded model.
pub(crate) struct OrtSession {
    session: ffi::Session,
    outputs: Vec<Output>,
    runtime: Arc<Runtime>,
}

/// An output with its declared type.
struct Output {
    name: CString,
    value_type: ValueType,
}

impl OrtSession {
    /// Loads a model. Without a fall-back, the provider of the settings must take it whole.
    pub(crate) fn load(
        runtime: Arc<Runtime>,
        settings: &Settings,
        request: &LoadRequest,
    ) -> Result<OrtSession, BackendError> {
        let options = own_options(&runtime, settings, request)?;
        let loaded = OrtSession::with_options(Arc::clone(&runtime), request, &options);
        match loaded {
            Ok(session) if settings.is_strict() => session.taken(settings.provider()),
            Err(error) if settings.is_strict() => Err(untaken(runtime, settings, request).unwrap_or(error)),
            loaded => loaded,
        }
    }

    /// The session, if every node is on this provider.
    fn taken(self, provider: &str) -> Result<OrtSession, BackendError> {
        match taken::elsewhere(provider, &self.placement()) {
            Some(nodes) => Err(BackendError::not_taken(nodes)),
            None => Ok(self),
        }
    }

    /// Loads a model that any provider may run, to create that of the settings.
    ///
    /// # Errors
    /// [`BackendError::Missing`] if the provider cannot be created.
    pub(crate) fn trial(runtime: Arc<Runtime>, settings: &Settings) -> Result<(), BackendError> {
        let options = session_options(&runtime, settings, None, true)?;
        let request = LoadRequest {
            model: trial_model().encode().into(),
            ..LoadRequest::default()
        };
        let loaded = OrtSession::with_options(runtime, &request, &options);
        loaded.map(drop).map_err(|error| {
            let lacks = providers::lacks(settings.provider());
            BackendError::Missing {
                message: format!(
                    "execution provider {} cannot be created{}{lacks}: {error}",
                    settings.provider(),
                    if lacks.is_empty() { "" } else { "; " },
                ),
            }
        })
    }

    /// Loads a model and measures its nodes in `runs` runs, after a first one.
    pub(crate) fn profile(
        runtime: Arc<Runtime>,
        settings: &Settings,
        request: &LoadRequest,
        inputs: &[Named],
        runs: u32,
    ) -> Result<Profile, BackendError> {
        let folder = tempfile::tempdir().map_err(BackendError::run)?;
        let options = own_options(&runtime, settings, request)?;
        let options = profiled(options, folder.path())?;
        let mut session = OrtSession::with_options(runtime, request, &options)?;
        if settings.is_strict() {
            session = session.taken(settings.provider())?;
        }
        for _ in 0..=runs {
            session.run(inputs)?;
        }
        let written = session.session.end_profiling().map_err(error::run)?;
        profile::read(Path::new(&*written.to_string_lossy()), folder.path())
    }

    fn with_options(
        runtime: Arc<Runtime>,
        request: &LoadRequest,
        options: &Owned<sys::OrtSessionOptions>,
    ) -> Result<OrtSession, BackendError> {
        let session = open(&runtime, request, options)?
            .map_err(|error| complex::unsupported(request).unwrap_or_else(|| error::load(error)))?;
        let count = session.output_count().map_err(error::load)?;
        let outputs = (0..count)
            .map(|index| Output::declared(&session, index))
            .collect::<Result<_, _>>()?;
        Ok(OrtSession {
            session,
            outputs,
            runtime,
        })
    }
}

/// y = −x.
fn trial_model() -> Model {
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(DType::Float)),
    };
    let node = Node {
        operator: "Neg".to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        ..Node::default()
    };
    Model {
        ir_version: 8,
        opset_imports: BTreeMap::from([(String::new(), 13)]),
        graph: Arc::new(Graph {
            name: "trial".to_owned(),
            inputs: vec![info("x")],
            outputs: vec![info("y")],
            nodes: vec![node],
            ..Graph::default()
        }),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}

/// The options of a session for this model.
fn own_options(
    runtime: &Runtime,
    settings: &Settings,
    request: &LoadRequest,
) -> Result<Owned<sys::OrtSessionOptions>, BackendError> {
    session_options(
        runtime,
        settings,
        request.folder.as_deref(),
        settings.falls_back(),
    )
}

/// The nodes that keep a model from being taken whole, if it loads where other providers may run nodes. The
/// status of a load without a fall-back is also that of other failures, and messages are not interpreted.
fn untaken(runtime: Arc<Runtime>, settings: &Settings, request: &LoadRequest) -> Option<BackendError> {
    let options = session_options(&runtime, settings, request.folder.as_deref(), true).ok()?;
    let session = OrtSession::with_options(runtime, request, &options).ok()?;
    taken::elsewhere(settings.provider(), &session.placement()).map(BackendError::not_taken)
}

/// Loads the bytes of a model. An older runtime finds external data only in the working folder.
fn open(
    runtime: &Runtime,
    request: &LoadRequest,
    options: &Owned<sys::OrtSessionOptions>,
) -> Result<ort::Result<ffi::Session>, BackendError> {
    let load = || ffi::Session::load(&runtime.environment, &request.model, options);
    match &request.folder {
        Some(folder) if runtime.minor < EXTERNAL_DATA_FOLDER_SINCE => working_folder::inside(folder, load)
            .map_err(|error| BackendError::load(format!("the model's folder {}: {error}", folder.display()))),
        _ => Ok(load()),
    }
}

impl Session for OrtSession {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        // Outputs may share memory with inputs, so the feeds live until every output is read.
        let feeds = inputs
            .iter()
            .filter_map(|(name, value)| Some((name, present(value)?)))
            .map(|(name, value)| Ok((c_name(name)?, Feed::new(value, &self.runtime)?)))
            .collect::<Result<Vec<_>, BackendError>>()?;
        let fed: Vec<_> = feeds
            .iter()
            .map(|(name, feed)| (name.clone(), feed.value()))
            .collect();
        let names: Vec<CString> = self.outputs.iter().map(|output| output.name.clone()).collect();
        let found = self.session.run(&fed, &names).map_err(error::run)?;
        self.outputs
            .iter()
            .zip(found)
            .map(|(output, value)| output.read(value))
            .collect()
    }

    fn placement(&self) -> Vec<Placement> {
        // A runtime that is too old, or records nothing, returns no placement.
        let recorded = self
            .runtime
            .assignment
            .map(|functions| functions.placements(&self.session));
        recorded.and_then(Result::ok).unwrap_or_default()
    }
}

/// The value to feed: the inner value of an optional, `None` for an absent one.
fn present(value: &Value) -> Option<&Value> {
    match value {
        Value::Optional { value, .. } => value.as_deref().and_then(present),
        value => Some(value),
    }
}

fn c_name(name: &str) -> Result<CString, BackendError> {
    CString::new(name).map_err(|_| BackendError::run(format!("input name {name:?} contains a NUL")))
}

impl Output {
    fn declared(session: &ffi::Session, index: usize) -> Result<Output, BackendError> {
        let info = session.output_type(index).map_err(error::load)?;
        Ok(Output {
            name: session.output_name(index).map_err(error::load)?,
            // SAFETY: just created by the runtime.
            value_type: unsafe { value_type(info.as_ptr()) }?,
        })
    }

    /// Reads an output. The runtime returns the inner value of an optional, so it is wrapped again if the
    /// declared type is an optional.
    fn read(&self, value: Option<Owned<sys::OrtValue>>) -> Result<Named, BackendError> {
        let name = self.name.to_string_lossy().into_owned();
        let present = match value {
            Some(value) => values::fetch(&value)?,
            None => None,
        };
        let value = match (&self.value_type, present) {
            (ValueType::Optional(element), value) => Value::Optional {
                element: (**element).clone(),
                value: value.map(Box::new),
            },
            (_, Some(value)) => value,
            (declared, None) => {
                return Err(BackendError::run(format!(
                    "output `{name}` of type {declared} has no value"
                )));
            }
        };
        Ok((name, value))
    }
}
