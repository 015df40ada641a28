//! TensorScatter — writes an update into a cache along `axis`, starting at the write index of each batch
//! entry.
//!
//! `linear` must end within the cache; `circular` wraps around. The axis must not be the batch axis, 0.
//! Interpretation: in `circular` mode a write index, also a negative one, is taken modulo the length of the
//! cache, as in the pseudocode; in `linear` mode a negative one is an error.

use onnx_tensor::Tensor;

use super::indices::strides;
use super::scattering::{self, Reduction};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op("TensorScatter", &[v(24, First, scatter)]);

fn scatter(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (cache, update) = (call.tensor(0)?, call.tensor(1)?);
    let axis = axes::axis(call.int("axis")?, cache.rank())?;
    check(cache, update, axis)?;
    let batches = layout::extent(cache, 0)?;
    let begins = call.optional_integers(2)?.unwrap_or_else(|| vec![0; batches]);
    if begins.len() != batches {
        return Err(OpError::invalid(format!(
            "expected one write index for each of {batches} batch entries, got {0}",
            begins.len()
        )));
    }
    let (capacity, steps) = (layout::extent(cache, axis)?, layout::extent(update, axis)?);
    let place: fn(i64, usize, usize) -> Option<usize> = match call.string("mode")? {
        "linear" => linear,
        "circular" => circular,
        other => return Err(OpError::invalid(format!("`mode` is {other:?}"))),
    };
    let (prefixes, length) = (
        layout::count(&cache.shape()[..axis]),
        strides(cache.shape())[axis],
    );
    let mut starts = Vec::with_capacity(prefixes.saturating_mul(steps));
    for prefix in 0..prefixes {
        let begin = begins[prefix * batches / prefixes];
        for step in 0..steps {
            let at = place(begin, step, capacity).ok_or_else(|| {
                OpError::invalid(format!(
                    "{steps} steps from {begin} are outside a cache of {capacity}"
                ))
            })?;
            starts.push((prefix * capacity + at) * length);
        }
    }
    one(scattering::scatter(
        call,
        cache,
        (&starts, length),
        update,
        Reduction::None,
    )?)
}

fn linear(begin: i64, step: usize, capacity: usize) -> Option<usize> {
    usize::try_from(begin)
        .ok()?
        .checked_add(step)
        .filter(|&at| at < capacity)
}

fn circular(begin: i64, step: usize, capacity: usize) -> Option<usize> {
    let at = i128::from(begin) + step as i128;
    at.checked_rem_euclid(capacity as i128).map(|at| at as usize)
}

fn check(cache: &Tensor, update: &Tensor, axis: usize) -> Result<(), OpError> {
    let (have, want) = (update.shape(), cache.shape());
    let alike = have.len() == want.len()
        && (0..want.len()).all(|at| {
            if at == axis {
                have[at] <= want[at]
            } else {
                have[at] == want[at]
            }
        });
    match axis {
        0 => Err(OpError::invalid("`axis` is 0, the batch axis")),
        _ if alike => Ok(()),
        _ => Err(OpError::invalid(format!(
            "an update of shape {have:?} does not match a cache of shape {want:?} along axis {axis}"
        ))),
    }
}
