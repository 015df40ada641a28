//! LeakyRelu — alpha · x below 0, else x, elementwise; evaluated in f64 and rounded once.
//!
//! The function body of version 16 first rounds `alpha` to the type of the tensor; the text does not. The
//! reference follows the text.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float_with_alpha;

pub const OP: OpDef = op(
    "LeakyRelu",
    &[
        v(1, First, |call| float_with_alpha(call, activation::leaky_relu)),
        v(6, Wording, |call| float_with_alpha(call, activation::leaky_relu)),
        v(16, TypesOnly, |call| {
            float_with_alpha(call, activation::leaky_relu)
        }),
    ],
);
