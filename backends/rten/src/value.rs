//! Conversion of values; each is a copy.

use backend_api::BackendError;
use onnx_tensor::{DType, Tensor, TensorError, Value};
use rten::Value as RtenValue;
use rten_tensor::Tensor as RtenTensor;
use rten_tensor::prelude::{AsView, Layout};

/// Converts an input to a value of rten. int64 and bool become i32, as in rten's own loader. A value that
/// does not fit, or of another element type, is [`BackendError::Unsupported`]. `name` is the name of the
/// input.
pub fn to_rten(name: &str, value: &Value) -> Result<RtenValue, BackendError> {
    let lacking = || {
        BackendError::unsupported(format!(
            "input `{name}`: rten has no values of {}",
            value.value_type()
        ))
    };
    let tensor = value.as_tensor().ok_or_else(lacking)?;
    let shape = tensor.shape();
    match tensor {
        Tensor::Float(_) => made(shape, tensor.to_vec::<f32>()),
        Tensor::Int32(_) => made(shape, tensor.to_vec::<i32>()),
        Tensor::Int8(_) => made(shape, tensor.to_vec::<i8>()),
        Tensor::Uint8(_) => made(shape, tensor.to_vec::<u8>()),
        Tensor::Bool(values) => made(shape, Ok(values.iter().map(|&value| i32::from(value)).collect())),
        Tensor::Int64(values) => {
            let narrow = values.iter().map(|&value| i32::try_from(value));
            let narrow = narrow.collect::<Result<Vec<i32>, _>>().map_err(|_| {
                BackendError::unsupported(format!(
                    "input `{name}`: rten stores int64 as i32, and a value does not fit"
                ))
            })?;
            made(shape, Ok(narrow))
        }
        _ => Err(lacking()),
    }
}

fn made<T>(shape: &[usize], values: Result<Vec<T>, TensorError>) -> Result<RtenValue, BackendError>
where
    RtenValue: From<RtenTensor<T>>,
{
    let values = values.map_err(BackendError::run)?;
    RtenValue::from_shape(shape, values).map_err(BackendError::run)
}

/// Converts an output of rten. An i32 becomes the int64 or bool that the file declares; all others keep the
/// type of rten, right or wrong.
pub fn from_rten(name: &str, value: RtenValue, declared: Option<DType>) -> Result<Value, BackendError> {
    let tensor = match (value, declared) {
        (RtenValue::FloatTensor(tensor), _) => Tensor::new(tensor.shape(), tensor.to_vec()),
        (RtenValue::Int8Tensor(tensor), _) => Tensor::new(tensor.shape(), tensor.to_vec()),
        (RtenValue::UInt8Tensor(tensor), _) => Tensor::new(tensor.shape(), tensor.to_vec()),
        (RtenValue::Int32Tensor(tensor), Some(DType::Int64)) => {
            let wide = tensor.iter().map(|&value| i64::from(value));
            Tensor::new(tensor.shape(), wide.collect::<Vec<_>>())
        }
        (RtenValue::Int32Tensor(tensor), Some(DType::Bool)) => {
            let truth = tensor.iter().map(|&value| value != 0);
            Tensor::new(tensor.shape(), truth.collect::<Vec<_>>())
        }
        (RtenValue::Int32Tensor(tensor), _) => Tensor::new(tensor.shape(), tensor.to_vec()),
        (other, _) => {
            return Err(BackendError::unsupported(format!(
                "output `{name}`: rten returned {:?}, which this worker does not support",
                other.dtype()
            )));
        }
    };
    tensor.map(Value::Tensor).map_err(BackendError::run)
}
