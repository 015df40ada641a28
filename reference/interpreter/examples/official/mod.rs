//! The official cases of an extracted folder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use onnx_model::{ValueInfo, decode_value};
use onnx_tensor::Value;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The folders of the cases below `folder`, in order.
pub fn cases(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for suite in fs::read_dir(folder)? {
        let suite = suite?.path();
        for case in fs::read_dir(&suite).into_iter().flatten() {
            let case = case?.path();
            if case.join("model.onnx").exists() {
                found.push(case);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The values of `input_K.pb` or `output_K.pb` in a data set.
pub fn values(folder: &Path, kind: &str, infos: &[ValueInfo]) -> Outcome<Vec<(String, Value)>> {
    let mut values = Vec::new();
    for (index, info) in infos.iter().enumerate() {
        let path = folder.join(format!("{kind}_{index}.pb"));
        if let (true, Some(value_type)) = (path.exists(), &info.value_type) {
            let value = decode_value(&fs::read(path)?, value_type, &onnx_model::Limits::default())?;
            values.push((info.name.clone(), value));
        }
    }
    Ok(values)
}
