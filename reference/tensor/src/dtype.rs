//! The element types of `TensorProto.DataType`.

use std::fmt;

/// An element type of ONNX; the discriminant is the number of `TensorProto.DataType`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum DType {
    Float = 1,
    Uint8 = 2,
    Int8 = 3,
    Uint16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    Uint32 = 12,
    Uint64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    Bfloat16 = 16,
    Float8E4M3Fn = 17,
    Float8E4M3Fnuz = 18,
    Float8E5M2 = 19,
    Float8E5M2Fnuz = 20,
    Uint4 = 21,
    Int4 = 22,
    Float4E2M1 = 23,
    Float8E8M0 = 24,
    Uint2 = 25,
    Int2 = 26,
    Float6E2M3 = 27,
    Float6E3M2 = 28,
}

/// A number or a name that is not an element type of ONNX.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown element type {0}: the specification defines 1 (float) to 28 (float6e3m2)")]
pub struct UnknownDType(pub String);

impl DType {
    /// All element types, ordered by their number in `TensorProto.DataType`.
    pub const ALL: [DType; 28] = [
        DType::Float,
        DType::Uint8,
        DType::Int8,
        DType::Uint16,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::String,
        DType::Bool,
        DType::Float16,
        DType::Double,
        DType::Uint32,
        DType::Uint64,
        DType::Complex64,
        DType::Complex128,
        DType::Bfloat16,
        DType::Float8E4M3Fn,
        DType::Float8E4M3Fnuz,
        DType::Float8E5M2,
        DType::Float8E5M2Fnuz,
        DType::Uint4,
        DType::Int4,
        DType::Float4E2M1,
        DType::Float8E8M0,
        DType::Uint2,
        DType::Int2,
        DType::Float6E2M3,
        DType::Float6E3M2,
    ];

    /// Returns the type with this number in `TensorProto.DataType`.
    pub fn from_onnx(number: impl Into<i64>) -> Result<DType, UnknownDType> {
        let number = number.into();
        usize::try_from(number)
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|index| Self::ALL.get(index).copied())
            .ok_or_else(|| UnknownDType(number.to_string()))
    }

    /// The number in `TensorProto.DataType`.
    pub const fn to_onnx(self) -> i32 {
        self as i32
    }

    /// The name of the type inside `tensor(…)` in operator schemas: `float`, `uint8`, `float8e4m3fn`.
    pub const fn onnx_name(self) -> &'static str {
        match self {
            DType::Float => "float",
            DType::Uint8 => "uint8",
            DType::Int8 => "int8",
            DType::Uint16 => "uint16",
            DType::Int16 => "int16",
            DType::Int32 => "int32",
            DType::Int64 => "int64",
            DType::String => "string",
            DType::Bool => "bool",
            DType::Float16 => "float16",
            DType::Double => "double",
            DType::Uint32 => "uint32",
            DType::Uint64 => "uint64",
            DType::Complex64 => "complex64",
            DType::Complex128 => "complex128",
            DType::Bfloat16 => "bfloat16",
            DType::Float8E4M3Fn => "float8e4m3fn",
            DType::Float8E4M3Fnuz => "float8e4m3fnuz",
            DType::Float8E5M2 => "float8e5m2",
            DType::Float8E5M2Fnuz => "float8e5m2fnuz",
            DType::Uint4 => "uint4",
            DType::Int4 => "int4",
            DType::Float4E2M1 => "float4e2m1",
            DType::Float8E8M0 => "float8e8m0",
            DType::Uint2 => "uint2",
            DType::Int2 => "int2",
            DType::Float6E2M3 => "float6e2m3",
            DType::Float6E3M2 => "float6e3m2",
        }
    }

    /// Returns the type with this schema name ([`DType::onnx_name`]).
    pub fn from_onnx_name(name: &str) -> Result<DType, UnknownDType> {
        Self::ALL
            .into_iter()
            .find(|dtype| dtype.onnx_name() == name)
            .ok_or_else(|| UnknownDType(format!("`{name}`")))
    }

    /// Bits of one element in the packed form of the file format; `None` for strings.
    pub const fn bits(self) -> Option<usize> {
        Some(match self {
            DType::String => return None,
            DType::Uint2 | DType::Int2 => 2,
            DType::Uint4 | DType::Int4 | DType::Float4E2M1 => 4,
            DType::Float6E2M3 | DType::Float6E3M2 => 6,
            DType::Uint8
            | DType::Int8
            | DType::Bool
            | DType::Float8E4M3Fn
            | DType::Float8E4M3Fnuz
            | DType::Float8E5M2
            | DType::Float8E5M2Fnuz
            | DType::Float8E8M0 => 8,
            DType::Uint16 | DType::Int16 | DType::Float16 | DType::Bfloat16 => 16,
            DType::Float | DType::Int32 | DType::Uint32 => 32,
            DType::Int64 | DType::Uint64 | DType::Double | DType::Complex64 => 64,
            DType::Complex128 => 128,
        })
    }

    /// The bytes of memory that one element takes in a [`crate::Tensor`]. For a string this is
    /// `size_of::<String>()`, without its text.
    pub const fn memory(self) -> usize {
        match self.bits() {
            Some(bits) => bits.div_ceil(8),
            None => size_of::<String>(),
        }
    }

    /// Whether the type is an integer of any width, signed or not; bool is not.
    pub const fn is_integer(self) -> bool {
        use DType::{Int2, Int4, Int8, Int16, Int32, Int64, Uint2, Uint4, Uint8, Uint16, Uint32, Uint64};
        matches!(
            self,
            Int2 | Int4 | Int8 | Int16 | Int32 | Int64 | Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64
        )
    }

    /// Whether the type is a binary floating-point format of any width; complex types are not.
    pub const fn is_float(self) -> bool {
        match self {
            DType::Float
            | DType::Float16
            | DType::Double
            | DType::Bfloat16
            | DType::Float8E4M3Fn
            | DType::Float8E4M3Fnuz
            | DType::Float8E5M2
            | DType::Float8E5M2Fnuz
            | DType::Float4E2M1
            | DType::Float8E8M0
            | DType::Float6E2M3
            | DType::Float6E3M2 => true,
            DType::Uint8
            | DType::Int8
            | DType::Uint16
            | DType::Int16
            | DType::Int32
            | DType::Int64
            | DType::String
            | DType::Bool
            | DType::Uint32
            | DType::Uint64
            | DType::Complex64
            | DType::Complex128
            | DType::Uint4
            | DType::Int4
            | DType::Uint2
            | DType::Int2 => false,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.onnx_name())
    }
}
