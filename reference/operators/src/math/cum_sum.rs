//! CumSum — cumulative sums along an axis; summed in f64 (double-double for double), each rounded once;
//! integers wrap.

use onnx_tensor::{Accumulate, Accumulator, dispatch};

use super::cumulate::cumulate;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op("CumSum", &[v(11, First, cum_sum), v(14, TypesOnly, cum_sum)]);

fn cum_sum(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => {
        let start = <T as Accumulate>::Acc::default();
        cumulate(call, start, |sum, x: &T| sum.add(*x), |sum| sum.finish())
    })
}
