//! Rules about the attributes, the shapes of the inputs and the outputs of a node.
//!
//! The row of an operator names its rule. It holds for a node at load, for a graph that is planned for the
//! shapes of its inputs, and for a call over whole values; so it does not matter which code runs the node,
//! or whether a pass replaces it. What is not known yet is not checked.

use std::borrow::Cow;

use onnx_tensor::Tensor;

use super::call::{Call, int64s};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// Checks a node.
pub type Rule = fn(&Arguments) -> Result<(), Problem>;

/// What is known about an input that is given.
pub struct Argument<'a> {
    /// The extents of a tensor, if all of them are known.
    pub shape: Option<Cow<'a, [usize]>>,
    /// The elements of a tensor, if they are known.
    pub elements: Option<&'a Tensor>,
}

/// What is known about a node.
pub struct Arguments<'a> {
    /// The schema version.
    pub since: u32,
    /// The attributes with defaults.
    pub attributes: &'a Attributes,
    /// Returns the input at a position; `None` if it is omitted.
    pub input: &'a dyn Fn(usize) -> Option<Argument<'a>>,
    /// Whether the output at a position is used.
    pub output: &'a dyn Fn(usize) -> bool,
}

impl<'a> Arguments<'a> {
    /// Whether an input is given.
    pub fn has(&self, position: usize) -> bool {
        (self.input)(position).is_some()
    }

    /// Whether an output is used.
    pub fn wants(&self, position: usize) -> bool {
        (self.output)(position)
    }

    /// Returns the extents of an input.
    pub fn shape(&self, position: usize) -> Option<Cow<'a, [usize]>> {
        (self.input)(position)?.shape
    }

    /// Returns the number of elements of an input.
    pub fn count(&self, position: usize) -> Option<usize> {
        Some(self.shape(position)?.iter().product())
    }

    /// Returns the elements of an integer input.
    pub fn ints(&self, position: usize) -> Option<Vec<i64>> {
        int64s((self.input)(position)?.elements?).ok()
    }

    /// Checks that an input has one element.
    pub fn only(&self, position: usize, name: &str) -> Result<(), Problem> {
        match self.count(position) {
            None | Some(1) => Ok(()),
            Some(count) => invalid(format!("expected one element in `{name}`, got {count}")),
        }
    }

    /// Checks that an input has at least a batch and a channel axis.
    pub fn image(&self, position: usize) -> Result<(), Problem> {
        match self.shape(position) {
            Some(shape) if shape.len() < 2 => invalid(format!(
                "expected a batch and a channel axis, got the shape {shape:?}"
            )),
            _ => Ok(()),
        }
    }
}

impl Call<'_> {
    /// Checks the inputs by a rule. A call does not tell which of its outputs are used.
    pub fn check(&self, rule: Rule) -> Result<(), Problem> {
        let input = |position: usize| {
            let tensor = self.find_tensor(position).ok().flatten();
            self.find(position).map(|_| Argument {
                shape: tensor.map(|tensor| Cow::Borrowed(tensor.shape())),
                elements: tensor,
            })
        };
        rule(&Arguments {
            since: self.since,
            attributes: self.attributes,
            input: &input,
            output: &|_| false,
        })
    }
}
