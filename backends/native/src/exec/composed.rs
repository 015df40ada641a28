//! Runs a fused node as its original operators over whole values, for shapes without a kernel.

use native_kernels::Activation;
use onnx_model::AttributeValue;
use onnx_tensor::{Tensor, Value};

use crate::error::{Problem, invalid, unsupported};
use crate::ir::{Attention, Epilogued, Fused, Masking, Node, OnBytes, Op, Operator};
use crate::kernels::{SCALE, apply_activation};
use crate::ops::Call;
use crate::ops::broadcast::expand;
use crate::ops::movement::reshape;
use crate::ops::numbers::slice;

/// Runs a fused node and returns its output.
pub fn run(node: &Node, inputs: &[Option<Value>]) -> Result<Vec<Value>, Problem> {
    let input = |position: usize| inputs.get(position).and_then(Option::as_ref);
    let result = match &node.op {
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => with_epilogue(inner, &input)?,
        Op::Fused(Fused::Dequantized(inner)) => {
            let given = [input(1), input(SCALE), input(SCALE + 1)];
            let weights = call(&inner.dequantize, &given)?;
            let product = |position: usize| match position {
                1 => Some(&weights),
                _ => input(position),
            };
            with_epilogue(&inner.product, &product)?
        }
        Op::Fused(Fused::Affine(activation)) => {
            let scaled = pair("Mul", input(0), by_channel(input(0), input(1))?.as_ref())?;
            let shifted = pair("Add", Some(&scaled), by_channel(input(0), input(2))?.as_ref())?;
            activated(*activation, shifted)?
        }
        Op::Fused(Fused::Rounded(inner)) => {
            let numbers = match (&inner.function, input(0)) {
                (Some(function), x) => call(function, &[x])?,
                (None, Some(x)) => x.clone(),
                (None, None) => return invalid("an operand is missing"),
            };
            activated(Activation::nearest(inner.to), numbers)?
        }
        Op::Fused(Fused::Attention(inner)) => attention(inner, &input)?,
        Op::Fused(Fused::Bytes(inner)) => on_bytes(inner, &input)?,
        Op::Fused(Fused::Interleaved(_) | Fused::Rearrange(_) | Fused::Reorder)
        | Op::Plain(_)
        | Op::If { .. }
        | Op::Repeat { .. } => return unsupported("it is not implemented over whole values"),
    };
    Ok(vec![result])
}

fn with_epilogue<'v>(
    inner: &Epilogued,
    input: &dyn Fn(usize) -> Option<&'v Value>,
) -> Result<Value, Problem> {
    let own = if inner.operator.schema.name == "MatMul" {
        2
    } else {
        3
    };
    let operands: Vec<Option<&Value>> = (0..own).map(input).collect();
    let mut result = call(&inner.operator, &operands)?;
    if own == 2
        && let Some(bias) = input(2)
    {
        result = pair("Add", Some(&result), Some(bias))?;
    }
    if let Some(residual) = input(3) {
        result = pair("Add", Some(&result), Some(residual))?;
    }
    activated(inner.activation, result)
}

/// Dequantizes the operands, and quantizes the result.
fn on_bytes<'v>(inner: &OnBytes, input: &dyn Fn(usize) -> Option<&'v Value>) -> Result<Value, Problem> {
    let operand = |at: usize| {
        call(
            &inner.dequantize,
            &[input(3 * at), input(3 * at + 1), input(3 * at + 2)],
        )
    };
    let operands = (0..inner.operands).map(operand).collect::<Result<Vec<_>, _>>()?;
    let operands: Vec<Option<&Value>> = operands.iter().map(Some).collect();
    let result = call(&inner.operator, &operands)?;
    let after = 3 * inner.operands;
    call(&inner.quantize, &[Some(&result), input(after), input(after + 1)])
}

/// `softmax(q·kᵀ·scale + mask + second)·v`, operator by operator.
fn attention<'v>(inner: &Attention, input: &dyn Fn(usize) -> Option<&'v Value>) -> Result<Value, Problem> {
    let order = ("perm", AttributeValue::Ints(vec![0, 1, 3, 2]));
    let keys = repeated(input(1), inner.groups)?;
    let turned = by_name("Transpose", [order], &[Some(&keys)])?;
    let product = pair("MatMul", input(0), Some(&turned))?;
    let scale = Value::Tensor(Tensor::scalar(inner.scale));
    let mut scores = pair("Mul", Some(&product), Some(&scale))?;
    if let Some(mask) = input(3) {
        scores = match inner.masking {
            Masking::Added => pair("Add", Some(&scores), Some(mask))?,
            Masking::Replaced => {
                let zero = Value::Tensor(Tensor::scalar(0.0_f32));
                let stays = pair("Equal", Some(mask), Some(&zero))?;
                by_name("Where", [], &[Some(&stays), Some(&scores), Some(mask)])?
            }
        };
    }
    if let Some(second) = input(4) {
        scores = pair("Add", Some(&scores), Some(second))?;
    }
    let last = ("axis", AttributeValue::Int(-1));
    let mut weights = by_name("Softmax", [last], &[Some(&scores)])?;
    if inner.nan_is_zero {
        let zero = Value::Tensor(Tensor::scalar(0.0_f32));
        let nan = by_name("IsNaN", [], &[Some(&weights)])?;
        weights = by_name("Where", [], &[Some(&nan), Some(&zero), Some(&weights)])?;
    }
    pair("MatMul", Some(&weights), Some(&repeated(input(2), inner.groups)?))
}

/// Repeats each head for its group.
fn repeated(value: Option<&Value>, groups: usize) -> Result<Value, Problem> {
    match value {
        Some(value) if groups == 1 => Ok(value.clone()),
        Some(Value::Tensor(tensor)) => {
            let &[batch, heads, tokens, size] = tensor.shape() else {
                return invalid("expected keys and values of four axes");
            };
            let apart = reshape(tensor, &[batch, heads, 1, tokens, size])?;
            let many = expand(&apart, &[batch, heads, groups, tokens, size])?;
            let heads = heads.saturating_mul(groups);
            Ok(Value::Tensor(reshape(&many, &[batch, heads, tokens, size])?))
        }
        _ => invalid("an operand is not a tensor"),
    }
}

fn call(operator: &Operator, inputs: &[Option<&Value>]) -> Result<Value, Problem> {
    let outputs = operator.row.run(&Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs,
        outputs: 1,
    })?;
    outputs
        .into_iter()
        .next()
        .ok_or_else(|| Problem::Invalid("the operator returned no output".to_owned()))
}

fn pair(name: &str, a: Option<&Value>, b: Option<&Value>) -> Result<Value, Problem> {
    by_name(name, [], &[a, b])
}

/// Returns the operator of this name at opset 14.
fn by_name<const N: usize>(
    name: &str,
    attributes: [(&str, AttributeValue); N],
    inputs: &[Option<&Value>],
) -> Result<Value, Problem> {
    let Some(operator) = Operator::make(name, 14, attributes) else {
        return unsupported(format!("{name} is not implemented"));
    };
    call(&operator, inputs)
}

/// Reshapes one value per channel to broadcast along axis 1.
fn by_channel(x: Option<&Value>, values: Option<&Value>) -> Result<Option<Value>, Problem> {
    let (Some(Value::Tensor(x)), Some(Value::Tensor(values))) = (x, values) else {
        return invalid("an operand is not a tensor");
    };
    let mut shape = vec![1; x.rank().saturating_sub(1)];
    if let Some(first) = shape.first_mut() {
        *first = values.len();
    }
    Ok(Some(Value::Tensor(reshape(values, &shape)?)))
}

fn activated(activation: Activation, value: Value) -> Result<Value, Problem> {
    let Value::Tensor(tensor) = &value else {
        return invalid("a result is not a tensor");
    };
    if activation == Activation::Identity {
        return Ok(value);
    }
    let mut elements = vec![0.0; tensor.len()];
    apply_activation(activation, slice::<f32>(tensor)?, &mut elements)?;
    Ok(Value::Tensor(Tensor::new(tensor.shape(), elements)?))
}
