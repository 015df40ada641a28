//! Converts images between the plain and the blocked layout.

use super::square::Transpose;
use crate::Pool;
use crate::error::{Result, need, product};
use crate::memory::Shared;

/// Returns the number of elements of a blocked tensor: `batch · ⌈channels / c⌉ · c · pixels`.
pub fn blocked_len(pool: &Pool, batch: usize, channels: usize, pixels: usize) -> Result<usize> {
    let lanes = pool.isa().lanes();
    product(
        "blocked layout",
        &[batch, channels.div_ceil(lanes), lanes, pixels],
    )
}

/// Converts `[batch][channels][pixels]` to `[batch][⌈channels / c⌉][pixels][c]`, padded with zeros.
pub fn to_blocked(
    pool: &Pool,
    batch: usize,
    channels: usize,
    pixels: usize,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    need(
        "to_blocked: source",
        product("to_blocked", &[batch, channels, pixels])?,
        x.len(),
    )?;
    need(
        "to_blocked: target",
        blocked_len(pool, batch, channels, pixels)?,
        y.len(),
    )?;
    let lanes = pool.isa().lanes();
    let blocks = channels.div_ceil(lanes);
    let y = Shared::new(y);
    pool.split(if pixels == 0 { 0 } else { batch * blocks }, 1, |planes| {
        for plane in planes {
            let (image, first) = (plane / blocks, plane % blocks * lanes);
            let exist = lanes.min(channels - first);
            // SAFETY: planes are disjoint, each belongs to one thread.
            let target = unsafe { y.part(plane * lanes * pixels, lanes * pixels) };
            let source = &x[(image * channels + first) * pixels..][..exist * pixels];
            pool.isa().run(Transpose {
                source: source.as_ptr(),
                source_stride: pixels,
                target: target.as_mut_ptr(),
                target_stride: lanes,
                rows: exist,
                columns: pixels,
            });
            if exist < lanes {
                target
                    .chunks_exact_mut(lanes)
                    .for_each(|pixel| pixel[exist..].fill(0.0));
            }
        }
    });
    Ok(())
}

/// Converts `[batch][⌈channels / c⌉][pixels][c]` to `[batch][channels][pixels]`.
pub fn from_blocked(
    pool: &Pool,
    batch: usize,
    channels: usize,
    pixels: usize,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    need(
        "from_blocked: source",
        blocked_len(pool, batch, channels, pixels)?,
        x.len(),
    )?;
    need(
        "from_blocked: target",
        product("from_blocked", &[batch, channels, pixels])?,
        y.len(),
    )?;
    let lanes = pool.isa().lanes();
    let blocks = channels.div_ceil(lanes);
    let y = Shared::new(y);
    pool.split(if pixels == 0 { 0 } else { batch * blocks }, 1, |planes| {
        for plane in planes {
            let (image, first) = (plane / blocks, plane % blocks * lanes);
            let exist = lanes.min(channels - first);
            // SAFETY: planes are disjoint, each belongs to one thread.
            let target = unsafe { y.part((image * channels + first) * pixels, exist * pixels) };
            let source = &x[plane * lanes * pixels..][..lanes * pixels];
            pool.isa().run(Transpose {
                source: source.as_ptr(),
                source_stride: lanes,
                target: target.as_mut_ptr(),
                target_stride: pixels,
                rows: pixels,
                columns: exist,
            });
        }
    });
    Ok(())
}
