//! TransposeMatMul — the older name of FusedMatMul, without transposed batches.

use super::fused_mat_mul::fused_mat_mul;
use crate::frame::Change::First;
use crate::frame::{OpDef, contrib, v};

pub const OP: OpDef = contrib("TransposeMatMul", &[v(1, First, fused_mat_mul)]);
