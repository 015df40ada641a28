//! Propagates element types and kinds of values through a model without running it.
//!
//! Shapes are ignored: a [`ValueType`] here has none. An unknown type is `None` and is not checked.

mod attributes;
mod bind;
mod bodies;
mod call;
mod graph;
mod infer;
mod ml;
mod scope;
pub(crate) mod usage;

use std::collections::{BTreeMap, HashMap, HashSet};

use onnx_model::{Function, Model};
use onnx_tensor::ValueType;

use crate::finding::Sink;
use crate::limits::Limits;
use crate::resolve::Functions;

pub(crate) use attributes::Given;
pub use bind::{Bound, bind};
pub use infer::output_types;
use usage::NodeUse;

pub(crate) use self::attributes::Attributes;

/// A type without its shape, if it is known.
pub(crate) type Kind = Option<ValueType>;

/// The context of nodes: the graph or function, its imports, the attributes of the call.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a, 'm> {
    /// The name of the graph or function in findings.
    pub(crate) place: &'a str,
    /// Opsets by domain.
    pub(crate) imports: &'m BTreeMap<String, i64>,
    /// The attributes of the enclosing function; `None` outside of functions.
    pub(crate) attributes: Option<&'a Attributes<'m>>,
    /// Nesting depth of graphs and calls.
    pub(crate) depth: usize,
    /// Whether uses are recorded: not in a function that is never called.
    pub(crate) called: bool,
}

/// A call of a function with its types: the function by address, its inputs, which of them are given, its
/// attributes.
type Signature<'m> = (
    *const Function,
    Vec<Kind>,
    Vec<bool>,
    Vec<(&'m str, attributes::Identity)>,
);

/// A traversal that propagates types through a model.
pub(crate) struct Typing<'m, 's> {
    functions: Functions<'m>,
    limits: Limits,
    sink: &'s mut Sink,
    /// The number of nodes that may still be typed.
    budget: usize,
    uses: Option<Vec<NodeUse>>,
    /// The output types of each function for the types and attributes of a call. Each combination is
    /// traversed once.
    known: HashMap<Signature<'m>, Vec<Kind>>,
    /// The functions that were entered, by address.
    entered: HashSet<*const Function>,
    /// The functions on the call stack: a call of one of them is recursive and not followed.
    active: Vec<*const Function>,
}

/// Types the whole model: its main graph with the functions that it calls, then the functions that are
/// never called. Returns the uses of nodes if requested.
pub(crate) fn walk(model: &Model, limits: Limits, sink: &mut Sink, uses: bool) -> Vec<NodeUse> {
    let mut typing = Typing {
        functions: Functions::new(model),
        limits,
        sink,
        budget: limits.nodes,
        known: HashMap::new(),
        uses: uses.then(Vec::new),
        entered: HashSet::new(),
        active: Vec::new(),
    };
    typing.main_graph(model);
    for function in &model.functions {
        typing.uncalled(function);
    }
    typing.uses.unwrap_or_default()
}

/// The type without its shape.
pub(crate) fn shapeless(value_type: &ValueType) -> ValueType {
    match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::tensor(*dtype),
        ValueType::Sparse { dtype, .. } => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        ValueType::Sequence(element) => ValueType::Sequence(Box::new(shapeless(element))),
        ValueType::Optional(element) => ValueType::Optional(Box::new(shapeless(element))),
        ValueType::Map { key, value } => ValueType::Map {
            key: *key,
            value: Box::new(shapeless(value)),
        },
    }
}
