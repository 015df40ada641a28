//! SwiGLU — a · sigmoid(alpha · a) · b, elementwise over two tensors of one shape; evaluated in f64 and
//! rounded once.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Broadcasting, binary};

pub const OP: OpDef = op("SwiGLU", &[v(28, First, swiglu)]);

fn swiglu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    let (a, b) = (call.tensor(0)?.shape(), call.tensor(1)?.shape());
    if a != b {
        return Err(OpError::invalid(format!(
            "shapes {a:?} and {b:?} differ: SwiGLU does not broadcast"
        )));
    }
    dispatch!(float, call.dtype(0)?, T => binary(call, Broadcasting::Multidirectional, |a: &T, b: &T| {
        Ok(<T as Real>::from_f64(activation::swish(Real::to_f64(*a), alpha) * Real::to_f64(*b)))
    }))
}
