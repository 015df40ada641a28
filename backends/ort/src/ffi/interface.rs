//! The table of functions of a runtime, also of one that is older than the crate `ort` expects.
//!
//! The interface is one table of functions that only grows: a function keeps its position in every later
//! version. A runtime has the interface with the number of its own minor version, and all older ones. For a
//! runtime before 1.17 the functions that it has are copied into a table of full size. The rest of the table
//! are functions that return the status `NOT_IMPLEMENTED`, which is a typed error.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use ort::sys;

/// The oldest version of the interface, and of the runtime, that the adapter can use: 1.10.
pub(crate) const OLDEST: u32 = 10;

/// The number of functions of each interface that is older than that of `ort`: the assertions on
/// `offsetof(OrtApi, …)` at the end of the runtime's `onnxruntime_c_api.cc`, plus one.
const FUNCTIONS: [(u32, usize); 7] = [
    (OLDEST, 204),
    (11, 210),
    (12, 219),
    (13, 225),
    (14, 239),
    (15, 255),
    (16, 266),
];

/// The number of functions in the table of `ort`.
const SLOTS: usize = size_of::<sys::OrtApi>() / size_of::<*const c_void>();

/// Whether the interface of a version has a function of `OrtApi`.
macro_rules! has {
    ($minor:expr, $function:ident) => {
        $crate::ffi::interface::functions($minor)
            > std::mem::offset_of!(ort::sys::OrtApi, $function) / size_of::<*const std::ffi::c_void>()
    };
}
pub(crate) use has;

/// Puts functions that return `NOT_IMPLEMENTED` into a table, where the interface of `$minor` has none.
macro_rules! refuse {
    ($api:ident, $minor:ident: $($function:ident($($argument:ty),*);)*) => {$(
        if !has!($minor, $function) {
            unsafe extern "system" fn absent($(_: $argument),*) -> sys::OrtStatusPtr {
                not_implemented(concat!(
                    "this version of ONNX Runtime has no function ", stringify!($function), "\0"
                ))
            }
            $api.$function = absent;
        }
    )*};
}

/// Returns the table of functions of a runtime of version 1.`minor`; `None` if the runtime is too old or
/// does not have the interface of its version.
///
/// # Safety
/// `base` is the result of `OrtGetApiBase` of a loaded runtime of this version.
pub(crate) unsafe fn table(base: *const sys::OrtApiBase, minor: u32) -> Option<sys::OrtApi> {
    if minor < OLDEST {
        return None;
    }
    let interface = minor.min(ort::MINOR_VERSION);
    // SAFETY: the base is valid. The runtime returns null for an interface that it does not have.
    let found: *const *const c_void = unsafe { ((*base).GetApi)(interface) }.cast();
    if found.is_null() {
        return None;
    }
    let known = functions(minor);
    let mut api = MaybeUninit::<sys::OrtApi>::uninit();
    let slots: *mut *const c_void = api.as_mut_ptr().cast();
    for slot in 0..SLOTS {
        let function = if slot < known {
            // SAFETY: a table of this version has `known` functions.
            unsafe { *found.add(slot) }
        } else {
            absent as *const c_void
        };
        // SAFETY: the structure consists of this number of pointers.
        unsafe { slots.add(slot).write(function) };
    }
    // SAFETY: every field is a pointer to a function, and has just been written.
    let mut api = unsafe { api.assume_init() };
    replace(&mut api, minor);
    Some(api)
}

/// The number of functions of `OrtApi` that a runtime of version 1.`minor` has.
pub(crate) fn functions(minor: u32) -> usize {
    let older = FUNCTIONS.iter().find(|(version, _)| minor <= *version);
    older.map_or(SLOTS, |(_, count)| *count)
}

/// Replaces the functions that the adapter or `ort` calls and that the runtime does not have. Each gets a
/// function with its own signature.
fn replace(api: &mut sys::OrtApi, minor: u32) {
    refuse! { api, minor:
        SessionOptionsAppendExecutionProvider(
            *mut sys::OrtSessionOptions, *const c_char, *const *const c_char, *const *const c_char, usize
        );
        UpdateEnvWithCustomLogLevel(*mut sys::OrtEnv, sys::OrtLoggingLevel);
        CastTypeInfoToOptionalTypeInfo(*const sys::OrtTypeInfo, *mut *const sys::OrtOptionalTypeInfo);
        GetOptionalContainedTypeInfo(*const sys::OrtOptionalTypeInfo, *mut *mut sys::OrtTypeInfo);
        GetResizedStringTensorElementBuffer(*mut sys::OrtValue, usize, usize, *mut *mut c_char);
    }
    if !has!(minor, GetBuildInfoString) {
        unsafe extern "system" fn unknown() -> *const c_char {
            c"build unknown".as_ptr()
        }
        api.GetBuildInfoString = unknown;
    }
}

/// Stands for every other function that a runtime does not have. Neither the adapter nor the parts of `ort`
/// that it uses call one.
extern "system" fn absent() -> sys::OrtStatusPtr {
    not_implemented("this version of ONNX Runtime does not have the function\0")
}

/// Returns a new status; `message` ends with a NUL.
fn not_implemented(message: &'static str) -> sys::OrtStatusPtr {
    debug_assert!(message.ends_with('\0'), "{message}");
    let code = sys::OrtErrorCode::ORT_NOT_IMPLEMENTED;
    // SAFETY: every interface has this function; the message ends with a NUL, and the runtime copies it.
    unsafe { (ort::api().CreateStatus)(code, message.as_ptr().cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last function of each interface, of the same assertions, is at the position that they give.
    #[test]
    fn each_interface_ends_with_the_function_of_its_assertion() {
        macro_rules! check {
            ($($minor:literal: $last:ident, $next:ident;)*) => {$(
                assert!(has!($minor, $last), "1.{} has {}", $minor, stringify!($last));
                assert!(!has!($minor, $next), "1.{} has no {}", $minor, stringify!($next));
            )*};
        }
        check! {
            10: SynchronizeBoundOutputs, SessionOptionsAppendExecutionProvider_CUDA_V2;
            11: SessionOptionsAppendExecutionProvider_MIGraphX, AddExternalInitializers;
            12: ReleaseKernelInfo, GetTrainingApi;
            13: ReleaseCANNProviderOptions, MemoryInfoGetDeviceType;
            14: GetSessionConfigEntry, SessionOptionsAppendExecutionProvider_Dnnl;
            15: GetBuildInfoString, CreateROCMProviderOptions;
            16: KernelContext_GetResource, SetUserLoggingFunction;
        }
        assert_eq!((functions(17), SLOTS), (276, 276));
        assert_eq!(functions(31), SLOTS);
    }
}
