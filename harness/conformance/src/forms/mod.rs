//! Forms: transformations of a model and its data sets that must not change the answer.
//!
//! An official case provides a value for every input, declares every extent, requests every output, and
//! has its node in the main graph. Models of frameworks differ: weights are initializers, extents are
//! symbolic, and nodes are in branches and functions. Backends select kernels by these properties, and
//! no plain case tests a kernel that requires a constant.
//!
//! - [`Form`](harness_corpus::form::Form): every form. Each kind of form is a file; [`make`] is the
//!   table.
//! - [`forms`]: the forms that may apply to a case; [`Changed`]: the result of a form;
//!   [`NotApplicable`]: why it does not apply.
//!
//! This module does not depend on cases: [`variants`](crate::variants) makes variants of them.

mod branch;
mod dynamic;
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

/// The model and data sets of a case.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its model.
    pub model: &'a Model,
    /// Its data sets, at least one.
    pub sets: &'a [Set],
}

/// Inputs with their expected outputs.
#[derive(Clone, Debug)]
pub struct Set {
    /// The name of the data set.
    pub name: String,
    /// Values for graph inputs.
    pub inputs: Vec<Named>,
    /// Values of graph outputs.
    pub expected: Vec<Named>,
    /// Whether a random operator draws the outputs, so that only type and shape are expected.
    pub drawn: bool,
    /// Whether the reference is asked for the outputs; none are expected before it answers.
    pub asked: bool,
}

/// The model and data sets of a variant.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its model.
    pub model: Model,
    /// Its data sets: all, or only the first if the model holds values of that one.
    pub sets: Vec<Set>,
}

/// Why a form does not apply to a case. The messages contain no names of the model, because they are
/// counted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotApplicable {
    /// No input is a tensor that could become an initializer.
    #[error("no input is a tensor")]
    NoTensorInput,
    /// Some input is not a tensor, and only tensors can be initializers.
    #[error("an input is not a tensor")]
    InputIsNoTensor,
    /// The graph has no initializer.
    #[error("the model has no initializer that can be an input")]
    NoInitializer,
    /// In IR 3 every initializer is an input, so that this is another form.
    #[error("before IR 4 every initializer is an input: the same as `initializers-all`")]
    InitializersAreInputs,
    /// Runtimes treat the initializers of such models as constants, and the text of IR 3 permits this.
    #[error("before IR 4 initializers may be constants, which cannot be overridden")]
    InitializersAreConstant,
    /// A node refers to values in an attribute, so that they cannot be renamed.
    #[error("a Gradient refers to values of the graph in its attributes")]
    NamesInAttributes,
    /// No declared type has a fixed extent.
    #[error("no declared extent is fixed")]
    NoFixedExtent,
    /// No inputs with other extents are found.
    #[error("no other extents of the inputs fit the model")]
    OneShape,
    /// The model declares no types of inner values.
    #[error("no type of an inner value is declared")]
    NoInnerType,
    /// A graph must keep one output.
    #[error("the graph has only one output")]
    OneOutput,
    #[error("the output is not optional")]
    OutputIsRequired,
    /// The output is used elsewhere.
    #[error("another node reads the output, or the graph lists it twice")]
    OutputIsRead,
    /// A graph output is an input or an initializer.
    #[error("an output of the graph is one of its inputs or initializers, or is listed twice")]
    OutputIsNoNode,
    /// The operator that the form adds does not accept a value.
    #[error("{operator} does not accept a {value_type}")]
    TypeNotTaken {
        /// The operator with its version: `Identity-13`.
        operator: String,
        value_type: String,
    },
    /// The operator that the form adds does not exist in this opset, or no opset of ai.onnx fits the
    /// model's domains.
    #[error("no version of {operator} fits the imported opsets")]
    NoOperator { operator: &'static str },
    /// Models with this IR version have no functions.
    #[error("a model before IR 8 with an opset below 14 has no functions")]
    NoFunctions,
    /// No output has exactly one element.
    #[error("no output has exactly one element")]
    NoSingleElement,
    /// The outputs are random, and are judged by the distribution of the node that draws them.
    #[error("a random operator draws the outputs")]
    Drawn,
}

impl Subject<'_> {
    /// The case with another model.
    fn with(&self, model: Model) -> Changed {
        Changed {
            model,
            sets: self.sets.to_vec(),
        }
    }
}
