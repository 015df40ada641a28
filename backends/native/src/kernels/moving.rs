//! Code that only moves elements, for every element type that the arena holds.

use half::slice::HalfFloatSliceExt;
use native_kernels::Zeroable;
use onnx_tensor::DType;

use super::used::Operand;
use super::{Attempt, Device, Elements, ElementsMut, Kernel, Use, lower_floats};
use crate::error::{Problem, invalid};
use crate::ir::Op;
use crate::ops::fast::{Fast, Placed};

/// Code that gives elements of its operands as they are.
pub trait Move {
    /// Moves elements of all operands, which have one type, to the results.
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem>;
}

/// Makes a kernel of code that moves elements of all operands.
pub fn moving(mut code: impl Move + 'static) -> Box<dyn Kernel> {
    Box::new(
        move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
            run(&mut code, device, inputs, outputs)
        },
    )
}

/// Runs the code with the type of the results; halves are moved as bits.
pub fn run(
    code: &mut impl Move,
    device: &Device,
    inputs: &[Elements],
    outputs: &mut [ElementsMut],
) -> Result<(), Problem> {
    macro_rules! of_type {
        ($kind:ident, $type:ty $(, $read:ident, $write:ident)?) => {{
            let mut from: Vec<&[$type]> = Vec::with_capacity(inputs.len());
            for input in inputs {
                match input {
                    Elements::$kind(x) => from.push(x $(.$read())?),
                    _ => return invalid("operands and results of a kernel differ in type"),
                }
            }
            let mut to: Vec<&mut [$type]> = Vec::with_capacity(outputs.len());
            for output in outputs {
                match output {
                    ElementsMut::$kind(y) => to.push(y $(.$write())?),
                    _ => return invalid("the results of a kernel differ in type"),
                }
            }
            each(code, device, &from, to)
        }};
    }
    match outputs {
        [] => Ok(()),
        [ElementsMut::F32(_), ..] => of_type!(F32, f32),
        [ElementsMut::F16(_), ..] => of_type!(F16, u16, reinterpret_cast, reinterpret_cast_mut),
        [ElementsMut::Bf16(_), ..] => of_type!(Bf16, u16, reinterpret_cast, reinterpret_cast_mut),
        [ElementsMut::I32(_), ..] => of_type!(I32, i32),
        [ElementsMut::I8(_), ..] => of_type!(I8, i8),
        [ElementsMut::U8(_), ..] => of_type!(U8, u8),
    }
}

fn each<T: Zeroable>(
    code: &mut impl Move,
    device: &Device,
    inputs: &[&[T]],
    mut outputs: Vec<&mut [T]>,
) -> Result<(), Problem> {
    code.run(device, inputs, &mut outputs)
}

/// Lowers a node that only moves elements of another type than f32; `None` if it is no such node.
///
/// The kernels see the type at run time, so the node is lowered as if all of its elements were f32.
pub fn lower(used: &Use, device: &Device) -> Option<Attempt> {
    let Op::Plain(operator) = used.op else {
        return None;
    };
    let data = match operator.row.fast? {
        Fast::Transpose | Fast::Split | Fast::Strided(_) | Fast::Gather => 0..1,
        Fast::Places(Placed::GatherElements | Placed::GatherRows) => 0..1,
        Fast::Concat => 0..used.inputs.len(),
        Fast::Select => 1..3,
        _ => return None,
    };
    let dtype = *used.dtypes.first().filter(|dtype| **dtype != DType::Float)?;
    let is_alike = |operand: &Option<Operand>| operand.as_ref().is_some_and(|x| x.dtype == dtype);
    if !used.inputs.get(data.clone())?.iter().all(is_alike) {
        return None;
    }
    let mut inputs = used.inputs.clone();
    for operand in inputs[data].iter_mut().flatten() {
        operand.dtype = DType::Float;
        operand.constant = None;
    }
    let attempt = lower_floats(&used.with_float_outputs(inputs), device);
    Some(attempt.map(|lowered| {
        let mut lowered = lowered?;
        // Parts of a concatenation have places in memory of f32 alone.
        lowered.places = None;
        Some(lowered)
    }))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    /// Moves x, cast to a type, in every way, and compares with the general code.
    fn check(to: i64) {
        let int = |name: &'static str, value: i64| (name, AttributeValue::Int(value));
        let order = ("perm", AttributeValue::Ints(vec![2, 0, 1]));
        let mut split = node("Split", "s", "l", &[int("axis", 1), int("num_outputs", 2)]);
        split.outputs.push("r".to_owned());
        let nodes = vec![
            node("Cast", "x", "h", &[int("to", to)]),
            node("Transpose", "h", "a", &[order]),
            node("Concat", "a a", "b", &[int("axis", 1)]),
            node("Concat", "b b", "c", &[int("axis", 0)]),
            node("Slice", "c from until axes steps", "s", &[]),
            split,
            node("Where", "which l r", "w", &[]),
            node("Expand", "w wide", "e", &[]),
            node("Gather", "e rows", "g", &[int("axis", 1)]),
            node("GatherElements", "g places", "p", &[int("axis", 2)]),
            node("Cast", "p", "y", &[int("to", 1)]),
        ];
        let list = |values: &[i64]| Tensor::vector(values.to_vec());
        Fixture::new(&[3, 5, 4], nodes)
            .constant("from", list(&[1, 0]))
            .constant("until", list(&[8, 6]))
            .constant("axes", list(&[0, 1]))
            .constant("steps", list(&[2, 1]))
            .constant("which", Tensor::vector(vec![true, false, true, true, false]))
            .constant("wide", list(&[2, 1, 1, 1]))
            .constant("rows", list(&[-1, 0, 2]))
            .constant(
                "places",
                Tensor::new(&[2, 3, 1, 2], vec![2_i64, -1, 0, 1, 1, 0, 0, 0, 2, 2, 1, -3]).unwrap(),
            )
            .check_kernels(&["Cast"], 0.0);
    }

    #[test]
    fn elements_of_every_type_are_moved_as_they_are() {
        // float16, bfloat16, int32, int8, uint8
        for to in [10, 16, 6, 3, 2] {
            check(to);
        }
    }
}
