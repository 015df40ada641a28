//! The instruction set of the kernels, selected at run time.

use crate::error::{KernelError, Result};
use crate::simd::{Kernel, portable::Portable};

/// A family of kernels. A [`crate::Pool`] or packed weights hold an `Isa` that this processor supports: the
/// constructors that take one check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Plain Rust, any processor.
    Portable,
    /// AVX2 with FMA and F16C: 8 lanes of f32.
    Avx2,
    /// AVX-512 F, BW, DQ, VL, with BMI1, BMI2 and all of [`Self::Avx2`]: 16 lanes of f32.
    Avx512,
}

impl Isa {
    /// Returns the best set of this processor.
    pub fn detect() -> Self {
        if Self::Avx512.is_available() {
            Self::Avx512
        } else if Self::Avx2.is_available() {
            Self::Avx2
        } else {
            Self::Portable
        }
    }

    /// Returns all sets of this processor, the slowest first.
    pub fn available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512]
            .into_iter()
            .filter(|isa| isa.is_available())
            .collect()
    }

    /// Whether this processor can run these kernels.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx")
                    && is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Returns the set if this processor supports it.
    pub fn check(self) -> Result<Self> {
        if self.is_available() {
            Ok(self)
        } else {
            Err(KernelError::Isa(self))
        }
    }

    /// The number of f32 lanes in a vector, and of channels in a block of the layout NCHWc.
    pub fn lanes(self) -> usize {
        match self {
            Self::Portable | Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    /// The number of vectors of sums in a micro-kernel: the registers minus four for the operands.
    pub(crate) const fn sums(self) -> usize {
        match self {
            Self::Portable => 8,
            Self::Avx2 => 12,
            Self::Avx512 => 28,
        }
    }

    /// Runs code that is generic over the vector type, compiled for this instruction set.
    ///
    /// An unavailable set uses portable code; constructors prevent that case.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Portable => kernel.run(Portable),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `check` or `detect` checked the features before this value was stored in a pool or a
            // packed matrix.
            Self::Avx2 => unsafe { crate::simd::avx2::run(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { crate::simd::avx512::run(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => kernel.run(Portable),
        }
    }
}
