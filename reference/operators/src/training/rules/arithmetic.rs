//! Sums, products and powers of operands that broadcast; matrix products; Einsum.

use super::super::function::Function;
use super::super::subgraph::Operand;
use super::super::tape::{Tape, Var};
use super::Site;
use crate::frame::OpError;
use crate::shared::einsum_equation::Equation;
use crate::shared::{broadcast, einsum_axes};

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    let result = match site.name() {
        "Add" | "Div" | "Mean" | "Mul" | "Pow" | "Sub" | "Sum" => elementwise(tape, site)?,
        "Einsum" => einsum(tape, site)?,
        "Gemm" => gemm(tape, site)?,
        "MatMul" => {
            let (a, b) = (site.var(tape, 0)?, site.var(tape, 1)?);
            matmul(tape, a, b)?
        }
        _ => return Ok(None),
    };
    site.one(result)
}

/// All operands on the tape.
fn vars(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Vec<Var>, OpError> {
    (0..site.operands.len())
        .map(|index| site.var(tape, index))
        .collect()
}

/// Operators with two or more operands that broadcast.
fn elementwise(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    // Below version 7 a smaller operand may start at `axis`.
    if site.call.schema().attribute("broadcast").is_some() && site.call.flag("broadcast")? {
        let schema = site.call.schema();
        return Err(OpError::undefined(format!(
            "the derivative of {schema} with `broadcast`"
        )));
    }
    let vars = vars(tape, site)?;
    let shapes: Vec<&[usize]> = vars.iter().map(|&var| tape.shape(var)).collect();
    let shape = broadcast::shape(&shapes)?;
    let vars = vars
        .into_iter()
        .map(|var| tape.broadcast(var, &shape))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match (site.name(), vars.as_slice()) {
        ("Sub", &[a, b]) => tape.sub(a, b),
        ("Mul", &[a, b]) => tape.mul(a, b),
        ("Div", &[a, b]) => {
            let reciprocal = tape.apply(Function::Reciprocal, b);
            tape.mul(a, reciprocal)
        }
        ("Pow", &[a, b]) => tape.pow(a, b),
        ("Add" | "Sum" | "Mean", &[first, ref rest @ ..]) => {
            let sum = rest.iter().fold(first, |sum, &next| tape.add(sum, next));
            match site.name() {
                "Mean" => tape.scale(sum, 1.0 / vars.len() as f64),
                _ => sum,
            }
        }
        _ => return Err(site.unknown()),
    })
}

/// Like `numpy.matmul`: a vector is a row on the left and a column on the right; leading axes broadcast.
fn matmul(tape: &mut Tape<'_>, a: Var, b: Var) -> Result<Var, OpError> {
    let (mut left, mut right) = (tape.shape(a).to_vec(), tape.shape(b).to_vec());
    let (row, column) = (left.len() == 1, right.len() == 1);
    if row {
        left.insert(0, 1);
    }
    if column {
        right.push(1);
    }
    let misfit = || OpError::invalid(format!("shapes {left:?} and {right:?} cannot be multiplied"));
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

fn gemm(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let mut matrix = |index: usize, transposed: &str| {
        let x = site.var(tape, index)?;
        if tape.shape(x).len() != 2 {
            return Err(OpError::invalid(format!("input {index} must be a matrix")));
        }
        match site.call.int(transposed)? {
            0 => Ok(x),
            _ => tape.permute(x, &[1, 0]),
        }
    };
    let (a, b) = (matrix(0, "transA")?, matrix(1, "transB")?);
    let product = matmul(tape, a, b)?;
    let product = tape.scale(product, site.float("alpha")?);
    let Some(c) = site.optional(tape, 2)? else {
        return Ok(product);
    };
    let shape = tape.shape(product).to_vec();
    let c = tape.broadcast(c, &shape)?;
    let c = tape.scale(c, site.float("beta")?);
    Ok(tape.add(product, c))
}

/// Broadcasts every operand over all labels, multiplies them, and sums over the labels that are not in the
/// result.
fn einsum(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Var, OpError> {
    let vars = vars(tape, site)?;
    let shapes: Vec<&[usize]> = vars.iter().map(|&var| tape.shape(var)).collect();
    let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
    let equation = Equation::parse(site.call.string("equation")?, &ranks)?;
    let axes = einsum_axes::axes(site.call, &equation, &shapes)?;
    let extents: Vec<usize> = axes.iter().map(|axis| axis.extent).collect();
    site.call.reserve(&extents, onnx_tensor::DType::Double)?;
    let mut maps = vec![Vec::new(); vars.len()];
    einsum_axes::visit(&axes, &mut vec![0; vars.len()], &mut |offsets| {
        maps.iter_mut()
            .zip(offsets)
            .for_each(|(map, &offset)| map.push(offset));
    });
    let stretched: Vec<Var> = vars
        .iter()
        .zip(maps)
        .map(|(&var, map)| tape.pick(var, &extents, map.into()))
        .collect();
    let product = stretched
        .into_iter()
        .reduce(|product, next| tape.mul(product, next));
    let product = product.ok_or_else(|| site.unknown())?;
    let kept = equation.result.len();
    let sum = tape.sum(product, &(kept..extents.len()).collect::<Vec<_>>())?;
    Ok(tape.reshape(sum, &extents[..kept]))
}
