//! Converts panics to errors, so that a fault in this backend ends a request and not the process.
//!
//! No panic should be reachable from a model. If one is, its message states that this backend is at fault. A
//! failed allocation of a kernel's working buffer is reported this way too.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use backend_api::BackendError;
use native_kernels::KernelError;

use crate::error::Problem;

/// The prefix of the message of a caught panic; `onnx-tests/fuzz` searches for it.
pub const INTERNAL_ERROR: &str = "internal error of the native backend";

/// Returns the result of `body`; `as_error` converts the message of a panic to an error.
///
/// A session can be used after a panic: plans and buffers are plain values, and each run writes them before
/// it reads them.
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
    fn panics_and_failed_allocations_become_errors() {
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
