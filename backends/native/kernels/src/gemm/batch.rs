//! Batched products of one shape.

use super::job::{Job, Weights};
use super::pack::{pack_b, packed_len};
use super::product::check_epilogue;
use super::vector::Vector;
use super::{Matrix, Rhs, gemm};
use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::{Pool, scratch};

/// Computes `c[i] = activation(a[i] · b[i] + bias + residual[i])` for pairs of one shape. Results are
/// consecutive in `c`, and residuals in `residual`. The bias is the same for all.
///
/// Each of few large products is divided among the threads; of many, each thread takes whole ones.
pub fn gemm_batch(pool: &Pool, pairs: &[(Matrix, Matrix)], epilogue: &Epilogue, c: &mut [f32]) -> Result<()> {
    let Some((a, b)) = pairs.first() else {
        return Ok(());
    };
    let (m, k, n) = (a.rows, a.columns, b.columns);
    let fits = |(a, b): &(Matrix, Matrix)| (a.rows, a.columns, b.rows, b.columns) == (m, k, k, n);
    ensure(pairs.iter().all(fits), "gemm_batch", || {
        format!("pairs are not all {m} × {k} × {n}")
    })?;
    let len = product("gemm_batch", &[m, n])?;
    let all = product("gemm_batch", &[len, pairs.len()])?;
    need("gemm_batch: result", all, c.len())?;
    check_epilogue(epilogue, m, n, all)?;
    if pairs.len() < pool.threads() {
        for (i, (a, b)) in pairs.iter().enumerate() {
            let mut own = *epilogue;
            if let Residual::Add(residual) = epilogue.residual {
                own.residual = Residual::Add(&residual[i * len..]);
            }
            gemm(pool, *a, Rhs::Matrix(*b), &own, &mut c[i * len..(i + 1) * len])?;
        }
        return Ok(());
    }
    let room = packed_len(pool.isa(), k, n)?;
    let c = Shared::new(c);
    pool.split(if len == 0 { 0 } else { pairs.len() }, 1, |range| {
        scratch::with(room, |packed| {
            for i in range {
                let (a, b) = pairs[i];
                if let Some(vector) = Vector::fit(a, b, epilogue, c, i * len) {
                    vector.run_here(pool.isa());
                    continue;
                }
                pack_b(pool, b, packed);
                Job {
                    isa: pool.isa(),
                    a,
                    b: Weights::Floats(packed),
                    n,
                    epilogue,
                    c,
                    first: i * len,
                }
                .run_here();
            }
        });
    });
    Ok(())
}
