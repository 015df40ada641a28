//! Forms: a model and its data sets again, with the same expectation, in a form that must not change the answer.
//!
//! An official case feeds every input, declares every extent, asks for every output, and has its node in the main graph. Models
//! of frameworks do none of that: weights are initializers, extents are symbolic, and nodes stand in branches and functions. A
//! backend chooses its kernel by these, and a kernel that only a constant reaches is tested by no plain case.
//!
//! - [`Form`](harness_corpus::form::Form): every form. Each kind of form is a file; [`make`] is the table.
//! - [`forms`]: those that could apply to a case; [`Changed`] what one gives, [`NotApplicable`] why it does not apply.
//!
//! Nothing here knows of cases: [`variants`](crate::variants) makes variants of them.

mod branch;
mod form;
mod function;
mod identity;
mod initializers;
mod names;
mod opset;
mod outputs;
mod reshape;
mod shapes;

use backend_api::Named;
use onnx_model::Model;

pub use form::{forms, make};

/// A case of which variants are made.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its model.
    pub model: &'a Model,
    /// Its data sets, at least one.
    pub sets: &'a [Set],
}

/// Inputs, and the outputs that they must give.
#[derive(Clone, Debug)]
pub struct Set {
    /// The name of the data set.
    pub name: String,
    /// Values for graph inputs.
    pub inputs: Vec<Named>,
    /// Values of graph outputs.
    pub expected: Vec<Named>,
    /// Whether a random operator draws the outputs, so that only type and shape are expected of them.
    pub drawn: bool,
}

/// A variant.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its model.
    pub model: Model,
    /// Its data sets: all, or the first where the model holds values of that one.
    pub sets: Vec<Set>,
}

/// Why a form does not apply to a case. The texts name no value of a model: they are counted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotApplicable {
    /// No tensor is fed that could be an initializer.
    #[error("no tensor is fed")]
    NoTensorInput,
    /// Some input is no tensor, and an initializer is one.
    #[error("an input is no tensor")]
    InputIsNoTensor,
    /// The graph has no initializer.
    #[error("the model has no initializer that could be fed")]
    NoInitializer,
    /// In IR 3 every initializer is an input, so that this is another form.
    #[error("before IR 4 every initializer is an input: the same as `initializers-all`")]
    InitializersAreInputs,
    /// Runtimes take the initializers of such models for constants, and the text of IR 3 can be read so.
    #[error("before IR 4 initializers may be constants, which nothing overrides")]
    InitializersAreConstant,
    /// A node names values in an attribute, so that they cannot have other names.
    #[error("a Gradient names values of the graph in its attributes")]
    NamesInAttributes,
    /// No declared type has a fixed extent.
    #[error("no declared extent is fixed")]
    NoFixedExtent,
    /// The model declares no types of inner values.
    #[error("no type of an inner value is declared")]
    NoInnerType,
    /// A graph must keep one output.
    #[error("the graph has one output only")]
    OneOutput,
    /// The operator always gives this output.
    #[error("the output is not optional")]
    OutputIsRequired,
    /// Something else needs the output.
    #[error("another node reads the output, or the graph lists it twice")]
    OutputIsRead,
    /// The graph hands an input or an initializer on.
    #[error("an output of the graph is one of its inputs or initializers, or is listed twice")]
    OutputIsNoNode,
    /// The operator that the form adds does not take a value.
    #[error("{operator} does not take a {value_type}")]
    TypeNotTaken {
        /// With its version: `Identity-13`.
        operator: String,
        /// The type.
        value_type: String,
    },
    /// The operator that the form adds does not exist yet, or the model's domains go with no opset of ai.onnx.
    #[error("no {operator} goes with the imported opsets")]
    NoOperator {
        /// The operator.
        operator: &'static str,
    },
    /// Models of that age have no functions.
    #[error("a model before IR 8 with an opset below 14 has no functions")]
    NoFunctions,
    /// No output has exactly one element.
    #[error("no output has exactly one element")]
    NoSingleElement,
    /// The outputs are drawn, and judged by the distribution of the node that draws them.
    #[error("a random operator draws the outputs")]
    Drawn,
}

impl Subject<'_> {
    /// The same case with another model.
    fn with(&self, model: Model) -> Changed {
        Changed {
            model,
            sets: self.sets.to_vec(),
        }
    }
}
