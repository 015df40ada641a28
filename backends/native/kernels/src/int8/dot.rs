//! Instruction sets for products of bytes.

use super::tile::Tile;
use crate::Isa;
use crate::error::{KernelError, Result};

/// How four pairs of bytes are multiplied and added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dot {
    /// Plain Rust.
    Portable,
    /// AVX2: widened to 16 bits, `vpmaddwd`.
    Avx2,
    /// AVX-VNNI: `vpdpbusd` on 8 sums.
    AvxVnni,
    /// AVX-512 VNNI: `vpdpbusd` on 16 sums.
    Avx512Vnni,
}

impl Dot {
    /// Returns the best set for kernels of this instruction set on this processor.
    pub fn of(isa: Isa) -> Self {
        let fits = |dot: &Self| match dot {
            Self::Portable => true,
            Self::Avx2 | Self::AvxVnni => isa != Isa::Portable,
            Self::Avx512Vnni => isa == Isa::Avx512,
        };
        Self::available()
            .into_iter()
            .rfind(fits)
            .unwrap_or(Self::Portable)
    }

    /// Returns all sets of this processor, the slowest first.
    pub fn available() -> Vec<Self> {
        let all = [Self::Portable, Self::Avx2, Self::AvxVnni, Self::Avx512Vnni];
        all.into_iter().filter(|dot| dot.is_available()).collect()
    }

    fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Isa::Avx2.is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => Isa::Avx2.is_available() && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => Isa::Avx512.is_available() && is_x86_feature_detected!("avx512vnni"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    pub(super) fn check(self) -> Result<Self> {
        let isa = if self == Self::Avx512Vnni {
            Isa::Avx512
        } else {
            Isa::Avx2
        };
        if self.is_available() {
            Ok(self)
        } else {
            Err(KernelError::Isa(isa))
        }
    }

    /// The number of sums in a vector.
    pub(super) fn lanes(self) -> usize {
        if self == Self::Avx512Vnni { 16 } else { 8 }
    }

    /// The number of rows of a tile.
    pub(super) fn rows(self) -> usize {
        match self {
            Self::Portable => 2,
            Self::Avx2 => 4,
            Self::AvxVnni => 6,
            Self::Avx512Vnni => 12,
        }
    }

    /// The number of columns of a tile, which is two vectors wide.
    pub(super) fn width(self) -> usize {
        2 * self.lanes()
    }

    /// Computes a tile.
    ///
    /// # Safety
    /// As [`Tile`] states.
    pub(super) unsafe fn run(self, tile: &Tile) {
        match self {
            // SAFETY: promised by the caller.
            Self::Portable => unsafe { super::tile::run::<Plain>(Plain, tile) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: promised by the caller; the constructor of this value checked that the set is
            // available.
            Self::Avx2 => unsafe { super::x86::run_avx2(tile) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::AvxVnni => unsafe { super::x86::run_avx_vnni(tile) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512Vnni => unsafe { super::x86::run_avx512_vnni(tile) },
            #[cfg(not(target_arch = "x86_64"))]
            // SAFETY: promised by the caller.
            _ => unsafe { super::tile::run::<Plain>(Plain, tile) },
        }
    }
}

/// Vectors of sums of products of four bytes. A value is the proof that the processor has the instructions.
pub(super) trait Products: Copy {
    /// A vector of sums.
    type V: Copy;
    /// Right operands, prepared once for all rows.
    type W: Copy;
    const LANES: usize;

    fn zero(self) -> Self::V;
    /// # Safety
    /// `4 · LANES` bytes are readable.
    unsafe fn load(self, p: *const i8) -> Self::W;
    /// Adds to each sum the four products of unsigned `a` and signed bytes of `w`.
    fn dot(self, sum: Self::V, a: [u8; 4], w: Self::W) -> Self::V;
    /// # Safety
    /// `LANES` values are writable.
    unsafe fn store(self, p: *mut i32, sum: Self::V);
    /// Hints that the line at an address, which need not be readable, will be read from the L2 cache.
    #[inline(always)]
    fn prefetch_l2(self, _: *const i8) {}
}

#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Products for Plain {
    type V = [i32; 8];
    type W = [[i8; 4]; 8];
    const LANES: usize = 8;

    fn zero(self) -> [i32; 8] {
        [0; 8]
    }

    unsafe fn load(self, p: *const i8) -> [[i8; 4]; 8] {
        // SAFETY: 32 bytes, promised by the caller.
        unsafe { p.cast::<[[i8; 4]; 8]>().read_unaligned() }
    }

    fn dot(self, sum: [i32; 8], a: [u8; 4], w: [[i8; 4]; 8]) -> [i32; 8] {
        let of = |w: [i8; 4]| (0..4).map(|i| i32::from(a[i]) * i32::from(w[i])).sum::<i32>();
        std::array::from_fn(|lane| sum[lane].wrapping_add(of(w[lane])))
    }

    unsafe fn store(self, p: *mut i32, sum: [i32; 8]) {
        // SAFETY: 8 values, promised by the caller.
        unsafe { p.cast::<[i32; 8]>().write_unaligned(sum) }
    }
}
