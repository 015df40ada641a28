//! Products of matrices.

use crate::Draft;

/// Shapes of two inputs of MatMul: vectors, matrices, and batches that are broadcast.
pub fn matmul_shapes(d: &mut Draft) -> (Vec<usize>, Vec<usize>) {
    let extent = |d: &mut Draft, point: &str| match d.pick(point, &["few", "one", "none", "many"]) {
        "one" => 1,
        "none" => 0,
        "many" => [8, 16, 17, 33][d.draws.below(4)],
        _ => 2 + d.draws.below(4),
    };
    let (m, k, n) = (extent(d, "rows"), extent(d, "inner"), extent(d, "columns"));
    let (a, b) = (1 + d.draws.below(3), 1 + d.draws.below(3));
    match d.pick(
        "form",
        &[
            "matrices",
            "vector left",
            "vector right",
            "vectors",
            "batch",
            "batch left",
            "batch right",
            "batch ones",
            "batch vector",
        ],
    ) {
        "vector left" => (vec![k], vec![k, n]),
        "vector right" => (vec![m, k], vec![k]),
        "vectors" => (vec![k], vec![k]),
        "batch" => (vec![a, b, m, k], vec![a, b, k, n]),
        "batch left" => (vec![a, m, k], vec![k, n]),
        "batch right" => (vec![m, k], vec![a, b, k, n]),
        "batch ones" => (vec![a, 1, m, k], vec![1, b, k, n]),
        "batch vector" => (vec![a, b, m, k], vec![k]),
        _ => (vec![m, k], vec![k, n]),
    }
}

/// A shape that can be broadcast to `[rows, columns]` in one direction.
pub fn suffix_of(d: &mut Draft, point: &str, rows: usize, columns: usize) -> Vec<usize> {
    match d.pick(
        point,
        &["whole", "row", "matrix row", "matrix column", "scalar", "one"],
    ) {
        "row" => vec![columns],
        "matrix row" => vec![1, columns],
        "matrix column" => vec![rows, 1],
        "scalar" => Vec::new(),
        "one" => vec![1],
        _ => vec![rows, columns],
    }
}
