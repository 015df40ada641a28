//! A run ends at the limit of its steps, whether it takes them in many rounds or in large results.

use backend_api::{Backend, LoadRequest};
use backend_native::{Native, Settings};
use onnx_tensor::{Tensor, Value};

/// Runs a loop with this body for ever; `i` is the number of the round and `x` a float[1000, 1000].
#[track_caller]
fn check(body: &str, steps: u64) {
    let text = format!(
        "model 10 \"\"=21\n\
         graph rounds:int64 go:bool x:float[1000,1000] -> y:?\n\
         body round i on -> on total\n{body}\ntotal = ReduceSum(long) keepdims=0\nend\n\
         y = Loop(rounds, go) body={{round}}"
    );
    let request = LoadRequest {
        model: onnx_rejections::model(&text).encode().into(),
        ..LoadRequest::default()
    };
    let settings = Settings {
        steps,
        ..Settings::default()
    };
    let mut session = Native::new(settings).load(request).expect("it loads");
    let image = Tensor::new(&[1000, 1000], vec![0.5_f32; 1_000_000]).expect("a tensor");
    let ran = session.run(&[
        ("rounds".to_owned(), Value::from(Tensor::scalar(i64::MAX))),
        ("go".to_owned(), Value::from(Tensor::scalar(true))),
        ("x".to_owned(), Value::from(image)),
    ]);
    let error = ran.expect_err("it never ends").to_string();
    assert!(
        error.contains(&format!("more than {steps} steps")),
        "{body}: {error}"
    );
}

#[test]
fn an_endless_loop_ends_at_the_limit_of_steps() {
    check("long = Neg(i)", 20_000);
    // Without the charge for elements, each of these takes an hour.
    check("long = BlackmanWindow(i)", 20_000);
    check("long = Relu(x)", 20_000);
    check("wide = Cast(x) to=11\nlong = Neg(wide)", 20_000);
}
