//! Channels in another order, images blocked.

use super::blocked_len;
use crate::Pool;
use crate::error::{Result, ensure, need};
use crate::memory::Shared;

/// Channel `c` of `y` is channel `sources[c]` of `x`; both are `[batch][⌈channels / c⌉][pixels][c]`. What fills up the last
/// block becomes zero.
pub fn rearrange_blocked(
    pool: &Pool,
    batch: usize,
    pixels: usize,
    sources: &[usize],
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let channels = sources.len();
    let len = blocked_len(pool, batch, channels, pixels)?;
    need("rearrange: source", len, x.len())?;
    need("rearrange: target", len, y.len())?;
    ensure(
        sources.iter().all(|&source| source < channels),
        "rearrange",
        || format!("there are {channels} channels, and one beyond them is asked for"),
    )?;
    let lanes = pool.isa().lanes();
    let (blocks, plane) = (channels.div_ceil(lanes), pixels * lanes);
    let y = Shared::new(y);
    pool.split(batch * blocks, (16 * 1024 / plane.max(1)).max(1), |planes| {
        for index in planes {
            let (image, first) = (index / blocks, index % blocks * lanes);
            let x = &x[image * blocks * plane..][..blocks * plane];
            // SAFETY: planes are disjoint, each is one thread's.
            let y = unsafe { y.part(index * plane, plane) };
            let own = &sources[first..channels.min(first + lanes)];
            let starts = own
                .iter()
                .map(|&source| &x[source / lanes * plane + source % lanes..]);
            let starts: Vec<&[f32]> = starts.collect();
            // Pixel by pixel: the lanes of all sources lie in few lines of the cache.
            for (pixel, y) in y.chunks_exact_mut(lanes).enumerate() {
                let (filled, empty) = y.split_at_mut(starts.len());
                for (y, start) in filled.iter_mut().zip(&starts) {
                    *y = start[pixel * lanes];
                }
                empty.fill(0.0);
            }
        }
    });
    Ok(())
}
