//! Conversions of f16 and bf16 (as bits) from and to f32. Rounding is to nearest, ties to even.

#[cfg(target_arch = "x86_64")]
mod x86;

use ::half::{bf16, f16};

use crate::error::{Result, need};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// A floating-point type of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of an f32.
    Bf16,
}

impl Half {
    /// Whether a number of this type has this value.
    pub fn has(self, value: f32) -> bool {
        match self {
            Half::F16 => f16::from_f32(value).to_f32() == value,
            Half::Bf16 => bf16::from_f32(value).to_f32() == value,
        }
    }
}

/// Rounds each lane to the nearest number of a half type, ties to even. NaN stays NaN.
#[inline(always)]
pub(crate) fn nearest<S: Simd>(s: S, to: Half, x: S::V) -> S::V {
    match to {
        Half::F16 => s.nearest_f16(x),
        Half::Bf16 => {
            let bits = s.bits(x);
            let odd = s.and_i(s.shr_i::<16>(bits), s.splat_i(1));
            let up = s.add_i(bits, s.add_i(odd, s.splat_i(0x7fff)));
            let cut = s.from_bits(s.and_i(up, s.splat_i(-0x1_0000)));
            s.select(s.eq(x, x), cut, x)
        }
    }
}

const GRAIN: usize = 32 * 1024;

/// Converts f16 to f32, exactly.
pub fn f16_to_f32(pool: &Pool, x: &[u16], y: &mut [f32]) -> Result<()> {
    convert(pool, x, y, |isa, x, y| match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: these sets include F16C.
        Isa::Avx2 | Isa::Avx512 => unsafe { x86::f16_to_f32(x, y) },
        _ => each(x, y, |x| f16::from_bits(x).to_f32()),
    })
}

/// Converts f32 to f16.
pub fn f32_to_f16(pool: &Pool, x: &[f32], y: &mut [u16]) -> Result<()> {
    convert(pool, x, y, |isa, x, y| match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 | Isa::Avx512 => unsafe { x86::f32_to_f16(x, y) },
        _ => each(x, y, |x| f16::from_f32(x).to_bits()),
    })
}

/// Converts bf16 to f32, exactly.
pub fn bf16_to_f32(pool: &Pool, x: &[u16], y: &mut [f32]) -> Result<()> {
    convert(pool, x, y, |isa, x, y| {
        isa.run(Each(x, y, |x| f32::from_bits(u32::from(x) << 16)))
    })
}

/// Converts f32 to bf16.
pub fn f32_to_bf16(pool: &Pool, x: &[f32], y: &mut [u16]) -> Result<()> {
    convert(pool, x, y, |isa, x, y| isa.run(Each(x, y, nearest_bf16)))
}

/// Rounds to nearest, ties to even; a NaN keeps its sign and becomes quiet.
#[inline(always)]
fn nearest_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let up = 0x7fff + (bits >> 16 & 1);
    let bits = if x.is_nan() {
        bits | 0x40_0000
    } else {
        bits.wrapping_add(up)
    };
    (bits >> 16) as u16
}

/// Computes `y = f(x)`; the compiler vectorizes it with the instruction set.
struct Each<'a, A, B, F>(&'a [A], &'a mut [B], F);

impl<A: Copy, B, F: Fn(A) -> B> Kernel for Each<'_, A, B, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        each(self.0, self.1, self.2);
    }
}

fn convert<A: Sync, B: Send>(
    pool: &Pool,
    x: &[A],
    y: &mut [B],
    body: impl Fn(Isa, &[A], &mut [B]) + Sync,
) -> Result<()> {
    need("conversion: result", x.len(), y.len())?;
    let y = Shared::new(y);
    pool.split(x.len(), GRAIN, |range| {
        // SAFETY: ranges are disjoint, each belongs to one thread.
        let y = unsafe { y.part(range.start, range.len()) };
        body(pool.isa(), &x[range], y);
    });
    Ok(())
}

#[inline(always)]
fn each<A: Copy, B>(x: &[A], y: &mut [B], f: impl Fn(A) -> B) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = f(*x));
}
