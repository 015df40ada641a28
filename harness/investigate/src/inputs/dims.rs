//! Symbolic dimensions of inputs.

use std::collections::BTreeMap;

use onnx_model::ValueInfo;
use onnx_tensor::{Dim, Value, ValueType};

use crate::error::InputProblem;

/// The extent of a batch.
const BATCH: usize = 1;
/// The extent of a sequence.
const SEQUENCE: usize = 16;
/// The extent of an image.
const SIDE: usize = 224;
/// Any other extent.
const OTHER: usize = 4;

/// The symbolic dimensions of a model's inputs with their extents, as far as they are known.
pub(crate) struct Dims(BTreeMap<String, Option<(usize, &'static str)>>);

/// The name of a dimension: its own, or `input:axis` of one without a name.
fn key(info: &ValueInfo, axis: usize, dim: &Dim) -> Option<String> {
    match dim {
        Dim::Named(name) => Some(name.clone()),
        Dim::Unknown => Some(format!("{}:{axis}", info.name)),
        Dim::Fixed(_) => None,
    }
}

fn shape(info: &ValueInfo) -> Option<&[Dim]> {
    match &info.value_type {
        Some(ValueType::Tensor { shape, .. } | ValueType::Sparse { shape, .. }) => shape.as_deref(),
        Some(ValueType::Sequence(_) | ValueType::Map { .. } | ValueType::Optional(_)) | None => None,
    }
}

impl Dims {
    /// Those of `inputs`, with what `given` says (`NAME=EXTENT`).
    pub fn new(inputs: &[ValueInfo], given: &[String]) -> Result<Dims, InputProblem> {
        let axes = inputs.iter().flat_map(|info| {
            shape(info)
                .into_iter()
                .flatten()
                .enumerate()
                .map(move |(axis, dim)| (info, axis, dim))
        });
        let mut dims = Dims(
            axes.filter_map(|(info, axis, dim)| Some((key(info, axis, dim)?, None)))
                .collect(),
        );
        for text in given {
            let form = || InputProblem::Form {
                text: text.clone(),
                form: "NAME=EXTENT, as in batch=1",
            };
            // A name may hold `=`, the number cannot.
            let (name, extent) = text.rsplit_once('=').ok_or_else(form)?;
            let extent = extent.parse().map_err(|_| form())?;
            let known = dims.names();
            let place = dims.0.get_mut(name).ok_or_else(|| InputProblem::UnknownDim {
                name: name.to_owned(),
                known,
            })?;
            *place = Some((extent, "--dim"));
        }
        Ok(dims)
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.0.keys().map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        }
    }

    /// Takes extents from a given value.
    pub fn learn(&mut self, info: &ValueInfo, value: &Value) {
        let found = value.value_type();
        let ValueType::Tensor {
            shape: Some(found), ..
        } = found
        else {
            return;
        };
        for (axis, (dim, found)) in shape(info).into_iter().flatten().zip(found).enumerate() {
            if let (Some(key), Dim::Fixed(extent)) = (key(info, axis, dim), found) {
                self.0.insert(key, Some((extent, "an input")));
            }
        }
    }

    /// The extents of an input; none where it declares no shape.
    pub fn resolve(&mut self, info: &ValueInfo) -> Option<Vec<usize>> {
        let dims = shape(info)?;
        let extents = dims
            .iter()
            .enumerate()
            .map(|(axis, dim)| match (dim, key(info, axis, dim)) {
                (Dim::Fixed(extent), _) => *extent,
                (_, Some(key)) => {
                    let place = self.0.entry(key.clone()).or_default();
                    place
                        .get_or_insert_with(|| (default(&key, axis, dims.len()), "default"))
                        .0
                }
                (_, None) => OTHER,
            });
        Some(extents.collect())
    }

    /// The extent that an axis would have, without fixing it.
    pub fn peek(&self, info: &ValueInfo) -> Option<Vec<Option<usize>>> {
        let dims = shape(info)?;
        let extents = dims.iter().enumerate().map(|(axis, dim)| match dim {
            Dim::Fixed(extent) => Some(*extent),
            dim => key(info, axis, dim)
                .and_then(|key| self.0.get(&key).copied().flatten())
                .map(|(extent, _)| extent),
        });
        Some(extents.collect())
    }

    /// Every dimension whose extent was needed.
    pub fn used(&self) -> Vec<(String, usize, &'static str)> {
        let known = self.0.iter().filter_map(|(name, found)| Some((name, (*found)?)));
        known
            .map(|(name, (extent, why))| (name.clone(), extent, why))
            .collect()
    }
}

/// A sensible extent for a dimension by its name, else by its place.
fn default(name: &str, axis: usize, rank: usize) -> usize {
    let name = name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["batch"]) || name == "n" {
        BATCH
    } else if has(&["seq", "len", "time", "token", "frame", "step"]) {
        SEQUENCE
    } else if has(&["height", "width"]) || name == "h" || name == "w" {
        SIDE
    } else {
        match (rank, axis) {
            (_, 0) => BATCH,
            (4, 1) => 3,
            (4, _) => SIDE,
            (2, 1) => SEQUENCE,
            _ => OTHER,
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::DType;

    use super::*;

    fn input(name: &str, shape: Vec<Dim>) -> ValueInfo {
        ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(shape),
            }),
        }
    }

    #[test]
    fn a_dimension_has_one_extent_in_all_inputs() {
        let named = |name: &str| Dim::Named(name.to_owned());
        let a = input("a", vec![named("batch"), named("seq"), Dim::Fixed(3)]);
        let b = input("b", vec![named("seq"), Dim::Unknown]);
        let inputs = [a.clone(), b.clone()];
        let mut dims = Dims::new(&inputs, &["seq=5".to_owned()]).unwrap();
        assert_eq!(dims.resolve(&a), Some(vec![1, 5, 3]));
        assert_eq!(dims.resolve(&b), Some(vec![5, 16]));
        let used = dims.used();
        assert!(used.contains(&("seq".to_owned(), 5, "--dim")), "{used:?}");
        assert!(used.contains(&("b:1".to_owned(), 16, "default")), "{used:?}");
    }

    #[test]
    fn what_is_no_dimension_is_said() {
        let inputs = [input("a", vec![Dim::Named("batch".to_owned())])];
        for (text, part) in [
            (
                "sequence=1",
                "no symbolic dimension `sequence`; the inputs have `batch`",
            ),
            ("batch", "NAME=EXTENT"),
            ("batch=-1", "NAME=EXTENT"),
        ] {
            let error = Dims::new(&inputs, &[text.to_owned()]).err().unwrap().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
