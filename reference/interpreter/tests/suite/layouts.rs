//! An operator gives the same result for operands in every memory layout: a Transpose leaves its operand
//! where it is, with other strides.

use std::collections::BTreeMap;

use onnx_interpreter::{Limits, implemented, run};
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

/// The tensor with its elements in column-major order in memory; others than numbers stay.
fn column_major(tensor: &Tensor) -> Tensor {
    let moved = || -> Result<Tensor, TensorError> {
        dispatch!(real, tensor.dtype(), T => {
            let reversed = tensor.array::<T>()?.clone().reversed_axes();
            let copy = reversed.as_standard_layout().into_owned();
            Ok(copy.reversed_axes().into_shared().into())
        })
    };
    moved().unwrap_or_else(|_| tensor.clone())
}

/// The bits of numbers in row-major order; `None` of other values.
fn bits(value: &Value) -> Option<(Vec<usize>, Vec<u64>)> {
    let tensor = value.as_tensor()?;
    let bits = || -> Result<Vec<u64>, TensorError> {
        dispatch!(real, tensor.dtype(), T => {
            Ok(tensor.array::<T>()?.iter().map(|x| x.to_f64().to_bits()).collect())
        })
    };
    Some((tensor.shape().to_vec(), bits().ok()?))
}

#[test]
fn the_layout_of_an_operand_changes_nothing() {
    let (mut wrong, mut compared) = (BTreeMap::new(), 0);
    for schema in implemented() {
        let Ok(mut plan) = onnx_generator::plan(schema, 0) else {
            continue;
        };
        plan.extend(onnx_generator::Phase::Pair, 12);
        for case in plan.cases() {
            let Ok(right) = run(&case.model, &case.inputs, Limits::default()) else {
                continue;
            };
            let moved = case.inputs.iter().map(|(name, value)| {
                let moved = value
                    .as_tensor()
                    .map(|tensor| Value::Tensor(column_major(tensor)));
                (name.clone(), moved.unwrap_or_else(|| value.clone()))
            });
            let moved: Vec<(String, Value)> = moved.collect();
            let found = run(&case.model, &moved, Limits::default());
            let is_same = found.as_ref().is_ok_and(|found| {
                let pairs = right.iter().zip(found);
                pairs.clone().count() == right.len()
                    && pairs.into_iter().all(|(a, b)| bits(&a.1) == bits(&b.1))
            });
            compared += 1;
            if !is_same {
                let text = found
                    .err()
                    .map_or("other values".to_owned(), |error| error.to_string());
                wrong.insert(format!("{schema} {}", case.name), text);
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}: {wrong:#?}", wrong.len());
}
