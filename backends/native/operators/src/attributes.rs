//! The attributes of a node, with the defaults of its schema.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use onnx_model::AttributeValue;
use onnx_schema::{DefaultValue, OperatorSchema};
use onnx_tensor::{DType, Tensor};

use crate::error::{Problem, invalid};

/// Attributes by name.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    values: BTreeMap<String, AttributeValue>,
    derived: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Attributes {
    /// Merges the attributes of a node with the defaults of its schema.
    pub fn new(given: BTreeMap<String, AttributeValue>, schema: &OperatorSchema) -> Attributes {
        let mut all = given;
        for attribute in schema.attributes {
            if let Some(default) = attribute.default {
                all.entry(attribute.name.to_owned())
                    .or_insert_with(|| default_value(default));
            }
        }
        Attributes {
            values: all,
            derived: OnceLock::new(),
        }
    }

    /// Returns the value of an attribute, if it is present.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.values.get(name)
    }

    /// Returns all attributes by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AttributeValue)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns what an operator derives from its attributes. It is derived once, and an error each
    /// time. An operator derives one thing, of one type.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        derive: impl FnOnce(&Attributes) -> Result<T, Problem>,
    ) -> Result<Arc<T>, Problem> {
        if let Some(held) = self.derived.get()
            && let Ok(held) = Arc::downcast(Arc::clone(held))
        {
            return Ok(held);
        }
        let made = Arc::new(derive(self)?);
        let _ = self.derived.set(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        Ok(made)
    }

    /// Returns an integer, if the attribute is present.
    pub fn find_int(&self, name: &str) -> Result<Option<i64>, Problem> {
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Int(value)) => Ok(Some(*value)),
            Some(_) => wrong_kind(name, "an integer"),
        }
    }

    /// Returns a required integer.
    pub fn int(&self, name: &str) -> Result<i64, Problem> {
        self.find_int(name)?.ok_or_else(|| missing(name))
    }

    /// Whether an integer is present and not zero.
    pub fn flag(&self, name: &str) -> Result<bool, Problem> {
        Ok(self.find_int(name)?.is_some_and(|value| value != 0))
    }

    /// Returns a float, if the attribute is present.
    pub fn find_float(&self, name: &str) -> Result<Option<f32>, Problem> {
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Float(value)) => Ok(Some(*value)),
            Some(_) => wrong_kind(name, "a float"),
        }
    }

    /// Returns a required float.
    pub fn float(&self, name: &str) -> Result<f32, Problem> {
        self.find_float(name)?.ok_or_else(|| missing(name))
    }

    /// Returns integers, if the attribute is present.
    pub fn ints(&self, name: &str) -> Result<Option<&[i64]>, Problem> {
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Ints(values)) => Ok(Some(values)),
            Some(_) => wrong_kind(name, "a list of integers"),
        }
    }

    /// Returns floats, if the attribute is present.
    pub fn floats(&self, name: &str) -> Result<Option<&[f32]>, Problem> {
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Floats(values)) => Ok(Some(values)),
            Some(_) => wrong_kind(name, "a list of floats"),
        }
    }

    /// Returns a string; empty if the attribute is not present.
    pub fn text(&self, name: &str) -> Result<&str, Problem> {
        match self.values.get(name) {
            None => Ok(""),
            Some(AttributeValue::String(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(text),
                Err(_) => invalid(format!("attribute `{name}` is not UTF-8")),
            },
            Some(_) => wrong_kind(name, "a string"),
        }
    }

    /// Returns strings, if the attribute is present.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Problem> {
        let utf8 = |bytes: &Vec<u8>| match String::from_utf8(bytes.clone()) {
            Ok(text) => Ok(text),
            Err(_) => invalid(format!("attribute `{name}` is not UTF-8")),
        };
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Strings(texts)) => {
                texts.iter().map(utf8).collect::<Result<_, _>>().map(Some)
            }
            Some(_) => wrong_kind(name, "a list of strings"),
        }
    }

    /// Returns a tensor, if the attribute is present.
    pub fn tensor(&self, name: &str) -> Result<Option<&Tensor>, Problem> {
        match self.values.get(name) {
            None => Ok(None),
            Some(AttributeValue::Tensor(tensor)) => Ok(Some(tensor)),
            Some(_) => wrong_kind(name, "a tensor"),
        }
    }

    /// Returns the element type with the attribute's number, if the attribute is present and not zero.
    pub fn dtype(&self, name: &str) -> Result<Option<DType>, Problem> {
        let Some(number) = self.find_int(name)?.filter(|&number| number != 0) else {
            return Ok(None);
        };
        match DType::from_onnx(number) {
            Ok(dtype) => Ok(Some(dtype)),
            Err(_) => invalid(format!("attribute `{name}`: {number} is not an element type")),
        }
    }
}

fn missing(name: &str) -> Problem {
    Problem::Invalid(format!("attribute `{name}` is missing"))
}

fn wrong_kind<T>(name: &str, expected: &str) -> Result<T, Problem> {
    invalid(format!("attribute `{name}` is not {expected}"))
}

fn default_value(default: DefaultValue) -> AttributeValue {
    let bytes = |text: &&str| text.as_bytes().to_vec();
    match default {
        DefaultValue::Int(value) => AttributeValue::Int(value),
        DefaultValue::Float(value) => AttributeValue::Float(value),
        DefaultValue::String(value) => AttributeValue::String(bytes(&value)),
        DefaultValue::Ints(values) => AttributeValue::Ints(values.to_vec()),
        DefaultValue::Floats(values) => AttributeValue::Floats(values.to_vec()),
        DefaultValue::Strings(values) => AttributeValue::Strings(values.iter().map(bytes).collect()),
    }
}
