//! Sessions of the C interface.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use ort::AsPointer;
use ort::environment::Environment;
use ort::memory::Allocator;
use ort::sys;

use super::{Owned, call};

/// A loaded model.
pub(crate) struct Session(Owned<sys::OrtSession>);

impl Session {
    /// Loads the bytes of a model.
    pub(crate) fn load(
        environment: &Environment,
        model: &[u8],
        options: &Owned<sys::OrtSessionOptions>,
    ) -> ort::Result<Session> {
        let (environment, data, options) = (environment.ptr(), model.as_ptr().cast(), options.as_ptr());
        // SAFETY: all pointers are valid for the call; the runtime copies the model; the session is released
        // once, by its owner.
        unsafe {
            Owned::create(|out| {
                call!(CreateSessionFromArray(
                    environment,
                    data,
                    model.len(),
                    options,
                    out
                ))
            })
        }
        .map(Session)
    }

    /// Returns the number of outputs.
    pub(crate) fn output_count(&self) -> ort::Result<usize> {
        let mut count = 0;
        // SAFETY: the session is valid.
        unsafe { call!(SessionGetOutputCount(self.0.as_ptr(), &mut count)) }?;
        Ok(count)
    }

    pub(crate) fn output_name(&self, index: usize) -> ort::Result<CString> {
        let allocator = Allocator::default();
        let mut name = ptr::null_mut();
        // SAFETY: session and allocator are valid; an index out of range is an error status.
        unsafe {
            call!(SessionGetOutputName(
                self.0.as_ptr(),
                index,
                allocator.ptr().cast_mut(),
                &mut name
            ))
        }?;
        if name.is_null() {
            return Err(ort::Error::new(format!("output {index} has no name")));
        }
        // SAFETY: a NUL-terminated string that stays valid until it is freed below.
        let owned = unsafe { CStr::from_ptr(name) }.to_owned();
        // SAFETY: the string was allocated by this allocator, and is not used again.
        unsafe { allocator.free(name) };
        Ok(owned)
    }

    /// Returns the declared type of an output.
    pub(crate) fn output_type(&self, index: usize) -> ort::Result<Owned<sys::OrtTypeInfo>> {
        // SAFETY: the session is valid; an index out of range is an error status; the description is released
        // by its owner.
        unsafe { Owned::create(|out| call!(SessionGetOutputTypeInfo(self.0.as_ptr(), index, out))) }
    }

    /// Runs once. `None` is an output that the runtime did not return.
    pub(crate) fn run(
        &mut self,
        inputs: &[(CString, &Owned<sys::OrtValue>)],
        outputs: &[CString],
    ) -> ort::Result<Vec<Option<Owned<sys::OrtValue>>>> {
        let names: Vec<*const c_char> = inputs.iter().map(|(name, _)| name.as_ptr()).collect();
        let values: Vec<*const sys::OrtValue> = inputs.iter().map(|(_, value)| value.as_ptr()).collect();
        let wanted: Vec<*const c_char> = outputs.iter().map(|name| name.as_ptr()).collect();
        let mut found = vec![ptr::null_mut(); outputs.len()];
        // SAFETY: the arrays have these lengths and outlive the call; null options mean the defaults, null
        // outputs mean that the runtime allocates them.
        unsafe {
            call!(Run(
                self.0.as_mut_ptr(),
                ptr::null(),
                names.as_ptr(),
                values.as_ptr(),
                inputs.len(),
                wanted.as_ptr(),
                outputs.len(),
                found.as_mut_ptr()
            ))
        }?;
        // SAFETY: the runtime allocated these values; their owners release them.
        Ok(found
            .into_iter()
            .map(|value| unsafe { Owned::from_raw(value) })
            .collect())
    }

    /// Ends profiling. Returns the path of the file that the runtime wrote.
    pub(crate) fn end_profiling(&mut self) -> ort::Result<CString> {
        let allocator = Allocator::default();
        let mut path = ptr::null_mut();
        // SAFETY: session and allocator are valid.
        unsafe {
            call!(SessionEndProfiling(
                self.0.as_mut_ptr(),
                allocator.ptr().cast_mut(),
                &mut path
            ))
        }?;
        if path.is_null() {
            return Err(ort::Error::new("the runtime wrote no profile"));
        }
        // SAFETY: a NUL-terminated string that stays valid until it is freed below.
        let owned = unsafe { CStr::from_ptr(path) }.to_owned();
        // SAFETY: the string was allocated by this allocator, and is not used again.
        unsafe { allocator.free(path) };
        Ok(owned)
    }

    /// A pointer to the session.
    pub(crate) fn as_ptr(&self) -> *const sys::OrtSession {
        self.0.as_ptr()
    }
}
