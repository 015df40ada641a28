//! HammingWindow — 25/46 − 21/46·cos θ, as 2/23 + 21/23·sin²(θ/2). See `window.rs`.

use super::window::window;
use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "HammingWindow",
    &[v(17, First, |call| {
        window(call, |angle| (2.0 + 21.0 * angle.sin_squared()) / 23.0)
    })],
);
