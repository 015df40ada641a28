//! A library with an execution provider, registered for the life of the process, and the device that runs
//! models.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use backend_api::BackendError;
use ort::environment::Environment;
use ort::sys;

use crate::ffi::{Device, Owned, Plugins};
use crate::providers;
use crate::settings::Settings;

/// A registered library.
pub(crate) struct Plugin {
    pub(crate) library: PathBuf,
    /// The name under which it is registered.
    name: String,
    functions: Plugins,
    /// The devices that it offers.
    devices: Vec<Device>,
}

impl Plugin {
    /// Registers the library that the settings name; `None` if they name none.
    ///
    /// # Errors
    /// [`BackendError::Missing`] if the library cannot be registered, or if its path is unknown.
    pub(crate) fn register(
        functions: Plugins,
        environment: &Environment,
        settings: &Settings,
    ) -> Result<Plugin, BackendError> {
        let library = library(settings)?;
        let name = name(settings.ep.as_deref(), &library);
        let unusable = |error: ort::Error| BackendError::Missing {
            message: format!("{} is not a usable provider: {error}", library.display()),
        };
        let before = functions.devices(environment).map_err(unusable)?;
        let path = c_string("ep-library", library.as_os_str().as_encoded_bytes())?;
        functions
            .register(environment, &c_string("ep", name.as_bytes())?, &path)
            .map_err(unusable)?;
        let mut devices = functions.devices(environment).map_err(unusable)?;
        devices.retain(|device| !before.contains(device));
        Ok(Plugin {
            library,
            name,
            functions,
            devices,
        })
    }

    /// The device of these settings.
    ///
    /// # Errors
    /// [`BackendError::Missing`] if there is none on this machine.
    pub(crate) fn device(&self, settings: &Settings) -> Result<&Device, BackendError> {
        choose(&self.devices, &self.name, settings.ep_device.as_deref()).ok_or_else(|| {
            let wanted = settings.ep_device.as_deref().map(|text| format!(" `{text}`"));
            let offered: Vec<String> = self.devices.iter().map(Device::words).collect();
            let offered = if offered.is_empty() {
                "none".to_owned()
            } else {
                offered.join("; ")
            };
            let lacks = providers::lacks(&self.name);
            BackendError::Missing {
                message: format!(
                    "{} offers no device{} on this machine; offered: {offered}{}{}",
                    self.library.display(),
                    wanted.unwrap_or_default(),
                    if lacks.is_empty() { "" } else { "; " },
                    lacks
                ),
            }
        })
    }

    /// Makes a session run on the device of these settings.
    pub(crate) fn append(
        &self,
        environment: &Environment,
        session: &mut Owned<sys::OrtSessionOptions>,
        settings: &Settings,
    ) -> Result<(), BackendError> {
        let device = self.device(settings)?;
        let options = provider_options(settings)?;
        let appended = self.functions.append(environment, session, device, &options);
        appended.map_err(|error| BackendError::Missing {
            message: format!("execution provider {} cannot be used: {error}", device.provider),
        })
    }
}

/// The options of the provider, as the runtime takes them.
pub(crate) fn provider_options(settings: &Settings) -> Result<Vec<(CString, CString)>, BackendError> {
    let pair = |(key, value): (&String, &String)| {
        let option = format!("ep.{key}");
        Ok((
            c_string(&option, key.as_bytes())?,
            c_string(&option, value.as_bytes())?,
        ))
    };
    settings.ep_options.0.iter().map(pair).collect()
}

/// The path of the library.
fn library(settings: &Settings) -> Result<PathBuf, BackendError> {
    let name = settings.ep.as_deref().unwrap_or_default();
    let path = settings
        .ep_library
        .as_ref()
        .map(Path::new)
        .ok_or_else(|| BackendError::Missing {
            message: match providers::package(name) {
                Some(package) => format!(
                    "the library of provider `{name}` is in the Python package {package}: name it by \
                     `ep-library=FILE` or `ep-package={package}==VERSION`"
                ),
                None => format!("name the library of provider `{name}` by `ep-library=FILE`"),
            },
        })?;
    path.canonicalize().map_err(|error| BackendError::Missing {
        message: format!(
            "the provider's library {} cannot be opened: {error}",
            path.display()
        ),
    })
}

/// The name for the registration. Some libraries take it as the name of their provider.
fn name(given: Option<&str>, library: &Path) -> String {
    if let Some(given) = given {
        return providers::full_name(given);
    }
    let stem = library.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix("lib").unwrap_or(&stem).to_owned()
}

/// The device that `wanted` names by its position or its kind; without it the first. If some have the
/// provider's name, only these.
fn choose<'d>(devices: &'d [Device], name: &str, wanted: Option<&str>) -> Option<&'d Device> {
    let named: Vec<&Device> = devices
        .iter()
        .filter(|device| providers::means(name, &device.provider))
        .collect();
    let candidates = if named.is_empty() {
        devices.iter().collect()
    } else {
        named
    };
    match wanted {
        None => candidates.first().copied(),
        Some(text) => match text.parse::<usize>() {
            Ok(position) => candidates.get(position).copied(),
            Err(_) => candidates
                .into_iter()
                .find(|device| device.kind.eq_ignore_ascii_case(text)),
        },
    }
}

fn c_string(option: &str, bytes: &[u8]) -> Result<CString, BackendError> {
    CString::new(bytes).map_err(|_| BackendError::Option {
        option: option.to_owned(),
        message: "contains a NUL byte".to_owned(),
    })
}

impl Device {
    /// A description in one line.
    pub(crate) fn words(&self) -> String {
        let mut words = format!(
            "{} of {} on {}: {} {:#06x}:{:#06x}",
            self.provider, self.provider_vendor, self.kind, self.vendor, self.vendor_id, self.device_id
        );
        for (key, value) in &self.metadata {
            words.push_str(&format!(", {key} {value}"));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(provider: &str, kind: &'static str) -> Device {
        Device {
            provider: provider.to_owned(),
            kind,
            ..Device::default()
        }
    }

    #[test]
    fn a_device_is_chosen_by_provider_position_and_kind() {
        let devices = [
            device("AExecutionProvider", "cpu"),
            device("BExecutionProvider", "npu"),
            device("BExecutionProvider", "gpu"),
        ];
        for (name, wanted, expected) in [
            ("a", None, Some(0)),
            ("b", None, Some(1)),
            ("b", Some("GPU"), Some(2)),
            ("b", Some("1"), Some(2)),
            ("b", Some("2"), None),
            ("b", Some("cpu"), None),
            ("library", None, Some(0)),
            ("library", Some("npu"), Some(1)),
        ] {
            let expected = expected.map(|index: usize| &devices[index]);
            assert_eq!(choose(&devices, name, wanted), expected, "{name} {wanted:?}");
        }
        assert_eq!(choose(&[], "a", None), None);
    }

    #[test]
    fn a_library_is_registered_under_the_name_of_its_provider() {
        let library = Path::new("/x/libonnxruntime_new.so");
        for (given, expected) in [
            (Some("qnn"), "QNNExecutionProvider"),
            (Some("webgpu"), "WebGpuExecutionProvider"),
            (Some("mine"), "mine"),
            (None, "onnxruntime_new"),
        ] {
            assert_eq!(name(given, library), expected);
        }
    }

    #[test]
    fn a_device_is_described_in_one_line() {
        let device = Device {
            provider_vendor: "V".to_owned(),
            vendor: "AMD".to_owned(),
            vendor_id: 0x1022,
            metadata: [("version".to_owned(), "0.4".to_owned())].into(),
            ..device("p", "cpu")
        };
        assert_eq!(device.words(), "p of V on cpu: AMD 0x1022:0x0000, version 0.4");
    }
}
