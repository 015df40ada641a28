//! Families of shapes, which operators share.

mod axes;
mod elementwise;
mod matrices;
mod reduction;
mod shapes;
mod window;

pub use axes::{axes, axis, axis_within, give_axes};
pub use elementwise::{binary, broadcast_shapes, comparison, unary, variadic};
pub use matrices::{matmul_shapes, suffix_of};
pub use reduction::{arg_reduction, reduction};
pub use shapes::{broadcastable, empty_or_full, full, image, shape};
pub use window::{Window, window};
