//! Code that several groups of operators share.

pub mod activation;
pub mod axes;
pub mod broadcast;
pub mod convert;
pub mod einsum_axes;
pub mod einsum_equation;
pub mod elementwise;
pub mod extremum;
pub mod heads;
pub mod lanes;
pub mod layout;
pub mod matrix_product;
pub mod number;
pub mod pairs;
pub mod product;
pub mod quantize;
pub mod quantized;
pub mod random;
pub mod reals;
pub mod running;
pub mod softmax;
pub mod stacking;
pub mod sums;
pub mod types;
pub(crate) mod wide;
