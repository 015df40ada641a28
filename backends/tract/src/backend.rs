//! The backend for tract.

use std::collections::BTreeMap;
use std::fmt;

use backend_api::{Backend, BackendError, Capabilities, Description, LoadRequest, Session};
use onnx_model::{Folder, Limits, Model, Source};
use tract_linalg::multithread::Executor;
use tract_onnx::Onnx;

use crate::DEVICE;
use crate::parse::Parsed;
use crate::session::{Compiler, TractSession};
use crate::settings::{Constants, Settings};
use crate::unsupported;

/// The linked version of tract, which has no constant for it.
pub const TRACT_VERSION: &str = "0.23.9";

/// The newest opset that tract states to be tested. It loads any other, and looks up operators by name only.
const TESTED_OPSET: i64 = 18;

/// tract with its [`Settings`].
pub struct Tract {
    settings: Settings,
    onnx: Onnx,
    compiler: Compiler,
}

impl Tract {
    /// Makes the backend and starts its threads.
    pub fn new(settings: Settings) -> Tract {
        let executor = match settings.threads.get() {
            1 => Executor::SingleThread,
            threads => Executor::multithread_with_name(threads.into(), "tract"),
        };
        Tract {
            compiler: Compiler {
                optimize: settings.optimize,
                executor,
            },
            onnx: tract_onnx::onnx(),
            settings,
        }
    }

    fn session(&self, request: &LoadRequest) -> Result<TractSession, BackendError> {
        let parsed = Parsed::new(&self.onnx, request, self.settings.constants)?;
        TractSession::new(parsed, &self.compiler)
    }

    /// Returns the first feature of the model that tract does not have. The model is decoded only for this
    /// purpose; if that fails, the error of tract is returned.
    fn lacks(&self, request: &LoadRequest) -> Option<BackendError> {
        let folder = request.folder.as_ref().map(Folder::new);
        let source = match &folder {
            Some(folder) => Source::named("the model").with_external(folder),
            None => Source::named("the model"),
        };
        let model = Model::decode(request.model.clone(), &source, &Limits::default()).ok()?;
        unsupported::find(&self.onnx, &model)
    }
}

impl Backend for Tract {
    fn describe(&self) -> Description {
        Description {
            name: "tract".to_owned(),
            version: TRACT_VERSION.to_owned(),
            build: "linked into the worker; tract-onnx with transformers, tract-linalg with multithread-mm"
                .to_owned(),
            options: self.settings.in_effect(),
            wants_inputs_at_load: self.settings.constants != Constants::None,
            provider: DEVICE.to_owned(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            opsets: BTreeMap::from([(String::new(), TESTED_OPSET)]),
            devices: vec![DEVICE.to_owned()],
            options: Settings::help(),
            ..Capabilities::default()
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        match self.session(&request) {
            Ok(session) if session.is_compiled() => Ok(Box::new(session)),
            // Compilation may wait for the first run; unsupported features are reported at load.
            Ok(session) => self.lacks(&request).map_or(Ok(Box::new(session)), Err),
            Err(error @ BackendError::Load { .. }) => Err(self.lacks(&request).unwrap_or(error)),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Tract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tract")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
