//! What a schema says of an attribute.

use onnx_model::AttributeKind;

/// A declared attribute.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttributeSchema {
    /// The name, as in `AttributeProto.name`.
    pub name: &'static str,
    /// The kind a node must give it.
    pub kind: AttributeKind,
    /// Whether every node must give it.
    pub required: bool,
    /// The value it has where a node does not give it. An attribute may be neither required nor have a
    /// default: its absence then means something of its own.
    pub default: Option<DefaultValue>,
}

/// The default of an attribute. Floats are the very bits of the schema's `AttributeProto.f`.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(
    missing_docs,
    reason = "the variants are those of AttributeKind that can have a default"
)]
pub enum DefaultValue {
    Int(i64),
    Float(f32),
    String(&'static str),
    Ints(&'static [i64]),
    Floats(&'static [f32]),
    Strings(&'static [&'static str]),
}

impl DefaultValue {
    /// The kind of the attribute that has this default.
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
