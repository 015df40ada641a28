//! Random rounding moves an element at most as far as the bound of its operator allows, on generated cases.

use std::collections::BTreeMap;

use onnx_bounds::{Radius, precision};
use onnx_interpreter::{Limits, run, run_bounded};
use onnx_tensor::{Tensor, Value};

use crate::build::{graph, model, node};
use crate::generated::{numbers, plans};

#[test]
fn random_rounding_stays_within_the_bound() {
    let (mut wrong, mut moved) = (BTreeMap::new(), 0);
    for (schema, plan) in plans(40) {
        for case in plan.cases() {
            let Ok(exact) = run_bounded(&case.model, &case.inputs, Limits::default()) else {
                continue;
            };
            for seed in 0..3 {
                let limits = Limits {
                    noise: Some(seed),
                    ..Limits::default()
                };
                let found = run(&case.model, &case.inputs, limits).expect("it ran before");
                for ((_, exact, radius), (name, found)) in exact.iter().zip(&found) {
                    let Radius::Within { radius, .. } = radius else {
                        continue;
                    };
                    let Some(dtype) = exact.as_tensor().map(Tensor::dtype) else {
                        continue;
                    };
                    let elements = numbers(exact).into_iter().zip(numbers(found)).zip(radius.iter());
                    for (place, ((exact, found), radius)) in elements.enumerate() {
                        moved += usize::from(exact != found);
                        let off = (exact - found).abs();
                        // A moved result is rounded once more.
                        if off > radius + precision::ulp(dtype, exact) {
                            let text = format!("`{name}` {place}: {found} for {exact}, bound {radius:e}");
                            wrong.insert(format!("{schema} {}", case.name), text);
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
    assert!(moved > 10_000, "{moved} elements");
}

/// Joined along the last axis, an array is not row-major; each element has its own set of values all the
/// same.
#[test]
fn elements_keep_their_places_in_every_layout() {
    let axis = [("axis", onnx_model::AttributeValue::Int(1))];
    let mut join = node("QLinearConcat", "to zero q from zero r from zero", "y", &axis);
    join.domain = "com.microsoft".to_owned();
    let mut model = model(18, graph("to from zero q r", "y", &[join]));
    model.opset_imports.insert("com.microsoft".to_owned(), 1);
    let bytes = |first: u8| {
        let bytes = (0..128).map(|at| first + at).collect::<Vec<u8>>();
        Value::Tensor(Tensor::new(&[2, 64], bytes).expect("128 bytes"))
    };
    let inputs = [
        ("to".to_owned(), Tensor::scalar(0.06_f32).into()),
        ("from".to_owned(), Tensor::scalar(0.05_f32).into()),
        ("zero".to_owned(), Tensor::scalar(98_u8).into()),
        ("q".to_owned(), bytes(0)),
        ("r".to_owned(), bytes(128)),
    ];
    let y = |noise| {
        let limits = Limits {
            noise,
            ..Limits::default()
        };
        numbers(&run(&model, &inputs, limits).expect("a result")[0].1)
    };
    let exact = y(None);
    let off = |seed| {
        y(Some(seed))
            .into_iter()
            .zip(&exact)
            .map(|(y, exact)| (y - exact).abs())
            .collect::<Vec<f64>>()
    };
    let off: Vec<f64> = (0..8).flat_map(off).collect();
    let most = off.iter().fold(0.0, |most: f64, off| most.max(*off));
    let count = off.iter().filter(|off| **off > 0.0).count();
    assert_eq!(most, 1.0);
    assert!((8 * 10..8 * 60).contains(&count), "{count}");
}
