//! Short `const` constructors for the generated tables, named after the terms of the specification.

pub(super) use onnx_model::AttributeKind::{self, *};

pub(super) use crate::schema::{FunctionKind, OperatorSchema};

use crate::attribute::{AttributeSchema, DefaultValue};
use crate::rows::{Domain, FunctionBody, Operator, Release};
use crate::schema::{Formal, FormalOption, TypeConstraint, TypeRef};
use crate::types::SchemaType;

/// No bound on the number of inputs or outputs.
pub(super) const UNBOUNDED: usize = usize::MAX;

type Arity = (usize, usize);

/// A version with its minimum and maximum numbers of inputs and outputs; the other fields are empty.
pub(super) const fn schema(
    domain: &'static str,
    name: &'static str,
    since: u32,
    (min_inputs, max_inputs): Arity,
    (min_outputs, max_outputs): Arity,
) -> OperatorSchema {
    OperatorSchema {
        domain,
        name,
        since,
        deprecated: false,
        inputs: &[],
        outputs: &[],
        min_inputs,
        max_inputs,
        min_outputs,
        max_outputs,
        attributes: &[],
        type_constraints: &[],
        function: FunctionKind::None,
        nondeterministic: false,
    }
}

impl OperatorSchema {
    pub(super) const fn inputs(mut self, inputs: &'static [Formal]) -> Self {
        self.inputs = inputs;
        self
    }

    pub(super) const fn outputs(mut self, outputs: &'static [Formal]) -> Self {
        self.outputs = outputs;
        self
    }

    pub(super) const fn attributes(mut self, attributes: &'static [AttributeSchema]) -> Self {
        self.attributes = attributes;
        self
    }

    pub(super) const fn constraints(mut self, constraints: &'static [TypeConstraint]) -> Self {
        self.type_constraints = constraints;
        self
    }

    pub(super) const fn function(mut self, function: FunctionKind) -> Self {
        self.function = function;
        self
    }

    pub(super) const fn deprecated(mut self) -> Self {
        self.deprecated = true;
        self
    }

    pub(super) const fn nondeterministic(mut self) -> Self {
        self.nondeterministic = true;
        self
    }
}

pub(super) const fn of(constraint: &'static str) -> TypeRef {
    TypeRef::Constraint(constraint)
}

pub(super) const fn is(types: &'static [SchemaType]) -> TypeRef {
    TypeRef::Concrete(types)
}

pub(super) const fn single(name: &'static str, type_ref: TypeRef) -> Formal {
    Formal {
        name,
        type_ref,
        option: FormalOption::Single,
        homogeneous: true,
        min_arity: 1,
    }
}

pub(super) const fn optional(name: &'static str, type_ref: TypeRef) -> Formal {
    Formal {
        option: FormalOption::Optional,
        ..single(name, type_ref)
    }
}

/// A variadic parameter whose values all have one type.
pub(super) const fn variadic(name: &'static str, type_ref: TypeRef, min_arity: usize) -> Formal {
    Formal {
        option: FormalOption::Variadic,
        min_arity,
        ..single(name, type_ref)
    }
}

/// A variadic parameter whose values may differ in type.
pub(super) const fn heterogeneous(name: &'static str, type_ref: TypeRef, min_arity: usize) -> Formal {
    Formal {
        homogeneous: false,
        ..variadic(name, type_ref, min_arity)
    }
}

pub(super) const fn constraint(name: &'static str, types: &'static [SchemaType]) -> TypeConstraint {
    TypeConstraint { name, types }
}

pub(super) const fn required(name: &'static str, kind: AttributeKind) -> AttributeSchema {
    AttributeSchema {
        name,
        kind,
        required: true,
        default: None,
    }
}

/// An optional attribute without a default.
pub(super) const fn unset(name: &'static str, kind: AttributeKind) -> AttributeSchema {
    AttributeSchema {
        name,
        kind,
        required: false,
        default: None,
    }
}

const fn with_default(name: &'static str, default: DefaultValue) -> AttributeSchema {
    AttributeSchema {
        name,
        kind: default.kind(),
        required: false,
        default: Some(default),
    }
}

pub(super) const fn int(name: &'static str, default: i64) -> AttributeSchema {
    with_default(name, DefaultValue::Int(default))
}

pub(super) const fn float(name: &'static str, default: f32) -> AttributeSchema {
    with_default(name, DefaultValue::Float(default))
}

pub(super) const fn string(name: &'static str, default: &'static str) -> AttributeSchema {
    with_default(name, DefaultValue::String(default))
}

pub(super) const fn ints(name: &'static str, default: &'static [i64]) -> AttributeSchema {
    with_default(name, DefaultValue::Ints(default))
}

pub(super) const fn strings(name: &'static str, default: &'static [&'static str]) -> AttributeSchema {
    with_default(name, DefaultValue::Strings(default))
}

pub(super) const fn domain(name: &'static str, newest_opset: u32) -> Domain {
    Domain { name, newest_opset }
}

pub(super) const fn operator(
    domain: &'static str,
    name: &'static str,
    versions: &'static [OperatorSchema],
) -> Operator {
    Operator {
        domain,
        name,
        versions,
    }
}

pub(super) const fn release(
    version: &'static str,
    ir_version: u32,
    opset: u32,
    ml_opset: u32,
    training_opset: Option<u32>,
) -> Release {
    Release {
        version,
        ir_version,
        opset,
        ml_opset,
        training_opset,
    }
}

pub(super) const fn body(
    domain: &'static str,
    name: &'static str,
    since: u32,
    opset: u32,
    proto: &'static [u8],
) -> FunctionBody {
    FunctionBody {
        domain,
        name,
        since,
        opset,
        proto,
    }
}
