//! Imputer — replaces elements that equal one value.
//!
//! Floats use `replaced_value_float` and `imputed_value_floats`, integers the `int64` attributes; a
//! replaced value of NaN matches every NaN. There is one imputed value, or one for each feature, which is
//! the last axis. Exact: a float attribute is exact in double, and integers are compared exactly; an
//! imputed value that the element type cannot hold is an error.

use onnx_tensor::{Element, Real, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "Imputer", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let floats = call.optional_floats("imputed_value_floats")?.unwrap_or_default();
    let ints = call.optional_ints("imputed_value_int64s")?.unwrap_or_default();
    let is_float = matches!(call.tensor(0)?, Tensor::Float(_) | Tensor::Double(_));
    if floats.is_empty() == is_float || ints.is_empty() != is_float {
        return Err(OpError::invalid(
            "exactly one of `imputed_value_floats` (for floats) and `imputed_value_int64s` (for integers) must be set",
        ));
    }
    let float = call.float("replaced_value_float")?;
    let int = call.int("replaced_value_int64")?;
    match call.tensor(0)? {
        Tensor::Float(_) => replace(call, Some(float), floats),
        Tensor::Double(_) => replace(
            call,
            Some(f64::from(float)),
            floats.into_iter().map(f64::from).collect(),
        ),
        Tensor::Int64(_) => replace(call, Some(int), ints),
        _ => {
            let narrow = |value: i64| {
                let misfit = || OpError::invalid(format!("the imputed value {value} is outside int32"));
                i32::try_from(value).map_err(|_| misfit())
            };
            let values = ints.into_iter().map(narrow).collect::<Result<_, _>>()?;
            replace::<i32>(call, i32::try_from(int).ok(), values)
        }
    }
}

/// `replaced` is `None` if no element can equal it.
fn replace<T: Real + Element>(
    call: &Call<'_>,
    replaced: Option<T>,
    imputed: Vec<T>,
) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let features = x.shape().last().copied().unwrap_or(1);
    if imputed.len() != 1 && imputed.len() != features {
        return Err(OpError::invalid(format!(
            "expected one imputed value or one for each of {features} features, got {}",
            imputed.len()
        )));
    }
    let matches =
        |value: T| replaced.is_some_and(|target| value == target || value.is_nan() && target.is_nan());
    let y = x
        .iter()
        .enumerate()
        .map(|(at, &value)| match imputed.get(at % imputed.len().max(1)) {
            Some(&other) if matches(value) => other,
            _ => value,
        });
    one(Tensor::new(x.shape(), y.collect())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows};

    /// The first is as in ONNX Runtime 1.31.1; the others are worked by hand.
    #[test]
    fn imputes() {
        let op = ("ai.onnx.ml", "Imputer", 1);
        let x = rows(&[[1.0, f32::NAN], [f32::NAN, 2.0]]);
        let each = [
            attribute("imputed_value_floats", [7.0, 8.0]),
            attribute("replaced_value_float", f32::NAN),
        ];
        check(
            op,
            &[x.clone().into()],
            &each,
            &[rows(&[[1.0, 8.0], [7.0, 2.0]]).into()],
        );
        let numbers = Tensor::vector(vec![i64::MAX, i64::MAX - 1]);
        let one = [
            attribute("imputed_value_int64s", [5]),
            attribute("replaced_value_int64", i64::MAX),
        ];
        check(
            op,
            &[numbers.into()],
            &one,
            &[Tensor::vector(vec![5, i64::MAX - 1]).into()],
        );
        let small = Tensor::vector(vec![-1_i32, 0]);
        check(op, &[small.clone().into()], &one, &[small.clone().into()]);
        refused(
            op,
            &[small.into()],
            &[attribute("imputed_value_int64s", [1 << 40])],
            "outside int32",
        );
        refused(
            op,
            &[x.clone().into()],
            &[attribute("imputed_value_int64s", [1])],
            "exactly one",
        );
        refused(
            op,
            &[x.into()],
            &[attribute("imputed_value_floats", [1.0, 2.0, 3.0])],
            "expected one imputed value",
        );
    }
}
