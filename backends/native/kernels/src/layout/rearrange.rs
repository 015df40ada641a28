//! Gathers channels of blocked images.

use super::blocked_len;
use crate::Pool;
use crate::error::{Result, ensure, need};
use crate::memory::Shared;

/// Channel `c` of `y` is channel `places[c].1` of image `places[c].0`. An image is its number of channels and
/// its values. All images are `[batch][⌈channels / c⌉][pixels][c]`, and so is `y`. The padding of the last
/// block becomes zero.
pub fn rearrange_blocked(
    pool: &Pool,
    batch: usize,
    pixels: usize,
    places: &[(usize, usize)],
    images: &[(usize, &[f32])],
    y: &mut [f32],
) -> Result<()> {
    let what = "rearrange";
    for &(channels, x) in images {
        need(what, blocked_len(pool, batch, channels, pixels)?, x.len())?;
    }
    need(what, blocked_len(pool, batch, places.len(), pixels)?, y.len())?;
    let exists = |&(image, channel): &(usize, usize)| {
        images.get(image).is_some_and(|&(channels, _)| channel < channels)
    };
    ensure(places.iter().all(exists), what, || {
        "a channel is out of range".into()
    })?;
    let lanes = pool.isa().lanes();
    let (blocks, plane) = (places.len().div_ceil(lanes), pixels * lanes);
    let y = Shared::new(y);
    pool.split(
        if plane == 0 { 0 } else { batch * blocks },
        (16 * 1024 / plane.max(1)).max(1),
        |planes| {
            for index in planes {
                let (number, first) = (index / blocks, index % blocks * lanes);
                // SAFETY: planes are disjoint, each belongs to one thread.
                let y = unsafe { y.part(index * plane, plane) };
                let own = &places[first..places.len().min(first + lanes)];
                let starts = own.iter().map(|&(image, channel)| {
                    let (channels, x) = images[image];
                    &x[(number * channels.div_ceil(lanes) + channel / lanes) * plane + channel % lanes..]
                });
                let starts: Vec<&[f32]> = starts.collect();
                // Pixel by pixel, because the lanes of all sources are in few cache lines.
                for (pixel, y) in y.chunks_exact_mut(lanes).enumerate() {
                    let (filled, empty) = y.split_at_mut(starts.len());
                    for (y, start) in filled.iter_mut().zip(&starts) {
                        *y = start[pixel * lanes];
                    }
                    empty.fill(0.0);
                }
            }
        },
    );
    Ok(())
}
