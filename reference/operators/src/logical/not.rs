//! Not — negation of a truth value, elementwise.

use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op("Not", &[v(1, First, |call| map(call, |x: &bool| !x))]);
