//! The backend for ONNX Runtime.

use std::sync::Arc;

use backend_api::{
    Backend, BackendError, Capabilities, Description, LoadRequest, Named, Profile, Session, Switch,
};

use crate::ffi::Device;
use crate::runtime::Runtime;
use crate::session::OrtSession;
use crate::settings::Settings;

/// ONNX Runtime with one set of settings.
pub struct OrtBackend {
    runtime: Arc<Runtime>,
    settings: Settings,
}

impl OrtBackend {
    /// Loads the library, unless this process has already loaded it, and checks that the provider is
    /// available: that of a plug-in must have a device, and load a trial model.
    ///
    /// # Errors
    /// [`BackendError::Missing`] without library or provider. [`BackendError::Option`] if the library or
    /// `unreleased-opsets`, which are both fixed for the life of the process, differ from those of an earlier
    /// call.
    pub fn new(settings: Settings) -> Result<OrtBackend, BackendError> {
        settings.check()?;
        let runtime = Runtime::open(&settings)?;
        let provider = runtime.check(&settings)?;
        let settings = Settings {
            provider: Some(provider),
            ..settings
        };
        if settings.is_plugin() {
            OrtSession::trial(Arc::clone(&runtime), &settings)?;
        }
        Ok(OrtBackend { runtime, settings })
    }
}

impl OrtBackend {
    /// The providers that the library has, and the devices of all providers.
    fn devices(&self) -> Vec<String> {
        let devices = self.runtime.devices();
        let providers = self.runtime.providers().unwrap_or_default();
        let has_device = |name: &String| devices.iter().any(|device| device.provider == *name);
        let mut all: Vec<String> = providers.into_iter().filter(|name| !has_device(name)).collect();
        all.extend(devices.iter().map(Device::words));
        all
    }
}

impl Backend for OrtBackend {
    fn describe(&self) -> Description {
        let library = self.runtime.library.display().to_string();
        let mut options = self.settings.in_effect();
        options.insert("library".to_owned(), library.clone());
        if self.settings.is_plugin() {
            options.remove("provider");
        }
        if self.settings.names_provider() {
            let fallback = if self.settings.falls_back() {
                Switch::On
            } else {
                Switch::Off
            };
            options.insert("fallback".to_owned(), fallback.to_string());
        }
        Description {
            name: "ort".to_owned(),
            version: self.runtime.version.clone(),
            build: format!("{} ({library})", ort::info()),
            options,
            wants_inputs_at_load: false,
            provider: self.settings.provider().to_owned(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            devices: self.devices(),
            options: Settings::help(),
            ..Capabilities::default()
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let session = OrtSession::load(Arc::clone(&self.runtime), &self.settings, &request)?;
        Ok(Box::new(session))
    }

    fn profile(&mut self, model: LoadRequest, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        OrtSession::profile(Arc::clone(&self.runtime), &self.settings, &model, inputs, runs)
    }
}
