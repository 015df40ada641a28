//! The kinds of errors of the adapter.

use backend_api::{Backend, BackendError, LoadRequest};
use backend_ort::{OrtBackend, Settings};
use onnx_model::Model;
use onnx_tensor::{DType, Tensor, Value, ValueType};

use crate::fixture::{backend, library, one_node, pass_through, run};

/// The name of an error's kind in the protocol.
fn kind(error: &BackendError) -> &'static str {
    match error {
        BackendError::Unsupported { .. } => "unsupported",
        BackendError::Load { .. } => "load",
        BackendError::Run { .. } => "run",
        BackendError::OutOfMemory { .. } => "out_of_memory",
        BackendError::Option { .. } => "option",
        BackendError::NotTaken { .. } => "not_taken",
        BackendError::Missing { .. } => "missing",
    }
}

fn check(model: &Model, inputs: &[Value], expected: &str, reason: &str) {
    let error = run(model, inputs).expect_err(reason);
    assert_eq!(kind(&error), expected, "{reason}: {error}");
    let message = error.to_string();
    assert!(
        message.lines().count() == 1 && !message.ends_with(": "),
        "{message:?}"
    );
}

#[test]
fn errors_have_the_kind_of_the_status() {
    let (float, uint4) = (ValueType::tensor(DType::Float), ValueType::tensor(DType::Uint4));
    let pair = [float.clone(), float.clone()];
    let vector = |length: usize| Value::from(Tensor::vector(vec![1.0_f32; length]));
    let no_kernel = one_node("Identity", None, std::slice::from_ref(&uint4), &uint4);
    check(
        &no_kernel,
        &[],
        "unsupported",
        "there is no kernel for Identity of uint4",
    );
    let no_operator = one_node("Nonsense", None, std::slice::from_ref(&float), &float);
    check(&no_operator, &[], "load", "the operator does not exist");
    let complex = pass_through(&ValueType::tensor(DType::Complex64));
    check(&complex, &[], "unsupported", "the runtime has no complex numbers");
    let sum = one_node("MatMul", None, &pair, &float);
    check(&sum, &[vector(2), vector(3)], "run", "the lengths do not match");
    check(&sum, &[vector(2)], "run", "an input is missing");
}

#[test]
fn nested_types_do_not_panic() {
    let sequence = |element| ValueType::Sequence(Box::new(element));
    let optional = |element| ValueType::Optional(Box::new(element));
    let float = || ValueType::tensor(DType::Float);
    let key = DType::Int64;
    for value_type in [
        sequence(sequence(float())),
        sequence(optional(float())),
        optional(optional(float())),
        ValueType::Map {
            key,
            value: Box::new(sequence(float())),
        },
        ValueType::Map {
            key: DType::Float,
            value: Box::new(float()),
        },
    ] {
        check(
            &pass_through(&value_type),
            &[],
            "load",
            "the runtime does not have this type",
        );
    }
}

#[test]
fn bytes_that_are_not_a_model_do_not_load() {
    for bytes in [&b""[..], b"not a model", &[0xFF; 64]] {
        let request = LoadRequest {
            model: bytes.to_vec().into(),
            ..LoadRequest::default()
        };
        let error = backend().load(request).err().expect("not a model");
        assert_eq!(kind(&error), "load", "{error}");
    }
}

#[test]
fn the_error_names_an_unknown_input() {
    let float = ValueType::tensor(DType::Float);
    let request = LoadRequest {
        model: pass_through(&float).encode().into(),
        ..LoadRequest::default()
    };
    let mut session = backend().load(request).expect("the model is valid");
    let input = ("elsewhere".to_owned(), Tensor::scalar(1.0_f32).into());
    let error = session.run(&[input]).expect_err("unknown input");
    assert!(
        matches!(&error, BackendError::Run { message } if message.contains("elsewhere")),
        "{error}"
    );
}

#[test]
fn an_absent_provider_is_missing_and_the_error_lists_the_others() {
    let with = |provider: &str| {
        let provider = provider.to_owned();
        OrtBackend::new(Settings {
            library: Some(library().display().to_string()),
            provider: Some(provider),
            ..Settings::default()
        })
    };
    let error = with("Abacus").err().expect("unknown provider");
    let lists = |message: &str| message.contains("`Abacus`") && message.contains("CPUExecutionProvider");
    assert!(
        matches!(&error, BackendError::Missing { message } if lists(message)),
        "{error}"
    );
    let described = with("cpu").expect("a short name is accepted").describe();
    assert_eq!(described.options["provider"], "CPUExecutionProvider");
}

#[test]
fn a_library_that_does_not_exist_is_missing() {
    let settings = Settings {
        library: Some("/nonexistent/libonnxruntime.so".to_owned()),
        ..Settings::default()
    };
    let error = OrtBackend::new(settings).err().expect("no such file");
    assert!(
        matches!(&error, BackendError::Missing { message } if message.contains("/nonexistent/")),
        "{error}"
    );
}
