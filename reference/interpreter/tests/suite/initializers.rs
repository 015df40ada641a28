//! Sparse initializers are converted to dense tensors.

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, run};
use onnx_tensor::{SparseTensor, Tensor, Value};

/// `y = Identity(w)` with a sparse initializer with one value; at most 64 bytes.
fn identity(shape: &[usize], index: i64) -> Result<Value, String> {
    let sparse = SparseTensor {
        values: Tensor::vector(vec![7_f32]),
        indices: Tensor::vector(vec![index]),
        shape: shape.to_vec(),
    };
    let mut main = graph("", "y", &[node("Identity", "w", "y", &[])]);
    main.initializers.push(("w".to_owned(), Value::Sparse(sparse)));
    let limits = Limits {
        value_bytes: 64,
        ..Limits::default()
    };
    let outputs = run(&model(13, main), &[], limits).map_err(|error| error.to_string())?;
    Ok(outputs.into_iter().next().unwrap().1)
}

#[test]
fn a_sparse_initializer_is_read_as_dense() {
    let expected = Tensor::new(&[2, 2], vec![0_f32, 0.0, 7.0, 0.0]).unwrap();
    assert!(
        identity(&[2, 2], 2)
            .unwrap()
            .as_tensor()
            .unwrap()
            .same_bits(&expected)
    );
}

#[test]
fn an_error_names_the_initializer() {
    for (shape, index, part) in [
        (&[2, 2][..], 4, "initializer `w`: index [4] is outside"),
        (&[1 << 40], 0, "initializer `w`: "),
    ] {
        let refusal = identity(shape, index).unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    }
}
