//! Every element type of tract keeps its bits; the others are unsupported.

use backend_api::BackendError;
use onnx_tensor::{Complex32, DType, F8E4M3Fn, I4, Tensor, bf16, f16};

use crate::models::{check, file, graph, info, load, named, node, tract};

fn identity(tensor: &Tensor) -> Vec<u8> {
    let shape: Vec<i64> = tensor
        .shape()
        .iter()
        .map(|&extent| i64::try_from(extent).expect("small"))
        .collect();
    let (dtype, node) = (tensor.dtype(), node("Identity", &["x"], &["y"]));
    file(graph(
        &[info("x", dtype, &shape)],
        &[info("y", dtype, &shape)],
        &[node],
    ))
}

#[test]
fn values_keep_their_bits() {
    let tensors = [
        Tensor::vector(vec![true, false]),
        Tensor::vector(vec![0, u8::MAX]),
        Tensor::vector(vec![0, u16::MAX]),
        Tensor::vector(vec![0, u32::MAX]),
        Tensor::vector(vec![0, u64::MAX]),
        Tensor::vector(vec![i8::MIN, i8::MAX]),
        Tensor::vector(vec![i16::MIN, i16::MAX]),
        Tensor::vector(vec![i32::MIN, i32::MAX]),
        Tensor::vector(vec![i64::MIN, i64::MAX]),
        Tensor::vector(vec![f16::from_bits(1), f16::NEG_ZERO, f16::NAN]),
        Tensor::vector(vec![f32::from_bits(1), -0.0, f32::NEG_INFINITY, f32::NAN]),
        Tensor::vector(vec![f64::from_bits(1), -0.0, f64::INFINITY, f64::MAX]),
        Tensor::vector(vec!["".to_owned(), "größer ≥".to_owned()]),
        Tensor::scalar(7_i64),
        Tensor::new::<f32>(&[2, 0], Vec::new()).expect("an empty tensor"),
        transposed(),
    ];
    for constants in ["none", "integers", "all"] {
        let mut tract = tract([("constants", constants)]);
        for tensor in &tensors {
            let inputs = named([("x", tensor.clone())]);
            let mut session = load(&mut tract, identity(tensor), &inputs).expect("Identity loads");
            check(&mut *session, &inputs, tensor);
        }
    }
}

/// A tensor whose elements are not in row-major order.
fn transposed() -> Tensor {
    let tensor = Tensor::new(&[2, 3], ["a", "b", "c", "d", "e", "f"].map(str::to_owned).into());
    let array = tensor
        .and_then(|tensor| tensor.array::<String>().cloned())
        .expect("strings");
    Tensor::from(array.reversed_axes())
}

#[test]
fn types_unknown_to_tract_are_unsupported() {
    let tensors = [
        Tensor::vector(vec![bf16::ONE]),
        Tensor::vector(vec![Complex32::new(1.0, 2.0)]),
        Tensor::vector(vec![F8E4M3Fn::default()]),
        Tensor::vector(vec![I4::default()]),
    ];
    for tensor in tensors {
        for constants in ["none", "integers"] {
            let inputs = named([("x", tensor.clone())]);
            let error = load(&mut tract([("constants", constants)]), identity(&tensor), &inputs).err();
            let Some(BackendError::Unsupported {
                message,
                operator: None,
            }) = error
            else {
                panic!("{} is not unsupported: {error:?}", tensor.dtype());
            };
            assert!(message.contains(tensor.dtype().onnx_name()), "{message}");
        }
    }
}

#[test]
fn an_extent_becomes_int64() {
    let model = file(graph(
        &[info("x", DType::Float, &[-1, 3])],
        &[info("y", DType::Int64, &[2])],
        &[node("Shape", &["x"], &["y"])],
    ));
    let inputs = named([("x", Tensor::new(&[2, 3], vec![0_f32; 6]).expect("six"))]);
    let mut session = load(&mut tract([("constants", "none")]), model, &inputs).expect("Shape loads");
    check(&mut *session, &inputs, &Tensor::vector(vec![2_i64, 3]));
}
