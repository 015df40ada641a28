//! The times of steps: which steps there are, and what they define.

use backend_api::{Backend, LoadRequest, Named, Profile};
use backend_native::{Native, Settings};
use onnx_tensor::{Tensor, Value};

fn profiled(text: &str, inputs: &[Named], runs: u32) -> Profile {
    let request = LoadRequest {
        model: onnx_rejections::model(text).encode().into(),
        ..LoadRequest::default()
    };
    let profile = Native::new(Settings::default()).profile(request, inputs, runs);
    profile.expect("a profile")
}

fn image(shape: &[usize]) -> Value {
    let count = shape.iter().product();
    Value::from(Tensor::new(shape, vec![0.5_f32; count]).expect("a tensor"))
}

/// The outputs of each step with their shapes.
fn results(profile: &Profile) -> Vec<Vec<(&str, &[u64])>> {
    let steps = profile.steps.iter();
    steps
        .map(|step| {
            let outputs = step.outputs.iter();
            outputs
                .map(|output| (output.name.as_str(), output.shape.as_deref().unwrap_or_default()))
                .collect()
        })
        .collect()
}

/// The product, the sum and the Relu are one step that defines the result of the last; a Flatten is
/// none, but its shape is reported.
#[test]
fn a_fused_step_defines_the_result_of_its_last_node() {
    let text = "model 10 \"\"=21\n\
                graph x:float[4,8] w:float[8,6] b:float[6] -> y:?\n\
                p = MatMul(x, w)\nq = Add(p, b)\nr = Relu(q)\nf = Flatten(r) axis=0\ny = Tanh(f)";
    let inputs = [
        ("x".to_owned(), image(&[4, 8])),
        ("w".to_owned(), image(&[8, 6])),
        ("b".to_owned(), image(&[6])),
    ];
    let profile = profiled(text, &inputs, 3);
    assert_eq!(profile.nanoseconds.len(), 3);
    assert!(profile.steps.iter().all(|step| step.calls == 3), "{profile:?}");
    let found = results(&profile);
    assert!(found.contains(&vec![("r", &[4, 6][..])]), "{found:?}");
    let view = profile
        .steps
        .iter()
        .find(|step| step.operator.starts_with("Flatten"));
    let view = view.expect("the view");
    assert_eq!(
        (view.nanoseconds, &view.outputs[0].shape),
        (0, &Some(vec![1, 24]))
    );
}

/// Each round of the loop is a call of the steps in its body, and the loop has only its own time.
#[test]
fn steps_of_a_body_are_called_in_each_round() {
    let text = "model 10 \"\"=21\n\
                graph rounds:int64 go:bool x:float[500,500] -> y:?\n\
                body round i on v:float[500,500] -> on w\nw = Tanh(v)\nend\n\
                y = Loop(rounds, go, x) body={round}";
    let inputs = [
        ("rounds".to_owned(), Value::from(Tensor::scalar(5_i64))),
        ("go".to_owned(), Value::from(Tensor::scalar(true))),
        ("x".to_owned(), image(&[500, 500])),
    ];
    let profile = profiled(text, &inputs, 2);
    let step = |operator: &str| {
        let found = profile
            .steps
            .iter()
            .find(|step| step.operator.starts_with(operator));
        found.unwrap_or_else(|| panic!("no {operator}: {profile:?}"))
    };
    let (inside, outside) = (step("Tanh"), step("Loop"));
    assert_eq!((inside.calls, outside.calls), (10, 2));
    let total: u64 = profile.nanoseconds.iter().sum();
    assert!(inside.nanoseconds + outside.nanoseconds <= total, "{profile:?}");
    let (begin, length) = outside.slice.expect("a slice");
    let (first, lasted) = inside.slice.expect("a slice");
    assert!(
        begin <= first && first + lasted <= begin + length,
        "the slice of the loop contains its body: {profile:?}"
    );
}

#[test]
fn a_run_that_fails_gives_an_error() {
    let request = LoadRequest {
        model: onnx_rejections::model("model 10 \"\"=21\ngraph x:float[2] -> y:?\ny = Relu(x)")
            .encode()
            .into(),
        ..LoadRequest::default()
    };
    let profile = Native::new(Settings::default()).profile(request, &[], 1);
    assert!(profile.is_err(), "{profile:?}");
}
