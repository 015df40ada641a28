//! Elements outside of a window, a group, a row or a channel do not change a result, whatever they
//! are: on generated cases of every windowed and grouped operator, without a reference.
//!
//! An element of the first input becomes large, positive and negative. The results that keep all
//! their bits do not depend on it, and must keep their values if the element becomes NaN, an
//! infinity or the greatest finite number.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_api::{Backend, LoadRequest, Named, Session};
use backend_native::{Native, Settings};
use onnx_generator::Case;
use onnx_tensor::{DType, Real, Tensor, Value, dispatch};

/// Operators whose results each depend on a part of their first input.
const OPERATORS: [&str; 27] = [
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvTranspose",
    "CumSum",
    "Gemm",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GlobalMaxPool",
    "GroupNormalization",
    "InstanceNormalization",
    "LRN",
    "LayerNormalization",
    "LogSoftmax",
    "LpNormalization",
    "LpPool",
    "MatMul",
    "MaxPool",
    "RMSNormalization",
    "ReduceL1",
    "ReduceL2",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "ReduceSumSquare",
    "Softmax",
];

/// A magnitude beside which every other element is small, and whose square is a float16.
const LARGE: f64 = 200.0;

/// The elements of a float tensor in f64; `None` for other types.
fn numbers(tensor: &Tensor) -> Option<Vec<f64>> {
    let float = matches!(
        tensor.dtype(),
        DType::Float | DType::Double | DType::Float16 | DType::Bfloat16
    );
    let read = || dispatch!(real, tensor.dtype(), T => Ok::<_, onnx_tensor::TensorError>(tensor.array::<T>()?.iter().map(|x| Real::to_f64(*x)).collect()));
    float.then(read)?.ok()
}

fn tensor(dtype: DType, shape: &[usize], numbers: &[f64]) -> Tensor {
    let made = dispatch!(real, dtype, T => Tensor::new::<T>(shape, numbers.iter().map(|x| Real::from_f64(*x)).collect()));
    made.expect("as many elements as the shape has")
}

/// The same tensor with finite elements between 1/8 and 2 in magnitude: a zero would hide a dependency.
fn tamed(tensor_: &Tensor) -> Tensor {
    let Some(numbers) = numbers(tensor_) else {
        return tensor_.clone();
    };
    let tame = |(index, x): (usize, &f64)| match x.abs() {
        size if (0.125..=2.0).contains(&size) => *x,
        _ => 0.25 + (index % 7) as f64 / 8.0,
    };
    let tamed: Vec<f64> = numbers.iter().enumerate().map(tame).collect();
    tensor(tensor_.dtype(), tensor_.shape(), &tamed)
}

fn tame_all(values: &mut [(String, Value)]) {
    for (_, value) in values {
        if let Value::Tensor(tensor) = value {
            *tensor = tamed(tensor);
        }
    }
}

/// The numbers of the float outputs, one after the other; `None` if the session declines.
fn run(session: &mut dyn Session, inputs: &[Named]) -> Option<Vec<f64>> {
    let outputs = session.run(inputs).ok()?;
    let tensors = outputs
        .iter()
        .filter_map(|(_, value)| value.as_tensor().and_then(numbers));
    Some(tensors.flatten().collect())
}

/// Runs a case with each of a few elements replaced. Returns the number of results that were held
/// against others.
fn check(mut case: Case) -> Option<usize> {
    tame_all(&mut case.inputs);
    tame_all(&mut Arc::make_mut(&mut case.model.graph).initializers);
    let (name, Value::Tensor(first)) = case.inputs.first()? else {
        return None;
    };
    let (dtype, plain) = (first.dtype(), numbers(first)?);
    if name != "x0" || !(2..=4096).contains(&plain.len()) {
        return None;
    }
    let request = LoadRequest {
        model: case.model.encode().into(),
        ..LoadRequest::default()
    };
    let mut session = Native::new(Settings::default()).load(request).ok()?;
    let shape = first.shape().to_vec();
    let mut with = |numbers: &[f64]| {
        let mut inputs = case.inputs.clone();
        inputs[0].1 = Value::Tensor(tensor(dtype, &shape, numbers));
        run(&mut *session, &inputs)
    };
    let replaced = |place: usize, element: f64| {
        let mut changed = plain.clone();
        changed[place] = element;
        changed
    };
    let base = with(&plain)?;
    // A result that nothing changes may hide an element, as an element less the mean of itself alone does.
    let other: Vec<f64> = plain.iter().map(|x| 1.5 * x + 0.375).collect();
    let moved = with(&other)?;
    let mut held = 0;
    for place in [0, plain.len() / 3, plain.len() - 1] {
        let (above, below) = (with(&replaced(place, LARGE))?, with(&replaced(place, -LARGE))?);
        let depends = |index: usize| {
            [&above, &below]
                .iter()
                .any(|found| found[index].to_bits() != base[index].to_bits())
        };
        let responds = |index: usize| moved[index].to_bits() != base[index].to_bits();
        let apart: Vec<usize> = (0..base.len())
            .filter(|index| responds(*index) && !depends(*index))
            .collect();
        // Without any dependency a factor may be zero, which an infinity does not leave zero.
        if !(0..base.len()).any(depends) {
            continue;
        }
        for element in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            let found = with(&replaced(place, element))?;
            for index in &apart {
                let (found, base) = (found[*index], base[*index]);
                // Another way through the kernel may round otherwise.
                let same =
                    found.to_bits() == base.to_bits() || (found - base).abs() <= 1e-2 * base.abs().max(1.0);
                assert!(
                    same,
                    "{}/{}: with {element} at {place} of x0, result {index} became {found}, expected {base}",
                    case.suite, case.name
                );
            }
            held += apart.len();
        }
    }
    Some(held)
}

#[test]
fn elements_outside_do_not_change_a_result() {
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    for case in onnx_generator::cases(0, 30_000) {
        let operator = case.suite.rsplit_once('-').map_or("", |(operator, _)| operator);
        if let Some(operator) = OPERATORS.iter().find(|known| **known == operator) {
            *held.entry(operator).or_default() += check(case).unwrap_or(0);
        }
    }
    for operator in OPERATORS {
        let held = held.get(operator).copied().unwrap_or(0);
        assert!(
            held > 100,
            "{operator}: only {held} results were held against others"
        );
    }
}
