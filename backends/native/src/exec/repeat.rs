//! Loop and SequenceMap.

use std::collections::HashMap;

use onnx_tensor::{Dim, Sequence, Tensor, Value, ValueType};

use super::Program;
use super::branch::{BodyError, truth};
use super::stack::Stack;
use crate::error::Problem;
use crate::ir::{Graph, shape};
use crate::ops::Call;

/// A body with its program and captured values.
pub struct Body<'a> {
    pub graph: &'a Graph,
    pub program: &'a mut Program,
    pub captured: &'a [Option<&'a Value>],
}

/// Runs a Loop. Inputs of the body: round number, condition, carried values; outputs: condition, carried
/// values, scan outputs.
pub fn run_loop(call: &Call, body: Body) -> Result<Vec<Value>, BodyError> {
    let Body {
        graph: body,
        program,
        captured,
    } = body;
    let most = match call.find(0) {
        Some(_) => call.int(0)?,
        None => i64::MAX,
    };
    // Without a condition input, the body's condition output is ignored, but its last value is still an input
    // of the body (table of modes of Loop).
    let given = call.find_tensor(1)?.map(truth).transpose()?;
    let mut go_on = given.unwrap_or(true);
    let mut carried = call.inputs[2.min(call.inputs.len())..]
        .iter()
        .map(|input| input.cloned())
        .collect::<Vec<_>>();
    let scans = (body.outputs.len()).checked_sub(1 + carried.len());
    let Some(scans) = scans else {
        return Err(Problem::Invalid("the body has fewer outputs than carried values".to_owned()).into());
    };
    let mut collected: Vec<Stack> = (0..scans).map(|_| Stack::default()).collect();
    let shapes = carried.iter().map(|value| shape_of(value.as_ref()));
    let bound = bound(body, [None, None].into_iter().chain(shapes));
    let mut round = 0;
    while (go_on || given.is_none()) && round < most {
        program.charge(&carried)?;
        let mut inputs = vec![
            Some(Value::Tensor(Tensor::scalar(round))),
            Some(Value::Tensor(Tensor::scalar(go_on))),
        ];
        inputs.append(&mut carried);
        inputs.extend(captured.iter().map(|input| input.cloned()));
        let mut outputs = program.run(inputs)?.into_iter();
        go_on = match outputs.next() {
            Some(Value::Tensor(condition)) => truth(&condition)?,
            _ => return Err(Problem::Invalid("the body has no condition output".to_owned()).into()),
        };
        let count = body.outputs.len() - 1 - scans;
        carried = outputs.by_ref().take(count).map(Some).collect();
        for (stack, output) in collected.iter_mut().zip(outputs) {
            stack.push(output)?;
        }
        round += 1;
    }
    let mut results = Vec::with_capacity(call.outputs);
    for value in carried {
        let missing = || Problem::Invalid("a carried value is missing".to_owned());
        results.push(value.ok_or_else(missing)?);
    }
    for (number, stack) in collected.into_iter().enumerate() {
        let declared = declared(body, &bound, results.len() + 1);
        results.push(Value::Tensor(stack.finish(declared.as_ref(), number)?));
    }
    Ok(results)
}

/// Returns the shape of a tensor.
pub fn shape_of(value: Option<&Value>) -> Option<Vec<usize>> {
    match value {
        Some(Value::Tensor(tensor)) => Some(tensor.shape().to_vec()),
        _ => None,
    }
}

/// Binds the named extents of a body's declared inputs to those of values with these shapes.
pub fn bound(body: &Graph, given: impl Iterator<Item = Option<Vec<usize>>>) -> HashMap<String, usize> {
    let mut extents = HashMap::new();
    for (&id, given) in body.inputs.iter().zip(given) {
        let (Some(dims), Some(given)) = (shape(body.known(id)), given) else {
            continue;
        };
        for (dim, extent) in dims.iter().zip(given) {
            if let Dim::Named(name) = dim {
                extents.insert(name.clone(), extent);
            }
        }
    }
    extents
}

/// Returns the type of a body's output: the inferred type, else the declared one with its named extents
/// bound.
pub fn declared(body: &Graph, bound: &HashMap<String, usize>, position: usize) -> Option<ValueType> {
    let inferred = body.outputs.get(position).and_then(|&id| body.known(id));
    if crate::ir::fixed_shape(inferred).is_some() {
        return inferred.cloned();
    }
    let mut declared = body.declared.get(position).cloned().flatten();
    if let Some(ValueType::Tensor {
        shape: Some(dims), ..
    }) = &mut declared
    {
        for dim in dims.iter_mut() {
            let extent = match dim {
                Dim::Named(name) => bound.get(name.as_str()).copied(),
                Dim::Fixed(_) | Dim::Unknown => None,
            };
            if let Some(extent) = extent {
                *dim = Dim::Fixed(extent);
            }
        }
    }
    declared.or_else(|| inferred.cloned())
}

/// Runs a SequenceMap: the body for each element of the first sequence. Further sequences advance with it;
/// tensors are passed unchanged.
pub fn run_map(call: &Call, body: Body) -> Result<Vec<Value>, BodyError> {
    let Body {
        graph: body,
        program,
        captured,
    } = body;
    let Value::Sequence(first) = call.value(0)? else {
        return Err(Problem::Invalid("the first input is not a sequence".to_owned()).into());
    };
    let mut collected: Vec<Vec<Value>> = vec![Vec::new(); body.outputs.len()];
    for at in 0..first.values.len() {
        let mut inputs = Vec::with_capacity(call.inputs.len() + captured.len());
        for input in call.inputs {
            inputs.push(match input {
                Some(Value::Sequence(list)) => match list.values.get(at) {
                    Some(value) => Some(value.clone()),
                    None => return Err(Problem::Invalid("the sequences differ in length".to_owned()).into()),
                },
                other => other.cloned(),
            });
        }
        inputs.extend(captured.iter().map(|input| input.cloned()));
        program.charge(&[])?;
        for (list, output) in collected.iter_mut().zip(program.run(inputs)?) {
            list.push(output);
        }
    }
    let typed = |(values, &id): (Vec<Value>, &crate::ir::ValueId)| {
        let element = match values.first() {
            Some(Value::Tensor(tensor)) => Some(ValueType::tensor(tensor.dtype())),
            Some(other) => Some(other.value_type()),
            None => crate::ir::dtype(body.known(id)).map(ValueType::tensor),
        };
        match element {
            Some(element) => Ok(Value::Sequence(Sequence { element, values })),
            None => Err(Problem::Invalid(
                "an empty sequence has no declared type".to_owned(),
            )),
        }
    };
    let results = collected
        .into_iter()
        .zip(&body.outputs)
        .map(typed)
        .collect::<Result<Vec<_>, _>>();
    Ok(results?)
}
