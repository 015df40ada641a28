//! The labels of a classifier: integers or strings.

use onnx_tensor::{MapKey, Tensor};

use crate::frame::{Call, OpError};

/// The labels of the classes, in order.
pub enum Labels<'a> {
    /// Integers.
    Ints(Vec<i64>),
    Strings(Vec<&'a str>),
}

impl<'a> Labels<'a> {
    /// Reads the two attributes, of which exactly one must be set. An empty list counts as not set.
    pub fn read(call: &Call<'a>, ints: &str, strings: &str) -> Result<Labels<'a>, OpError> {
        let integers = call.optional_ints(ints)?.unwrap_or_default();
        let texts = call.optional_strings(strings)?.unwrap_or_default();
        match (integers.is_empty(), texts.is_empty()) {
            (false, true) => Ok(Labels::Ints(integers)),
            (true, false) => Ok(Labels::Strings(texts)),
            _ => Err(OpError::invalid(format!(
                "exactly one of `{ints}` and `{strings}` must be set"
            ))),
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        match self {
            Labels::Ints(labels) => labels.len(),
            Labels::Strings(labels) => labels.len(),
        }
    }

    /// The labels of the classes at `positions`, as a tensor of rank 1.
    pub fn pick(&self, positions: &[usize]) -> Result<Tensor, OpError> {
        fn all<T: Clone>(labels: &[T], positions: &[usize]) -> Result<Vec<T>, OpError> {
            let missing = |class| {
                OpError::invalid(format!(
                    "class {class} has no label: there are {} labels",
                    labels.len()
                ))
            };
            positions
                .iter()
                .map(|&class| labels.get(class).cloned().ok_or_else(|| missing(class)))
                .collect()
        }
        Ok(match self {
            Labels::Ints(labels) => Tensor::vector(all(labels, positions)?),
            Labels::Strings(labels) => {
                Tensor::vector(all(labels, positions)?.into_iter().map(str::to_owned).collect())
            }
        })
    }

    /// The labels as keys of a map.
    pub fn keys(&self) -> Vec<MapKey> {
        match self {
            Labels::Ints(labels) => labels.iter().map(|&label| MapKey::Int(label.into())).collect(),
            Labels::Strings(labels) => labels
                .iter()
                .map(|&label| MapKey::String(label.to_owned()))
                .collect(),
        }
    }
}
