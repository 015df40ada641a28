//! The backend for rten.

use std::fmt;
use std::sync::Arc;

use backend_api::{Backend, BackendError, Capabilities, Description, LoadRequest, Session, Switch};
use onnx_model::proto::ModelProto;
use onnx_model::{Folder, Limits, Model, Source};
use prost::Message;
use rten::{LoadErrorKind, ModelOptions, ThreadPool};

use crate::DEVICE;
use crate::session::RtenSession;
use crate::settings::Settings;

/// The linked version of rten, which has no constant for it.
pub const RTEN_VERSION: &str = "0.27.0";

/// rten with its [`Settings`].
pub struct Rten {
    settings: Settings,
    pool: Arc<ThreadPool>,
}

impl Rten {
    /// Makes the backend and starts its threads.
    pub fn new(settings: Settings) -> Rten {
        Rten {
            pool: Arc::new(ThreadPool::with_num_threads(settings.threads.get().into())),
            settings,
        }
    }

    fn read(&self, model: Vec<u8>) -> Result<rten::Model, rten::LoadError> {
        // Runs in the pool, because packing uses the threads of the caller.
        self.pool.run(|| {
            let mut options = ModelOptions::with_all_ops();
            options.enable_optimization(self.settings.optimize == Switch::On);
            options.prepack_weights(self.settings.prepack == Switch::On);
            options.load(model)
        })
    }
}

impl Backend for Rten {
    fn describe(&self) -> Description {
        Description {
            name: "rten".to_owned(),
            version: RTEN_VERSION.to_owned(),
            build: "linked into the worker; all operators".to_owned(),
            options: self.settings.in_effect(),
            provider: DEVICE.to_owned(),
            ..Description::default()
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            devices: vec![DEVICE.to_owned()],
            options: Settings::help(),
            ..Capabilities::default()
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        // rten does not end on some bytes that are no protobuf message. This check copies no weights.
        ModelProto::decode(request.model.clone()).map_err(BackendError::load)?;
        let loaded = match self.read(request.model.to_vec()) {
            Err(error) if error.kind() == LoadErrorKind::ExternalDataError => {
                self.read(decode(&request)?.encode())
            }
            loaded => loaded,
        };
        let model = loaded.map_err(load_error)?;
        RtenSession::new(model, Arc::clone(&self.pool), || decode(&request))
            .map(|session| Box::new(session) as Box<dyn Session>)
    }
}

/// Decodes the model with `onnx-model`, including external data.
fn decode(request: &LoadRequest) -> Result<Model, BackendError> {
    let folder = request.folder.as_ref().map(Folder::new);
    let source = Source::named("the model");
    let source = match &folder {
        Some(folder) => source.with_external(folder),
        None => source,
    };
    Model::decode(request.model.clone(), &source, &Limits::default()).map_err(BackendError::load)
}

fn load_error(error: rten::LoadError) -> BackendError {
    match error.kind() {
        LoadErrorKind::OperatorInvalid => BackendError::unsupported(error),
        _ => BackendError::load(error),
    }
}

impl fmt::Debug for Rten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rten")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
