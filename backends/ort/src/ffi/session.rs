//! A loaded model, as the C interface gives it.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use backend_api::Placement;
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
        // SAFETY: all pointers are valid for the call; the runtime copies the model; the session is ours to release.
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

    /// The number of outputs.
    pub(crate) fn output_count(&self) -> ort::Result<usize> {
        let mut count = 0;
        // SAFETY: the session is valid.
        unsafe { call!(SessionGetOutputCount(self.0.as_ptr(), &mut count)) }?;
        Ok(count)
    }

    /// The name of an output.
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
        // SAFETY: it was taken from this allocator, and is not used again.
        unsafe { allocator.free(name) };
        Ok(owned)
    }

    /// The declared type of an output.
    pub(crate) fn output_type(&self, index: usize) -> ort::Result<Owned<sys::OrtTypeInfo>> {
        // SAFETY: the session is valid; an index out of range is an error status; the description is ours to release.
        unsafe { Owned::create(|out| call!(SessionGetOutputTypeInfo(self.0.as_ptr(), index, out))) }
    }

    /// Runs once. `None` stands for an output that the runtime left out altogether.
    pub(crate) fn run(
        &mut self,
        inputs: &[(CString, &Owned<sys::OrtValue>)],
        outputs: &[CString],
    ) -> ort::Result<Vec<Option<Owned<sys::OrtValue>>>> {
        let names: Vec<*const c_char> = inputs.iter().map(|(name, _)| name.as_ptr()).collect();
        let values: Vec<*const sys::OrtValue> = inputs.iter().map(|(_, value)| value.as_ptr()).collect();
        let wanted: Vec<*const c_char> = outputs.iter().map(|name| name.as_ptr()).collect();
        let mut found = vec![ptr::null_mut(); outputs.len()];
        // SAFETY: the arrays have the lengths that are given and outlive the call; null options mean the defaults, null
        // outputs that the runtime is to allocate them.
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
        // SAFETY: what the runtime allocated is ours to release.
        Ok(found
            .into_iter()
            .map(|value| unsafe { Owned::from_raw(value) })
            .collect())
    }

    /// Which provider runs which node, where the session was told to record it.
    pub(crate) fn assignments(&self) -> ort::Result<Vec<Placement>> {
        let (mut subgraphs, mut count) = (ptr::null(), 0);
        // SAFETY: the session is valid and owns what is written.
        unsafe {
            call!(Session_GetEpGraphAssignmentInfo(
                self.0.as_ptr(),
                &mut subgraphs,
                &mut count
            ))
        }?;
        let mut placements = Vec::new();
        // SAFETY: array and length come from the runtime.
        for &subgraph in unsafe { array(subgraphs, count) } {
            let provider = text(|out| {
                // SAFETY: `subgraph` belongs to the session.
                unsafe { call!(EpAssignedSubgraph_GetEpName(subgraph, out)) }
            })?;
            let (mut nodes, mut count) = (ptr::null(), 0);
            // SAFETY: `subgraph` belongs to the session, which owns what is written.
            unsafe { call!(EpAssignedSubgraph_GetNodes(subgraph, &mut nodes, &mut count)) }?;
            // SAFETY: array and length come from the runtime.
            for &node in unsafe { array(nodes, count) } {
                placements.push(Placement {
                    node: label(node)?,
                    operator: Some(operator(node)?),
                    provider: provider.clone(),
                });
            }
        }
        Ok(placements)
    }
}

/// A node's name, or its operator where it has none.
fn label(node: *const sys::OrtEpAssignedNode) -> ort::Result<String> {
    // SAFETY: `node` belongs to a session that is alive.
    let name = text(|out| unsafe { call!(EpAssignedNode_GetName(node, out)) })?;
    if name.is_empty() { operator(node) } else { Ok(name) }
}

/// A node's operator; after a fusion it may be one of the runtime's own.
fn operator(node: *const sys::OrtEpAssignedNode) -> ort::Result<String> {
    // SAFETY: `node` belongs to a session that is alive.
    text(|out| unsafe { call!(EpAssignedNode_GetOperatorType(node, out)) })
}

/// A string that stays with the runtime.
fn text(read: impl FnOnce(*mut *const c_char) -> ort::Result<()>) -> ort::Result<String> {
    let mut text = ptr::null();
    read(&mut text)?;
    if text.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the runtime gives out NUL-terminated strings.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// A slice of an array that the runtime owns; an empty one may be null.
///
/// # Safety
/// `data` is null or points to `count` elements that outlive the slice.
unsafe fn array<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(data, count) }
}
