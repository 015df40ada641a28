//! Signs of zero, and sums of nothing: every operator on inputs in which zeros of both signs are frequent.
//!
//! Where the text defines a result of zero, its sign is part of the result. A difference that no text
//! decides is listed, with the reason.

use std::collections::BTreeMap;

use backend_native::Settings;
use onnx_generator::Case;
use onnx_tensor::{DType, Tensor, Value};

use super::{native, numbers, reference, replace_tensors, tensor, untouched};

/// The sentence names a sum, but neither its first summand nor the order of the others: −0 + −0 is −0,
/// 0 + −0 is +0, and a sum of terms that cancel depends on what was rounded before.
const SUM: &str = "the zero of a sum without an order and a start";
/// The sentence compares numbers, and zeros of both signs are equal.
const EXTREME: &str = "the greater or lesser of two zeros";
/// The sentence composes two functions. A value next to 0 is rounded to −0 as a whole, and to +0 in two
/// steps.
const STEPS: &str = "a value that is rounded to 0 once or in steps";

/// Operators whose zeros may have either sign: the sentence of the specification that leaves it open, and
/// why.
const EITHER: &[(&str, &str, &str)] = &[
    (
        "BatchNormalization",
        "Carries out batch normalization as described in the paper https://arxiv.org/abs/1502.03167.",
        SUM,
    ),
    (
        "Conv",
        "The convolution operator consumes an input tensor and a filter, and computes the output.",
        SUM,
    ),
    (
        "ConvTranspose",
        "The convolution transpose operator consumes an input tensor and a filter, and computes the output.",
        SUM,
    ),
    (
        "DeformConv",
        "Performs deformable convolution as described in https://arxiv.org/abs/1703.06211",
        SUM,
    ),
    ("Gemm", "Compute Y = alpha * A' * B' + beta * C", SUM),
    ("LayerNormalization", "D = Sub(X, Mean)", SUM),
    (
        "LogSoftmax",
        "LogSoftmax(input, axis) = Log(Softmax(input, axis=axis))",
        STEPS,
    ),
    (
        "Resize",
        "it calculates every value in the output tensor as a weighted average of neighborhood",
        SUM,
    ),
    (
        "RoiAlign",
        "the value of the sampled locations are computed directly through bilinear interpolation.",
        SUM,
    ),
    (
        "Upsample",
        "Two interpolation modes: nearest (default), and linear (including bilinear, trilinear, etc)",
        SUM,
    ),
    ("Celu", "max(0,x) + min(0,alpha*(exp(x/alpha)-1))", EXTREME),
    (
        "MaxPool",
        "The output of each pooling window is maximum number of elements exclude pad.",
        EXTREME,
    ),
    (
        "ReduceMin",
        "Computes the min of the input tensor's elements along the provided axes.",
        EXTREME,
    ),
];

/// Every third element is a zero, with alternating signs.
fn with_zeros(old: &Tensor) -> Option<Tensor> {
    let float = matches!(
        old.dtype(),
        DType::Float | DType::Double | DType::Float16 | DType::Bfloat16
    );
    let mut elements = numbers(old).filter(|_| float)?;
    for (at, element) in elements.iter_mut().enumerate() {
        match at % 6 {
            1 => *element = -0.0,
            4 => *element = 0.0,
            _ => {}
        }
    }
    Some(tensor(old.dtype(), old.shape(), &elements))
}

/// The zeros of a result: for each element whether it is a zero, and its sign.
fn zeros(value: &Value) -> Vec<Option<bool>> {
    let elements = value.as_tensor().and_then(numbers).unwrap_or_default();
    let zero = |element: &f64| (*element == 0.0).then(|| element.is_sign_negative());
    elements.iter().map(zero).collect()
}

/// The first zero whose sign differs from that of the reference, if both compute the case.
fn difference(case: &Case, settings: Settings) -> Option<String> {
    let exact = reference(&case.model, &case.inputs).ok()?;
    let found = native(settings, &case.model, &case.inputs).ok()?;
    let mut both = found.iter().zip(&exact);
    both.find_map(|((_, found), (name, exact))| {
        let both = zeros(found).into_iter().zip(zeros(exact)).enumerate();
        let other = both.filter_map(|(at, pair)| match pair {
            (Some(found), Some(exact)) if found != exact => Some((at, found)),
            _ => None,
        });
        let sign = |(at, negative): (usize, bool)| {
            let zero = if negative { "−0" } else { "+0" };
            format!("{}/{}: `{name}`[{at}] is {zero}", case.suite, case.name)
        };
        other.map(sign).next()
    })
}

#[test]
fn zeros_have_the_sign_of_the_reference() {
    let mut compared = 0;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mut case in onnx_generator::cases(0, 12_000) {
        let operator = case
            .suite
            .rsplit_once('-')
            .map_or("", |(operator, _)| operator)
            .to_owned();
        if EITHER.iter().any(|(known, _, _)| *known == operator) {
            continue;
        }
        replace_tensors(&mut case.model, &mut case.inputs, |_, old| with_zeros(old));
        compared += 1;
        for settings in [Settings::default(), untouched()] {
            wrong
                .entry(operator.clone())
                .or_default()
                .extend(difference(&case, settings));
        }
    }
    wrong.retain(|_, lines| !lines.is_empty());
    let lines: Vec<String> = wrong
        .iter()
        .map(|(operator, lines)| format!("{operator}: {} times, {}", lines.len(), lines[0]))
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
    assert!(compared > 5_000, "only {compared} cases");
}

/// The text of the operators that it was wrong for: the bits of each result.
#[test]
fn signs_of_zero_follow_the_text() {
    let inputs = |pairs: &[(&str, Tensor)]| -> Vec<(String, Value)> {
        pairs
            .iter()
            .map(|(name, tensor)| ((*name).to_owned(), Value::Tensor(tensor.clone())))
            .collect()
    };
    let check = |text: &str, fed: &[(&str, Tensor)], expected: Tensor| {
        let model = onnx_rejections::model(text);
        for settings in [Settings::default(), untouched()] {
            let outputs =
                native(settings, &model, &inputs(fed)).unwrap_or_else(|error| panic!("{text}: {error}"));
            let found = outputs[0].1.as_tensor().expect("a tensor");
            assert!(found.same_bits(&expected), "{text}: {found:?}");
        }
    };
    let list = |numbers: &[f32]| Tensor::vector(numbers.to_vec());
    // "If input == 0, output 0."
    check(
        "graph x:float -> y:float\ny = Sign(x)",
        &[("x", list(&[-0.0, 0.0, -2.0]))],
        list(&[0.0, 0.0, -1.0]),
    );
    // "If x is ±0 and y is nonzero, ±0 with the sign of y is returned."
    check(
        "model 10 \"\"=28\ngraph x:float w:float -> y:float\ny = Mod(x, w)",
        &[
            ("x", list(&[0.0, -0.0, 4.0, -4.0, 4.0])),
            ("w", list(&[-2.0, 2.0, -2.0, 2.0, 3.0])),
        ],
        list(&[-0.0, 0.0, -0.0, 0.0, 1.0]),
    );
    // A sum of nothing is 0.
    for operator in ["ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"] {
        for dtype in ["float", "double", "float16"] {
            let dtype = DType::from_onnx_name(dtype).expect("a type");
            check(
                &format!(
                    "model 8 \"\"=18\ngraph x:{dtype}[2,0] -> y:{dtype}[a]\ni = Constant() value_ints=[1]\n\
                     y = {operator}(x, i) keepdims=0"
                ),
                &[("x", tensor(dtype, &[2, 0], &[]))],
                tensor(dtype, &[2], &[0.0, 0.0]),
            );
        }
    }
    let none = Tensor::new::<f64>(&[2, 0], Vec::new()).expect("no elements");
    check(
        "model 8 \"\"=13\ngraph x:double[2,0] w:double[0,1] -> y:double[a,b]\ny = Einsum(x, w) equation=ij,jk->ik",
        &[
            ("x", none),
            ("w", Tensor::new::<f64>(&[0, 1], Vec::new()).expect("no elements")),
        ],
        tensor(DType::Double, &[2, 1], &[0.0, 0.0]),
    );
}

/// BatchNormalization of an empty batch: the statistics of no elements are NaN, and the result is empty.
#[test]
fn an_empty_batch_is_normalized() {
    let model = onnx_rejections::model(
        "model 10 \"\"=15\ngraph x:float[0,2] s:float[2] b:float[2] m:float[2] v:float[2] -> y:float[a,b] n:float[c] o:float[c]\n\
         y, n, o = BatchNormalization(x, s, b, m, v) training_mode=1",
    );
    let channels = |name: &str| (name.to_owned(), Value::Tensor(Tensor::vector(vec![1.0_f32, 2.0])));
    let empty = Value::Tensor(Tensor::new::<f32>(&[0, 2], Vec::new()).expect("no elements"));
    let mut inputs = vec![("x".to_owned(), empty)];
    inputs.extend(["s", "b", "m", "v"].map(channels));
    let (found, exact) = (
        native(Settings::default(), &model, &inputs).expect("it runs"),
        reference(&model, &inputs).expect("it runs"),
    );
    for ((_, found), (name, exact)) in found.iter().zip(&exact) {
        let [found, exact] = [found, exact].map(|value| value.as_tensor().expect("a tensor"));
        assert_eq!(found.shape(), exact.shape(), "{name}");
        let [found, exact] = [found, exact].map(|tensor| numbers(tensor).expect("numbers"));
        assert!(
            found
                .iter()
                .zip(&exact)
                .all(|(a, b)| a == b || (a.is_nan() && b.is_nan())),
            "{name}: {found:?}"
        );
    }
}
