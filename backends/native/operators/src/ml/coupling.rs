//! The probabilities of classes from those of pairs.
//!
//! The second method of Wu, Lin and Weng (2004), with the stopping rule of libsvm, on which the third digit
//! depends: the probabilities minimize pᵀQp, where Q has the squares of the pairs on its diagonal.

use super::kernel::dot;

/// Returns the probability of each class; `pairs` has at `i·k + j` that of i among i and j.
pub fn couple(pairs: &[f64], classes: usize) -> Vec<f64> {
    let matrix = quadratic(pairs, classes);
    let line = |t: usize| &matrix[t * classes..(t + 1) * classes];
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..classes.max(100) {
        let mut slope: Vec<f64> = (0..classes).map(|t| dot(line(t), &p)).collect();
        let mut value = dot(&slope, &p);
        let farthest = slope.iter().fold(0.0, |most: f64, s| most.max((s - value).abs()));
        if farthest < 0.005 / classes as f64 {
            break;
        }
        for t in 0..classes {
            let diagonal = line(t)[t];
            let step = (value - slope[t]) / diagonal;
            let total = 1.0 + step;
            value = (value + step * (step * diagonal + 2.0 * slope[t])) / (total * total);
            p[t] += step;
            for (j, q) in line(t).iter().enumerate() {
                slope[j] = (slope[j] + step * q) / total;
                p[j] /= total;
            }
        }
    }
    p
}

fn quadratic(pairs: &[f64], classes: usize) -> Vec<f64> {
    let pair = |i: usize, j: usize| pairs[i * classes + j];
    let entry = |t: usize, j: usize| {
        if t == j {
            (0..classes)
                .filter(|&other| other != t)
                .map(|other| pair(other, t).powi(2))
                .sum()
        } else {
            -pair(j, t) * pair(t, j)
        }
    };
    let at = |index: usize| entry(index / classes, index % classes);
    (0..classes * classes).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::couple;

    /// By hand: with two classes the minimum of (r₂₁p₁ − r₁₂p₂)² is p = r. Pairs that are consistent with
    /// probabilities 1/2, 1/4, 1/4 give these, up to the stopping rule.
    #[test]
    fn consistent_pairs_give_their_probabilities() {
        let check = |pairs: &[f64], expected: &[f64]| {
            let found = couple(pairs, expected.len());
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01);
            assert!(near, "expected {expected:?}, got {found:?}");
        };
        check(&[0.0, 0.8, 0.2, 0.0], &[0.8, 0.2]);
        let third = 1.0 / 3.0;
        check(
            &[0.0, 2.0 * third, 2.0 * third, third, 0.0, 0.5, third, 0.5, 0.0],
            &[0.5, 0.25, 0.25],
        );
    }
}
