//! Working memory of a thread, kept between calls so that its pages are not allocated each time.

use std::cell::Cell;

use crate::memory::Buffer;

thread_local! {
    static KEPT: Cell<Vec<Buffer<f32>>> = const { Cell::new(Vec::new()) };
}

/// The maximum number of buffers kept per thread, which is the maximum nesting of kernels.
const MAX_KEPT: usize = 4;

/// Calls `body` with `len` values of unspecified content, aligned to a cache line.
pub(crate) fn with<R>(len: usize, body: impl FnOnce(&mut [f32]) -> R) -> R {
    let mut kept = KEPT.take();
    let found = kept.iter().position(|buffer| buffer.len() >= len);
    let mut buffer = match found {
        Some(at) => kept.swap_remove(at),
        None => {
            // A larger buffer replaces the smallest, so that memory follows the largest demand.
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
