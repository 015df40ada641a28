//! What a schema says of an attribute.

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

/// The kinds of `AttributeProto`; the discriminant is the number of `AttributeProto.AttributeType`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the variants carry the names of the specification")]
pub enum AttributeKind {
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    TypeProto = 13,
    TypeProtos = 14,
}

impl AttributeKind {
    /// Every kind, in the order of the specification.
    pub const ALL: [AttributeKind; 14] = [
        AttributeKind::Float,
        AttributeKind::Int,
        AttributeKind::String,
        AttributeKind::Tensor,
        AttributeKind::Graph,
        AttributeKind::Floats,
        AttributeKind::Ints,
        AttributeKind::Strings,
        AttributeKind::Tensors,
        AttributeKind::Graphs,
        AttributeKind::SparseTensor,
        AttributeKind::SparseTensors,
        AttributeKind::TypeProto,
        AttributeKind::TypeProtos,
    ];

    /// The kind with this number in `AttributeProto.AttributeType`; `None` for `UNDEFINED` (0) and unknown
    /// numbers.
    pub fn from_onnx(number: i32) -> Option<AttributeKind> {
        Self::ALL.into_iter().find(|kind| kind.to_onnx() == number)
    }

    /// The number in `AttributeProto.AttributeType`.
    pub const fn to_onnx(self) -> i32 {
        self as i32
    }
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
