//! Normalizations: softmax, layer, root mean square, group and instance, local response.

mod group;
mod layer;
mod lrn;
mod softmax;

pub use group::group_norm;
pub use layer::{layer_norm, rms_norm};
pub use lrn::{Lrn, lrn};
pub use softmax::{Softmax, softmax};
pub(crate) use softmax::{softmax_row, softmax_row_lifted};
