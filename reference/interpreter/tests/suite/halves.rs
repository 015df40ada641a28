//! Operators of 16-bit types in the classes of arithmetic, on generated cases.

use std::collections::BTreeMap;

use onnx_interpreter::{Arithmetic, Limits, run};
use onnx_tensor::{DType, Float, Tensor, Value, bf16, f16};

use crate::build::{graph, model, node};
use crate::generated::plans;
use onnx_model::AttributeValue;

/// Whether a value has elements of 16-bit floats.
fn is_half(value: &Value) -> bool {
    let dtype = value.as_tensor().map(Tensor::dtype);
    matches!(dtype, Some(DType::Float16 | DType::Bfloat16))
}

/// Every operator has a result in every class for operands of 16 bits, also one whose function body names
/// float.
#[test]
fn every_operator_runs_in_every_class() {
    let (mut wrong, mut count) = (BTreeMap::new(), 0);
    for (schema, plan) in plans(100) {
        // The bits of a value that stays in float are not those of its type.
        let classes = match schema.name {
            "BitCast" => &Arithmetic::ALL[..0],
            _ => &Arithmetic::ALL[..],
        };
        let of_halves = plan
            .cases()
            .filter(|case| case.inputs.iter().any(|(_, value)| is_half(value)));
        for case in of_halves.take(4) {
            if run(&case.model, &case.inputs, Limits::default()).is_err() {
                continue;
            }
            count += 1;
            for &arithmetic in classes {
                let limits = Limits {
                    noise: Some(1),
                    arithmetic,
                    ..Limits::default()
                };
                if let Err(error) = run(&case.model, &case.inputs, limits) {
                    wrong.insert(
                        format!("{schema} {}", case.name),
                        format!("{arithmetic:?}: {error}"),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 1000, "{count} cases");
}

/// Attention in 16 bits returns means of the values, whatever the size of its scores.
#[test]
fn attention_of_large_scores() {
    fn check<T: Float>(limit: f32) {
        let numbers = |extents: &[usize], seed: f32| {
            let count = extents.iter().product();
            let numbers = (0..count).map(|at| T::from_f64(f64::from((at as f32 * seed).sin() * 20.0)));
            Tensor::new(extents, numbers.collect::<Vec<T>>()).expect("as many")
        };
        let main = graph(
            "q k v",
            "y",
            &[node(
                "Attention",
                "q k v",
                "y",
                &[("scale", AttributeValue::Float(0.05))],
            )],
        );
        let inputs = [
            ("q".to_owned(), numbers(&[1, 2, 3, 8], 0.7).into()),
            ("k".to_owned(), numbers(&[1, 2, 5, 8], 1.3).into()),
            ("v".to_owned(), numbers(&[1, 2, 5, 8], 2.1).into()),
        ];
        let y = |noise, arithmetic| {
            let limits = Limits {
                noise,
                arithmetic,
                ..Limits::default()
            };
            let outputs = run(&model(23, main.clone()), &inputs, limits).expect("a result");
            let tensor = outputs[0].1.as_tensor().expect("a tensor").clone();
            assert_eq!(tensor.dtype(), T::DTYPE);
            tensor
                .to_vec::<T>()
                .expect("halves")
                .iter()
                .map(|y| y.to_f64() as f32)
                .collect::<Vec<f32>>()
        };
        let exact = y(None, Arithmetic::Rounded);
        for arithmetic in [Arithmetic::Rounded, Arithmetic::Narrow, Arithmetic::Reduced] {
            let off = (0..20)
                .flat_map(|seed| y(Some(seed), arithmetic))
                .zip(exact.iter().cycle());
            let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            // Scores of 160 have errors of some steps of 16 bits.
            assert!(off > 0.0 && off < limit, "{arithmetic:?}: {off}");
        }
    }
    // Scores of 160 have errors of 0.1 and 1; no mean of values is farther off than twice the largest.
    check::<f16>(6.0);
    check::<bf16>(41.0);
}
