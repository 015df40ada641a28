//! ai.onnx.ml: types that depend on which labels or values are set.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, ValueType};

use super::Kind;
use super::call::Call;

/// The type of an output that the signature does not determine.
pub(super) fn output(call: &Call, index: usize) -> Kind {
    let tensor = |dtype: Option<DType>| dtype.map(ValueType::tensor);
    match call.schema.name {
        "CastMap" => tensor(cast_map(call)),
        "CategoryMapper" => tensor(swapped(call)),
        "LabelEncoder" if call.schema.since == 1 => tensor(swapped(call)),
        "LabelEncoder" => tensor(encoded(call)),
        "DictVectorizer" => match call.input(0)? {
            ValueType::Map { value, .. } => Some((**value).clone()),
            _ => None,
        },
        "LinearClassifier" | "SVMClassifier" | "TreeEnsembleClassifier" | "ZipMap" if index == 0 => {
            labels(call)
        }
        _ => None,
    }
}

/// The labels of a classifier or of a ZipMap: strings if any are listed, otherwise integers.
fn labels(call: &Call) -> Kind {
    let dtype = if call.has_strings("classlabels_strings")? {
        DType::String
    } else {
        DType::Int64
    };
    Some(match call.schema.name {
        "ZipMap" => {
            let value = Box::new(ValueType::tensor(DType::Float));
            ValueType::Sequence(Box::new(ValueType::Map { key: dtype, value }))
        }
        _ => ValueType::tensor(dtype),
    })
}

fn cast_map(call: &Call) -> Option<DType> {
    match call.attributes.value("cast_to") {
        Some(AttributeValue::String(name)) => match name.as_slice() {
            b"TO_FLOAT" => Some(DType::Float),
            b"TO_STRING" => Some(DType::String),
            b"TO_INT64" => Some(DType::Int64),
            _ => None,
        },
        _ if call.attributes.absent("cast_to") => Some(DType::Float),
        _ => None,
    }
}

/// Strings become integers, and integers strings.
fn swapped(call: &Call) -> Option<DType> {
    match call.dtype(0)? {
        DType::String => Some(DType::Int64),
        _ => Some(DType::String),
    }
}

/// LabelEncoder: the type of the values.
fn encoded(call: &Call) -> Option<DType> {
    if let Some(AttributeValue::Tensor(values)) = call.attributes.value("values_tensor") {
        return Some(values.dtype());
    }
    let lists = [
        ("values_floats", DType::Float),
        ("values_int64s", DType::Int64),
        ("values_strings", DType::String),
    ];
    let given = lists.into_iter().find(|(name, _)| !call.attributes.absent(name));
    given.map(|(_, dtype)| dtype)
}
