//! Attributes in schemas.

use onnx_model::AttributeKind;

/// A declared attribute.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttributeSchema {
    /// The name, as in `AttributeProto.name`.
    pub name: &'static str,
    pub kind: AttributeKind,
    /// Whether every node must set it.
    pub required: bool,
    /// The value if a node does not set it. An attribute that is neither required nor has a default has a
    /// meaning of its own when it is absent.
    pub default: Option<DefaultValue>,
}

/// The default of an attribute. Floats have exactly the bits of the schema's `AttributeProto.f`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DefaultValue {
    Int(i64),
    Float(f32),
    String(&'static str),
    Ints(&'static [i64]),
    Floats(&'static [f32]),
    Strings(&'static [&'static str]),
}

impl DefaultValue {
    /// Returns the kind of an attribute with this default.
    pub const fn kind(&self) -> AttributeKind {
        match self {
            DefaultValue::Int(_) => AttributeKind::Int,
            DefaultValue::Float(_) => AttributeKind::Float,
            DefaultValue::String(_) => AttributeKind::String,
            DefaultValue::Ints(_) => AttributeKind::Ints,
            DefaultValue::Floats(_) => AttributeKind::Floats,
            DefaultValue::Strings(_) => AttributeKind::Strings,
        }
    }
}
