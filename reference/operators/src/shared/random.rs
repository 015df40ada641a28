//! The random number generator of all random operators.
//!
//! It is ChaCha with 8 rounds, seeded by the `seed` attribute, otherwise by the interpreter. One seed has
//! one output on every machine. The specification fixes no generator, so other implementations draw other
//! numbers; only the distributions can be compared (`onnx-randomness`).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::frame::{Call, OpError};

/// The generator of this node.
pub fn generator(call: &Call<'_>) -> Result<ChaCha8Rng, OpError> {
    Ok(ChaCha8Rng::seed_from_u64(call.seed()?))
}
