//! Element types and kinds of values, carried through a model without running it.
//!
//! Shapes play no part: a [`ValueType`] here has none. A type that cannot be known is `None`, and nothing is said of it.

mod attributes;
mod bind;
mod bodies;
mod call;
mod graph;
mod infer;
mod ml;
mod scope;

use std::collections::{BTreeMap, HashMap, HashSet};

use onnx_model::{Function, Model};
use onnx_tensor::ValueType;

use crate::finding::Sink;
use crate::limits::Limits;
use crate::meaning::Functions;
use crate::usage::NodeUse;

pub(crate) use attributes::Given;
pub use bind::{Bound, bind};
pub(crate) use graph::{body_place, function_place};

pub(crate) use self::attributes::Attributes;

/// A type without its shape, where it is known.
pub(crate) type Kind = Option<ValueType>;

/// What nodes stand in: the graph or function, its imports, the attributes of the call.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a, 'm> {
    /// How findings name the graph or function.
    pub(crate) place: &'a str,
    /// Opsets by domain.
    pub(crate) imports: &'m BTreeMap<String, i64>,
    /// The attributes of the function around; `None` outside of functions.
    pub(crate) attributes: Option<&'a Attributes<'m>>,
    /// Graphs and calls around.
    pub(crate) depth: usize,
    /// Whether uses are recorded: not in a function that nobody calls.
    pub(crate) called: bool,
}

/// A call of a function as far as its types go: the function by address, its inputs, its attributes.
type Signature<'m> = (*const Function, Vec<Kind>, Vec<(&'m str, attributes::Identity)>);

/// A walk over a model that carries types.
pub(crate) struct Typing<'m, 's> {
    functions: Functions<'m>,
    limits: Limits,
    sink: &'s mut Sink,
    /// Nodes that may still be typed.
    budget: usize,
    uses: Option<Vec<NodeUse>>,
    /// What each function gives for the types and attributes of a call: a function is walked once for each of these, however
    /// many ways lead to it.
    known: HashMap<Signature<'m>, Vec<Kind>>,
    /// The functions that were entered, by address.
    entered: HashSet<*const Function>,
    /// The functions that are being walked: a call of one of them is recursion, and not followed.
    active: Vec<*const Function>,
}

/// Types the whole model: its main graph with the functions that it calls, then the functions that nothing calls. Gives the
/// uses of nodes if they are asked for.
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
