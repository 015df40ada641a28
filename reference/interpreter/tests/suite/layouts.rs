//! An operator gives the same result for operands in every memory layout: a Transpose leaves its operand
//! where it is, with other strides.

use std::collections::BTreeMap;

use onnx_interpreter::{Limits, run};
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

use crate::generated::{numbers, plans};

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

/// Whether values have the same shape and bits, or are equal if they are no numbers.
fn is_same(a: &Value, b: &Value) -> bool {
    let shape = |value: &Value| value.as_tensor().map(|tensor| tensor.shape().to_vec());
    let bits = |value: &Value| -> Vec<u64> { numbers(value).iter().map(|x| x.to_bits()).collect() };
    shape(a) == shape(b) && bits(a) == bits(b) && (!numbers(a).is_empty() || a == b)
}

#[test]
fn the_layout_of_an_operand_changes_nothing() {
    let (mut wrong, mut compared) = (BTreeMap::new(), 0);
    for (schema, plan) in plans(12) {
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
            let holds = found.as_ref().is_ok_and(|found| {
                let pairs = right.iter().zip(found);
                pairs.clone().count() == right.len() && pairs.into_iter().all(|(a, b)| is_same(&a.1, &b.1))
            });
            compared += 1;
            if !holds {
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
