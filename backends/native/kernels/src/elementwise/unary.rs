//! Functions of one value.

use crate::epilogue::Activation;
use crate::error::{Result, need};
use crate::math::{self, real};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// A function of one value; [`crate::math`] states the errors of elementary functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    /// `|x|`
    Abs,
    /// `-x`
    Neg,
    /// `√x`, correctly rounded.
    Sqrt,
    /// `1 / x`, correctly rounded.
    Reciprocal,
    /// `e^x`
    Exp,
    /// `ln x`
    Log,
    /// `erf x`
    Erf,
    /// The largest integer not above `x`.
    Floor,
    /// The smallest integer not below `x`.
    Ceil,
    /// The nearest integer, ties to even.
    Round,
    /// `sin x`
    Sin,
    /// `cos x`
    Cos,
    /// `asin x`; NaN outside of -1 to 1.
    Asin,
    /// `acos x`; NaN outside of -1 to 1.
    Acos,
    /// `atan x`
    Atan,
    Activation(Activation),
}

impl Unary {
    /// Whether it is, or contains, an elementary function, which is computed with an error above half a unit.
    pub fn is_elementary(self) -> bool {
        match self {
            Self::Exp
            | Self::Log
            | Self::Erf
            | Self::Sin
            | Self::Cos
            | Self::Asin
            | Self::Acos
            | Self::Atan => true,
            Self::Abs
            | Self::Neg
            | Self::Sqrt
            | Self::Reciprocal
            | Self::Floor
            | Self::Ceil
            | Self::Round => false,
            Self::Activation(activation) => activation.is_elementary(),
        }
    }
}

/// Work with fewer values is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// Computes `y[i] = op(x[i])` for all of `x`.
pub fn unary(pool: &Pool, op: Unary, x: &[f32], y: &mut [f32]) -> Result<()> {
    need("unary: result", x.len(), y.len())?;
    let y = Shared::new(y);
    pool.split(x.len(), GRAIN, |range| {
        let call = Map {
            op,
            x: x[range.clone()].as_ptr(),
            y: y.at(range.start),
            len: range.len(),
            rows: 1,
            stride: 0,
        };
        pool.isa().run(call);
    });
    Ok(())
}

/// Applies an activation on this thread.
pub(crate) fn activate(isa: Isa, activation: Activation, values: &mut [f32]) {
    // SAFETY: one row, which is the slice.
    unsafe { activate_rows(isa, activation, values.as_mut_ptr(), [1, 0], values.len()) }
}

/// Applies an activation on this thread to some rows of `len` values, whose starts are `stride` apart. One
/// call for many short rows is faster than one for each: the rows do not wait for each other.
///
/// # Safety
/// All rows are readable and writable, and nothing else accesses them meanwhile.
pub(crate) unsafe fn activate_rows(
    isa: Isa,
    activation: Activation,
    start: *mut f32,
    [rows, stride]: [usize; 2],
    len: usize,
) {
    isa.run(Map {
        op: Unary::Activation(activation),
        x: start,
        y: start,
        len,
        rows,
        stride,
    });
}

/// Applies an activation to the first `exist` channels of each pixel of `lanes` channels. If all
/// exist, pixels are one run: a call for each pixel would cost more than the function.
pub(crate) fn activate_pixels(
    isa: Isa,
    activation: Activation,
    [exist, lanes]: [usize; 2],
    pixels: &mut [f32],
) {
    if exist == lanes {
        activate(isa, activation, pixels)
    } else {
        let rows = pixels.len() / lanes;
        // SAFETY: each row is a part of a pixel.
        unsafe { activate_rows(isa, activation, pixels.as_mut_ptr(), [rows, lanes], exist) }
    }
}

/// Rows of `len` values, readable from `x` on and writable from `y` on, which is `x` or does not overlap it.
struct Map {
    op: Unary,
    x: *const f32,
    y: *mut f32,
    len: usize,
    /// The number of rows; several only for activations.
    rows: usize,
    /// The distance between the starts of rows.
    stride: usize,
}

impl Map {
    #[inline(always)]
    fn each<S: Simd>(&self, s: S, f: impl Fn(S::V) -> S::V) {
        let whole = self.len - self.len % S::LANES;
        for row in 0..self.rows {
            // SAFETY: the constructor of this value guarantees `len` values of each row at both pointers.
            unsafe {
                let (x, y) = (self.x.add(row * self.stride), self.y.add(row * self.stride));
                for i in (0..whole).step_by(S::LANES) {
                    s.store(y.add(i), f(s.load(x.add(i))));
                }
                if whole < self.len {
                    let rest = self.len - whole;
                    s.store_n(y.add(whole), f(s.load_n(x.add(whole), rest)), rest);
                }
            }
        }
    }
}

impl Map {
    /// Applies a function of f64, and rounds.
    #[inline(always)]
    fn each_real(&self, f: impl Fn(f64) -> f64) {
        assert_eq!(self.rows, 1, "rows of a function of f64");
        for i in 0..self.len {
            // SAFETY: the constructor of this value guarantees `len` values at both pointers.
            unsafe { *self.y.add(i) = f(f64::from(*self.x.add(i))) as f32 }
        }
    }

    /// Applies a function of angles: `f`, or in parts with larger angles than it supports, `any`.
    #[inline(always)]
    fn each_angle(&self, f: impl Fn(f64) -> f64, any: impl Fn(f64) -> f64) {
        const PART: usize = 64;
        for start in (0..self.len).step_by(PART) {
            // SAFETY: `start` is below `len`, so the positions are valid, and so are those after them.
            let (x, y) = unsafe { (self.x.add(start), self.y.add(start)) };
            let part = Map {
                x,
                y,
                len: PART.min(self.len - start),
                ..*self
            };
            // SAFETY: as above.
            let small = |i: usize| unsafe { (*part.x.add(i)).abs() <= real::GREATEST_ANGLE };
            // Without a short circuit, so that the test is vectorized.
            if (0..part.len).fold(true, |all, i| all & small(i)) {
                part.each_real(&f)
            } else {
                part.each_real(&any)
            }
        }
    }
}

impl Kernel for Map {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        // Each arm has its own loop, so that the function is selected once. Its closure must be inlined: a
        // function of its own has no vector instructions, and calls one for each operation.
        macro_rules! arms {
            ($x:ident: $($op:ident => $value:expr,)* ; $($activation:pat => $same:expr,)*) => {
                match self.op {
                    $(Unary::$op => self.each(s, #[inline(always)] |$x| $value),)*
                    Unary::Sin => self.each_angle(real::sin, f64::sin),
                    Unary::Cos => self.each_angle(real::cos, f64::cos),
                    Unary::Asin => self.each_real(real::asin),
                    Unary::Acos => self.each_real(real::acos),
                    Unary::Atan => self.each_real(real::atan),
                    $(Unary::Activation($activation) => {
                        self.each(s, #[inline(always)] |x| math::activation(s, $same, x))
                    })*
                }
            };
        }
        arms!(
            x:
            Abs => s.abs(x),
            Neg => s.neg(x),
            Sqrt => s.sqrt(x),
            Reciprocal => s.div(s.splat(1.0), x),
            Exp => math::exp(s, x),
            Log => math::log(s, x),
            Erf => math::erf(s, x),
            Floor => s.floor(x),
            Ceil => s.ceil(x),
            Round => s.round(x),
            ;
            Activation::Identity => Activation::Identity,
            Activation::Relu => Activation::Relu,
            Activation::Clip { low, high } => Activation::Clip { low, high },
            Activation::LeakyRelu { slope } => Activation::LeakyRelu { slope },
            Activation::Sigmoid => Activation::Sigmoid,
            Activation::Tanh => Activation::Tanh,
            Activation::Gelu => Activation::Gelu,
            Activation::GeluTanh => Activation::GeluTanh,
            Activation::HardSwish { alpha, beta } => Activation::HardSwish { alpha, beta },
            Activation::HardSigmoid { alpha, beta } => Activation::HardSigmoid { alpha, beta },
            Activation::Swish { alpha } => Activation::Swish { alpha },
            Activation::Elu { alpha } => Activation::Elu { alpha },
            Activation::Celu { alpha } => Activation::Celu { alpha },
            Activation::Selu { alpha, gamma } => Activation::Selu { alpha, gamma },
            Activation::Softplus => Activation::Softplus,
            Activation::Mish => Activation::Mish,
            Activation::Narrow { to, low, high } => Activation::Narrow { to, low, high },
        );
    }
}
