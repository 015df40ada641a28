//! The official cases of an extracted folder.

use std::fs;
use std::path::{Path, PathBuf};

use onnx_model::{Graph, ValueInfo, decode_value};
use onnx_tensor::{Dim, Tensor, Value, ValueType};

use crate::Outcome;

/// Values with their names in the graph.
type Named = Vec<(String, Value)>;

/// A model with its data.
pub struct Case {
    /// The model's file.
    pub model: PathBuf,
    /// Its data sets.
    pub sets: Vec<DataSet>,
}

/// Inputs and expected outputs.
pub struct DataSet {
    /// The path prefix of its files, followed by `input_0.pb` and so on.
    prefix: String,
    /// Whether the inputs are not in files, but a ramp from 0 to 1 (the light models).
    ramp: bool,
}

/// Every case below `folder`, by its path.
pub fn cases(folder: &Path) -> Outcome<Vec<Case>> {
    let mut found = Vec::new();
    for suite in fs::read_dir(folder)? {
        for entry in fs::read_dir(suite?.path()).into_iter().flatten() {
            found.extend(case(&entry?.path()));
        }
    }
    found.sort_by(|a: &Case, b| a.model.cmp(&b.model));
    Ok(found)
}

/// The case of a folder, or of a light model, which is a single file.
fn case(path: &Path) -> Option<Case> {
    let model = path.join("model.onnx");
    if model.exists() {
        let prefixes = (0..).map(|set| path.join(format!("test_data_set_{set}")));
        let sets = prefixes.take_while(|set| set.exists()).map(|set| DataSet {
            prefix: format!("{}/", set.display()),
            ramp: false,
        });
        return Some(Case {
            model,
            sets: sets.collect(),
        });
    }
    let prefix = path.to_str()?.strip_suffix(".onnx")?;
    let set = DataSet {
        prefix: format!("{prefix}_"),
        ramp: true,
    };
    Some(Case {
        model: path.to_owned(),
        sets: vec![set],
    })
}

impl Case {
    /// Its suite and name.
    pub fn name(&self, folder: &Path) -> String {
        let path = self
            .model
            .strip_prefix(folder)
            .unwrap_or(&self.model)
            .display()
            .to_string();
        path.trim_end_matches("/model.onnx").to_owned()
    }
}

impl DataSet {
    /// The inputs and the expected outputs.
    pub fn read(&self, graph: &Graph) -> Outcome<(Named, Named)> {
        let inputs = if self.ramp {
            let stored = |info: &&ValueInfo| graph.initializers.iter().any(|(name, _)| *name == info.name);
            let fed = graph.inputs.iter().filter(|info| !stored(info));
            fed.map(ramp).collect::<Outcome<_>>()?
        } else {
            self.files("input", &graph.inputs)?
        };
        Ok((inputs, self.files("output", &graph.outputs)?))
    }

    fn files(&self, kind: &str, infos: &[ValueInfo]) -> Outcome<Named> {
        let mut values = Vec::new();
        for (index, info) in infos.iter().enumerate() {
            let path = PathBuf::from(format!("{}{kind}_{index}.pb", self.prefix));
            if let (true, Some(value_type)) = (path.exists(), &info.value_type) {
                let value = decode_value(&fs::read(path)?, value_type, &onnx_model::Limits::default())?;
                values.push((info.name.clone(), value));
            }
        }
        Ok(values)
    }
}

/// The input of the official runner for a light model: `(np.arange(n).reshape(shape) /
/// n).astype(np.float32)`.
fn ramp(info: &ValueInfo) -> Outcome<(String, Value)> {
    let Some(ValueType::Tensor {
        shape: Some(dims), ..
    }) = &info.value_type
    else {
        return Err(format!("input `{}` is not a tensor of known shape", info.name).into());
    };
    let fixed = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Ok(*extent),
        _ => Err(format!("an extent of input `{}` is not fixed", info.name)),
    };
    let shape = dims.iter().map(fixed).collect::<Result<Vec<usize>, _>>()?;
    let count: usize = shape.iter().product();
    let elements = (0..count)
        .map(|index| (index as f64 / count as f64) as f32)
        .collect();
    Ok((info.name.clone(), Tensor::new(&shape, elements)?.into()))
}
