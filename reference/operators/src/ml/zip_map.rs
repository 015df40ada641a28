//! ZipMap — converts each row of scores to a map from labels to scores.
//!
//! Interpretation: an input of rank 1 is one row (ONNX Runtime); a repeated label is an error, because a
//! map cannot hold both (ONNX Runtime keeps the last).

use onnx_tensor::{DType, Map, Sequence, Tensor, Value, ValueType};

use super::labels::Labels;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "ZipMap", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let labels = Labels::read(call, "classlabels_int64s", "classlabels_strings")?;
    let key = match labels {
        Labels::Ints(_) => DType::Int64,
        Labels::Strings(_) => DType::String,
    };
    let keys = labels.keys();
    let x = call.array::<f32>(0)?;
    if !matches!(x.ndim(), 1 | 2) || x.shape().last() != Some(&keys.len()) {
        return Err(OpError::invalid(format!(
            "input `X` of shape {:?} must have rank 1 or 2 and a column for each of {} labels",
            x.shape(),
            keys.len()
        )));
    }
    let element = ValueType::tensor(DType::Float);
    let values: Vec<f32> = x.iter().copied().collect();
    let map = |row: &[f32]| {
        let pairs = keys
            .iter()
            .cloned()
            .zip(row.iter().map(|&score| Value::from(Tensor::scalar(score))));
        Map {
            key,
            element: element.clone(),
            entries: pairs.collect(),
        }
    };
    let maps: Vec<Map> = values.chunks_exact(keys.len()).map(map).collect();
    if maps.iter().any(|map| map.entries.len() != keys.len()) {
        return Err(OpError::invalid("a label is repeated in `classlabels_*`"));
    }
    let element = ValueType::Map {
        key,
        value: Box::new(element.clone()),
    };
    let values = maps.into_iter().map(Value::Map).collect();
    Ok(vec![Some(Value::Sequence(Sequence { element, values }))])
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Map, MapKey, Sequence, Tensor, Value, ValueType};

    use crate::frame::testing::{attribute, check, refused, rows};

    fn maps(rows: &[&[(i128, f32)]]) -> Value {
        let element = ValueType::tensor(DType::Float);
        let map = |row: &&[(i128, f32)]| {
            let entries = row
                .iter()
                .map(|&(key, value)| (MapKey::Int(key), Tensor::scalar(value).into()));
            Value::Map(Map {
                key: DType::Int64,
                element: element.clone(),
                entries: entries.collect(),
            })
        };
        let values = rows.iter().map(map).collect();
        let element = ValueType::Map {
            key: DType::Int64,
            value: Box::new(element.clone()),
        };
        Value::Sequence(Sequence { element, values })
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn zips() {
        let op = ("ai.onnx.ml", "ZipMap", 1);
        let x = rows(&[[-2.0, 1.0], [0.0, 3.0]]);
        let labels = [attribute("classlabels_int64s", [7, 5])];
        check(
            op,
            &[x.clone().into()],
            &labels,
            &[maps(&[&[(5, 1.0), (7, -2.0)], &[(5, 3.0), (7, 0.0)]])],
        );
        let one = Tensor::vector(vec![0.5_f32, 0.25]);
        check(op, &[one.into()], &labels, &[maps(&[&[(7, 0.5), (5, 0.25)]])]);
        refused(
            op,
            &[x.clone().into()],
            &[attribute("classlabels_int64s", [1, 1])],
            "repeated",
        );
        refused(
            op,
            &[x.into()],
            &[attribute("classlabels_strings", ["a"])],
            "a column for each",
        );
    }
}
