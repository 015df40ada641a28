//! Integers and booleans: arithmetic on shapes, on positions and on masks.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire, broadcast};
use super::super::range::Range;
use super::text;

/// The maximum magnitude of an operand: sums and products of two operands are exact in 32 bits.
const MOST: f64 = 1000.0;

/// A node with one output that holds integers or booleans.
pub fn counted(
    g: &mut GraphDraft,
    operator: &str,
    inputs: &[&Wire],
    attributes: &[(&str, onnx_model::AttributeValue)],
    (dtype, shape, most): (DType, Vec<usize>, f64),
) -> Option<Wire> {
    let names: Vec<&str> = inputs.iter().map(|wire| wire.name.as_str()).collect();
    let name = g.node(operator, &names, attributes, 1).pop()?;
    Some(Wire {
        name,
        dtype,
        shape,
        range: Range::multiples(most, 1.0),
    })
}

/// Integers of a type, from an input or in the model.
pub fn whole(g: &mut GraphDraft, dtype: DType, shape: &[usize], low: i64, high: i64) -> Option<Wire> {
    let count = shape.iter().product();
    let numbers: Vec<i64> = (0..count).map(|_| g.draws.between(low, high)).collect();
    let tensor = match dtype {
        DType::Int32 => Tensor::new(shape, numbers.iter().map(|&n| n as i32).collect::<Vec<_>>()),
        _ => Tensor::new(shape, numbers),
    }
    .ok()?;
    let range = Range::multiples(low.unsigned_abs().max(high.unsigned_abs()) as f64, 1.0);
    Some(if g.draws.one_in(2) {
        g.fed(tensor, range)
    } else {
        g.constant(tensor, range)
    })
}

/// A cast to another type.
pub fn cast(g: &mut GraphDraft, x: &Wire, to: DType) -> Option<Wire> {
    let attributes = [("to", Int(i64::from(to.to_onnx())))];
    let name = g.node("Cast", &[&x.name], &attributes, 1).pop()?;
    Some(Wire {
        name,
        dtype: to,
        shape: x.shape.clone(),
        range: x.range.held_by(to),
    })
}

/// An earlier value of integers if all of them are certain, or a new one.
fn operand(g: &mut GraphDraft, dtype: DType) -> Option<Wire> {
    let certain = !g.rounding_decides;
    let fits = |wire: &Wire| wire.dtype == dtype && certain && wire.range.most <= MOST;
    match g.find(fits) {
        Some(wire) => Some(wire),
        None => {
            let shape = [g.extent(1, 3), g.extent(1, 4)];
            whole(g, dtype, &shape, -9, 9)
        }
    }
}

/// Arithmetic of integers with broadcasting; half of the results become floats.
pub fn arithmetic(g: &mut GraphDraft) -> Option<()> {
    let dtype = if g.draws.one_in(3) {
        DType::Int32
    } else {
        DType::Int64
    };
    let a = operand(g, dtype)?;
    let shape = match g.draws.below(3) {
        0 => vec![],
        1 => vec![a.last()],
        _ => a.shape.clone(),
    };
    let operator = g.text(&["Add", "Sub", "Mul", "Div", "Mod", "Mod", "Max", "Min"]);
    // No divisor is 0.
    let low = if matches!(operator, "Div" | "Mod") { 1 } else { -7 };
    let mut b = whole(g, dtype, &shape, low, 7)?;
    if low == 1 && g.draws.one_in(2) {
        let (shape, most) = (b.shape.clone(), b.range.most);
        b = counted(g, "Neg", &[&b], &[], (dtype, shape, most))?;
    }
    let attributes: &[_] = match operator {
        "Mod" if g.draws.one_in(2) => &[("fmod", Int(1))],
        _ => &[],
    };
    let most = match operator {
        "Mul" => a.range.most * b.range.most,
        "Add" | "Sub" => a.range.most + b.range.most,
        _ => a.range.most.max(b.range.most),
    };
    let shape = broadcast(&a.shape, &b.shape)?;
    let y = counted(g, operator, &[&a, &b], attributes, (dtype, shape, most))?;
    kept(g, y)
}

/// Keeps integers, or the floats of their values.
fn kept(g: &mut GraphDraft, y: Wire) -> Option<()> {
    let y = if g.draws.one_in(2) {
        let float = g.float;
        cast(g, &y, float)?
    } else {
        y
    };
    g.keep(y);
    Some(())
}

/// Operators of one operand of integers: signs, limits, running sums, reductions.
pub fn unary(g: &mut GraphDraft) -> Option<()> {
    let x = operand(g, DType::Int64)?;
    (x.rank() >= 1 && x.len() > 0).then_some(())?;
    let (dtype, shape, most) = (x.dtype, x.shape.clone(), x.range.most);
    let same = (dtype, shape.clone(), most);
    let axis = g.draws.below(x.rank());
    let y = match g.draws.below(5) {
        0 => {
            let operator = g.text(&["Abs", "Neg", "Sign"]);
            counted(g, operator, &[&x], &[], same)?
        }
        1 => {
            let (low, high) = (g.whole_number(-3), g.whole_number(4));
            counted(g, "Clip", &[&x, &low, &high], &[], (dtype, shape, 4.0))?
        }
        2 => {
            let number = g.whole_number(axis as i64 - x.rank() as i64);
            let flags = [
                ("exclusive", Int(i64::from(g.draws.one_in(2)))),
                ("reverse", Int(i64::from(g.draws.one_in(2)))),
            ];
            let most = most * x.shape[axis] as f64;
            counted(g, "CumSum", &[&x, &number], &flags, (dtype, shape, most))?
        }
        3 => {
            let operator = g.text(&["ReduceSum", "ReduceMax", "ReduceMin"]);
            let keep = g.draws.one_in(2);
            let y = super::heads::reduced(g, &x, operator, &[axis], keep)?;
            let most = most * x.shape[axis] as f64;
            Wire {
                range: Range::multiples(most, 1.0),
                ..y
            }
        }
        _ => {
            let bit_operators = ["BitwiseAnd", "BitwiseOr", "BitwiseXor"];
            (g.opset >= 18).then_some(())?;
            let operator = g.text(&bit_operators);
            let mask = whole(g, dtype, &[x.last()], -16, 15)?;
            counted(
                g,
                operator,
                &[&x, &mask],
                &[],
                (dtype, shape, 2.0 * most.max(16.0)),
            )?
        }
    };
    kept(g, y)
}

/// A mask from comparisons, combined with another, that chooses between two values.
pub fn masks(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4], |wire| wire.rank() >= 1)?;
    let flags = |g: &mut GraphDraft, shape: &[usize]| -> Option<Wire> {
        let numbers = whole(g, DType::Int64, shape, -2, 2)?;
        let (operator, bound) = (g.text(&["Greater", "Less", "Equal"]), g.whole_number(0));
        counted(
            g,
            operator,
            &[&numbers, &bound],
            &[],
            (DType::Bool, shape.to_vec(), 1.0),
        )
    };
    let a = flags(g, &[x.last()])?;
    let b = flags(g, &x.shape.clone())?;
    let operator = g.text(&["And", "Or", "Xor", "Equal"]);
    let shape = x.shape.clone();
    let mut mask = counted(g, operator, &[&a, &b], &[], (DType::Bool, shape.clone(), 1.0))?;
    if g.draws.one_in(2) {
        mask = counted(g, "Not", &[&mask], &[], (DType::Bool, shape.clone(), 1.0))?;
    }
    let other = g.weights(&[x.last()], 1)?;
    let name = g
        .node("Where", &[&mask.name, &x.name, &other.name], &[], 1)
        .pop()?;
    g.keep(Wire {
        name,
        range: x.range.or(other.range),
        ..x
    });
    Some(())
}

/// One extent of a value, as a number or a list of one.
fn extent_of(g: &mut GraphDraft, x: &Wire, axis: usize, as_list: bool) -> Option<Wire> {
    let most = x.shape[axis] as f64;
    if g.opset >= 15 && as_list && g.draws.one_in(2) {
        let part = [("start", Int(axis as i64)), ("end", Int(axis as i64 + 1))];
        return counted(g, "Shape", &[x], &part, (DType::Int64, vec![1], most));
    }
    let all = counted(g, "Shape", &[x], &[], (DType::Int64, vec![x.rank()], most))?;
    let place = axis as i64 - if g.draws.one_in(2) { x.rank() as i64 } else { 0 };
    let (place, shape) = if as_list {
        (g.list(&[place]), vec![1])
    } else {
        (g.whole_number(place), vec![])
    };
    counted(
        g,
        "Gather",
        &[&all, &place],
        &[("axis", Int(0))],
        (DType::Int64, shape, most),
    )
}

/// A node whose shape is computed from the shape of a value.
pub fn shapes(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 6], |wire| (1..=4).contains(&wire.rank()) && wire.len() > 0)?;
    let axis = g.draws.below(x.rank());
    let extent = x.shape[axis];
    match g.draws.below(4) {
        0 => positions(g, &x),
        1 => {
            // The first half of an axis.
            let dim = extent_of(g, &x, axis, true)?;
            let (two, zero, axes) = (g.list(&[2]), g.list(&[0]), g.list(&[axis as i64]));
            let half = counted(
                g,
                "Div",
                &[&dim, &two],
                &[],
                (DType::Int64, vec![1], extent as f64),
            )?;
            let mut shape = x.shape.clone();
            shape[axis] = extent / 2;
            let y = g.emit("Slice", &[&x, &zero, &half, &axes], &[], shape, x.range);
            g.keep(y);
            Some(())
        }
        2 => {
            // All axes up to this one become one.
            let mut product = extent_of(g, &x, 0, true)?;
            for axis in 1..=axis {
                let dim = extent_of(g, &x, axis, true)?;
                let most = product.range.most * dim.range.most;
                product = counted(g, "Mul", &[&product, &dim], &[], (DType::Int64, vec![1], most))?;
            }
            let rest = g.list(&[-1]);
            let list = counted(
                g,
                "Concat",
                &[&product, &rest],
                &[("axis", Int(0))],
                (DType::Int64, vec![2], product.range.most),
            )?;
            let rows = x.shape[..=axis].iter().product();
            let y = g.emit("Reshape", &[&x, &list], &[], vec![rows, x.len() / rows], x.range);
            g.keep(y);
            Some(())
        }
        _ => {
            // A constant of the shape of the value, with one extent more.
            let rank = x.rank();
            let whole = counted(g, "Shape", &[&x], &[], (DType::Int64, vec![rank], extent as f64))?;
            let more: Vec<i64> = (0..rank).map(|at| i64::from(at == axis)).collect();
            let more = g.list(&more);
            let list = counted(
                g,
                "Add",
                &[&whole, &more],
                &[],
                (DType::Int64, vec![rank], extent as f64 + 1.0),
            )?;
            let mut shape = x.shape.clone();
            shape[axis] += 1;
            let number = g.number(0.5)?;
            let y = g.emit("Expand", &[&number, &list], &[], shape, number.range);
            g.keep(y);
            Some(())
        }
    }
}

/// Range(0, last extent, 1), as floats, added to the value.
fn positions(g: &mut GraphDraft, x: &Wire) -> Option<()> {
    let extent = x.last();
    let limit = extent_of(g, x, x.rank() - 1, false)?;
    let down = g.draws.one_in(3);
    let (zero, delta) = (g.whole_number(0), g.whole_number(if down { -1 } else { 1 }));
    let limit = if down {
        counted(g, "Neg", &[&limit], &[], (DType::Int64, vec![], extent as f64))?
    } else {
        limit
    };
    let numbers = counted(
        g,
        "Range",
        &[&zero, &limit, &delta],
        &[],
        (DType::Int64, vec![extent], extent as f64),
    )?;
    let float = g.float;
    let floats = cast(g, &numbers, float)?;
    let y = g.combine("Add", x, &floats)?;
    g.keep(y);
    Some(())
}

/// Shifts and truth values of unsigned integers.
pub fn bits(g: &mut GraphDraft) -> Option<()> {
    let shape = [g.extent(1, 3), g.extent(1, 5)];
    let count: usize = shape.iter().product();
    let numbers: Vec<u8> = (0..count).map(|_| g.draws.below(256) as u8).collect();
    let places: Vec<u8> = (0..shape[1]).map(|_| g.draws.below(8) as u8).collect();
    let x = g.fed(Tensor::new(&shape, numbers).ok()?, Range::multiples(255.0, 1.0));
    let places = g.constant(Tensor::vector(places), Range::multiples(7.0, 1.0));
    let direction = g.text(&["LEFT", "RIGHT"]);
    let y = counted(
        g,
        "BitShift",
        &[&x, &places],
        &[("direction", text(direction))],
        (DType::Uint8, shape.to_vec(), 255.0),
    )?;
    let back = cast(g, &y, DType::Int32)?;
    g.keep(Wire {
        range: Range::multiples(255.0, 1.0),
        ..back
    });
    Some(())
}

/// A diagonal matrix, or the product of a value with it written as Einsum.
pub fn diagonal(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4], |wire| wire.rank() == 2 && wire.len() > 0)?;
    let columns = x.last();
    let float = g.float;
    // No version of EyeLike before 22 accepts bfloat16.
    (float != DType::Bfloat16).then_some(())?;
    let square = whole(g, DType::Int64, &[columns, columns], 0, 1)?;
    let k = g.draws.between(-1, 1);
    let attributes = [("dtype", Int(i64::from(float.to_onnx()))), ("k", Int(k))];
    let eye = counted(
        g,
        "EyeLike",
        &[&square],
        &attributes,
        (float, vec![columns, columns], 1.0),
    )?;
    let equation = g.text(&["ij,jk->ik", "ij,kj->ik", "ij,jk"]);
    let range = x.range.dot(Range::multiples(1.0, 1.0), 1);
    let shape = vec![x.shape[0], columns];
    let y = g.emit(
        "Einsum",
        &[&x, &eye],
        &[("equation", text(equation))],
        shape,
        range,
    );
    g.keep(y);
    Some(())
}

/// A value without elements, of one axis or two.
pub fn empty(g: &mut GraphDraft) -> Option<()> {
    let shape = match g.draws.below(3) {
        0 => vec![0],
        1 => vec![0, g.extent(1, 4)],
        _ => vec![g.extent(1, 3), 0, 2],
    };
    let x = g.feed(&shape)?;
    let y = super::elementwise::activated(g, &x)?;
    g.keep(y);
    Some(())
}
