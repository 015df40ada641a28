//! The choices of an implementation.

/// The order of summation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// From the first term.
    Forward,
    /// From the last term; variances in one pass.
    Backward,
    /// By halves.
    Pairwise,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Forward, Order::Backward, Order::Pairwise];

    /// The sum of terms, each addition rounded to float.
    pub fn sum(self, terms: &[f32]) -> f32 {
        match self {
            Order::Forward => terms.iter().fold(0.0, |sum, term| sum + term),
            Order::Backward => terms.iter().rev().fold(0.0, |sum, term| sum + term),
            Order::Pairwise => match terms {
                [] => 0.0,
                [term] => *term,
                _ => {
                    let (left, right) = terms.split_at(terms.len() / 2);
                    self.sum(left) + self.sum(right)
                }
            },
        }
    }

    /// The sum of products; backward with fused multiply-add.
    pub fn dot(self, a: &[f32], b: impl IntoIterator<Item = f32>) -> f32 {
        let pairs: Vec<(f32, f32)> = a.iter().copied().zip(b).collect();
        match self {
            Order::Backward => pairs.iter().rev().fold(0.0, |sum, (a, b)| a.mul_add(*b, sum)),
            _ => self.sum(&pairs.iter().map(|(a, b)| a * b).collect::<Vec<f32>>()),
        }
    }
}

/// `count` numbers in (−1, 1), the same for the same seed (a linear congruential generator: D. Knuth, MMIX).
pub fn drawn(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// 1 / (1 + exp(−x)).
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
