//! The last line of defence: what went wrong in spite of all checks ends a request, not the process.
//!
//! No panic is meant to be reachable from a model. Should one be, its message says that this backend is at fault. Memory that
//! working buffers of kernels do not get comes this way too.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use backend_api::BackendError;
use native_kernels::KernelError;

use crate::error::Problem;

/// How the message of a caught panic begins. Whoever looks for faults looks for it: see `onnx-tests/fuzz`.
pub const INTERNAL_ERROR: &str = "internal error of the native backend";

/// What `body` gives; a panic in it becomes the error that `as_error` makes of its message.
///
/// A session may be used after it: plans and buffers are plain values that each run writes before it reads them.
pub fn guarded<T>(
    as_error: impl FnOnce(String) -> BackendError,
    body: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(outcome) => outcome,
        Err(panic) => Err(match panic.downcast_ref::<KernelError>() {
            Some(error @ KernelError::Memory { .. }) => BackendError::OutOfMemory {
                message: Problem::from(error.clone()).to_string(),
            },
            Some(error) => as_error(format!("{INTERNAL_ERROR}: {error}")),
            None => as_error(format!("{INTERNAL_ERROR}: {}", message(&*panic))),
        }),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use backend_api::BackendError;
    use native_kernels::Buffer;

    use super::guarded;

    #[test]
    fn a_panic_becomes_an_error_and_memory_that_is_not_there_another() {
        let failed = guarded(BackendError::run, || -> Result<(), _> { panic!("index {}", 7) });
        assert!(
            matches!(&failed, Err(BackendError::Run { message }) if message == "internal error of the native backend: index 7"),
            "{failed:?}"
        );
        let short = guarded(BackendError::run, || Ok(Buffer::<f32>::zeroed(1 << 58).len()));
        assert!(
            matches!(short, Err(BackendError::OutOfMemory { .. })),
            "{short:?}"
        );
    }
}
