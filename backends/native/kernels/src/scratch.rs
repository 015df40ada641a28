//! Working memory of a thread, kept between calls so that its pages are not fetched from the system each time.

use std::cell::Cell;

use crate::memory::Buffer;

thread_local! {
    static KEPT: Cell<Vec<Buffer<f32>>> = const { Cell::new(Vec::new()) };
}

/// Buffers kept per thread; the deepest nesting of kernels uses as many.
const MAX_KEPT: usize = 4;

/// Calls `body` with `len` values of unspecified content, beginning on a cache line.
pub(crate) fn with<R>(len: usize, body: impl FnOnce(&mut [f32]) -> R) -> R {
    let mut kept = KEPT.take();
    let found = kept.iter().position(|buffer| buffer.len() >= len);
    let mut buffer = match found {
        Some(at) => kept.swap_remove(at),
        None => {
            // The smallest makes room for a larger one, so that memory follows the largest demand.
            kept.sort_by_key(|buffer| std::cmp::Reverse(buffer.len()));
            if kept.len() >= MAX_KEPT {
                kept.pop();
            }
            Buffer::zeroed(len)
        }
    };
    KEPT.set(kept);
    let result = body(&mut buffer[..len]);
    let mut kept = KEPT.take();
    if kept.len() < MAX_KEPT {
        kept.push(buffer);
    }
    KEPT.set(kept);
    result
}
