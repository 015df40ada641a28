//! The signature of one version of an operator.

use crate::attribute::AttributeSchema;
use crate::types::SchemaType;

/// How ONNX defines the body of an operator version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// There is none: the operator is primitive.
    None,
    /// One `FunctionProto`; see [`function_body`](crate::function_body).
    Static,
    /// Code that builds the body for a given node.
    ContextDependent,
}

/// One version of one operator, as `OpSchema` of ONNX defines it.
#[derive(Clone, Copy, Debug)]
pub struct OperatorSchema {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    /// The operator's name, as in `NodeProto.op_type`.
    pub name: &'static str,
    /// The opset of the domain that introduced this version.
    pub since: u32,
    /// Whether this version deprecates the operator: no model at this opset may use it.
    pub deprecated: bool,
    /// The declared inputs, in order.
    pub inputs: &'static [Formal],
    /// The declared outputs, in order.
    pub outputs: &'static [Formal],
    /// The minimum number of inputs of a node.
    pub min_inputs: usize,
    /// The maximum number of inputs of a node; `usize::MAX` if unbounded.
    pub max_inputs: usize,
    /// The minimum number of outputs of a node.
    pub min_outputs: usize,
    /// The maximum number of outputs of a node; `usize::MAX` if unbounded.
    pub max_outputs: usize,
    /// The declared attributes, sorted by name.
    pub attributes: &'static [AttributeSchema],
    /// The type variables of the parameters, each with its allowed types.
    pub type_constraints: &'static [TypeConstraint],
    /// Whether and how ONNX also defines this version by a graph of other operators.
    pub function: FunctionKind,
    /// Whether ONNX declares that two runs may differ. These are the random operators and those whose
    /// subgraphs may contain one (If, Loop, Scan, SequenceMap). Versions for which ONNX does not state it
    /// count as deterministic.
    pub nondeterministic: bool,
}

/// A declared input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formal {
    /// The name in the specification; nodes refer to parameters only by position.
    pub name: &'static str,
    /// The allowed types.
    pub type_ref: TypeRef,
    /// Whether it may be omitted or repeated.
    pub option: FormalOption,
    /// For a variadic parameter: whether all its values have one type. True for all others.
    pub homogeneous: bool,
    /// For a variadic parameter: its minimum number of values. 1 for all others.
    pub min_arity: usize,
}

/// The number of times that a parameter may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormalOption {
    /// Exactly once.
    Single,
    /// At most once: omitted by an empty name or the end of the list.
    Optional,
    /// At least `min_arity` times; always the last of its list.
    Variadic,
}

/// The allowed types of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRef {
    /// A type variable: the name of one of the schema's [`TypeConstraint`]s.
    Constraint(&'static str),
    /// Fixed types, independent of other parameters.
    Concrete(&'static [SchemaType]),
}

/// A type variable. In one node, all parameters with this variable have the same type, except heterogeneous
/// ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeConstraint {
    /// The name of the variable, such as `T`.
    pub name: &'static str,
    /// The allowed types.
    pub types: &'static [SchemaType],
}

impl OperatorSchema {
    /// Returns the declared input at a position of a node; a variadic input covers all positions from its own
    /// on.
    pub fn input(&self, position: usize) -> Option<&'static Formal> {
        formal_at(self.inputs, position)
    }

    /// Returns the declared output at a position of a node; a variadic output covers all positions from its
    /// own on.
    pub fn output(&self, position: usize) -> Option<&'static Formal> {
        formal_at(self.outputs, position)
    }

    /// Returns the declaration of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSchema> {
        let index = self
            .attributes
            .binary_search_by(|attribute| attribute.name.cmp(name))
            .ok()?;
        self.attributes.get(index)
    }

    /// Returns the attributes that another schema does not declare.
    pub fn attributes_beyond(
        &self,
        other: &OperatorSchema,
    ) -> impl Iterator<Item = &'static AttributeSchema> {
        let is_new = |attribute: &&AttributeSchema| other.attribute(attribute.name).is_none();
        self.attributes.iter().filter(is_new)
    }

    /// Returns the types that a parameter of this schema may have; empty if its constraint belongs to another
    /// schema.
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
