//! One infinity of an operand changes the noise of no result that does not depend on it, on generated cases.

use std::collections::BTreeMap;

use onnx_interpreter::{Arithmetic, Limits, run};
use onnx_model::Model;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

use crate::generated::{numbers, plans};

/// The tensor of floats with an infinity as its first element.
fn with_infinity(tensor: &Tensor) -> Option<Tensor> {
    let replaced = || -> Result<Tensor, TensorError> {
        dispatch!(float, tensor.dtype(), T => {
            let mut elements = tensor.to_vec::<T>()?;
            if let Some(first) = elements.first_mut() {
                *first = T::from_f64(f64::INFINITY);
            }
            Tensor::new(tensor.shape(), elements)
        })
    };
    replaced().ok()
}

/// The fewest results that show noise.
const ENOUGH: usize = 6;

/// The elements of some runs with random rounding.
fn noisy(model: &Model, inputs: &[(String, Value)]) -> Vec<Vec<f64>> {
    let of = |seed| {
        let limits = Limits {
            noise: Some(seed),
            arithmetic: Arithmetic::Approximated,
            ..Limits::default()
        };
        numbers(&run(model, inputs, limits).expect("it ran before")[0].1)
    };
    (0..6).map(of).collect()
}

/// The distance of elements from those without random rounding.
fn noise(runs: &[Vec<f64>], exact: &[f64], places: &[usize]) -> f64 {
    let squares = runs
        .iter()
        .flat_map(|run| places.iter().map(|place| (run[*place] - exact[*place]).powi(2)));
    squares.sum::<f64>().sqrt()
}

#[test]
fn an_infinity_switches_no_noise_off() {
    let (mut wrong, mut compared) = (BTreeMap::new(), 0);
    for (schema, plan) in plans(24) {
        for case in plan.cases() {
            let Some(changed) = case
                .inputs
                .first()
                .and_then(|(_, value)| with_infinity(value.as_tensor()?))
            else {
                continue;
            };
            let mut inputs = case.inputs.clone();
            inputs[0].1 = changed.into();
            let ran = |inputs: &[(String, Value)]| {
                let outputs = run(&case.model, inputs, Limits::default()).ok()?;
                Some(numbers(&outputs.first()?.1))
            };
            let (Some(plain), Some(infinite)) = (ran(&case.inputs), ran(&inputs)) else {
                continue;
            };
            if plain.len() != infinite.len() {
                continue;
            }
            let [plainly, beside] = [&case.inputs, &inputs].map(|inputs| noisy(&case.model, inputs));
            // Zeros are padding, and results that are NaN in a run are open.
            let stays = |place: &usize| {
                let is_open = || beside.iter().any(|run| !run[*place].is_finite());
                plain[*place] != 0.0 && plain[*place] == infinite[*place] && !is_open()
            };
            let places: Vec<usize> = (0..plain.len()).filter(stays).collect();
            let [own, beside] = [plainly, beside].map(|runs| noise(&runs, &plain, &places));
            let shows = places.len() >= ENOUGH && own > 0.0 && own.is_finite();
            compared += usize::from(shows);
            if shows && beside <= own / 4.0 {
                let text = format!("{beside:e} for {own:e}, {} of {}", places.len(), plain.len());
                wrong.insert(format!("{schema} {}", case.name), text);
            }
        }
    }
    assert!(compared > 500, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}: {wrong:#?}", wrong.len());
}
