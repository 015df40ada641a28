//! A node with all that is known about it.

use onnx_model::{AttributeValue, Node};
use onnx_schema::{DefaultValue, OperatorSchema};
use onnx_tensor::{DType, ValueType};

use super::Kind;
use super::attributes::{Attributes, Given};
use super::bind::Bound;

/// A node of an operator version.
pub(super) struct Call<'c, 'm> {
    pub(super) schema: &'static OperatorSchema,
    pub(super) node: &'m Node,
    /// The type of every input that the node lists.
    pub(super) inputs: &'c [Kind],
    pub(super) bound: &'c Bound,
    pub(super) attributes: &'c Attributes<'m>,
}

impl<'m> Call<'_, 'm> {
    pub(super) fn input(&self, index: usize) -> Option<&ValueType> {
        self.inputs.get(index)?.as_ref()
    }

    /// The element type of an input that is a tensor.
    pub(super) fn dtype(&self, index: usize) -> Option<DType> {
        match self.input(index)? {
            ValueType::Tensor { dtype, .. } => Some(*dtype),
            _ => None,
        }
    }

    /// An integer attribute or its default. `None` if it has neither or is unknown.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.attributes.get(name) {
            Some(Given::Value(AttributeValue::Int(value))) => Some(*value),
            Some(_) => None,
            None => match self.schema.attribute(name)?.default? {
                DefaultValue::Int(value) => Some(value),
                _ => None,
            },
        }
    }

    /// Whether a list of strings is set and not empty; `None` if that is unknown.
    pub(super) fn has_strings(&self, name: &str) -> Option<bool> {
        match self.attributes.get(name) {
            None => Some(false),
            Some(Given::Value(AttributeValue::Strings(list))) => Some(!list.is_empty()),
            Some(_) => None,
        }
    }
}

/// An element type by its number in `TensorProto.DataType`.
pub(super) fn numbered(number: i64) -> Option<DType> {
    DType::from_onnx(number).ok()
}
