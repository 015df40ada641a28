//! The labels of a classifier: integers or strings.

use onnx_tensor::Tensor;

use super::super::movement::take;
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// Returns the labels, from the one of two attributes that is set. An empty list counts as not set.
pub fn labels(attributes: &Attributes, ints: &str, strings: &str) -> Result<Tensor, Problem> {
    let integers = attributes.ints(ints)?.filter(|list| !list.is_empty());
    let texts = attributes.texts(strings)?.filter(|list| !list.is_empty());
    match (integers, texts) {
        (Some(list), None) => Ok(Tensor::vector(list.to_vec())),
        (None, Some(list)) => Ok(Tensor::vector(list)),
        _ => invalid(format!("expected exactly one of `{ints}` and `{strings}`")),
    }
}

/// Returns the labels of these classes.
pub fn pick(labels: &Tensor, classes: &[usize]) -> Result<Tensor, Problem> {
    take(labels, &[classes.len()], classes)
}
