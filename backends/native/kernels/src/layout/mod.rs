//! Moves values without changing them: blocked and plain images, permutations of axes.

mod blocked;
mod permute;
mod rearrange;
pub(crate) mod square;

pub use blocked::{blocked_len, from_blocked, to_blocked};
pub use permute::permute;
pub use rearrange::rearrange_blocked;
