//! HannWindow — 1/2 − 1/2·cos θ, as sin²(θ/2). See `window.rs`.

use super::window::window;
use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "HannWindow",
    &[v(17, First, |call| window(call, |angle| angle.sin_squared()))],
);
