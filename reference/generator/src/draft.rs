//! A draft of a case: what a declaration builds, choice by choice.
//!
//! A declaration requests every decision by name ([`Draft::pick`]), so that the plan can force an
//! option, and knows which pairs of options a case has. Everything else (elements, extents) is drawn.

use std::collections::BTreeMap;

use onnx_model::{Attribute, AttributeKind, AttributeValue};
use onnx_schema::{DefaultValue, FormalOption, OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::{DType, Tensor, TensorError, Value, ValueType};

use crate::values::{self, Class, Domain};
use crate::{Draws, enumerated};

/// The types of a version's parameters, by name; a parameter is a type constraint, or an input or output
/// of fixed types.
pub type Types = BTreeMap<&'static str, SchemaType>;

/// Options by the name of their decision.
pub type Choices = BTreeMap<String, String>;

/// Why a combination of types and options gives no case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reject(pub &'static str);

impl From<TensorError> for Reject {
    fn from(_: TensorError) -> Reject {
        Reject("a tensor cannot be constructed")
    }
}

/// The result of a declaration.
pub type Made = Result<(), Reject>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Its name.
    pub point: String,
    pub options: Vec<String>,
    /// The chosen option.
    pub taken: String,
}

/// A draft of a case.
#[derive(Debug)]
pub struct Draft<'a> {
    /// The operator's version.
    pub schema: &'static OperatorSchema,
    /// The source of everything that is not decided.
    pub draws: Draws,
    pub(crate) types: &'a Types,
    forced: &'a Choices,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) inputs: Vec<Option<Value>>,
    pub(crate) inputs_given: Vec<bool>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) results: Vec<ValueType>,
    pub(crate) nodes: Vec<onnx_model::Node>,
    /// Whether the outputs are random, so that only their types and shapes can be expected.
    pub random: bool,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        schema: &'static OperatorSchema,
        types: &'a Types,
        forced: &'a Choices,
        draws: Draws,
    ) -> Draft<'a> {
        Draft {
            schema,
            draws,
            types,
            forced,
            decisions: Vec::new(),
            inputs: Vec::new(),
            inputs_given: Vec::new(),
            attributes: Vec::new(),
            results: Vec::new(),
            nodes: Vec::new(),
            random: false,
        }
    }

    /// The version.
    pub fn since(&self) -> u32 {
        self.schema.since
    }

    /// Decides among options; an earlier decision is kept.
    pub fn pick<'o>(&mut self, point: &str, options: &[&'o str]) -> &'o str {
        let known = self
            .decisions
            .iter()
            .find(|decision| decision.point == point)
            .map(|known| &known.taken);
        let wanted = known.or_else(|| self.forced.get(point));
        let given = wanted.and_then(|wanted| options.iter().find(|option| *option == wanted).copied());
        if let (Some(given), true) = (given, known.is_some()) {
            return given;
        }
        let taken = given
            .or_else(|| self.draws.one_of(options).copied())
            .unwrap_or_default();
        self.decisions.push(Decision {
            point: point.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            taken: taken.to_owned(),
        });
        taken
    }

    /// Decides whether something is present.
    pub fn whether(&mut self, point: &str) -> bool {
        self.pick(point, &["yes", "no"]) == "yes"
    }

    /// Rejects a combination that the operator does not allow.
    ///
    /// # Errors
    /// [`Reject`] with the reason.
    pub fn require(&self, holds: bool, why: &'static str) -> Made {
        if holds { Ok(()) } else { Err(Reject(why)) }
    }

    /// The type of a parameter.
    ///
    /// # Errors
    /// [`Reject`] if the version has no such parameter.
    pub fn schema_type(&self, parameter: &str) -> Result<SchemaType, Reject> {
        self.types
            .get(parameter)
            .copied()
            .ok_or(Reject("the version has no such type parameter"))
    }

    /// The element type of a parameter that is a tensor, or of the elements of a sequence or optional.
    ///
    /// # Errors
    /// Like [`Self::schema_type`].
    pub fn dtype(&self, parameter: &str) -> Result<DType, Reject> {
        self.schema_type(parameter).map(element)
    }

    /// The type of the input at a position.
    ///
    /// # Errors
    /// [`Reject`] if the version has no such position.
    pub fn input_type(&self, position: usize) -> Result<SchemaType, Reject> {
        let formal = self
            .schema
            .input(position)
            .ok_or(Reject("the version has no such input"))?;
        self.formal_type(formal)
    }

    /// The element type of the input at a position.
    ///
    /// # Errors
    /// Like [`Self::input_type`].
    pub fn input_dtype(&self, position: usize) -> Result<DType, Reject> {
        self.input_type(position).map(element)
    }

    /// The element type of the output at a position.
    ///
    /// # Errors
    /// [`Reject`] if the version has no such position.
    pub fn output_dtype(&self, position: usize) -> Result<DType, Reject> {
        let formal = self
            .schema
            .output(position)
            .ok_or(Reject("the version has no such output"))?;
        self.formal_type(formal).map(element)
    }

    pub(crate) fn formal_type(&self, formal: &onnx_schema::Formal) -> Result<SchemaType, Reject> {
        match formal.type_ref {
            TypeRef::Constraint(name) => self.schema_type(name),
            TypeRef::Concrete(types) => {
                let known = self.types.get(formal.name).or(types.first());
                known.copied().ok_or(Reject("an input or output has no type"))
            }
        }
    }

    /// A tensor of any type, shape and domain.
    ///
    /// # Errors
    /// [`Reject`] for a shape that cannot be addressed.
    pub fn tensor(&mut self, dtype: DType, shape: &[usize], domain: Domain) -> Result<Tensor, Reject> {
        let class = Class::named(self.pick("values", Class::names(&domain, dtype)));
        Ok(values::tensor(&mut self.draws, dtype, shape, &domain, class)?)
    }

    /// Adds the next input: a tensor of its type.
    ///
    /// # Errors
    /// [`Reject`] if the version has no such input.
    pub fn input(&mut self, shape: &[usize], domain: Domain) -> Result<Tensor, Reject> {
        let dtype = self.input_dtype(self.inputs.len())?;
        let tensor = self.tensor(dtype, shape, domain)?;
        self.give(tensor.clone());
        Ok(tensor)
    }

    /// Adds the next input.
    pub fn give(&mut self, value: impl Into<Value>) {
        self.inputs.push(Some(value.into()));
    }

    /// Omits the next input.
    pub fn skip(&mut self) {
        self.inputs.push(None);
    }

    /// Adds or omits the next input, which is optional.
    ///
    /// # Errors
    /// Like [`Self::input`].
    pub fn optional(&mut self, point: &str, shape: &[usize], domain: Domain) -> Result<bool, Reject> {
        let there = self.whether(point);
        if there {
            self.input(shape, domain)?;
        } else {
            self.skip();
        }
        Ok(there)
    }

    /// Adds the next input: integers in its type, with one axis.
    ///
    /// # Errors
    /// [`Reject`] if the version has no such input, or its type cannot represent a number.
    pub fn numbers(&mut self, numbers: &[i64]) -> Made {
        self.shaped_numbers(&[numbers.len()], numbers)
    }

    /// Adds the next input: an integer in its type, without axes.
    ///
    /// # Errors
    /// Like [`Self::numbers`].
    pub fn number(&mut self, number: i64) -> Made {
        self.shaped_numbers(&[], &[number])
    }

    /// Adds the next input: integers in its type with a given shape.
    ///
    /// # Errors
    /// Like [`Self::numbers`].
    pub fn shaped_numbers(&mut self, shape: &[usize], numbers: &[i64]) -> Made {
        let dtype = self.input_dtype(self.inputs.len())?;
        let tensor = whole(dtype, shape, numbers)?;
        self.give(tensor);
        Ok(())
    }

    /// Whether the version declares an attribute.
    pub fn has(&self, attribute: &str) -> bool {
        self.schema.attribute(attribute).is_some()
    }

    /// Adds an attribute, if the version declares it.
    pub fn attribute(&mut self, name: &str, value: AttributeValue) {
        if self.has(name) {
            let name = name.to_owned();
            self.attributes.push(Attribute { name, value });
        }
    }

    /// Adds an integer attribute.
    pub fn int(&mut self, name: &str, value: i64) {
        self.attribute(name, AttributeValue::Int(value));
    }

    /// Adds an attribute of integers.
    pub fn ints(&mut self, name: &str, values: &[i64]) {
        self.attribute(name, AttributeValue::Ints(values.to_vec()));
    }

    /// Adds a float attribute.
    pub fn float(&mut self, name: &str, value: f32) {
        self.attribute(name, AttributeValue::Float(value));
    }

    /// Adds an attribute of floats.
    pub fn floats(&mut self, name: &str, values: &[f32]) {
        self.attribute(name, AttributeValue::Floats(values.to_vec()));
    }

    /// Adds a string attribute.
    pub fn text(&mut self, name: &str, value: &str) {
        self.attribute(name, AttributeValue::String(value.as_bytes().to_vec()));
    }

    /// Adds an attribute of strings.
    pub fn texts(&mut self, name: &str, values: &[&str]) {
        let texts = values.iter().map(|value| value.as_bytes().to_vec()).collect();
        self.attribute(name, AttributeValue::Strings(texts));
    }

    /// Decides an attribute whose values the specification enumerates: one of them, or omitted if
    /// permitted. Returns the effective value as text; empty if the version does not declare it, or if
    /// it is omitted and has no default.
    pub fn mode(&mut self, name: &str) -> String {
        let values = enumerated(self.schema, name);
        let allowed: Vec<&str> = values.iter().map(String::as_str).collect();
        self.mode_among(name, &allowed)
    }

    /// Like [`Self::mode`], with fewer values.
    pub fn mode_among(&mut self, name: &str, allowed: &[&str]) -> String {
        let Some(declared) = self.schema.attribute(name) else {
            return String::new();
        };
        let mut options = allowed.to_vec();
        if !declared.required {
            options.push("default");
        }
        let taken = self.pick(name, &options).to_owned();
        if taken == "default" {
            return match declared.default {
                Some(DefaultValue::Int(value)) => value.to_string(),
                Some(DefaultValue::String(text)) => text.to_owned(),
                Some(_) | None => String::new(),
            };
        }
        match (declared.kind, taken.parse()) {
            (AttributeKind::Int, Ok(value)) => self.int(name, value),
            _ => self.text(name, &taken),
        }
        taken
    }

    /// Decides a flag. Returns whether it is set; `otherwise` if the version does not declare it.
    pub fn flag(&mut self, name: &str, otherwise: bool) -> bool {
        match self.mode(name).as_str() {
            "" => otherwise,
            text => text == "1",
        }
    }

    /// Decides a float attribute: omitted, or one of some values. Returns the effective value.
    pub fn scalar(&mut self, name: &str, values: &[f32]) -> f32 {
        let Some(declared) = self.schema.attribute(name) else {
            return 0.0;
        };
        let texts: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let mut options: Vec<&str> = texts.iter().map(String::as_str).collect();
        if !declared.required {
            options.push("default");
        }
        let taken = self.pick(name, &options).to_owned();
        match values.iter().zip(&texts).find(|(_, text)| **text == taken) {
            Some((&value, _)) => {
                self.float(name, value);
                value
            }
            None => match declared.default {
                Some(DefaultValue::Float(value)) => value,
                _ => 0.0,
            },
        }
    }

    /// Sets the outputs of the node, if they are not one for each declared output.
    pub fn results(&mut self, types: Vec<ValueType>) {
        self.results = types;
    }

    /// Decides which declared outputs exist: all, or the required ones.
    pub(crate) fn declared_results(&mut self) -> Result<Vec<ValueType>, Reject> {
        let outputs = self.schema.outputs;
        let optional = outputs
            .iter()
            .any(|formal| formal.option == FormalOption::Optional);
        let least = self.schema.min_outputs.max(1);
        let count = if optional && self.pick("outputs", &["all", "least"]) == "least" {
            least
        } else {
            outputs.len()
        };
        let kinds = outputs
            .iter()
            .take(count)
            .map(|formal| self.formal_type(formal).map(|of| value_type(&of)));
        kinds.collect()
    }
}

/// The element type of a tensor type, or of the contents of a sequence, optional or map.
pub fn element(of: SchemaType) -> DType {
    match of {
        SchemaType::Tensor(dtype) | SchemaType::SparseTensor(dtype) => dtype,
        SchemaType::Sequence(inside) | SchemaType::Optional(inside) | SchemaType::Map(_, inside) => {
            element(*inside)
        }
    }
}

/// A type of the schema as the type of a value, without shapes.
pub fn value_type(of: &SchemaType) -> ValueType {
    match of {
        SchemaType::Tensor(dtype) => ValueType::tensor(*dtype),
        SchemaType::SparseTensor(dtype) => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        SchemaType::Sequence(inside) => ValueType::Sequence(Box::new(value_type(inside))),
        SchemaType::Optional(inside) => ValueType::Optional(Box::new(value_type(inside))),
        SchemaType::Map(key, inside) => ValueType::Map {
            key: *key,
            value: Box::new(value_type(inside)),
        },
    }
}

/// Integers as elements of a type.
///
/// # Errors
/// [`Reject`] if the type cannot represent one of them.
pub fn whole(dtype: DType, shape: &[usize], numbers: &[i64]) -> Result<Tensor, Reject> {
    use onnx_tensor::Real;
    let tensor: Result<(Tensor, bool), TensorError> = onnx_tensor::dispatch!(real, dtype, T => {
        let elements: Vec<T> = numbers.iter().map(|&number| <T as Real>::from_f64(number as f64)).collect();
        // i64 is used directly, because f64 cannot represent all of its numbers.
        let exact = dtype == DType::Int64
            || elements.iter().zip(numbers).all(|(element, &number)| element.to_f64() == number as f64);
        let tensor = match dtype {
            DType::Int64 => Tensor::new(shape, numbers.to_vec()),
            _ => Tensor::new(shape, elements),
        };
        tensor.map(|tensor| (tensor, exact))
    });
    match tensor? {
        (tensor, true) => Ok(tensor),
        (_, false) => Err(Reject("the type does not have a number")),
    }
}
