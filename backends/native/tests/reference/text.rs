//! Single sentences of the specification, each with a model that native had otherwise.

use backend_native::Settings;
use onnx_tensor::{DType, Tensor, Value};

use super::{native, numbers, reference, tensor, untouched};

/// Runs a model of one input `x` and one output, with and without passes.
fn outputs(text: &str, x: &Tensor) -> [Result<Tensor, String>; 2] {
    let model = onnx_rejections::model(text);
    [Settings::default(), untouched()].map(|settings| {
        let outputs = native(settings, &model, &[("x".to_owned(), Value::Tensor(x.clone()))]);
        let outputs = outputs.map_err(|error| error.to_string())?;
        outputs[0]
            .1
            .as_tensor()
            .cloned()
            .ok_or_else(|| "no tensor".to_owned())
    })
}

#[track_caller]
fn check(text: &str, x: &Tensor, expected: &[f64]) {
    for found in outputs(text, x) {
        let found = found.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(numbers(&found).as_deref(), Some(expected), "{text}");
    }
}

/// "Cast to a 4 bit type is done by rounding to the nearest-integer (with ties to even) nearest-even integer
/// and truncating" (int4.md; int2.md says the same of 2 bits). Wider integers are truncated.
#[test]
fn casts_to_narrow_integers_round_and_keep_the_low_bits() {
    let x = [0.5, 1.5, 2.5, -0.5, -1.5, 1.4, 7.6, 15.6, f64::NAN, f64::INFINITY];
    for (number, expected) in [
        (22, [0.0, 2.0, 2.0, 0.0, -2.0, 1.0, -8.0, 0.0, 0.0, 0.0]),
        (21, [0.0, 2.0, 2.0, 0.0, 14.0, 1.0, 8.0, 0.0, 0.0, 0.0]),
        (26, [0.0, -2.0, -2.0, 0.0, -2.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (25, [0.0, 2.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (3, [0.0, 1.0, 2.0, 0.0, -1.0, 1.0, 7.0, 15.0, 0.0, 0.0]),
    ] {
        for from in [DType::Float, DType::Double, DType::Float16] {
            let text = format!(
                "model 13 \"\"=25\ngraph x:{from} -> y:int64\nn = Cast(x) to={number}\ny = Cast(n) to=7"
            );
            check(&text, &tensor(from, &[10], &x), &expected);
        }
    }
}

/// The text does not say what NaN becomes: the reading `quantize-nan` is the zero point.
#[test]
fn nan_is_quantized_to_the_zero_point() {
    let x = tensor(DType::Float, &[3], &[f64::NAN, 1.0, -1.0]);
    for (dtype, zero) in [("uint8", 3.0), ("int8", -5.0), ("int16", 300.0), ("uint16", 7.0)] {
        let dtype = DType::from_onnx_name(dtype).expect("a type");
        let mut model = onnx_rejections::model(&format!(
            "model 10 \"\"=21\ngraph x:float -> y:{dtype}\ny = QuantizeLinear(x, s, z)"
        ));
        let mut graph = (*model.graph).clone();
        graph.initializers = vec![
            ("s".to_owned(), Value::Tensor(Tensor::scalar(0.5_f32))),
            ("z".to_owned(), Value::Tensor(tensor(dtype, &[], &[zero]))),
        ];
        model.graph = graph.into();
        for settings in [Settings::default(), untouched()] {
            let outputs = native(settings, &model, &[("x".to_owned(), Value::Tensor(x.clone()))]);
            let outputs = outputs.expect("it runs");
            let found = numbers(outputs[0].1.as_tensor().expect("a tensor")).expect("numbers");
            assert_eq!(found, [zero, zero + 2.0, zero - 2.0]);
        }
    }
}

/// Models that the reference refuses because of a shape, an equation or a value.
#[test]
fn what_an_operator_leaves_no_meaning_is_refused() {
    let of_shape = |shape: &[usize]| {
        let count = shape.iter().product::<usize>();
        tensor(DType::Float, shape, &vec![1.0; count])
    };
    for (text, x) in [
        // "Otherwise, the tensor is split to equal sized parts."
        (
            "model 8 \"\"=11\ngraph x:float[5] -> y:float[a] z:float[b]\ny, z = Split(x) axis=0",
            of_shape(&[5]),
        ),
        (
            "model 8 \"\"=13\ngraph x:float[5] -> y:float[a] z:float[b]\ny, z = Split(x) axis=0",
            of_shape(&[5]),
        ),
        // "Either input 'split' or the attribute 'num_outputs' should be specified, but not both."
        (
            "model 8 \"\"=18\ngraph x:float[4] -> y:float[a] z:float[b]\ny, z = Split(x) axis=0",
            of_shape(&[4]),
        ),
        (
            "model 8 \"\"=18\ngraph x:float[4] -> y:float[a] z:float[b]\ny, z = Split(x) axis=0 num_outputs=3",
            of_shape(&[4]),
        ),
        // A term has one ellipsis, all of them have as many axes, and an index occurs once in the result.
        (
            "model 8 \"\"=13\ngraph x:float[2,3] -> y:float*\ny = Einsum(x) equation=...i...->",
            of_shape(&[2, 3]),
        ),
        (
            "model 8 \"\"=13\ngraph x:float[2,3] -> y:float*\ny = Einsum(x) equation=ij->ii",
            of_shape(&[2, 3]),
        ),
        (
            "model 8 \"\"=13\ngraph x:float[2,3] -> y:float*\ny = Einsum(x, x) equation=...j,...ij->...",
            of_shape(&[2, 3]),
        ),
        // "If the input type is floating point, then `fmod` attribute must be set to 1."
        (
            "model 8 \"\"=10\ngraph x:float[2] -> y:float*\ny = Mod(x, x)",
            of_shape(&[2]),
        ),
        (
            "model 8 \"\"=13\ngraph x:float[2] -> y:float*\ny = Mod(x, x)",
            of_shape(&[2]),
        ),
        // "In the case of dequantizing int32, there's no zero point (zero point is supposed to be 0)."
        (
            "model 8 \"\"=13\ngraph x:float[2] -> y:float*\ni = Cast(x) to=6\none = Constant() value_float=1.0\n\
             z = Cast(one) to=6\ny = DequantizeLinear(i, one, z)",
            of_shape(&[2]),
        ),
    ] {
        let inputs = [("x".to_owned(), Value::Tensor(x.clone()))];
        assert!(
            reference(&onnx_rejections::model(text), &inputs).is_err(),
            "{text}"
        );
        for found in outputs(text, &x) {
            assert!(found.is_err(), "{text}");
        }
    }
}

/// A rule about shapes holds where they are known only when the node runs, and in a branch that is taken.
#[test]
fn a_rule_holds_for_the_nodes_that_run() {
    let branches = "body narrow -> a\nb = Concat(x, x) axis=0\na = Clip(x, b)\nend\n\
                    body same -> c\nc = Abs(x)\nend\n\
                    n = Size(x)\ntwo = Constant() value_int=2\nt = Equal(n, two)\n\
                    y = If(t) then_branch={narrow} else_branch={same}";
    let branch = format!("model 8 \"\"=16\ngraph x:float -> y:float\n{branches}");
    let late = "model 8 \"\"=16\ngraph x:float -> y:float\nzero = Constant() value_float=0.0\n\
                p = Greater(x, zero)\nb = Compress(x, p)\ny = Clip(x, b)";
    for (text, wrong, right) in [
        (branch.as_str(), [2.0, 3.0].as_slice(), [2.0].as_slice()),
        (late, &[1.0, 2.0], &[-1.0, 2.0]),
    ] {
        let input = |numbers: &[f64]| tensor(DType::Float, &[numbers.len()], numbers);
        for found in outputs(text, &input(wrong)) {
            assert!(found.is_err(), "{text}");
        }
        for found in outputs(text, &input(right)) {
            assert!(found.is_ok(), "{text}: {found:?}");
        }
    }
}

/// The last of uneven parts is smaller since 18.
#[test]
fn the_last_part_may_be_smaller_since_18() {
    let text =
        "model 8 \"\"=18\ngraph x:float[5] -> y:float[a] z:float[b]\ny, z = Split(x) axis=0 num_outputs=2";
    check(
        text,
        &tensor(DType::Float, &[5], &[1.0, 2.0, 3.0, 4.0, 5.0]),
        &[1.0, 2.0, 3.0],
    );
}
