//! CategoryMapper — maps strings to integers or integers to strings by two lists of equal length.
//!
//! The type of the input selects the direction (both defaults are set by the schema, so "the one that is
//! set" does not decide). Interpretation: the last of repeated entries is used (ONNX Runtime).

use onnx_tensor::{DType, Tensor};

use super::lists::parallel;
use super::lookup::Lookup;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "CategoryMapper", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let numbers = call.ints("cats_int64s")?;
    let texts = call.strings("cats_strings")?;
    parallel(&[("cats_int64s", numbers.len()), ("cats_strings", texts.len())])?;
    if numbers.len() != texts.len() {
        return Err(OpError::invalid(
            "`cats_int64s` and `cats_strings` must have the same length",
        ));
    }
    let texts = texts.into_iter().map(str::to_owned);
    match call.dtype(0)? {
        DType::String => {
            let lookup = Lookup::last(texts.zip(numbers));
            let default = call.int("default_int64")?;
            one(Tensor::from(
                call.array::<String>(0)?
                    .map(|x| lookup.get(x, &default))
                    .into_shared(),
            ))
        }
        _ => {
            let lookup = Lookup::last(numbers.into_iter().zip(texts));
            let default = call.string("default_string")?.to_owned();
            one(Tensor::from(
                call.array::<i64>(0)?
                    .map(|x| lookup.get(x, &default))
                    .into_shared(),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, strings};

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn maps_both_ways() {
        let op = ("ai.onnx.ml", "CategoryMapper", 1);
        let cats = [
            attribute("cats_strings", ["a", "b", "a"]),
            attribute("cats_int64s", [1, 2, 1]),
        ];
        let x = strings(&["a", "b", "z"]);
        let twice = [
            attribute("cats_strings", ["a", "b", "a"]),
            attribute("cats_int64s", [1, 2, 3]),
        ];
        check(
            op,
            &[x.clone().into()],
            &twice,
            &[Tensor::vector(vec![3_i64, 2, -1]).into()],
        );
        check(
            op,
            &[Tensor::vector(vec![1_i64, 2, 9]).into()],
            &cats,
            &[strings(&["a", "b", "_Unused"]).into()],
        );
        let uneven = [attribute("cats_strings", ["a"]), attribute("cats_int64s", [1, 2])];
        refused(op, &[x.into()], &uneven, "same length");
    }
}
