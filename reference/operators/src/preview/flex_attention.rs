//! FlexAttention — scaled dot-product attention in which two graphs can modify scores and probabilities.
//!
//! Products in f64 (double-double for f64). Scores and probabilities are rounded to the type of
//! `softmax_precision` (double for double, otherwise float), the input type of the graphs. The result is
//! rounded once more.

use ndarray::{Array4, Ix4};
use onnx_tensor::{DType, Tensor, Value};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};
use crate::shared::heads;
use crate::shared::reals::{self, narrow, widen};

pub const OP: OpDef = op_in("ai.onnx.preview", "FlexAttention", &[v(1, First, flex_attention)]);

fn flex_attention(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    let query = heads::of_rank_4(call.tensor(0)?, "Q")?;
    let key = heads::of_rank_4(call.tensor(1)?, "K")?;
    let value = heads::of_rank_4(call.tensor(2)?, "V")?;
    heads::check(&query, &key, &value)?;
    let precision = match call.optional_int("softmax_precision")? {
        Some(number) => reals::float_type("softmax_precision", number)?,
        None if dtype == DType::Double => DType::Double,
        None => DType::Float,
    };
    let default = (query.dim().3 as f64).sqrt().recip();
    let scale = call.optional_float("scale")?.map_or(default, f64::from);
    let scores = heads::scores(call, &query, &key, scale, dtype)?;
    let mut scores = modified(call, "score_mod", scores, precision)?;
    heads::softmax(&mut scores);
    let probabilities = modified(call, "prob_mod", scores, precision)?;
    let result = heads::weighted(call, &probabilities, &value, dtype)?;
    one(narrow(result.into_dyn(), dtype)?)
}

/// `values`, rounded to `precision`, then passed through the graph attribute `name` if it is set.
fn modified(
    call: &Call<'_>,
    name: &str,
    values: Array4<f64>,
    precision: DType,
) -> Result<Array4<f64>, OpError> {
    let shape = values.dim();
    let rounded: Tensor = narrow(values.into_dyn(), precision)?;
    let result = match call.optional_graph(name)? {
        None => rounded,
        Some(graph) => match call.run_body(graph, vec![Some(Value::from(rounded))])?.as_slice() {
            [Some(Value::Tensor(result))] if result.dtype() == precision => result.clone(),
            _ => {
                return Err(OpError::invalid(format!(
                    "`{name}` must return one tensor of {precision}"
                )));
            }
        },
    };
    let result = widen(&result)?.into_dimensionality::<Ix4>()?;
    if result.dim() == shape {
        Ok(result)
    } else {
        Err(OpError::invalid(format!(
            "`{name}` changed the shape {shape:?} to {:?}",
            result.shape()
        )))
    }
}
