//! Scaled dot-product attention in blocks of queries, without the complete matrix of scores.

mod few;

use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::gemm::Matrix;
use crate::gemm::job::{Job, Weights};
use crate::gemm::pack::{pack_b, packed_len};
use crate::math::{LIFT, map_in_place, tanh};
use crate::memory::Shared;
use crate::norm::{Softmax, softmax_row, softmax_row_lifted};
use crate::simd::{Kernel, Simd};
use crate::{Pool, scratch};

/// The sizes of an attention; `heads` counts the heads of all images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionShape {
    /// The number of heads of all images.
    pub heads: usize,
    /// The number of query heads that share one head of keys and values; 1 unless grouped.
    pub sharing: usize,
    /// The number of queries of a head.
    pub queries: usize,
    /// The number of keys and values of a head.
    pub keys: usize,
    /// The number of elements of a query and of a key.
    pub key_size: usize,
    /// The number of elements of a value.
    pub value_size: usize,
}

/// The operations on the scores before the softmax.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scores<'a> {
    /// The factor of `q·k`.
    pub scale: f32,
    /// A number c that limits scores before the mask: they become `c·tanh(score / c)`. 0 is no limit.
    pub cap: f32,
    /// The summand of the scores: for each head the offset of its `[queries][keys]` in the values; heads may
    /// share them.
    pub mask: Option<(&'a [usize], &'a [f32])>,
    /// Another summand, after the mask.
    pub second: Option<(&'a [usize], &'a [f32])>,
    /// If given, query `i` attends to key `j` only if `j <= i + past`.
    pub causal_past: Option<usize>,
    /// Whether a query whose keys are all masked results in zeros; by the formula of the softmax it is NaN.
    pub zero_where_masked: bool,
    /// Whether the mask replaces the scores where it is not zero; otherwise it is added.
    pub replaces: bool,
    /// Whether a weight that is NaN becomes zero.
    pub nan_is_zero: bool,
}

/// Up to this number of queries, keys and values are read in place, because packing them would cost more.
const FEW: usize = 4;

/// The number of queries of a block.
const BLOCK: usize = 56;

/// Computes `y = softmax(cap(q·kᵀ·scale) + mask)·v` for each head: `q` is `[heads][queries][key_size]`, `k`
/// `[heads / sharing][keys][key_size]`, `v` `[heads / sharing][keys][value_size]`, `y`
/// `[heads][queries][value_size]`.
pub fn attention(
    pool: &Pool,
    shape: AttentionShape,
    scores: Scores,
    q: &[f32],
    k: &[f32],
    v: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let what = "attention";
    let AttentionShape {
        heads,
        sharing,
        queries,
        keys,
        key_size,
        value_size,
    } = shape;
    ensure(sharing > 0 && heads.is_multiple_of(sharing), what, || {
        format!("{sharing} do not divide {heads} heads")
    })?;
    need(
        "attention: queries",
        product(what, &[heads, queries, key_size])?,
        q.len(),
    )?;
    need(
        "attention: keys",
        product(what, &[heads / sharing, keys, key_size])?,
        k.len(),
    )?;
    need(
        "attention: values",
        product(what, &[heads / sharing, keys, value_size])?,
        v.len(),
    )?;
    let len = product(what, &[heads, queries, value_size])?;
    need("attention: result", len, y.len())?;
    for (offsets, mask) in scores.mask.into_iter().chain(scores.second) {
        need("attention: offsets of the mask", heads, offsets.len())?;
        let last = offsets[..heads].iter().max().copied().unwrap_or(0);
        let end = last.checked_add(product(what, &[queries, keys])?);
        need(
            "attention: mask",
            end.ok_or(crate::KernelError::Overflow(what))?,
            mask.len(),
        )?;
    }
    if len == 0 {
        return Ok(());
    }
    let few = queries <= FEW && keys > 0 && key_size > 0;
    let rows = if few { 1 } else { BLOCK };
    let packed = |k: usize, n: usize| if few { Ok(0) } else { packed_len(pool.isa(), k, n) };
    let room = [
        packed(key_size, keys)?,
        packed(keys, value_size)?,
        product(what, &[rows, keys])?,
        product(what, &[rows, key_size])?,
    ];
    let call = Call {
        shape,
        scores,
        q,
        k,
        v,
        y: Shared::new(y),
    };
    let blocks = queries.div_ceil(BLOCK);
    // Threads take whole heads if there are enough; otherwise blocks, each of which packs its head again.
    let pieces = if heads >= pool.threads() { 1 } else { blocks };
    pool.split(heads * pieces, 1, |range| {
        scratch::with(room.iter().sum(), |memory| {
            let mut packed = None;
            for piece in range {
                let (head, part) = (piece / pieces, piece % pieces);
                if few {
                    call.few(pool, head, room[2], memory);
                    continue;
                }
                let own = crate::thread::share(blocks, pieces, part);
                let own = own.start * BLOCK..(own.end * BLOCK).min(queries);
                call.head(pool, head, own, &room, memory, &mut packed);
            }
        });
    });
    Ok(())
}

/// The head of keys and values that is packed.
struct Packed {
    source: usize,
    /// Whether weights are computed times 2^[`LIFT`].
    lifted: bool,
}

/// Values below this number times weights times 2^[`LIFT`] have finite sums.
const SMALL: f32 = 1e27;

struct Call<'a> {
    shape: AttentionShape,
    scores: Scores<'a>,
    q: &'a [f32],
    k: &'a [f32],
    v: &'a [f32],
    y: Shared<'a, f32>,
}

impl Call<'_> {
    /// Computes some queries of one head.
    fn head(
        &self,
        pool: &Pool,
        head: usize,
        queries: std::ops::Range<usize>,
        room: &[usize; 4],
        memory: &mut [f32],
        packed: &mut Option<Packed>,
    ) {
        let AttentionShape {
            sharing,
            queries: all,
            keys,
            key_size,
            value_size,
            ..
        } = self.shape;
        let (k_packed, memory) = memory.split_at_mut(room[0]);
        let (v_packed, memory) = memory.split_at_mut(room[1]);
        let (table, scaled) = memory.split_at_mut(room[2]);
        let source = head / sharing;
        let lifted = match packed {
            Some(packed) if packed.source == source => packed.lifted,
            _ => {
                let k = matrix(&self.k[source * keys * key_size..], keys, key_size);
                pack_b(pool, k.transposed(), k_packed);
                let v = matrix(&self.v[source * keys * value_size..], keys, value_size);
                pack_b(pool, v, v_packed);
                // A mask often makes weights that are denormal, for example by -100.
                let masked = self.scores.mask.is_some() || self.scores.second.is_some();
                let lifted = masked && v.data[..keys * value_size].iter().all(|v| v.abs() < SMALL);
                *packed = Some(Packed { source, lifted });
                lifted
            }
        };
        for start in queries.clone().step_by(BLOCK) {
            let count = BLOCK.min(queries.end - start);
            let scaled = &mut scaled[..count * key_size];
            scaled.copy_from_slice(&self.q[(head * all + start) * key_size..][..count * key_size]);
            let scale = self.scores.scale;
            scaled.iter_mut().for_each(|q| *q *= scale);
            let table = &mut table[..count * keys];
            let epilogue = self.added(head, start);
            let isa = pool.isa();
            let a = matrix(scaled, count, key_size);
            Job {
                isa,
                a,
                b: Weights::Floats(k_packed),
                n: keys,
                epilogue: &epilogue,
                c: Shared::new(table),
                first: 0,
            }
            .run_here();
            self.normalise(pool, head, start, table, lifted);
            let a = matrix(table, count, keys);
            let first = (head * all + start) * value_size;
            Job {
                isa,
                a,
                b: Weights::Floats(v_packed),
                n: value_size,
                epilogue: &Epilogue::default(),
                c: self.y,
                first,
            }
            .run_here();
            if lifted {
                // SAFETY: blocks of queries are disjoint, each belongs to one thread.
                isa.run(Lower(unsafe { self.y.part(first, count * value_size) }));
            }
        }
    }

    /// Returns the mask of the queries from one on as a summand of their scores.
    fn added(&self, head: usize, query: usize) -> Epilogue<'_> {
        let mut epilogue = Epilogue::default();
        if let Some((offsets, mask)) = self.scores.mask.filter(|_| self.is_added_at_once()) {
            epilogue.residual = Residual::Add(&mask[offsets[head] + query * self.shape.keys..]);
        }
        epilogue
    }

    /// Whether the product adds the mask to its sums.
    fn is_added_at_once(&self) -> bool {
        !self.scores.replaces && self.scores.cap == 0.0
    }

    /// Limits the scores of a query, then adds the mask.
    fn limit(&self, pool: &Pool, head: usize, query: usize, row: &mut [f32]) {
        pool.isa().run(Limit {
            row,
            cap: self.scores.cap,
        });
        if let Some((offsets, mask)) = self.scores.mask.filter(|_| !self.scores.replaces) {
            let mask = &mask[offsets[head] + query * self.shape.keys..];
            row.iter_mut().zip(mask).for_each(|(score, more)| *score += more);
        }
    }

    /// Computes the softmax of the rows of a table of scores, without hidden keys; if lifted, times
    /// 2^[`LIFT`].
    fn normalise(&self, pool: &Pool, head: usize, start: usize, table: &mut [f32], lifted: bool) {
        let keys = self.shape.keys.max(1);
        for (i, row) in table.chunks_exact_mut(keys).enumerate() {
            if self.scores.cap != 0.0 {
                self.limit(pool, head, start + i, row);
            }
            if let Some((offsets, mask)) = self.scores.mask.filter(|_| self.scores.replaces) {
                let mask = &mask[offsets[head] + (start + i) * self.shape.keys..];
                let hidden = row.iter_mut().zip(mask).filter(|(_, number)| **number != 0.0);
                hidden.for_each(|(score, &number)| *score = number);
            }
            if let Some((offsets, second)) = self.scores.second {
                let second = &second[offsets[head] + (start + i) * self.shape.keys..];
                row.iter_mut()
                    .zip(second)
                    .for_each(|(score, more)| *score += more);
            }
            let seen = match self.scores.causal_past {
                Some(past) => (start + i).saturating_add(past).saturating_add(1).min(row.len()),
                None => row.len(),
            };
            row[seen..].fill(f32::NEG_INFINITY);
            if self.scores.zero_where_masked {
                if self.is_masked(head, start + i, seen) {
                    row.fill(0.0)
                } else {
                    pool.isa().run(Rows {
                        table: row,
                        keys,
                        lifted,
                    })
                }
            }
        }
        if !self.scores.zero_where_masked {
            pool.isa().run(Rows {
                table: &mut *table,
                keys,
                lifted,
            });
        }
        if self.scores.nan_is_zero {
            let weights = table.iter_mut().filter(|weight| weight.is_nan());
            weights.for_each(|weight| *weight = 0.0);
        }
    }

    /// Whether the mask hides all of the first `seen` keys, which are all keys, from a query whose result is
    /// then zero.
    fn is_masked(&self, head: usize, query: usize, seen: usize) -> bool {
        let Some((offsets, mask)) = self.scores.mask.filter(|_| self.scores.zero_where_masked) else {
            return false;
        };
        let row = &mask[offsets[head] + query * self.shape.keys..];
        row[..seen].iter().all(|&bias| bias == f32::NEG_INFINITY)
    }
}

/// Computes the softmax of each row of a table, in one call for all.
struct Rows<'a> {
    table: &'a mut [f32],
    keys: usize,
    lifted: bool,
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for row in self.table.chunks_exact_mut(self.keys) {
            if self.lifted {
                softmax_row_lifted(s, row)
            } else {
                softmax_row(s, Softmax::Linear, row)
            }
        }
    }
}

/// Limits scores to a range.
struct Limit<'a> {
    row: &'a mut [f32],
    cap: f32,
}

impl Kernel for Limit<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (cap, inverse) = (s.splat(self.cap), s.splat(1.0 / self.cap));
        map_in_place(
            s,
            self.row,
            #[inline(always)]
            |x| s.mul(tanh(s, s.mul(x, inverse)), cap),
        );
    }
}

/// Divides values by 2^[`LIFT`].
struct Lower<'a>(&'a mut [f32]);

impl Kernel for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let factor = s.splat((-LIFT as f32).exp2());
        map_in_place(
            s,
            self.0,
            #[inline(always)]
            |x| s.mul(x, factor),
        );
    }
}

/// A dense matrix; the caller guarantees the length.
fn matrix(data: &[f32], rows: usize, columns: usize) -> Matrix<'_> {
    Matrix {
        data,
        rows,
        columns,
        row_stride: columns,
        column_stride: 1,
    }
}
