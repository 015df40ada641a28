//! Converts sums to bytes.

use super::finish::{Place, Round};
use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;

/// Signed or unsigned bytes to be written.
#[derive(Debug)]
pub enum BytesMut<'a> {
    /// Saturates at -128 and 127.
    Signed(&'a mut [i8]),
    /// Saturates at 0 and 255.
    Unsigned(&'a mut [u8]),
}

impl<'a> BytesMut<'a> {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Signed(bytes) => bytes.len(),
            Self::Unsigned(bytes) => bytes.len(),
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bits.
    pub fn raw(self) -> &'a mut [u8] {
        match self {
            // SAFETY: i8 and u8 have the same size and alignment, and every pattern of bits is a value of
            // both.
            Self::Signed(bytes) => unsafe {
                std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len())
            },
            Self::Unsigned(bytes) => bytes,
        }
    }

    /// Returns `bits` as bytes of the same kind.
    pub(super) fn as_kind<'b>(&self, bits: &'b mut [u8]) -> BytesMut<'b> {
        match self {
            // SAFETY: as above.
            Self::Signed(_) => BytesMut::Signed(unsafe {
                std::slice::from_raw_parts_mut(bits.as_mut_ptr().cast(), bits.len())
            }),
            Self::Unsigned(_) => BytesMut::Unsigned(bits),
        }
    }
}

/// Converts `x` of `[outer][channels][inner]` as [`super::Target::Bytes`] does; the columns are the channels.
pub fn requantize(
    pool: &Pool,
    [outer, channels, inner]: [usize; 3],
    x: &[i32],
    scale: &[f64],
    zero: i32,
    y: BytesMut,
) -> Result<()> {
    let len = product("requantize", &[outer, channels, inner])?;
    need("requantize: source", len, x.len())?;
    need("requantize: result", len, y.len())?;
    ensure(scale.len() == 1 || scale.len() == channels, "requantize", || {
        format!("{} scales for {channels} channels", scale.len())
    })?;
    // Adjacent channels of one value each are one line.
    let (lines, line) = match inner {
        1 => (outer, channels),
        _ => (outer * channels, inner),
    };
    if len == 0 {
        return Ok(());
    }
    let place = Place::new(&y, zero);
    let target = Shared::new(y.raw());
    pool.split(lines, (16 * 1024 / line).max(1), |range| {
        let mut scales = vec![scale[0]; line];
        for index in range {
            match scale {
                [_] => {}
                all if inner == 1 => scales.copy_from_slice(all),
                all => scales.fill(all[index % channels]),
            }
            // SAFETY: lines are disjoint, each belongs to one thread.
            let y = unsafe { target.part(index * line, line) };
            pool.isa().run(Round {
                x: &x[index * line..][..line],
                y,
                scale: &scales,
                place,
            });
        }
    });
    Ok(())
}
