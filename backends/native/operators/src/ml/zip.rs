//! ZipMap: a map from labels to scores for each row.

use onnx_tensor::{DType, Map, MapKey, Sequence, Tensor, Value, ValueType};

use super::super::{Call, Outcome, Row, row_of};
use super::DOMAIN;
use super::labels::labels;
use crate::error::{Problem, invalid};
use crate::numbers::slice;
use crate::shapes::Shapes::Open;
use crate::size::{has_room, has_room_for_text};

pub const ROWS: &[Row] = &[row_of(
    DOMAIN,
    "ZipMap",
    1,
    Open("its result is a sequence", |_| None),
    zip_map,
)];

/// The memory of an entry of a map, in elements of the general code: a key, a value and a tensor of
/// one element.
const ENTRY: usize = 8;

fn zip_map(call: &Call) -> Outcome {
    let labels = labels(call.attributes, "classlabels_int64s", "classlabels_strings")?;
    let keys = keys(&labels)?;
    let x = call.tensor(0)?;
    if !matches!(x.rank(), 1 | 2) || x.shape().last() != Some(&keys.len()) {
        return invalid(format!(
            "expected one column for each of {} labels, got X of shape {:?}",
            keys.len(),
            x.shape()
        ));
    }
    has_room(x.len().saturating_mul(ENTRY))?;
    let text = |key: &MapKey| match key {
        MapKey::String(text) => text.len(),
        MapKey::Int(_) => 0,
    };
    let rows = x.len() / keys.len().max(1);
    has_room_for_text(keys.iter().map(text).sum::<usize>().saturating_mul(rows))?;
    let scores = slice::<f32>(x)?;
    let element = ValueType::tensor(DType::Float);
    let map = |row: &[f32]| {
        let values = row.iter().map(|&score| Value::Tensor(Tensor::scalar(score)));
        Map {
            key: labels.dtype(),
            element: element.clone(),
            entries: keys.iter().cloned().zip(values).collect(),
        }
    };
    let maps: Vec<Map> = scores.chunks_exact(keys.len()).map(map).collect();
    if maps.iter().any(|map| map.entries.len() != keys.len()) {
        return invalid("a label of `classlabels_*` is repeated");
    }
    Ok(vec![Value::Sequence(Sequence {
        element: ValueType::Map {
            key: labels.dtype(),
            value: Box::new(element.clone()),
        },
        values: maps.into_iter().map(Value::Map).collect(),
    })])
}

fn keys(labels: &Tensor) -> Result<Vec<MapKey>, Problem> {
    Ok(match labels {
        Tensor::Int64(list) => list.iter().map(|&label| MapKey::Int(label.into())).collect(),
        _ => slice::<String>(labels)?
            .iter()
            .map(|label| MapKey::String(label.clone()))
            .collect(),
    })
}
