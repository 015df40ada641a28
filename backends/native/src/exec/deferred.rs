//! Nodes whose shapes are known only when they run: what follows a node whose result has a shape that depends
//! on data, for example `NonZero`, `Loop`, or `If` with branches of different shapes.

use onnx_tensor::{DType, Tensor, Value, ValueType};

use super::composed;
use crate::error::{Problem, invalid};
use crate::ir::{Graph, Node, Op};
use crate::kernels::{Device, Elements, ElementsMut, Lowered, Use, lower, words};
use crate::ops::Call;
use crate::ops::call::int64s;
use crate::passes;

/// An operator with fewer elements in its inputs runs over whole values: that takes less time than to find
/// its kernel.
const FEW: usize = 1024;

/// Integers up to this number are sizes, axes or pads: kernels are made for their values.
const SIZES: usize = 64;

/// What the kernel of a node depends on: the type of each input, and the values of sizes that are no
/// constants.
type Key = Vec<(Option<ValueType>, Option<Vec<i64>>)>;

/// A node with the kernel of its last run, which the next run with the same shapes uses again.
#[derive(Default)]
pub struct Deferred {
    /// Whether each input is a constant of the graph.
    constant: Vec<bool>,
    last: Option<(Key, Option<Ready>)>,
}

/// A kernel with the types of its results.
struct Ready {
    lowered: Lowered,
    shapes: Vec<Vec<usize>>,
    dtypes: Vec<DType>,
}

impl Deferred {
    pub fn new(constant: Vec<bool>) -> Deferred {
        Deferred { constant, last: None }
    }

    /// Runs the node with the kernel for these inputs, or over whole values if there is none.
    pub fn run(
        &mut self,
        node: &Node,
        inputs: &[Option<Value>],
        device: &Device,
    ) -> Result<Vec<Value>, Problem> {
        let tensors = || inputs.iter().flatten().filter_map(Value::as_tensor);
        let few = tensors().map(|tensor| tensor.len()).sum::<usize>() < FEW;
        if few && matches!(node.op, Op::Plain(_)) {
            return whole(node, inputs);
        }
        let sizes: Vec<_> = (0..inputs.len()).map(|at| self.sizes(at, inputs)).collect();
        let types = inputs.iter().map(|input| input.as_ref().map(Value::value_type));
        let key: Key = types.zip(sizes).collect();
        let ready = match &mut self.last {
            Some((last, ready)) if *last == key => ready,
            last => {
                let fixed = |at: usize| self.constant.get(at) == Some(&true) || key[at].1.is_some();
                let ready = prepare(node, inputs, fixed, device)?;
                &mut last.insert((key, ready)).1
            }
        };
        match ready {
            Some(ready) => ready.run(inputs, device),
            None => whole(node, inputs),
        }
    }

    /// Returns the values of an input that has sizes and is no constant.
    fn sizes(&self, at: usize, inputs: &[Option<Value>]) -> Option<Vec<i64>> {
        let tensor = inputs[at].as_ref()?.as_tensor()?;
        let sizes = tensor.dtype() == DType::Int64 && tensor.len() <= SIZES;
        int64s(tensor)
            .ok()
            .filter(|_| sizes && self.constant.get(at) != Some(&true))
    }
}

/// Lowers the node as a graph of its own; an input is a constant there if it is `fixed`.
fn prepare(
    node: &Node,
    inputs: &[Option<Value>],
    fixed: impl Fn(usize) -> bool,
    device: &Device,
) -> Result<Option<Ready>, Problem> {
    let mut graph = Graph::default();
    let mut alone = node.clone();
    for (at, (slot, value)) in alone.inputs.iter_mut().zip(inputs).enumerate() {
        *slot = value.as_ref().map(|value| {
            let constant = fixed(at).then(|| value.clone());
            graph.add("", Some(value.value_type()), constant)
        });
    }
    for slot in alone.outputs.iter_mut().flatten() {
        *slot = graph.add("", None, None);
    }
    passes::infer_node(&mut graph, &alone)
        .and_then(|()| passes::check_node(&graph, &alone))
        .map_err(|error| error.problem)?;
    let alone = passes::with_kernel(&graph, alone);
    let Some(used) = Use::of(&graph, &alone) else {
        return Ok(None);
    };
    Ok(lower(&used, device)?.map(|lowered| Ready {
        lowered,
        shapes: used.outputs.clone(),
        dtypes: used.dtypes.clone(),
    }))
}

impl Ready {
    fn run(&mut self, inputs: &[Option<Value>], device: &Device) -> Result<Vec<Value>, Problem> {
        let mut reads = Vec::with_capacity(self.lowered.reads.len());
        for &position in &self.lowered.reads {
            match inputs.get(position).and_then(Option::as_ref) {
                Some(Value::Tensor(tensor)) => reads.push(Elements::of_tensor(tensor)?),
                _ => return invalid("an operand is not a tensor"),
            }
        }
        let kinds = || {
            self.dtypes
                .iter()
                .copied()
                .zip(self.lowered.lengths.iter().copied())
        };
        let room = |(dtype, length): (DType, usize)| Some(vec![0.0; words(dtype, length)?]);
        let Some(mut results) = kinds().map(room).collect::<Option<Vec<Vec<f32>>>>() else {
            return invalid("the arena cannot hold the result of a kernel");
        };
        let mut writes = Vec::with_capacity(results.len());
        for (result, (dtype, length)) in results.iter_mut().zip(kinds()) {
            writes.push(ElementsMut::of_words(dtype, length, result)?);
        }
        self.lowered.kernel.run(device, &reads, &mut writes)?;
        let mut tensors = Vec::with_capacity(results.len());
        for ((result, (dtype, length)), shape) in results.into_iter().zip(kinds()).zip(&self.shapes) {
            let tensor = match dtype {
                DType::Float => Tensor::new(shape, result)?,
                _ => Elements::of_words(dtype, length, &result)?.to_tensor(shape)?,
            };
            tensors.push(Value::Tensor(tensor));
        }
        Ok(tensors)
    }
}

/// Runs the node as its original operators over whole values.
fn whole(node: &Node, inputs: &[Option<Value>]) -> Result<Vec<Value>, Problem> {
    let Op::Plain(operator) = &node.op else {
        return composed::run(node, inputs);
    };
    let inputs: Vec<Option<&Value>> = inputs.iter().map(Option::as_ref).collect();
    operator.row.run(&Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &inputs,
        outputs: node.outputs.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{evaluate, fold};
    use crate::import::import;
    use crate::ops::numbers::{floats, from_floats};

    /// Half of the floats of an input.
    fn halved(value: &Value) -> Value {
        match value {
            Value::Tensor(tensor) if tensor.dtype() == DType::Float => {
                let half = floats(tensor)
                    .expect("floats")
                    .into_iter()
                    .map(|x| x / 2.0)
                    .collect();
                Value::Tensor(from_floats(DType::Float, tensor.shape(), half).expect("floats"))
            }
            other => other.clone(),
        }
    }

    /// Compares the kernel's outputs with those of the general code; small differences are roundings.
    fn check(name: &str, found: &[Value], expected: &[Value]) {
        for (found, expected) in found.iter().zip(expected) {
            let (Some(found), Some(expected)) = (found.as_tensor(), expected.as_tensor()) else {
                panic!("{name}: an output is not a tensor");
            };
            assert_eq!(found.shape(), expected.shape(), "{name}");
            assert_eq!(found.dtype(), expected.dtype(), "{name}");
            let [found, expected] = [found, expected].map(|tensor| floats(tensor).expect("numbers"));
            let scale = expected
                .iter()
                .filter(|x| x.is_finite())
                .fold(1.0, |a: f64, x| a.max(x.abs()));
            for (found, expected) in found.iter().zip(&expected) {
                let close = found == expected || (found - expected).abs() <= 0.02 * scale;
                assert!(
                    close || (found.is_nan() && expected.is_nan()),
                    "{name}: got {found}, expected {expected}"
                );
            }
        }
    }

    /// The second run has other values of the same shapes, and uses the kernel of the first.
    #[test]
    fn a_kernel_is_used_again_with_other_values() {
        let device = Device::folding(fold);
        let mut kernels = 0;
        for case in onnx_generator::cases(7, 4000) {
            let Ok(imported) = import(&case.model) else {
                continue;
            };
            let graph = imported.graph;
            let [node] = &graph.nodes[..] else { continue };
            let value = |id: &Option<crate::ir::ValueId>| {
                let value = graph.value((*id)?);
                let given = case.inputs.iter().find(|(name, _)| *name == value.name);
                value.constant.clone().or(given.map(|(_, value)| value.clone()))
            };
            let inputs: Vec<Option<Value>> = node.inputs.iter().map(value).collect();
            let fixed: Vec<bool> = node
                .inputs
                .iter()
                .zip(&inputs)
                .map(|(id, value)| {
                    let integers =
                        |value: &Value| value.as_tensor().is_some_and(|t| t.dtype() == DType::Int64);
                    id.is_some_and(|id| graph.constant(id).is_some()) || value.as_ref().is_some_and(integers)
                })
                .collect();
            let Ok(Some(mut ready)) = prepare(node, &inputs, |at| fixed[at], &device) else {
                continue;
            };
            let others: Vec<Option<Value>> = inputs
                .iter()
                .zip(&fixed)
                .map(|(value, fixed)| {
                    value
                        .as_ref()
                        .map(|value| if *fixed { value.clone() } else { halved(value) })
                })
                .collect();
            for given in [&inputs, &others] {
                let whole: Vec<Option<&Value>> = given.iter().map(Option::as_ref).collect();
                let Ok(expected) = evaluate(node, &whole) else {
                    continue;
                };
                let found = ready
                    .run(given, &device)
                    .unwrap_or_else(|error| panic!("{}: {error}", case.name));
                check(&format!("{} {}", case.suite, case.name), &found, &expected);
                kernels += 1;
            }
        }
        assert!(kernels > 500, "{kernels} runs of kernels");
    }
}
