//! The nodes that compositions write most.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::{Composed, Composition, Given, Id};
use crate::error::invalid;
use crate::numbers::from_floats;

/// The opset whose operators compositions use.
const OPSET: u32 = 25;

/// Makes an attribute of integers.
pub fn ints(values: impl IntoIterator<Item = usize>) -> AttributeValue {
    AttributeValue::Ints(values.into_iter().map(|value| value as i64).collect())
}

impl Composition<'_> {
    /// Adds a node with one result.
    pub fn apply(&mut self, operator: &str, inputs: &[Id], attributes: Given<'_>) -> Composed<Id> {
        self.apply_of((operator, OPSET), inputs, attributes)
    }

    /// Adds a node of another opset with one result.
    pub fn apply_of(&mut self, operator: (&str, u32), inputs: &[Id], attributes: Given<'_>) -> Composed<Id> {
        let inputs: Vec<Option<Id>> = inputs.iter().copied().map(Some).collect();
        Ok(self.apply_each(operator, &inputs, attributes, 1)?[0])
    }

    /// Adds a node with one result, of inputs that may be omitted.
    pub fn apply_some(
        &mut self,
        operator: &str,
        inputs: &[Option<Id>],
        attributes: Given<'_>,
    ) -> Composed<Id> {
        Ok(self.apply_each((operator, OPSET), inputs, attributes, 1)?[0])
    }

    /// Adds a node with several results, of inputs that may be omitted.
    pub fn apply_many(
        &mut self,
        operator: &str,
        inputs: &[Option<Id>],
        attributes: Given<'_>,
        results: usize,
    ) -> Composed<Vec<Id>> {
        self.apply_each((operator, OPSET), inputs, attributes, results)
    }

    pub fn add(&mut self, a: Id, b: Id) -> Composed<Id> {
        self.apply("Add", &[a, b], &[])
    }

    pub fn sub(&mut self, a: Id, b: Id) -> Composed<Id> {
        self.apply("Sub", &[a, b], &[])
    }

    pub fn mul(&mut self, a: Id, b: Id) -> Composed<Id> {
        self.apply("Mul", &[a, b], &[])
    }

    /// Adds a summand that may be omitted.
    pub fn plus(&mut self, a: Id, b: Option<Id>) -> Composed<Id> {
        match b {
            Some(b) => self.add(a, b),
            None => Ok(a),
        }
    }

    /// Adds a constant scalar.
    pub fn scalar(&mut self, dtype: DType, number: f64) -> Composed<Id> {
        let tensor = from_floats(dtype, &[], vec![number])?;
        Ok(self.constant(tensor))
    }

    /// Adds a constant vector of int64.
    pub fn vector(&mut self, numbers: impl IntoIterator<Item = usize>) -> Id {
        let numbers = numbers.into_iter().map(|number| number as i64).collect();
        self.constant(Tensor::vector::<i64>(numbers))
    }

    /// Multiplies by a number, unless it is 1.
    pub fn scaled(&mut self, x: Id, factor: f32) -> Composed<Id> {
        if factor == 1.0 {
            return Ok(x);
        }
        let factor = self.scalar(self.dtype(x)?, f64::from(factor))?;
        self.mul(x, factor)
    }

    /// Converts to a type, if the value has another.
    pub fn cast(&mut self, x: Id, to: DType) -> Composed<Id> {
        if self.dtype(x)? == to {
            return Ok(x);
        }
        self.apply("Cast", &[x], &[("to", AttributeValue::Int(to as i64))])
    }

    /// Converts floats of 16 bits to 32, so that only results are rounded to 16.
    pub fn wide(&mut self, x: Id) -> Composed<Id> {
        match self.dtype(x)? {
            DType::Float16 | DType::Bfloat16 => self.cast(x, DType::Float),
            _ => Ok(x),
        }
    }

    /// Returns an input that may be omitted, in 32 bits if it has 16.
    pub fn find_wide(&mut self, position: usize) -> Composed<Option<Id>> {
        self.find(position).map(|id| self.wide(id)).transpose()
    }

    /// Returns an input, in 32 bits if it has 16.
    pub fn input_wide(&mut self, position: usize) -> Composed<Id> {
        let input = self.input(position)?;
        self.wide(input)
    }

    /// States the result at a position, in a type, if it is used.
    pub fn give_as(&mut self, position: usize, result: Id, dtype: DType) -> Composed {
        if !self.wants(position) {
            return Ok(());
        }
        let result = self.cast(result, dtype)?;
        self.give(position, result);
        Ok(())
    }

    pub fn reshape(&mut self, x: Id, shape: &[usize]) -> Composed<Id> {
        let shape = self.vector(shape.iter().copied());
        // An extent of 0 is one.
        self.apply("Reshape", &[x, shape], &[("allowzero", AttributeValue::Int(1))])
    }

    pub fn transpose(&mut self, x: Id, order: &[usize]) -> Composed<Id> {
        self.apply("Transpose", &[x], &[("perm", ints(order.iter().copied()))])
    }

    /// Swaps the last two axes.
    pub fn turned(&mut self, x: Id) -> Composed<Id> {
        let mut order: Vec<usize> = (0..self.rank(x)?).collect();
        match order.len() {
            0 | 1 => Ok(x),
            rank => {
                order.swap(rank - 2, rank - 1);
                self.transpose(x, &order)
            }
        }
    }

    /// Inserts axes of extent 1.
    pub fn unsqueeze(&mut self, x: Id, axes: &[usize]) -> Composed<Id> {
        let axes = self.vector(axes.iter().copied());
        self.apply("Unsqueeze", &[x, axes], &[])
    }

    pub fn concat(&mut self, parts: &[Id], axis: usize) -> Composed<Id> {
        match parts {
            [only] => Ok(*only),
            _ => self.apply("Concat", parts, &[("axis", AttributeValue::Int(axis as i64))]),
        }
    }

    /// Returns the positions `from..to` along an axis.
    pub fn slice(&mut self, x: Id, axis: usize, from: usize, to: usize) -> Composed<Id> {
        let [from, to, axis] = [from, to, axis].map(|number| self.vector([number]));
        self.apply("Slice", &[x, from, to, axis], &[])
    }

    /// Returns parts of these lengths along an axis.
    pub fn split(&mut self, x: Id, axis: usize, lengths: &[usize]) -> Composed<Vec<Id>> {
        let parts = self.vector(lengths.iter().copied());
        let axis = ("axis", AttributeValue::Int(axis as i64));
        self.apply_many("Split", &[Some(x), Some(parts)], &[axis], lengths.len())
    }

    /// Checks that a vector has one element for each index of the last axis of a value, as far as both are
    /// known.
    pub fn along_last(&self, x: Id, vector: Id, name: &str) -> Composed {
        let (Ok(shape), Ok(own)) = (self.shape(x), self.shape(vector)) else {
            return Ok(());
        };
        if own.len() == 1 && own.last() == shape.last() {
            return Ok(());
        }
        Ok(invalid(format!(
            "`{name}` of shape {own:?} must have one element for each index of the last axis of {shape:?}"
        ))?)
    }

    /// Returns a tensor of one element as a scalar.
    pub fn only(&mut self, x: Id, name: &str) -> Composed<Id> {
        let shape = self.shape(x)?;
        match (&shape[..], shape.iter().product()) {
            ([], _) => Ok(x),
            (_, 1_usize) => self.reshape(x, &[]),
            _ => Ok(invalid(format!(
                "`{name}` of shape {shape:?} must have one element"
            ))?),
        }
    }
}
