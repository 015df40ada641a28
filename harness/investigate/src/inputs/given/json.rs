//! Arrays in JSON: numbers, booleans and strings in nested lists, with the declared type of the input.

use onnx_model::ValueInfo;
use onnx_tensor::{DType, Real, Tensor, TensorError, ValueType, dispatch};
use serde_json::Value as Json;

/// The array in `bytes`.
pub(super) fn read(bytes: &[u8], info: &ValueInfo) -> Result<Tensor, String> {
    let Some(ValueType::Tensor { dtype, .. }) = info.value_type else {
        return Err("JSON files are supported for tensors only".to_owned());
    };
    let json: Json = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut shape = Vec::new();
    let mut level = &json;
    while let Json::Array(items) = level {
        shape.push(items.len());
        match items.first() {
            Some(first) => level = first,
            None => break,
        }
    }
    let mut leaves = Vec::new();
    collect(&json, &shape, &mut leaves)?;
    build(dtype, &shape, &leaves)
}

/// The leaves in order, if all lists of a level have the same length.
fn collect<'j>(json: &'j Json, shape: &[usize], leaves: &mut Vec<&'j Json>) -> Result<(), String> {
    match (json, shape) {
        (Json::Array(items), [extent, rest @ ..]) if items.len() == *extent => {
            items.iter().try_for_each(|item| collect(item, rest, leaves))
        }
        (Json::Array(_), _) | (_, [_, ..]) => Err("its lists differ in length".to_owned()),
        (leaf, []) => {
            leaves.push(leaf);
            Ok(())
        }
    }
}

fn build(dtype: DType, shape: &[usize], leaves: &[&Json]) -> Result<Tensor, String> {
    let wrong = |leaf: &Json| format!("{leaf} is not of type {dtype}");
    let tensor = match dtype {
        DType::String => {
            let texts = leaves
                .iter()
                .map(|leaf| leaf.as_str().map(str::to_owned).ok_or_else(|| wrong(leaf)));
            Tensor::new(shape, texts.collect::<Result<Vec<String>, String>>()?)
        }
        DType::Bool => {
            let bools = leaves
                .iter()
                .map(|leaf| leaf.as_bool().ok_or_else(|| wrong(leaf)));
            Tensor::new(shape, bools.collect::<Result<Vec<bool>, String>>()?)
        }
        DType::Int64 => {
            let numbers = leaves.iter().map(|leaf| leaf.as_i64().ok_or_else(|| wrong(leaf)));
            Tensor::new(shape, numbers.collect::<Result<Vec<i64>, String>>()?)
        }
        DType::Uint64 => {
            let numbers = leaves.iter().map(|leaf| leaf.as_u64().ok_or_else(|| wrong(leaf)));
            Tensor::new(shape, numbers.collect::<Result<Vec<u64>, String>>()?)
        }
        dtype => {
            let numbers = leaves.iter().map(|leaf| leaf.as_f64().ok_or_else(|| wrong(leaf)));
            let numbers: Vec<f64> = numbers.collect::<Result<_, String>>()?;
            real(dtype, shape, &numbers)
        }
    };
    tensor.map_err(|error| error.to_string())
}

fn real(dtype: DType, shape: &[usize], numbers: &[f64]) -> Result<Tensor, TensorError> {
    dispatch!(real, dtype, T => {
        let exact = |number: &f64| -> Result<T, TensorError> {
            let value = <T as Real>::from_f64(*number);
            // An integer type must represent the number exactly.
            if dtype.is_float() || value.to_f64() == *number { Ok(value) } else { Err(TensorError::DType { expected: "integers in the range of the type", found: dtype }) }
        };
        Tensor::new(shape, numbers.iter().map(exact).collect::<Result<Vec<T>, TensorError>>()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(dtype: DType, text: &str) -> Result<Tensor, String> {
        let info = ValueInfo {
            name: "x".to_owned(),
            value_type: Some(ValueType::tensor(dtype)),
        };
        read(text.as_bytes(), &info)
    }

    #[test]
    fn nested_lists_have_the_declared_type() {
        let found = parse(DType::Float, "[[1, 2.5], [3, 4]]").unwrap();
        assert!(found.same_bits(&Tensor::new(&[2, 2], vec![1.0_f32, 2.5, 3.0, 4.0]).unwrap()));
        assert!(
            parse(DType::Int64, "7")
                .unwrap()
                .same_bits(&Tensor::scalar(7_i64))
        );
        assert!(
            parse(DType::String, r#"["a"]"#)
                .unwrap()
                .same_bits(&Tensor::vector(vec!["a".to_owned()]))
        );
        assert_eq!(parse(DType::Bool, "[[], []]").unwrap().shape(), [2, 0]);
        for (dtype, text, part) in [
            (DType::Float, "[[1], [2, 3]]", "differ in length"),
            (DType::Float, "[1, [2]]", "differ in length"),
            (DType::Int64, "[1.5]", "1.5 is not of type int64"),
            (DType::Int8, "[300]", "range"),
            (DType::Float, "[\"a\"]", "is not of type float"),
            (DType::Float, "[1", "EOF"),
        ] {
            let error = parse(dtype, text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
