//! Conversion of tensors.

use backend_api::BackendError;
use onnx_tensor::{DType, Tensor, Value, f16};
use tract_onnx::prelude::{DatumType, Tensor as TractTensor};

/// The element types that both sides have.
macro_rules! element_types {
    ($($name:ident($ty:ty) = $datum:ident),* $(,)?) => {
        /// Whether tract has this element type.
        pub fn is_supported(dtype: DType) -> bool {
            matches!(dtype, $(DType::$name)|*)
        }

        /// Copies a tensor to tract; `None` if tract does not have the element type.
        fn copy_in(tensor: &Tensor) -> Option<TractTensor> {
            match tensor {
                $(Tensor::$name(array) => Some(array.as_standard_layout().into_owned().into()),)*
                _ => None,
            }
        }

        /// Copies a tensor from tract; `None` if ONNX does not have the element type.
        fn copy_out(tensor: &TractTensor) -> Option<tract_onnx::prelude::TractResult<Tensor>> {
            match tensor.datum_type().unquantized() {
                $(DatumType::$datum => {
                    Some(tensor.to_plain_array_view::<$ty>().map(|view| Tensor::from(view.to_owned())))
                })*
                _ => None,
            }
        }

        /// Returns the element type of ONNX; `None` if there is none.
        pub fn dtype_of(datum: DatumType) -> Option<DType> {
            match datum.unquantized() {
                DatumType::TDim => Some(DType::Int64),
                $(DatumType::$datum => Some(DType::$name),)*
                _ => None,
            }
        }
    };
}

element_types! {
    Bool(bool) = Bool,
    Uint8(u8) = U8,
    Uint16(u16) = U16,
    Uint32(u32) = U32,
    Uint64(u64) = U64,
    Int8(i8) = I8,
    Int16(i16) = I16,
    Int32(i32) = I32,
    Int64(i64) = I64,
    Float16(f16) = F16,
    Float(f32) = F32,
    Double(f64) = F64,
    String(String) = String,
}

/// Converts an input. A value that is not a tensor, or whose element type tract does not have, is
/// [`BackendError::Unsupported`]. `name` is the name of the input.
pub fn to_tract(name: &str, value: &Value) -> Result<TractTensor, BackendError> {
    value.as_tensor().and_then(copy_in).ok_or_else(|| {
        BackendError::unsupported(format!(
            "input `{name}`: tract has no values of {}",
            value.value_type()
        ))
    })
}

/// Converts an output, in the element type of tract. A `TDim`, tract's type for extents that may hold
/// symbols, becomes int64. A quantized integer becomes a plain integer, without its scale.
pub fn from_tract(name: &str, tensor: &TractTensor) -> Result<Value, BackendError> {
    let failed = |error| BackendError::run(format!("output `{name}`: {error:#}"));
    let tensor = match tensor.datum_type() {
        DatumType::TDim => tensor.cast_to::<i64>().map_err(failed)?,
        _ => std::borrow::Cow::Borrowed(tensor),
    };
    match copy_out(&tensor) {
        Some(copy) => copy.map(Value::Tensor).map_err(failed),
        None => Err(BackendError::run(format!(
            "output `{name}`: tract returned {:?}, which is not an element type of ONNX",
            tensor.datum_type()
        ))),
    }
}
