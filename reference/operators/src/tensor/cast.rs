//! Cast — the elements as another element type; the rules and the readings taken are those of [`convert`].
//!
//! Exact where the target has the value; else rounded once, to nearest, ties to even.
//!
//! Between versions: 1 names the type by a string (`FLOAT`), later ones by its number. 9 brought text, 13 bfloat16 and the
//! rules in detail, 19 the floats of 8 bits with `saturate`, 24 float8e8m0 with `round_mode`. Versions 19 to 23 print a table
//! in which Inf saturated becomes NaN in the two FNUZ formats; their official cases have the largest finite value, and
//! version 24 corrected the table so. That is the reading taken for all of them.

use onnx_tensor::DType;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::convert::{self, Rules};

pub const OP: OpDef = op(
    "Cast",
    &[
        v(1, First, |call| cast(call, named(call)?)),
        v(6, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(9, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(13, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(19, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(21, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(23, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(24, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(25, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(28, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
    ],
);

/// The type that version 1 names as `TensorProto.DataType` does.
fn named(call: &Call<'_>) -> Result<DType, OpError> {
    let name = call.string("to")?;
    DType::ALL
        .into_iter()
        .find(|dtype| dtype.onnx_name().to_ascii_uppercase() == name)
        .ok_or_else(|| OpError::invalid(format!("`to` is `{name}`, which names no element type")))
}

fn cast(call: &Call<'_>, to: DType) -> Result<Outputs, OpError> {
    let (x, to) = (call.tensor(0)?, call.output_dtype(0, to)?);
    call.reserve(x.shape(), to)?;
    one(convert::convert(x, to, Rules::of(call)?)?)
}
