//! Functions of two values, with broadcasting.

use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// A function of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a · b`
    Mul,
    /// `a / b`
    Div,
    /// The minimum; NaN if either is NaN.
    Min,
    /// The maximum; NaN if either is NaN.
    Max,
    /// `a` if it is not negative, else `a · b`.
    PRelu,
}

/// Work with fewer values is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// Computes `y = op(a, b)` with the broadcasting of numpy: shapes are aligned at the last axis, and an axis
/// of extent 1 is repeated. Returns the number of elements written.
pub fn binary(
    pool: &Pool,
    op: Binary,
    (a_shape, a): (&[usize], &[f32]),
    (b_shape, b): (&[usize], &[f32]),
    y: &mut [f32],
) -> Result<usize> {
    let axes = Axes::new(a_shape, b_shape)?;
    need("binary: first operand", product("binary", a_shape)?, a.len())?;
    need("binary: second operand", product("binary", b_shape)?, b.len())?;
    let (inner, a_step, b_step) = axes.inner;
    let outer = product(
        "binary",
        &axes.outer.iter().map(|axis| axis.0).collect::<Vec<_>>(),
    )?;
    let len = product("binary", &[outer, inner])?;
    need("binary: result", len, y.len())?;
    let y = Shared::new(y);
    let call = |a_at: usize, b_at: usize, at: usize, len: usize| Rows {
        op,
        a: a[a_at..].as_ptr(),
        b: b[b_at..].as_ptr(),
        y: y.at(at),
        len,
        a_step,
        b_step,
    };
    if len == 0 {
        return Ok(0);
    }
    if outer == 1 {
        pool.split(inner, GRAIN, |range| {
            let start = range.start;
            pool.isa()
                .run(call(start * a_step, start * b_step, start, range.len()));
        });
        return Ok(len);
    }
    pool.split(outer, (GRAIN / inner).max(1), |range| {
        for row in range {
            let (a_at, b_at) = axes.offsets(row);
            pool.isa().run(call(a_at, b_at, row * inner, inner));
        }
    });
    Ok(len)
}

/// The axes of the result; adjacent axes that both operands iterate alike are merged. Extent, and step in
/// either operand.
struct Axes {
    outer: Vec<(usize, usize, usize)>,
    inner: (usize, usize, usize),
}

impl Axes {
    fn new(a: &[usize], b: &[usize]) -> Result<Self> {
        let rank = a.len().max(b.len());
        let size =
            |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |at| shape[at]);
        let mut merged: Vec<(usize, usize, usize)> = Vec::new();
        let (mut a_step, mut b_step) = (1, 1);
        for axis in (0..rank).rev() {
            let (a_size, b_size) = (size(a, axis), size(b, axis));
            ensure(a_size == b_size || a_size == 1 || b_size == 1, "binary", || {
                format!("{a:?} and {b:?} do not broadcast")
            })?;
            let size = if a_size == 1 { b_size } else { a_size };
            if size == 1 {
                continue;
            }
            let own = (
                size,
                if a_size == 1 { 0 } else { a_step },
                if b_size == 1 { 0 } else { b_step },
            );
            a_step *= a_size;
            b_step *= b_size;
            match merged.last_mut() {
                Some(below) if own.1 == below.0 * below.1 && own.2 == below.0 * below.2 => below.0 *= size,
                _ => merged.push(own),
            }
        }
        let inner = if merged.is_empty() {
            (1, 1, 1)
        } else {
            merged.remove(0)
        };
        merged.reverse();
        Ok(Self { outer: merged, inner })
    }

    /// Returns the offset of a row in either operand.
    fn offsets(&self, mut row: usize) -> (usize, usize) {
        let (mut a, mut b) = (0, 0);
        for &(size, a_step, b_step) in self.outer.iter().rev() {
            a += row % size * a_step;
            b += row % size * b_step;
            row /= size;
        }
        (a, b)
    }
}

/// `len` results at `y`, and operands of `len` values (step 1) or of one (step 0).
struct Rows {
    op: Binary,
    a: *const f32,
    b: *const f32,
    y: *mut f32,
    len: usize,
    a_step: usize,
    b_step: usize,
}

impl Rows {
    #[inline(always)]
    fn each<S: Simd>(&self, s: S, f: impl Fn(S::V, S::V) -> S::V) {
        // SAFETY: the constructor of this value guarantees the values at all three pointers.
        unsafe {
            match (self.a_step, self.b_step) {
                (0, _) => {
                    let a = s.splat(*self.a);
                    self.vectors(
                        s,
                        #[inline(always)]
                        |i, n| f(a, load(s, self.b.add(i), n)),
                    );
                }
                (_, 0) => {
                    let b = s.splat(*self.b);
                    self.vectors(
                        s,
                        #[inline(always)]
                        |i, n| f(load(s, self.a.add(i), n), b),
                    );
                }
                _ => self.vectors(
                    s,
                    #[inline(always)]
                    |i, n| f(load(s, self.a.add(i), n), load(s, self.b.add(i), n)),
                ),
            }
        }
    }

    #[inline(always)]
    fn vectors<S: Simd>(&self, s: S, f: impl Fn(usize, usize) -> S::V) {
        let whole = self.len - self.len % S::LANES;
        // SAFETY: as in `each`.
        unsafe {
            for i in (0..whole).step_by(S::LANES) {
                s.store(self.y.add(i), f(i, S::LANES));
            }
            if whole < self.len {
                s.store_n(self.y.add(whole), f(whole, self.len - whole), self.len - whole);
            }
        }
    }
}

/// # Safety
/// `n` values are readable at `p`.
#[inline(always)]
unsafe fn load<S: Simd>(s: S, p: *const f32, n: usize) -> S::V {
    // SAFETY: promised by the caller.
    unsafe { if n == S::LANES { s.load(p) } else { s.load_n(p, n) } }
}

impl Kernel for Rows {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.op {
            Binary::Add => self.each(
                s,
                #[inline(always)]
                |a, b| s.add(a, b),
            ),
            Binary::Sub => self.each(
                s,
                #[inline(always)]
                |a, b| s.sub(a, b),
            ),
            Binary::Mul => self.each(
                s,
                #[inline(always)]
                |a, b| s.mul(a, b),
            ),
            Binary::Div => self.each(
                s,
                #[inline(always)]
                |a, b| s.div(a, b),
            ),
            Binary::Min => self.each(
                s,
                #[inline(always)]
                |a, b| s.min_nan(a, b),
            ),
            Binary::Max => self.each(
                s,
                #[inline(always)]
                |a, b| s.max_nan(a, b),
            ),
            Binary::PRelu => self.each(
                s,
                #[inline(always)]
                |a, b| s.select(s.lt(a, s.zero()), s.mul(a, b), a),
            ),
        }
    }
}
