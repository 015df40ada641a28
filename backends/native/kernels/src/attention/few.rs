//! Attention of few queries, as in a step of a decoder: keys and values are read in place.

use super::{Call, matrix};
use crate::Pool;
use crate::epilogue::Epilogue;
use crate::gemm::vector::Vector;
use crate::memory::Shared;

impl Call<'_> {
    /// Computes all queries of one head. The first `keys` elements of `memory` hold the scores of a query.
    pub(super) fn few(&self, pool: &Pool, head: usize, keys: usize, memory: &mut [f32]) {
        let shape = &self.shape;
        let source = head / shape.sharing;
        let k = matrix(&self.k[source * keys * shape.key_size..], keys, shape.key_size);
        let v = matrix(
            &self.v[source * keys * shape.value_size..],
            keys,
            shape.value_size,
        );
        let (scores, scaled) = memory.split_at_mut(keys);
        let scaled = &mut scaled[..shape.key_size];
        for query in 0..shape.queries {
            let row = head * shape.queries + query;
            scaled.copy_from_slice(&self.q[row * shape.key_size..][..shape.key_size]);
            scaled.iter_mut().for_each(|q| *q *= self.scores.scale);
            let added = self.added(head, query);
            Vector {
                x: scaled,
                b: k.transposed(),
                epilogue: &added,
                y: Shared::new(scores),
                first: 0,
            }
            .run_here(pool.isa());
            self.normalise(pool, head, query, scores, false);
            Vector {
                x: scores,
                b: v,
                epilogue: &Epilogue::default(),
                y: self.y,
                first: row * shape.value_size,
            }
            .run_here(pool.isa());
        }
    }
}
