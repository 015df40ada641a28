//! Reads attributes: the value that the node sets, otherwise the default of the operator version.

use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph};
use onnx_schema::DefaultValue;
use onnx_tensor::{SparseTensor, Tensor, ValueType};

use super::{Call, OpError};

/// The value of an attribute: from the node or from the schema.
enum Found<'a> {
    Given(&'a AttributeValue),
    Default(DefaultValue),
}

macro_rules! readers {
    ($($(#[$doc:meta])* $required:ident $optional:ident -> $ty:ty {
        $given:pat => $from_given:expr $(, $default:pat => $from_default:expr)?
    })*) => {$(
        $(#[$doc])*
        pub fn $optional(&self, name: &str) -> Result<Option<$ty>, OpError> {
            match self.find(name) {
                None => Ok(None),
                Some(Found::Given($given)) => Ok(Some($from_given)),
                $(Some(Found::Default($default)) => Ok(Some($from_default)),)?
                Some(_) => Err(OpError::Attribute { name: name.to_owned(), problem: "has a different type than the schema declares" }),
            }
        }

        /// Like the `optional_` method, for an attribute that is required or has a default.
        pub fn $required(&self, name: &str) -> Result<$ty, OpError> {
            self.$optional(name)?.ok_or_else(|| OpError::Attribute { name: name.to_owned(), problem: "is required" })
        }
    )*};
}

impl<'a> Call<'a> {
    readers! {
        /// An integer attribute, or `None` if it is not set and has no default.
        int optional_int -> i64 {
            AttributeValue::Int(value) => *value, DefaultValue::Int(value) => value
        }
        /// A float attribute.
        float optional_float -> f32 {
            AttributeValue::Float(value) => *value, DefaultValue::Float(value) => value
        }
        /// A list of integers.
        ints optional_ints -> Vec<i64> {
            AttributeValue::Ints(values) => values.clone(), DefaultValue::Ints(values) => values.to_vec()
        }
        /// A list of floats.
        floats optional_floats -> Vec<f32> {
            AttributeValue::Floats(values) => values.clone(), DefaultValue::Floats(values) => values.to_vec()
        }
        tensor_attribute optional_tensor_attribute -> &'a Tensor {
            AttributeValue::Tensor(tensor) => tensor
        }
        /// A sparse tensor.
        sparse_attribute optional_sparse_attribute -> &'a SparseTensor {
            AttributeValue::Sparse(tensor) => tensor
        }
        graph optional_graph -> &'a Arc<Graph> {
            AttributeValue::Graph(graph) => graph
        }
        /// A type.
        type_attribute optional_type_attribute -> &'a ValueType {
            AttributeValue::Type(value_type) => value_type
        }
    }

    /// A string attribute, or `None` if it is not set and has no default.
    pub fn optional_string(&self, name: &str) -> Result<Option<&'a str>, OpError> {
        let problem = |problem| OpError::Attribute {
            name: name.to_owned(),
            problem,
        };
        match self.find(name) {
            None => Ok(None),
            Some(Found::Default(DefaultValue::String(text))) => Ok(Some(text)),
            Some(Found::Given(AttributeValue::String(bytes))) => std::str::from_utf8(bytes)
                .map(Some)
                .map_err(|_| problem("is not UTF-8")),
            Some(_) => Err(problem("has a different type than the schema declares")),
        }
    }

    /// A string attribute that is required or has a default.
    pub fn string(&self, name: &str) -> Result<&'a str, OpError> {
        self.optional_string(name)?.ok_or_else(|| OpError::Attribute {
            name: name.to_owned(),
            problem: "is required",
        })
    }

    /// A list of strings.
    pub fn optional_strings(&self, name: &str) -> Result<Option<Vec<&'a str>>, OpError> {
        let problem = |problem| OpError::Attribute {
            name: name.to_owned(),
            problem,
        };
        match self.find(name) {
            None => Ok(None),
            Some(Found::Default(DefaultValue::Strings(texts))) => Ok(Some(texts.to_vec())),
            Some(Found::Given(AttributeValue::Strings(texts))) => texts
                .iter()
                .map(|bytes| std::str::from_utf8(bytes).map_err(|_| problem("is not UTF-8")))
                .collect::<Result<_, _>>()
                .map(Some),
            Some(_) => Err(problem("has a different type than the schema declares")),
        }
    }

    /// A list of strings that is required or has a default.
    pub fn strings(&self, name: &str) -> Result<Vec<&'a str>, OpError> {
        self.optional_strings(name)?.ok_or_else(|| OpError::Attribute {
            name: name.to_owned(),
            problem: "is required",
        })
    }

    /// An integer attribute used as a boolean: 0 is false, 1 is true. Any other value is an error.
    pub fn flag(&self, name: &str) -> Result<bool, OpError> {
        match self.int(name)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(OpError::Attribute {
                name: name.to_owned(),
                problem: "must be 0 or 1",
            }),
        }
    }

    /// The attributes that the node sets.
    pub fn given_attributes(&self) -> &'a [Attribute] {
        self.attributes
    }

    /// Whether the node sets the attribute.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.attributes.iter().any(|attribute| attribute.name == name)
    }

    fn find(&self, name: &str) -> Option<Found<'a>> {
        let given = self.attributes.iter().find(|attribute| attribute.name == name);
        match given {
            Some(attribute) => Some(Found::Given(&attribute.value)),
            None => self.schema.attribute(name)?.default.map(Found::Default),
        }
    }
}
