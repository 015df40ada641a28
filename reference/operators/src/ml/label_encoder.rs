//! LabelEncoder — maps each element to the value of its key.
//!
//! - 1: strings to their position in `classes_strings`, or positions to strings, selected by the type of
//!   the input. Interpretation: the last position of a repeated class is used (ONNX Runtime).
//! - 2: string, int64 or float to any of these, by parallel lists. Keys are compared by bits, so −0 is not
//!   0 (ONNX Runtime treats them as equal, against the text). Interpretation: the first of repeated keys is
//!   used (ONNX Runtime).
//! - 4: also double, int32 and int16, by tensors. All NaNs are equal, both zeros are equal (the text no
//!   longer mentions bits), and the last of repeated keys is used (ONNX Runtime: the first, against the
//!   text).

use onnx_tensor::{DType, Element, Tensor, TensorError};

use super::lists::parallel;
use super::lookup::{Key, KeyEquality, Lookup};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in(
    "ai.onnx.ml",
    "LabelEncoder",
    &[
        v(1, First, by_position),
        v(2, Semantics, |call| by_lists(call, KeyEquality::Bits)),
        v(4, Semantics, |call| by_lists(call, KeyEquality::Value)),
    ],
);

fn by_position(call: &Call<'_>) -> Result<Outputs, OpError> {
    let classes = call.strings("classes_strings")?.into_iter().map(str::to_owned);
    if call.dtype(0)? == DType::String {
        let lookup = Lookup::last(classes.zip(0_i64..));
        let default = call.int("default_int64")?;
        return one(Tensor::from(
            call.array::<String>(0)?
                .map(|x| lookup.get(x, &default))
                .into_shared(),
        ));
    }
    let lookup = Lookup::last((0_i64..).zip(classes));
    let default = call.string("default_string")?.to_owned();
    one(Tensor::from(
        call.array::<i64>(0)?
            .map(|x| lookup.get(x, &default))
            .into_shared(),
    ))
}

fn by_lists(call: &Call<'_>, equality: KeyEquality) -> Result<Outputs, OpError> {
    let (keys, values) = (list(call, "keys")?, list(call, "values")?);
    parallel(&[("keys_*", keys.len()), ("values_*", values.len())])?;
    let default = default(call, values.dtype())?;
    match keys {
        Tensor::String(_) => encode::<String>(call, equality, &keys, &values, &default),
        Tensor::Int64(_) => encode::<i64>(call, equality, &keys, &values, &default),
        Tensor::Int32(_) => encode::<i32>(call, equality, &keys, &values, &default),
        Tensor::Int16(_) => encode::<i16>(call, equality, &keys, &values, &default),
        Tensor::Float(_) => encode::<f32>(call, equality, &keys, &values, &default),
        Tensor::Double(_) => encode::<f64>(call, equality, &keys, &values, &default),
        _ => Err(unusable(keys.dtype())),
    }
}

fn unusable(found: DType) -> OpError {
    let expected = "string, int64, int32, int16, float or double";
    TensorError::DType { expected, found }.into()
}

/// The attribute that is set of `{kind}_strings`, `_int64s`, `_floats` and (from version 4) `_tensor`.
fn list(call: &Call<'_>, kind: &str) -> Result<Tensor, OpError> {
    let texts = call.optional_strings(&format!("{kind}_strings"))?;
    let texts = texts.map(|texts| Tensor::vector(texts.into_iter().map(str::to_owned).collect()));
    let given = [
        texts,
        call.optional_ints(&format!("{kind}_int64s"))?.map(Tensor::vector),
        call.optional_floats(&format!("{kind}_floats"))?
            .map(Tensor::vector),
        call.optional_tensor_attribute(&format!("{kind}_tensor"))?
            .cloned(),
    ];
    let mut given = given.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(list), None) if list.rank() == 1 => Ok(list),
        (Some(list), None) => Err(OpError::invalid(format!(
            "`{kind}_tensor` must have rank 1, got {}",
            list.rank()
        ))),
        _ => Err(OpError::invalid(format!(
            "exactly one of the `{kind}_*` attributes must be set"
        ))),
    }
}

/// The value of elements that are not among the keys: `default_tensor`, otherwise the default for the value
/// type.
fn default(call: &Call<'_>, dtype: DType) -> Result<Tensor, OpError> {
    if let Some(tensor) = call.optional_tensor_attribute("default_tensor")? {
        return if tensor.dtype() == dtype && tensor.len() == 1 {
            Ok(tensor.reshape(&[1])?)
        } else {
            Err(OpError::invalid(format!(
                "`default_tensor` must hold one element of type {dtype}, like the values"
            )))
        };
    }
    match dtype {
        DType::String => Ok(Tensor::vector(vec![call.string("default_string")?.to_owned()])),
        DType::Int64 => Ok(Tensor::vector(vec![call.int("default_int64")?])),
        DType::Float => Ok(Tensor::vector(vec![call.float("default_float")?])),
        DType::Int32 => Ok(Tensor::vector(vec![-1_i32])),
        DType::Int16 => Ok(Tensor::vector(vec![-1_i16])),
        DType::Double => Ok(Tensor::vector(vec![-0.0_f64])),
        found => Err(unusable(found)),
    }
}

fn encode<K: Key + Element>(
    call: &Call<'_>,
    equality: KeyEquality,
    keys: &Tensor,
    values: &Tensor,
    default: &Tensor,
) -> Result<Outputs, OpError> {
    match values {
        Tensor::String(_) => replace::<K, String>(call, equality, keys, values, default),
        Tensor::Int64(_) => replace::<K, i64>(call, equality, keys, values, default),
        Tensor::Int32(_) => replace::<K, i32>(call, equality, keys, values, default),
        Tensor::Int16(_) => replace::<K, i16>(call, equality, keys, values, default),
        Tensor::Float(_) => replace::<K, f32>(call, equality, keys, values, default),
        _ => replace::<K, f64>(call, equality, keys, values, default),
    }
}

fn replace<K: Key + Element, V: Element>(
    call: &Call<'_>,
    equality: KeyEquality,
    keys: &Tensor,
    values: &Tensor,
    default: &Tensor,
) -> Result<Outputs, OpError> {
    let entries = keys.to_vec::<K>()?.into_iter().zip(values.to_vec::<V>()?);
    let lookup = match equality {
        KeyEquality::Bits => Lookup::first_by_bits(entries),
        KeyEquality::Value => Lookup::last(entries),
    };
    let default = default.to_vec::<V>()?.pop().unwrap_or_default();
    one(Tensor::from(
        call.array::<K>(0)?.map(|x| lookup.get(x, &default)).into_shared(),
    ))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{OpVersion, attribute, check, refused, strings};

    const ONE: OpVersion = ("ai.onnx.ml", "LabelEncoder", 1);
    const TWO: OpVersion = ("ai.onnx.ml", "LabelEncoder", 2);
    const FOUR: OpVersion = ("ai.onnx.ml", "LabelEncoder", 4);

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn positions() {
        let classes = [attribute("classes_strings", ["a", "b", "a"])];
        check(
            ONE,
            &[strings(&["a", "b", "z"]).into()],
            &classes,
            &[Tensor::vector(vec![2_i64, 1, -1]).into()],
        );
        let expected = strings(&["a", "a", "_Unused", "_Unused"]);
        check(
            ONE,
            &[Tensor::vector(vec![0_i64, 2, 5, -1]).into()],
            &classes,
            &[expected.into()],
        );
    }

    /// Worked by hand from the text of each version.
    #[test]
    fn keys_that_repeat_and_floats() {
        let twice = [
            attribute("keys_strings", ["a", "b", "a"]),
            attribute("values_int64s", [1, 2, 3]),
        ];
        let x = strings(&["a", "b", "z"]);
        check(
            TWO,
            &[x.clone().into()],
            &twice,
            &[Tensor::vector(vec![1_i64, 2, -1]).into()],
        );
        check(
            FOUR,
            &[x.into()],
            &twice,
            &[Tensor::vector(vec![3_i64, 2, -1]).into()],
        );
        let other_nan = f32::from_bits(0x7fc0_0001);
        let floats = [
            attribute("keys_floats", [-0.0, f32::NAN]),
            attribute("values_strings", ["z", "n"]),
        ];
        let x = Tensor::vector(vec![0.0_f32, -0.0, f32::NAN, other_nan]);
        check(
            TWO,
            &[x.clone().into()],
            &floats,
            &[strings(&["_Unused", "z", "n", "_Unused"]).into()],
        );
        check(
            FOUR,
            &[x.into()],
            &floats,
            &[strings(&["z", "z", "n", "n"]).into()],
        );
    }

    /// Worked by hand.
    #[test]
    fn tensors_and_defaults() {
        let tensors = [
            attribute("keys_tensor", Tensor::vector(vec![1_i16, 2])),
            attribute("values_tensor", Tensor::vector(vec![0.5_f64, 1.5])),
        ];
        let x = Tensor::vector(vec![2_i16, 3]);
        check(
            FOUR,
            &[x.clone().into()],
            &tensors,
            &[Tensor::vector(vec![1.5_f64, -0.0]).into()],
        );
        let [keys, values] = tensors;
        let default = attribute("default_tensor", Tensor::vector(vec![9_i64]));
        refused(
            FOUR,
            &[x.clone().into()],
            &[keys.clone(), values, default],
            "default_tensor",
        );
        refused(
            FOUR,
            &[x.into()],
            &[keys, attribute("values_int64s", [1])],
            "same length",
        );
        refused(
            FOUR,
            &[strings(&[]).into()],
            &[attribute("values_int64s", [1])],
            "keys_*",
        );
    }
}
