//! The execution provider of each node, by functions that the runtime has since version 1.24.
//!
//! The adapter requests at most version 17 of the C interface, so that older runtimes load too. A function
//! keeps its position in every later version. The positions here are those of `onnxruntime_c_api.h` of
//! version 1.24.

use std::ffi::{CStr, c_char, c_void};
use std::{mem, ptr};

use backend_api::Placement;
use ort::sys;

use super::{Session, interface_table};

/// The version of the interface that has these functions.
const INTERFACE: u32 = 24;

/// The position of the first function, `Session_GetEpGraphAssignmentInfo`. The others follow in the order of
/// the fields of [`Assignment`]; `EpAssignedNode_GetDomain` is between the last two.
const POSITION: usize = 407;

type GetArray =
    unsafe extern "system" fn(*const c_void, *mut *const *const c_void, *mut usize) -> sys::OrtStatusPtr;
type GetText = unsafe extern "system" fn(*const c_void, *mut *const c_char) -> sys::OrtStatusPtr;

/// The functions that return the execution providers of nodes.
#[derive(Clone, Copy)]
pub(crate) struct Assignment {
    subgraphs: GetArray,
    provider: GetText,
    nodes: GetArray,
    name: GetText,
    operator: GetText,
}

impl Assignment {
    /// Returns the functions of a runtime of version 1.`minor`; `None` if it is too old.
    ///
    /// # Safety
    /// `base` is the result of `OrtGetApiBase` of a loaded runtime, and the runtime stays loaded.
    pub(crate) unsafe fn of(base: *const sys::OrtApiBase, minor: u32) -> Option<Assignment> {
        // SAFETY: by the contract of this function.
        let table = unsafe { interface_table(base, INTERFACE, minor) }?;
        // SAFETY: a table of this version has more functions than that; each is a pointer.
        let function = |index: usize| unsafe { *table.add(POSITION + index) };
        // SAFETY: the functions at these positions have these signatures; pointers to opaque types have the
        // same representation.
        unsafe {
            Some(Assignment {
                subgraphs: mem::transmute::<*const c_void, GetArray>(function(0)),
                provider: mem::transmute::<*const c_void, GetText>(function(1)),
                nodes: mem::transmute::<*const c_void, GetArray>(function(2)),
                name: mem::transmute::<*const c_void, GetText>(function(3)),
                operator: mem::transmute::<*const c_void, GetText>(function(5)),
            })
        }
    }

    /// Returns the provider of each node, for a session that records it.
    pub(crate) fn placements(&self, session: &Session) -> ort::Result<Vec<Placement>> {
        let mut placements = Vec::new();
        // SAFETY: the session is valid.
        for subgraph in unsafe { array(self.subgraphs, session.as_ptr().cast()) }? {
            // SAFETY: `subgraph` belongs to the session.
            let provider = unsafe { text(self.provider, subgraph) }?;
            // SAFETY: as above.
            for node in unsafe { array(self.nodes, subgraph) }? {
                // SAFETY: `node` belongs to the session.
                let (name, operator) = unsafe { (text(self.name, node)?, text(self.operator, node)?) };
                placements.push(Placement {
                    node: if name.is_empty() { operator.clone() } else { name },
                    // A fused operator may have a name of the runtime.
                    operator: Some(operator),
                    provider: provider.clone(),
                });
            }
        }
        Ok(placements)
    }
}

/// Returns the objects that belong to another object of the runtime.
///
/// # Safety
/// `object` is valid and of the type that `get` expects.
unsafe fn array(get: GetArray, object: *const c_void) -> ort::Result<Vec<*const c_void>> {
    let (mut data, mut count) = (ptr::null(), 0);
    // SAFETY: the object is valid, and it owns the array; the status is new.
    unsafe { ort::Error::result_from_status(get(object, &mut data, &mut count)) }?;
    if data.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the runtime returns an array of that length, which lives as long as the object.
    Ok(unsafe { std::slice::from_raw_parts(data, count) }.to_vec())
}

/// Returns a string that belongs to an object of the runtime.
///
/// # Safety
/// `object` is valid and of the type that `get` expects.
unsafe fn text(get: GetText, object: *const c_void) -> ort::Result<String> {
    let mut text = ptr::null();
    // SAFETY: the object is valid, and it owns the string; the status is new.
    unsafe { ort::Error::result_from_status(get(object, &mut text)) }?;
    if text.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the runtime returns NUL-terminated strings.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
