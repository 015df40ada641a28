//! The options of a session.

use std::ffi::{CStr, CString};
use std::path::Path;

use backend_api::{BackendError, Switch};
use ort::sys;

use crate::error;
use crate::ffi::{CUDA, Owned, TENSORRT, append_cuda, append_tensorrt, call, key_value_pointers};
use crate::plugin::provider_options;
use crate::runtime::Runtime;
use crate::settings::{CPU, Settings};

/// The level of the log: errors are also returned as statuses.
const FATAL: i32 = sys::OrtLoggingLevel::ORT_LOGGING_LEVEL_FATAL as i32;

/// The folder for external data of a model that is loaded from bytes.
const EXTERNAL_DATA_FOLDER: &CStr = c"session.model_external_initializers_file_folder_path";

/// The first minor version of the runtime that reads this option.
pub(crate) const EXTERNAL_DATA_FOLDER_SINCE: u32 = 21;

/// The optimizers that are left out, separated by semicolons. (The runtime's header says commas; a comma
/// separates nothing in 1.31.1.)
const DISABLED_OPTIMIZERS: &CStr = c"optimization.disable_specified_optimizers";

/// The first minor version of the runtime that reads this option.
const DISABLED_OPTIMIZERS_SINCE: u32 = 18;

/// The file for the weights of an optimized model, beside it.
const OPTIMIZED_WEIGHTS: &CStr = c"session.optimized_model_external_initializers_file_name";

/// The smallest weight in bytes that is in that file.
const OPTIMIZED_WEIGHT_BYTES: &CStr = c"session.optimized_model_external_initializers_min_size_in_bytes";

/// Makes the load fail if a node is on the provider of the CPU.
const NO_FALL_BACK: &CStr = c"session.disable_cpu_ep_fallback";

/// The files of a profiled session, in the folder of a profile.
pub(crate) const PROFILE: &str = "profile";
pub(crate) const OPTIMIZED: &str = "optimized.onnx";

/// Makes the runtime write the times of nodes and the optimized model to `folder`.
pub(crate) fn profiled(
    mut session: Owned<sys::OrtSessionOptions>,
    folder: &Path,
) -> Result<Owned<sys::OrtSessionOptions>, BackendError> {
    let path = |name: &str| {
        c_string(
            folder.join(name).as_os_str().as_encoded_bytes(),
            "a temporary path",
        )
    };
    let (profile, optimized) = (path(PROFILE)?, path(OPTIMIZED)?);
    let raw = session.as_mut_ptr();
    // SAFETY: options and path are valid; the runtime copies the path.
    unsafe { call!(EnableProfiling(raw, profile.as_ptr().cast())) }.map_err(error::load)?;
    // SAFETY: as above.
    unsafe { call!(SetOptimizedModelFilePath(raw, optimized.as_ptr().cast())) }.map_err(error::load)?;
    set(&mut session, OPTIMIZED_WEIGHTS, c"weights").map_err(error::load)?;
    set(&mut session, OPTIMIZED_WEIGHT_BYTES, c"1024").map_err(error::load)?;
    Ok(session)
}

/// Makes the session options for a model whose external data is in `folder`. `falls_back` replaces the option
/// of the settings.
pub(crate) fn session_options(
    runtime: &Runtime,
    settings: &Settings,
    folder: Option<&Path>,
    falls_back: bool,
) -> Result<Owned<sys::OrtSessionOptions>, BackendError> {
    // SAFETY: the new object is released by its owner.
    let created = unsafe { Owned::create(|out| call!(CreateSessionOptions(out))) };
    let mut session = created.map_err(error::load)?;
    set_execution(&mut session, settings).map_err(error::load)?;
    if let Some(folder) = folder {
        let folder = c_string(
            folder.as_os_str().as_encoded_bytes(),
            "the path of the model's folder",
        )?;
        set(&mut session, EXTERNAL_DATA_FOLDER, &folder).map_err(error::load)?;
    }
    if let Some(names) = settings.without.as_deref().filter(|names| !names.is_empty()) {
        check_without(runtime)?;
        let names = names.replace('+', ";");
        let names = c_string(names.as_bytes(), "the option `without`")?;
        set(&mut session, DISABLED_OPTIMIZERS, &names).map_err(error::load)?;
    }
    if let Some(path) = &settings.save {
        let path = c_string(path.as_bytes(), "the option `save`")?;
        let raw = session.as_mut_ptr();
        // SAFETY: options and path are valid; the runtime copies the path.
        unsafe { call!(SetOptimizedModelFilePath(raw, path.as_ptr().cast())) }.map_err(error::load)?;
    }
    for (name, value) in &settings.config.0 {
        let (key, value) = (
            c_string(name.as_bytes(), "the option `config.NAME`")?,
            c_string(value.as_bytes(), "the option `config.NAME`")?,
        );
        set(&mut session, &key, &value).map_err(error::load)?;
    }
    match runtime.plugin.as_ref().filter(|_| settings.is_plugin()) {
        Some(plugin) => plugin.append(&runtime.environment, &mut session, settings)?,
        None => {
            let provider = runtime.provider(settings.provider())?;
            if provider == CPU {
                return Ok(session);
            }
            add_provider(&mut session, &provider, settings)?;
        }
    }
    if !falls_back {
        set(&mut session, NO_FALL_BACK, c"1").map_err(error::load)?;
    }
    Ok(session)
}

/// An older runtime ignores the option.
fn check_without(runtime: &Runtime) -> Result<(), BackendError> {
    if runtime.minor >= DISABLED_OPTIMIZERS_SINCE {
        return Ok(());
    }
    Err(BackendError::Option {
        option: "without".to_owned(),
        message: format!(
            "ONNX Runtime {} cannot leave out optimizers; use 1.{DISABLED_OPTIMIZERS_SINCE} or later",
            runtime.version
        ),
    })
}

fn set_execution(session: &mut Owned<sys::OrtSessionOptions>, settings: &Settings) -> ort::Result<()> {
    let raw = session.as_mut_ptr();
    // SAFETY: the options are valid.
    unsafe {
        call!(SetSessionGraphOptimizationLevel(
            raw,
            settings.optimization.level()
        ))
    }?;
    // SAFETY: as above.
    unsafe { call!(SetIntraOpNumThreads(raw, settings.threads.get().into())) }?;
    // SAFETY: as above.
    unsafe { call!(SetInterOpNumThreads(raw, 1)) }?;
    let spinning = if settings.spinning == Switch::On {
        c"1"
    } else {
        c"0"
    };
    // Before 1.14 the level of the environment cannot be set.
    // SAFETY: as above.
    unsafe { call!(SetSessionLogSeverityLevel(raw, FATAL)) }?;
    set(session, c"session.intra_op.allow_spinning", spinning)?;
    set(session, c"session.inter_op.allow_spinning", spinning)?;
    set(session, c"session.record_ep_graph_assignment_info", c"1")
}

fn set(session: &mut Owned<sys::OrtSessionOptions>, key: &CStr, value: &CStr) -> ort::Result<()> {
    // SAFETY: options and strings are valid; the runtime copies the strings.
    unsafe {
        call!(AddSessionConfigEntry(
            session.as_mut_ptr(),
            key.as_ptr(),
            value.as_ptr()
        ))
    }
}

fn add_provider(
    session: &mut Owned<sys::OrtSessionOptions>,
    name: &str,
    settings: &Settings,
) -> Result<(), BackendError> {
    let options = provider_options(settings)?;
    let added = match name {
        CUDA => append_cuda(session, &options),
        TENSORRT => append_tensorrt(session, &options),
        _ => append_other(session, name, &options),
    };
    added.map_err(|error| BackendError::Missing {
        message: format!("execution provider {name} cannot be used: {error}"),
    })
}

/// Makes a session use a provider by its name, with options.
fn append_other(
    session: &mut Owned<sys::OrtSessionOptions>,
    name: &str,
    options: &[(CString, CString)],
) -> ort::Result<()> {
    let name =
        CString::new(name).map_err(|_| ort::Error::new("the name of the provider contains a NUL byte"))?;
    let (keys, values) = key_value_pointers(options);
    // SAFETY: options and name are valid; the arrays have this length, and the runtime copies the strings.
    unsafe {
        call!(SessionOptionsAppendExecutionProvider(
            session.as_mut_ptr(),
            name.as_ptr(),
            keys.as_ptr(),
            values.as_ptr(),
            options.len()
        ))
    }
}

fn c_string(bytes: &[u8], what: &str) -> Result<CString, BackendError> {
    CString::new(bytes).map_err(|_| BackendError::load(format!("{what} contains a NUL byte")))
}
