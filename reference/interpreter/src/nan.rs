//! The NaN of an operation.
//!
//! IEEE 754 leaves its sign open (section 6.3): 0/0 has one on x86-64 and none on aarch64. Here it has none,
//! so that answers have the same bits everywhere. An operator that only moves elements keeps theirs.

use onnx_arithmetic::nan;
use onnx_operators::frame::Outputs;
use onnx_schema::OperatorSchema;
use onnx_tensor::{Array, Tensor, Value};

/// Gives every NaN in the outputs of an operator that rounds the same bits. Types of 16 and fewer bits have
/// them by their own rounding.
pub(crate) fn canonical(schema: &OperatorSchema, mut outputs: Outputs) -> Outputs {
    if onnx_bounds::rules::rounds(schema.domain, schema.name) {
        for output in outputs.iter_mut().flatten() {
            match output {
                Value::Tensor(Tensor::Float(elements)) => {
                    unify(elements, f32::from_bits(nan::FLOAT), nan::has_other_f32);
                }
                Value::Tensor(Tensor::Double(elements)) => {
                    unify(elements, f64::from_bits(nan::DOUBLE), nan::has_other_f64);
                }
                _ => {}
            }
        }
    }
    outputs
}

/// Replaces every NaN; copies nothing if there is no other one.
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn unify<T: Copy + PartialEq>(elements: &mut Array<T>, nan: T, has_other: fn(&[T]) -> bool) {
    if elements.as_slice_memory_order().is_none_or(has_other) {
        elements.mapv_inplace(|x| if x == x { x } else { nan });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(operator: &str, given: &[u32], expected: &[u32]) {
        let schema = onnx_schema::lookup("", operator, 13).unwrap();
        let elements = given.iter().map(|&bits| f32::from_bits(bits)).collect();
        let tensor = Tensor::new::<f32>(&[given.len()], elements).unwrap();
        let outputs = canonical(schema, vec![None, Some(tensor.into())]);
        let found = outputs[1].as_ref().and_then(Value::as_tensor).unwrap();
        let found: Vec<u32> = found
            .to_vec::<f32>()
            .unwrap()
            .iter()
            .map(|x| x.to_bits())
            .collect();
        assert_eq!(found, expected, "{operator}");
    }

    #[test]
    fn an_operation_has_one_nan_and_a_copy_keeps_its_own() {
        let given = [0xFFC0_0000, 0x7FC0_0001, 0xFF80_0000, 0x8000_0000];
        check(
            "Sqrt",
            &given,
            &[0x7FC0_0000, 0x7FC0_0000, 0xFF80_0000, 0x8000_0000],
        );
        check("Identity", &given, &given);
        check("Transpose", &given, &given);
    }
}
