//! Decodes elements in typed fields (onnx.proto, `float_data` to `uint64_data`).

use onnx_tensor::{
    Complex32, Complex64, DType, Element, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0,
    Tensor, TensorError, bf16, f16,
};

use super::layout::Layout;
use super::{raw, text};
use crate::error::{ModelError, ModelErrorKind};
use crate::proto::TensorProto;

/// The typed field that stores elements of a type.
pub(super) fn field_of(dtype: DType) -> &'static str {
    match dtype {
        DType::Float | DType::Complex64 => "float_data",
        DType::Double | DType::Complex128 => "double_data",
        DType::Int64 => "int64_data",
        DType::Uint32 | DType::Uint64 => "uint64_data",
        DType::String => "string_data",
        DType::Int32
        | DType::Uint4
        | DType::Int4
        | DType::Float4E2M1
        | DType::Uint2
        | DType::Int2
        | DType::Uint8
        | DType::Int8
        | DType::Uint16
        | DType::Int16
        | DType::Bool
        | DType::Float16
        | DType::Bfloat16
        | DType::Float8E4M3Fn
        | DType::Float8E4M3Fnuz
        | DType::Float8E5M2
        | DType::Float8E5M2Fnuz
        | DType::Float8E8M0
        | DType::Float6E2M3
        | DType::Float6E3M2 => "int32_data",
    }
}

/// Decodes the elements in the typed field of their type.
pub(super) fn tensor(proto: TensorProto, layout: &Layout) -> Result<Tensor, ModelError> {
    let field = field_of(layout.dtype);
    match layout.dtype {
        DType::Float => whole(proto.float_data, layout),
        DType::Int32 => whole(proto.int32_data, layout),
        DType::Int64 => whole(proto.int64_data, layout),
        DType::Double => whole(proto.double_data, layout),
        DType::Uint64 => whole(proto.uint64_data, layout),
        DType::String => {
            layout.expect(field, proto.string_data.len(), layout.count)?;
            layout.tensor(text::names(proto.string_data, field)?)
        }
        DType::Complex64 => complex(&proto.float_data, layout, Complex32::new),
        DType::Complex128 => complex(&proto.double_data, layout, Complex64::new),
        DType::Uint32 => each(&proto.uint64_data, layout, field, |&value| {
            u32::try_from(value).ok()
        }),
        DType::Uint4 | DType::Int4 | DType::Float4E2M1 | DType::Uint2 | DType::Int2 => {
            raw::packed(&packed_bytes(&proto.int32_data, layout)?, layout)
        }
        DType::Uint8
        | DType::Int8
        | DType::Uint16
        | DType::Int16
        | DType::Bool
        | DType::Float16
        | DType::Bfloat16
        | DType::Float8E4M3Fn
        | DType::Float8E4M3Fnuz
        | DType::Float8E5M2
        | DType::Float8E5M2Fnuz
        | DType::Float8E8M0
        | DType::Float6E2M3
        | DType::Float6E3M2 => narrow(&proto.int32_data, layout),
    }
}

/// Decodes elements of 6, 8 and 16 bits, one in each entry of int32_data; floats are stored as bit patterns.
fn narrow(values: &[i32], layout: &Layout) -> Result<Tensor, ModelError> {
    let field = field_of(layout.dtype);
    let byte = |value: &i32| u8::try_from(*value).ok();
    let word = |value: &i32| u16::try_from(*value).ok();
    let six = |value: &i32| u8::try_from(*value).ok().filter(|bits| bits >> 6 == 0);
    match layout.dtype {
        DType::Uint8 => each(values, layout, field, byte),
        DType::Int8 => each(values, layout, field, |&value| i8::try_from(value).ok()),
        DType::Uint16 => each(values, layout, field, word),
        DType::Int16 => each(values, layout, field, |&value| i16::try_from(value).ok()),
        DType::Bool => each(values, layout, field, |&value| raw::boolean(value)),
        DType::Float16 => each(values, layout, field, |value| word(value).map(f16::from_bits)),
        DType::Bfloat16 => each(values, layout, field, |value| word(value).map(bf16::from_bits)),
        DType::Float8E4M3Fn => each(values, layout, field, |value| byte(value).map(F8E4M3Fn)),
        DType::Float8E4M3Fnuz => each(values, layout, field, |value| byte(value).map(F8E4M3Fnuz)),
        DType::Float8E5M2 => each(values, layout, field, |value| byte(value).map(F8E5M2)),
        DType::Float8E5M2Fnuz => each(values, layout, field, |value| byte(value).map(F8E5M2Fnuz)),
        DType::Float8E8M0 => each(values, layout, field, |value| byte(value).map(F8E8M0)),
        DType::Float6E2M3 => each(values, layout, field, |value| six(value).map(F6E2M3)),
        DType::Float6E3M2 => each(values, layout, field, |value| six(value).map(F6E3M2)),
        found => Err(TensorError::DType {
            expected: "a type of 6, 8 or 16 bits",
            found,
        }
        .into()),
    }
}

/// Makes a tensor directly from the values of a field.
fn whole<T: Element>(values: Vec<T>, layout: &Layout) -> Result<Tensor, ModelError> {
    layout.expect(field_of(layout.dtype), values.len(), layout.count)?;
    layout.tensor(values)
}

/// Converts each value of a field to an element, if it is in range.
pub(super) fn each<V, T>(
    values: &[V],
    layout: &Layout,
    field: &'static str,
    element: impl Fn(&V) -> Option<T>,
) -> Result<Tensor, ModelError>
where
    V: Copy + Into<i128>,
    T: Element,
{
    layout.expect(field, values.len(), layout.count)?;
    let dtype = layout.dtype;
    let checked = |(index, value): (usize, &V)| {
        element(value).ok_or(ModelErrorKind::ElementRange {
            field,
            index,
            value: (*value).into(),
            dtype,
        })
    };
    layout.tensor(
        values
            .iter()
            .enumerate()
            .map(checked)
            .collect::<Result<Vec<T>, _>>()?,
    )
}

/// Makes complex elements, each from two values.
fn complex<V: Copy, T: Element>(
    parts: &[V],
    layout: &Layout,
    element: impl Fn(V, V) -> T,
) -> Result<Tensor, ModelError> {
    layout.expect(field_of(layout.dtype), parts.len(), layout.count * 2)?;
    layout.tensor(raw::pairs(parts, element))
}

/// Returns the bytes of packed elements, one in each int32. onnx 1.16 wrote bytes of signed elements as
/// negative numbers (onnx/onnx#6160), and every reader takes the low eight bits, so both −128 to −1 and 128
/// to 255 are accepted.
fn packed_bytes(values: &[i32], layout: &Layout) -> Result<Vec<u8>, ModelErrorKind> {
    let (field, dtype) = (field_of(layout.dtype), layout.dtype);
    layout.expect(field, values.len(), layout.raw_bytes().unwrap_or(layout.count))?;
    let byte = |(index, &value): (usize, &i32)| {
        let unsigned = u8::try_from(value).or_else(|_| i8::try_from(value).map(i8::cast_unsigned));
        unsigned.map_err(|_| ModelErrorKind::ElementRange {
            field,
            index,
            value: value.into(),
            dtype,
        })
    };
    values.iter().enumerate().map(byte).collect()
}
