//! Values of any type of a schema, with critical shapes and elements.

use std::collections::BTreeMap;

use onnx_schema::SchemaType;
use onnx_tensor::{
    DType, Map, MapKey, Sequence, SparseTensor, Tensor, TensorError, Value, ValueType, dispatch,
};

/// Shapes of the common ranks: small, empty, and with a huge extent and a zero extent. All are within the
/// budget of one value.
pub const SHAPES: [&[usize]; 18] = [
    &[],
    &[1],
    &[2],
    &[4],
    &[0],
    &[2, 2],
    &[1, 4],
    &[0, 1 << 16],
    &[1 << 16, 0],
    &[1, 2, 4],
    &[2, 0, 1 << 15],
    &[1, 1, 4, 4],
    &[1, 2, 3, 3],
    &[1, 1, 0, 1 << 16],
    &[1, 1 << 16, 0, 1],
    &[1 << 16, 0, 1, 1],
    &[0, 2, 1 << 12, 4],
    &[1, 1, 2, 2, 2],
];

/// Integers that are critical for arithmetic.
pub const INTEGERS: [i64; 11] = [
    0,
    -1,
    1,
    2,
    i32::MAX as i64,
    1 << 31,
    1 << 40,
    1 << 62,
    i64::MAX,
    i64::MIN,
    -2,
];

/// Floats that are critical for arithmetic.
pub const FLOATS: [f64; 11] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-30,
    1e30,
    -1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// The elements of a tensor.
#[derive(Clone, Copy, Debug)]
pub enum Elements {
    /// Small increasing numbers.
    Mild,
    /// All the same entry of [`INTEGERS`] or [`FLOATS`].
    Extreme(usize),
    /// All entries in turn.
    Mixed,
}

/// A value of this type. Tensors have the shape; containers hold two elements.
pub fn value(kind: &SchemaType, shape: &[usize], elements: Elements) -> Value {
    match kind {
        SchemaType::Tensor(dtype) => Value::Tensor(tensor(*dtype, shape, elements)),
        SchemaType::SparseTensor(dtype) => Value::Sparse(SparseTensor {
            values: tensor(*dtype, &[0], elements),
            indices: Tensor::vector(Vec::<i64>::new()),
            shape: shape.to_vec(),
        }),
        SchemaType::Sequence(element) => Value::Sequence(Sequence {
            element: value_type(element),
            values: vec![value(element, shape, elements); 2],
        }),
        SchemaType::Optional(element) => Value::Optional {
            element: value_type(element),
            value: Some(Box::new(value(element, shape, elements))),
        },
        SchemaType::Map(key, element) => {
            let key_value = match key {
                DType::String => MapKey::String("a".to_owned()),
                _ => MapKey::Int(1),
            };
            Value::Map(Map {
                key: *key,
                element: value_type(element),
                entries: BTreeMap::from([(key_value, value(element, &[], elements))]),
            })
        }
    }
}

fn value_type(kind: &SchemaType) -> ValueType {
    match kind {
        SchemaType::Tensor(dtype) => ValueType::tensor(*dtype),
        SchemaType::SparseTensor(dtype) => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        SchemaType::Sequence(element) => ValueType::Sequence(Box::new(value_type(element))),
        SchemaType::Optional(element) => ValueType::Optional(Box::new(value_type(element))),
        SchemaType::Map(key, element) => ValueType::Map {
            key: *key,
            value: Box::new(value_type(element)),
        },
    }
}

fn tensor(dtype: DType, shape: &[usize], elements: Elements) -> Tensor {
    let count = shape.iter().product();
    match dtype {
        DType::String => {
            let text = |at: usize| ["a b", "", "1e30", "NaN", "ä", "x,y"][at % 6].to_owned();
            made(shape, (0..count).map(text).collect())
        }
        DType::Bool => made(shape, (0..count).map(|at| at % 2 == 0).collect()),
        DType::Int64 => {
            let number = |at: usize| match elements {
                Elements::Mild => at as i64 % 4 + 1,
                Elements::Extreme(which) => INTEGERS[which % INTEGERS.len()],
                Elements::Mixed => INTEGERS[at % INTEGERS.len()],
            };
            made(shape, (0..count).map(number).collect())
        }
        DType::Uint64 => made(shape, (0..count).map(|at| u64::MAX >> (at % 64)).collect()),
        _ => reals(dtype, shape, elements).unwrap_or_else(|_| blank(dtype, shape)),
    }
}

fn reals(dtype: DType, shape: &[usize], elements: Elements) -> Result<Tensor, TensorError> {
    let count: usize = shape.iter().product();
    let number = |at: usize| match elements {
        Elements::Mild => (at % 4) as f64 + 1.0,
        Elements::Extreme(which) => FLOATS[which % FLOATS.len()],
        Elements::Mixed => FLOATS[at % FLOATS.len()],
    };
    dispatch!(real, dtype, T => {
        let values = (0..count).map(|at| <T as onnx_tensor::Real>::from_f64(number(at)));
        Tensor::new(shape, values.collect())
    })
}

fn blank(dtype: DType, shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    let made: Result<Tensor, TensorError> =
        dispatch!(all, dtype, T => Tensor::new::<T>(shape, vec![T::default(); count]));
    made.expect("a shape within the budget")
}

fn made<T: onnx_tensor::Element>(shape: &[usize], elements: Vec<T>) -> Tensor {
    Tensor::new(shape, elements).expect("as many elements as the shape has")
}
