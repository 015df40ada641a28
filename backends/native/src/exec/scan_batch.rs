//! Scan of since 8: every input and output has a batch as its first axis and the sequence as its second one.

use std::collections::HashMap;

use onnx_tensor::{Tensor, Value};

use super::branch::BodyError;
use super::repeat::{Body, declared};
use super::scan::{Scanned, counts, directions, iterate, rounds, slice};
use super::stack::Stack;
use crate::error::{Problem, invalid};
use crate::ops::broadcast::expand;
use crate::ops::call::extents;
use crate::ops::{Call, concat, zero};

/// Runs the body over each sequence of the batch. The positions after a shorter sequence, which the
/// specification leaves open, are zero.
pub fn run(call: &Call, mut body: Body) -> Result<Vec<Value>, BodyError> {
    let given = call.inputs.len().saturating_sub(1);
    let [scanned, states, outputs] = counts(call, &body, given)?;
    let tensors = (1..=given)
        .map(|at| call.tensor(at))
        .collect::<Result<Vec<_>, _>>()?;
    let batch = tensors.first().and_then(|tensor| tensor.shape().first()).copied();
    let Some(batch) = batch.filter(|_| {
        tensors
            .iter()
            .all(|tensor| tensor.shape().first() == batch.as_ref())
    }) else {
        return Err(Problem::Invalid("the inputs differ in their batch".to_owned()).into());
    };
    let reversed = directions(call, "directions", scanned)?;
    let sequences = |part: &dyn Fn(&Tensor) -> Result<Tensor, Problem>, axis: usize| {
        let input = |(tensor, &reversed): (&&Tensor, &bool)| {
            Ok(Scanned {
                tensor: part(tensor)?,
                axis,
                reversed,
            })
        };
        let all = tensors[states..].iter().zip(&reversed).map(input);
        all.collect::<Result<Vec<Scanned>, Problem>>()
    };
    let longest = rounds(&sequences(&|tensor| Ok(tensor.clone()), 1)?)?;
    let lengths = match call.find_ints(0)? {
        Some(lengths) => extents(&lengths)?,
        None => vec![longest; batch],
    };
    if lengths.len() != batch || lengths.iter().any(|&length| length > longest) {
        let text = format!("the lengths {lengths:?} do not fit a batch of {batch} sequences of {longest}");
        return Err(Problem::Invalid(text).into());
    }
    let mut results: Vec<Stack> = (0..states + outputs).map(|_| Stack::default()).collect();
    for (element, length) in lengths.into_iter().enumerate() {
        let state = |tensor: &&Tensor| Ok(Some(Value::Tensor(slice(tensor, 0, element)?)));
        let state = tensors[..states]
            .iter()
            .map(state)
            .collect::<Result<Vec<_>, Problem>>()?;
        let inputs = sequences(&|tensor| slice(tensor, 0, element), 0)?;
        let mut collected: Vec<Stack> = (0..outputs).map(|_| Stack::default()).collect();
        let mut values = iterate(&mut body, state, &inputs, length, &mut collected)?;
        for (number, stack) in collected.into_iter().enumerate() {
            let declared = declared(body.graph, &HashMap::new(), states + number);
            let stacked = stack.finish(declared.as_ref(), number)?;
            values.push(Value::Tensor(lengthened(stacked, longest)?));
        }
        for (stack, value) in results.iter_mut().zip(values) {
            stack.push(value)?;
        }
    }
    let finish = |(number, stack): (usize, Stack)| {
        let declared = declared(body.graph, &HashMap::new(), number);
        stack.finish(declared.as_ref(), number).map(Value::Tensor)
    };
    Ok(results
        .into_iter()
        .enumerate()
        .map(finish)
        .collect::<Result<Vec<_>, Problem>>()?)
}

/// Appends zeros along the first axis.
fn lengthened(tensor: Tensor, length: usize) -> Result<Tensor, Problem> {
    let mut rest = tensor.shape().to_vec();
    let Some(missing) = rest.first().and_then(|&extent| length.checked_sub(extent)) else {
        return invalid("a scan output is longer than its sequence");
    };
    if missing == 0 {
        return Ok(tensor);
    }
    rest[0] = missing;
    concat(&[&tensor, &expand(&zero(&tensor)?, &rest)?], 0)
}
