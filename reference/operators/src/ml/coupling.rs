//! Computes class probabilities from pairwise probabilities: Wu, Lin and Weng, "Probability estimates for
//! multi-class classification by pairwise coupling", 2004, second method, as in libsvm.
//!
//! With r(i, j) the probability of i among {i, j}, p minimises Σᵢ Σⱼ (r(j, i) p(i) − r(i, j) p(j))² over
//! the simplex. Their algorithm 2 (sweeps of p(t) ← p(t) + (pᵀQp − (Qp)(t)) / Q(t, t), normalised) runs in
//! f64 from the uniform distribution. It uses the stopping rule of libsvm, which affects the third digit:
//! max |(Qp)(t) − pᵀQp| < 0.005/k, or max(100, k) sweeps.

/// Probabilities of `k` classes from pairwise ones: `pairs[i][j]` is the probability of i among {i, j}.
pub fn couple(pairs: &[Vec<f64>]) -> Vec<f64> {
    let k = pairs.len();
    let q = quadratic(pairs);
    let mut p = vec![1.0 / k as f64; k];
    for _ in 0..k.max(100) {
        let mut gradient: Vec<f64> = q.iter().map(|row| inner(row, &p)).collect();
        let mut form = inner(&gradient, &p);
        let worst = gradient.iter().map(|g| (g - form).abs()).fold(0.0, f64::max);
        if worst < 0.005 / k as f64 {
            break;
        }
        for t in 0..k {
            let step = (form - gradient[t]) / q[t][t];
            let scale = 1.0 + step;
            p[t] += step;
            form = (form + step * (step * q[t][t] + 2.0 * gradient[t])) / (scale * scale);
            for j in 0..k {
                gradient[j] = (gradient[j] + step * q[t][j]) / scale;
                p[j] /= scale;
            }
        }
    }
    p
}

/// Q(t, t) = Σ r(j, t)² over j ≠ t, Q(t, j) = −r(j, t)·r(t, j).
fn quadratic(pairs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let others = |t: usize| (0..pairs.len()).filter(move |&j| j != t);
    let entry = |t: usize, j: usize| {
        if t == j {
            others(t).map(|other| pairs[other][t] * pairs[other][t]).sum()
        } else {
            -pairs[j][t] * pairs[t][j]
        }
    };
    (0..pairs.len())
        .map(|t| (0..pairs.len()).map(|j| entry(t, j)).collect())
        .collect()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::couple;

    /// For two classes the result is the pairwise probability; consistent pairs r(i, j) = p(i) / (p(i) +
    /// p(j)) result in p.
    #[test]
    fn consistent_pairs_reproduce_the_probabilities() {
        for p in [&[0.25, 0.75][..], &[0.34, 0.33, 0.33], &[0.26, 0.25, 0.25, 0.24]] {
            let row = |&a: &f64| p.iter().map(|&b| a / (a + b)).collect::<Vec<f64>>();
            let have = couple(&p.iter().map(row).collect::<Vec<_>>());
            // The tolerance of the stopping rule.
            let off = have.iter().zip(p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(
                off < 0.01 && (have.iter().sum::<f64>() - 1.0).abs() < 1e-12,
                "{have:?} for {p:?}"
            );
        }
    }
}
