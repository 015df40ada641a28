//! DictVectorizer — the values of a map in the order of a vocabulary, 0 (or "") if the map has no entry.
//!
//! The output has rank 1, as the specification says (ONNX Runtime returns `[1, n]`). A key that is not in
//! the vocabulary is an error, as the specification says (ONNX Runtime ignores it).

use onnx_tensor::{DType, Element, Map, MapKey, Tensor, ValueType};

use super::labels::Labels;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "DictVectorizer", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let map = call.map(0)?;
    let vocabulary = Labels::read(call, "int64_vocabulary", "string_vocabulary")?.keys();
    if let Some(key) = map.entries.keys().find(|key| !vocabulary.contains(key)) {
        return Err(OpError::invalid(format!(
            "the map has the key {key:?}, which is not in the vocabulary"
        )));
    }
    match map.element {
        ValueType::Tensor {
            dtype: DType::Int64, ..
        } => arrange::<i64>(map, &vocabulary),
        ValueType::Tensor {
            dtype: DType::Float, ..
        } => arrange::<f32>(map, &vocabulary),
        ValueType::Tensor {
            dtype: DType::Double, ..
        } => arrange::<f64>(map, &vocabulary),
        _ => arrange::<String>(map, &vocabulary),
    }
}

fn arrange<T: Element>(map: &Map, vocabulary: &[MapKey]) -> Result<Outputs, OpError> {
    let one_value = || OpError::invalid("the map must hold one value of its element type for each key");
    let value = |key: &MapKey| match map.entries.get(key) {
        None => Ok(T::default()),
        Some(value) => {
            let tensor = value.as_tensor().ok_or_else(one_value)?;
            tensor.array::<T>()?.first().cloned().ok_or_else(one_value)
        }
    };
    one(Tensor::vector(
        vocabulary.iter().map(value).collect::<Result<_, _>>()?,
    ))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Element, Map, MapKey, Tensor, Value, ValueType};

    use crate::frame::testing::{attribute, check, refused, strings};

    fn map<T: Element>(entries: &[(&str, T)]) -> Value {
        let entry = |(key, value): &(&str, T)| {
            (
                MapKey::String((*key).into()),
                Tensor::scalar(value.clone()).into(),
            )
        };
        let element = ValueType::tensor(T::DTYPE);
        Value::Map(Map {
            key: DType::String,
            element,
            entries: entries.iter().map(entry).collect(),
        })
    }

    /// The first is the example of the specification; the others are worked by hand.
    #[test]
    fn arranges() {
        let op = ("ai.onnx.ml", "DictVectorizer", 1);
        let words = [attribute("string_vocabulary", ["a", "c", "b", "z"])];
        let y = Tensor::vector(vec![4_i64, 8, 0, 0]);
        check(op, &[map(&[("a", 4_i64), ("c", 8)])], &words, &[y.into()]);
        let texts = map(&[("z", "last".to_owned())]);
        check(op, &[texts], &words, &[strings(&["", "", "", "last"]).into()]);
        refused(op, &[map(&[("q", 1_f32)])], &words, "not in the vocabulary");
    }
}
