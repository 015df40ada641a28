//! Operators that Gradient can differentiate, each as a computation on the tape.
//!
//! - Arithmetic: Add Sub Mul Div Pow Neg Sum Mean MatMul Gemm ReduceSum ReduceMean.
//! - Functions: Abs Cos Exp LeakyRelu Log Reciprocal Relu Sigmoid Sin Sqrt Tanh. Where a function has a corner (Abs, Relu,
//!   LeakyRelu at 0) the derivative taken is 0 for Abs and Relu and `alpha` for LeakyRelu.
//! - Layout: whatever only moves elements. The node itself is run on the positions of its input's elements, so that every
//!   version of it means here what it means elsewhere.
//! - Piecewise constant results (Shape, Size, comparisons, Cast to integers) are computed and have no derivative.
//!
//! Everything else is a typed error that names the operator.

use onnx_model::Node;
use onnx_tensor::{DType, Tensor, Value};

use super::subgraph::{self, Operand};
use super::tape::{Function, Tape, Var};
use crate::frame::{Call, OpError};
use crate::shared::{axes, broadcast};

/// Evaluates a node of which at least one operand varies. `call` holds the same operands as plain values.
pub(super) fn apply(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    if !call.schema().domain.is_empty() {
        return Err(unknown(call));
    }
    let result = match call.schema().name {
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Sum" | "Mean" => elementwise(tape, call, operands)?,
        "Abs" | "Cos" | "Exp" | "LeakyRelu" | "Log" | "Neg" | "Reciprocal" | "Relu" | "Sigmoid" | "Sin"
        | "Sqrt" | "Tanh" => function(tape, call, operands)?,
        "MatMul" => {
            let (a, b) = (operand(tape, operands, 0)?, operand(tape, operands, 1)?);
            matmul(tape, a, b)?
        }
        "Gemm" => gemm(tape, call, operands)?,
        "ReduceSum" | "ReduceMean" => reduce(tape, call, operands)?,
        "Cast" => return cast(tape, call, node, operands),
        "Concat" | "DepthToSpace" | "Expand" | "Flatten" | "Gather" | "GatherElements" | "GatherND"
        | "Identity" | "Reshape" | "Slice" | "SpaceToDepth" | "Split" | "Squeeze" | "Tile" | "Transpose"
        | "Unsqueeze" => {
            return layout(tape, call, node, operands);
        }
        "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Shape" | "Size" => {
            return subgraph::plain(tape, call, node, operands);
        }
        _ => return Err(unknown(call)),
    };
    Ok(vec![Operand::Var(result, call.dtype(0)?)])
}

fn unknown(call: &Call<'_>) -> OpError {
    OpError::undefined(format!("the derivative of {}", call.schema()))
}

fn operand(tape: &mut Tape<'_>, operands: &[Option<Operand>], index: usize) -> Result<Var, OpError> {
    let operand = operands.get(index).and_then(Option::as_ref);
    operand
        .ok_or_else(|| OpError::invalid(format!("input {index} is missing")))?
        .var(tape)
}

/// Operators of two or more operands that broadcast.
fn elementwise(tape: &mut Tape<'_>, call: &Call<'_>, operands: &[Option<Operand>]) -> Result<Var, OpError> {
    // Below version 7 a smaller operand may lie at an axis of its own.
    if call.schema().attribute("broadcast").is_some() && call.flag("broadcast")? {
        return Err(OpError::undefined(format!(
            "the derivative of {} with `broadcast`",
            call.schema()
        )));
    }
    let vars = (0..operands.len())
        .map(|index| operand(tape, operands, index))
        .collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<&[usize]> = vars.iter().map(|&var| tape.shape(var)).collect();
    let shape = broadcast::shape(&shapes)?;
    let vars = vars
        .into_iter()
        .map(|var| tape.broadcast(var, &shape))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match (call.schema().name, vars.as_slice()) {
        ("Sub", &[a, b]) => {
            let negated = tape.scale(b, -1.0);
            tape.add(a, negated)
        }
        ("Mul", &[a, b]) => tape.mul(a, b),
        ("Div", &[a, b]) => {
            let reciprocal = tape.apply(Function::Reciprocal, b);
            tape.mul(a, reciprocal)
        }
        ("Pow", &[a, b]) => tape.pow(a, b),
        ("Add" | "Sum" | "Mean", &[first, ref rest @ ..]) => {
            let sum = rest.iter().fold(first, |sum, &next| tape.add(sum, next));
            match call.schema().name {
                "Mean" => tape.scale(sum, 1.0 / vars.len() as f64),
                _ => sum,
            }
        }
        _ => return Err(unknown(call)),
    })
}

/// Functions of one variable.
fn function(tape: &mut Tape<'_>, call: &Call<'_>, operands: &[Option<Operand>]) -> Result<Var, OpError> {
    let x = operand(tape, operands, 0)?;
    Ok(match call.schema().name {
        "Abs" => tape.masked(x, |x| if x == 0.0 { 0.0 } else { x.signum() }),
        "Cos" => tape.apply(Function::Cos, x),
        "Exp" => tape.apply(Function::Exp, x),
        "LeakyRelu" => {
            let alpha = f64::from(call.float("alpha")?);
            tape.masked(x, |x| if x > 0.0 { 1.0 } else { alpha })
        }
        "Log" => tape.apply(Function::Log, x),
        "Neg" => tape.scale(x, -1.0),
        "Reciprocal" => tape.apply(Function::Reciprocal, x),
        "Relu" => tape.masked(x, |x| if x > 0.0 { 1.0 } else { 0.0 }),
        "Sigmoid" => tape.apply(Function::Sigmoid, x),
        "Sin" => tape.apply(Function::Sin, x),
        "Sqrt" => tape.apply(Function::Sqrt, x),
        "Tanh" => tape.apply(Function::Tanh, x),
        _ => return Err(unknown(call)),
    })
}

/// As `numpy.matmul`: a vector is a row on the left and a column on the right, leading axes broadcast.
fn matmul(tape: &mut Tape<'_>, a: Var, b: Var) -> Result<Var, OpError> {
    let (mut left, mut right) = (tape.shape(a).to_vec(), tape.shape(b).to_vec());
    let (row, column) = (left.len() == 1, right.len() == 1);
    if row {
        left.insert(0, 1);
    }
    if column {
        right.push(1);
    }
    let misfit = || OpError::invalid(format!("no product of shapes {left:?} and {right:?}"));
    let (Some((outer_left, &[m, k])), Some((outer_right, &[l, n]))) =
        (left.split_last_chunk::<2>(), right.split_last_chunk::<2>())
    else {
        return Err(misfit());
    };
    if k != l {
        return Err(misfit());
    }
    let outer = broadcast::shape(&[outer_left, outer_right])?;
    let batch: usize = outer.iter().product();
    let mut flat = |var: Var, own: &[usize], rows: usize, columns: usize| {
        let whole: Vec<usize> = outer.iter().copied().chain([rows, columns]).collect();
        let shaped = tape.reshape(var, own);
        let stretched = tape.broadcast(shaped, &whole)?;
        Ok::<Var, OpError>(tape.reshape(stretched, &[batch, rows, columns]))
    };
    let (x, y) = (flat(a, &left, m, k)?, flat(b, &right, k, n)?);
    let product = tape.matmul(x, y)?;
    let mut shape = outer;
    shape.extend((!row).then_some(m));
    shape.extend((!column).then_some(n));
    Ok(tape.reshape(product, &shape))
}

fn gemm(tape: &mut Tape<'_>, call: &Call<'_>, operands: &[Option<Operand>]) -> Result<Var, OpError> {
    let mut matrix = |index: usize, transposed: bool| {
        let x = operand(tape, operands, index)?;
        let &[rows, columns] = tape.shape(x) else {
            return Err(OpError::invalid(format!("input {index} must be a matrix")));
        };
        let x = tape.reshape(x, &[1, rows, columns]);
        if transposed { tape.transpose(x) } else { Ok(x) }
    };
    let (a, b) = (
        matrix(0, call.int("transA")? != 0)?,
        matrix(1, call.int("transB")? != 0)?,
    );
    let (&[_, m, k], &[_, l, n]) = (tape.shape(a), tape.shape(b)) else {
        return Err(unknown(call));
    };
    if k != l {
        return Err(OpError::invalid(format!(
            "no product of [{m}, {k}] and [{l}, {n}]"
        )));
    }
    let product = tape.matmul(a, b)?;
    let product = tape.scale(product, f64::from(call.float("alpha")?));
    let product = tape.reshape(product, &[m, n]);
    if call.optional(2).is_none() {
        return Ok(product);
    }
    let c = operand(tape, operands, 2)?;
    let c = tape.broadcast(c, &[m, n])?;
    let c = tape.scale(c, f64::from(call.float("beta")?));
    Ok(tape.add(product, c))
}

fn reduce(tape: &mut Tape<'_>, call: &Call<'_>, operands: &[Option<Operand>]) -> Result<Var, OpError> {
    let x = operand(tape, operands, 0)?;
    let given = match call.optional_integers(1)? {
        Some(axes) => Some(axes),
        None => call.optional_ints("axes")?,
    };
    let rank = tape.shape(x).len();
    let given = given.unwrap_or_default();
    let nothing = call.optional_int("noop_with_empty_axes")?.unwrap_or(0) != 0;
    let axes = match given.is_empty() {
        true if nothing => return Ok(x),
        true => (0..rank).collect(),
        false => axes::axes(&given, rank)?,
    };
    let count: usize = axes.iter().map(|&axis| tape.shape(x)[axis]).product();
    let mut result = tape.sum(x, &axes)?;
    if call.schema().name == "ReduceMean" {
        result = tape.scale(result, 1.0 / count as f64);
    }
    if call.flag("keepdims")? {
        return Ok(result);
    }
    let kept = |(axis, &extent): (usize, &usize)| (!axes.contains(&axis)).then_some(extent);
    let shape: Vec<usize> = tape.shape(result).iter().enumerate().filter_map(kept).collect();
    Ok(tape.reshape(result, &shape))
}

/// To another float type the value goes as it is: the derivative is that of the exact function.
fn cast(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    let to = subgraph::plain(tape, call, node, operands)?;
    match to.first() {
        Some(Operand::Value(Value::Tensor(tensor)))
            if matches!(
                tensor.dtype(),
                DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double
            ) =>
        {
            Ok(vec![Operand::Var(operand(tape, operands, 0)?, tensor.dtype())])
        }
        _ => Ok(to),
    }
}

/// Runs a node that moves elements on the positions of these elements, all data operands laid end to end.
fn layout(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    // Data are the operands that share a type with the result; others say where elements go.
    let data_type = call.schema().output(0).map(|formal| formal.type_ref);
    let mut inputs = Vec::with_capacity(operands.len());
    let mut sources = Vec::new();
    let mut total = 0;
    for (index, operand) in operands.iter().enumerate() {
        let is_data = call.schema().input(index).map(|formal| formal.type_ref) == data_type;
        inputs.push(match operand {
            Some(operand) if is_data => {
                let source = operand.var(tape)?;
                let (start, count) = (total, tape.values(source).len());
                total += count;
                sources.push((source, start));
                let positions = (start..total).map(|position| position as f64).collect();
                Some(Tensor::new::<f64>(tape.shape(source), positions)?.into())
            }
            Some(operand) => Some(operand.value(tape)?),
            None => None,
        });
    }
    let data = join(tape, &sources, total);
    let dtype = call.dtype(0)?;
    let outputs = subgraph::run(call, node, inputs)?;
    let operand = |value: &Value| {
        let (shape, map) = subgraph::positions(value)?;
        Ok(Operand::Var(tape.pick(data, &shape, map.into()), dtype))
    };
    outputs.iter().map(operand).collect()
}

/// Arrays laid end to end, each from its own position on.
fn join(tape: &mut Tape<'_>, sources: &[(Var, usize)], total: usize) -> Var {
    let mut joined = None;
    for &(source, start) in sources {
        let map = (start..start + tape.values(source).len()).collect();
        let placed = tape.put(source, &[total], map);
        joined = Some(joined.map_or(placed, |before| tape.add(before, placed)));
    }
    joined.unwrap_or_else(|| tape.leaf(&[0], Vec::new(), false))
}
