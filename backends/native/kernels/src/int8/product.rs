//! Products of matrices of bytes.

use super::finish::{Finish, Target, Zeros, needs_row_sums};
use super::pack::Rows;
use super::strip::{Strips, multiply_all};
use super::{Bytes, Int8Weights};
use crate::Pool;
use crate::error::{Result, ensure, need, product};

/// Computes `c[i][j] = Σ (a[i][l] - a_zero[i]) · (b[l][j] - b_zero[j])`, exactly, wrapping at 32 bits.
///
/// `a` has `m` rows with the common dimension of `b`; `c` has `m` rows with the columns of `b`, dense. Zero
/// points are one for all, or one for each row of `a` and column of `b`.
pub fn gemm_int8(
    pool: &Pool,
    m: usize,
    a: Bytes,
    a_zero: &[i32],
    b: &Int8Weights,
    b_zero: &[i32],
    c: Target,
) -> Result<()> {
    let what = "gemm_int8";
    need("gemm_int8: left operand", product(what, &[m, b.k])?, a.len())?;
    c.check("gemm_int8: result", product(what, &[m, b.n])?, b.n)?;
    let fits = |zero: &[i32], len: usize| zero.len() == 1 || zero.len() == len;
    ensure(fits(a_zero, m), what, || {
        format!("{} zero points for {m} rows", a_zero.len())
    })?;
    ensure(fits(b_zero, b.n), what, || {
        format!("{} zero points for {} columns", b_zero.len(), b.n)
    })?;
    if m == 0 || b.n == 0 {
        return Ok(());
    }
    let rows = Rows::new(pool, a, m, b.k, needs_row_sums(b, b_zero));
    let left: Vec<i32> = a_zero.iter().map(|zero| zero.wrapping_add(rows.offset)).collect();
    let zeros = Zeros {
        left: &left,
        row_sums: &rows.sums,
        right: b_zero,
    };
    let finish = Finish::new(pool.isa(), b, &zeros, None, c, b.n);
    let strips = Strips {
        a: rows.data(),
        images: [1, 0],
        lines: [1, 0],
        rows: [m, rows.quads * 4],
        taps: &[0],
    };
    multiply_all(pool, b, &strips, &finish);
    Ok(())
}
