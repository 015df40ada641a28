//! The generator of every operator that draws.
//!
//! It is ChaCha with 8 rounds, seeded by the `seed` attribute, else by the interpreter: one seed gives one output, on every
//! machine. The specification fixes no generator, so that no other implementation draws the same numbers; what can be held
//! against each other is the distribution (`onnx-randomness`).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::frame::{Call, OpError};

/// The generator of this node.
pub fn generator(call: &Call<'_>) -> Result<ChaCha8Rng, OpError> {
    Ok(ChaCha8Rng::seed_from_u64(call.seed()?))
}
