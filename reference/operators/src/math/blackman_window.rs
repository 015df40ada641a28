//! BlackmanWindow — 0.42 − 0.5·cos θ + 0.08·cos 2θ. With s = sin²(θ/2) it is s·(0.36 + 0.64·s), which is 0
//! at the ends, where the original sum cancels. See `window.rs`.

use super::window::window;
use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "BlackmanWindow",
    &[v(17, First, |call| {
        window(call, |angle| {
            let s = angle.sin_squared();
            s * (0.36 + 0.64 * s)
        })
    })],
);
