//! Reproducible draws: the same numbers from the same key on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws that depends only on its key. No function of a platform's library is used for
/// floats.
#[derive(Clone, Debug)]
pub struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream of a seed and a text.
    pub fn new(seed: u64, text: &str) -> Draws {
        // FNV-1a, 64 bits: the text only selects a stream.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(hash);
        Draws(generator)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        // The bias of a remainder is below 2^-40 for the counts used here.
        match count as u64 {
            0 => 0,
            count => (self.bits() % count) as usize,
        }
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        low.wrapping_add((self.bits() % span) as i64)
    }

    /// A float in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with probability 1/`odds`.
    pub fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    /// One of several; `None` if there are none.
    pub fn one_of<'a, T>(&mut self, options: &'a [T]) -> Option<&'a T> {
        options.get(self.below(options.len()))
    }

    /// A random permutation of `0..count`.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}
