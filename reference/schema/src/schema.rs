//! The signature of one version of an operator.

use crate::attribute::AttributeSchema;
use crate::function::FunctionKind;
use crate::types::SchemaType;

/// One version of one operator, as `OpSchema` of ONNX describes it.
#[derive(Clone, Copy, Debug)]
pub struct OperatorSchema {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    /// The operator's name, as in `NodeProto.op_type`.
    pub name: &'static str,
    /// The opset of the domain in which this version came into being.
    pub since: u32,
    /// Whether this version withdraws the operator: no model at this opset may use it.
    pub deprecated: bool,
    /// The declared inputs, in order.
    pub inputs: &'static [Formal],
    /// The declared outputs, in order.
    pub outputs: &'static [Formal],
    /// The fewest inputs a node may list.
    pub min_inputs: usize,
    /// The most inputs a node may list; `usize::MAX` when there is no bound.
    pub max_inputs: usize,
    /// The fewest outputs a node may list.
    pub min_outputs: usize,
    /// The most outputs a node may list; `usize::MAX` when there is no bound.
    pub max_outputs: usize,
    /// The declared attributes, sorted by name.
    pub attributes: &'static [AttributeSchema],
    /// The type variables of the parameters, each with the types it may stand for.
    pub type_constraints: &'static [TypeConstraint],
    /// Whether ONNX also defines this version by a graph of other operators, and how.
    pub function: FunctionKind,
    /// Whether ONNX declares that two runs may differ. Besides the random operators these are the ones whose
    /// subgraph may hold such a node (If, Loop, Scan, SequenceMap). Versions that ONNX leaves undecided count
    /// as deterministic.
    pub nondeterministic: bool,
}

/// A declared input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formal {
    /// The name in the specification; nodes refer to parameters by position alone.
    pub name: &'static str,
    /// The types it may have.
    pub type_ref: TypeRef,
    /// Whether it may be left out or repeated.
    pub option: FormalOption,
    /// For a variadic parameter: whether all that it stands for have one type. True for all others.
    pub homogeneous: bool,
    /// For a variadic parameter: the fewest it may stand for. 1 for all others.
    pub min_arity: usize,
}

/// How often a parameter may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormalOption {
    /// Exactly once.
    Single,
    /// Once, or left out (an empty name, or the end of the list).
    Optional,
    /// Any number of times from `min_arity` on; always the last of its list.
    Variadic,
}

/// The types of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRef {
    /// A type variable: the name of one of the schema's [`TypeConstraint`]s.
    Constraint(&'static str),
    /// Fixed types, tied to no other parameter.
    Concrete(&'static [SchemaType]),
}

/// A type variable. In one node, all parameters that name it have the same type (heterogeneous ones
/// excepted).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeConstraint {
    /// The name of the variable, such as `T`.
    pub name: &'static str,
    /// The types it may stand for.
    pub types: &'static [SchemaType],
}

impl OperatorSchema {
    /// The declaration of the input at a position of a node; a variadic input stands for all positions from
    /// its own on.
    pub fn input(&self, position: usize) -> Option<&'static Formal> {
        formal_at(self.inputs, position)
    }

    /// The declaration of the output at a position of a node; a variadic output stands for all positions from
    /// its own on.
    pub fn output(&self, position: usize) -> Option<&'static Formal> {
        formal_at(self.outputs, position)
    }

    /// The declaration of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSchema> {
        let index = self
            .attributes
            .binary_search_by(|attribute| attribute.name.cmp(name))
            .ok()?;
        self.attributes.get(index)
    }

    /// The types that a parameter of this schema may have; none when it names a constraint of another schema.
    pub fn types(&self, formal: &Formal) -> &'static [SchemaType] {
        match formal.type_ref {
            TypeRef::Concrete(types) => types,
            TypeRef::Constraint(name) => self
                .type_constraints
                .iter()
                .find(|c| c.name == name)
                .map_or(&[], |constraint| constraint.types),
        }
    }
}

fn formal_at(formals: &'static [Formal], position: usize) -> Option<&'static Formal> {
    let last = formals
        .last()
        .filter(|formal| formal.option == FormalOption::Variadic);
    formals.get(position).or(last)
}
