//! Strings: moved as other elements are, joined, compared, and converted to numbers and back.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::integers::{cast, counted, whole};
use super::ints;

/// Short and empty texts, and some beyond ASCII.
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "A",
    " a",
    "0",
    "-7",
    "été",
    "日本",
    "a\nb",
    "long enough to lie on the heap",
];

/// The range of strings, which have no magnitude.
const NONE: Range = Range { most: 0.0, step: 1.0 };

/// Strings, from an input or in the model.
fn drawn(g: &mut GraphDraft, shape: &[usize]) -> Option<Wire> {
    let count = shape.iter().product();
    let texts: Option<Vec<String>> = (0..count)
        .map(|_| g.draws.one_of(TEXTS).map(|text| (*text).to_owned()))
        .collect();
    let tensor = Tensor::new(shape, texts?).ok()?;
    Some(if g.draws.one_in(2) {
        g.fed(tensor, NONE)
    } else {
        g.constant(tensor, NONE)
    })
}

/// A node whose result is strings.
fn strings(
    g: &mut GraphDraft,
    operator: &str,
    inputs: &[&Wire],
    attributes: &[(&str, onnx_model::AttributeValue)],
    shape: Vec<usize>,
) -> Option<Wire> {
    let y = counted(g, operator, inputs, attributes, (DType::String, shape, 0.0))?;
    Some(Wire { range: NONE, ..y })
}

/// Strings that are moved, joined and compared.
pub fn moved(g: &mut GraphDraft) -> Option<()> {
    let known = g.find(|wire| wire.dtype == DType::String && wire.rank() == 2 && wire.len() > 0);
    let mut x = match known {
        Some(wire) => wire,
        None => {
            let shape = [g.extent(1, 3), g.extent(1, 3)];
            drawn(g, &shape)?
        }
    };
    for _ in 0..1 + g.draws.below(3) {
        x = step(g, &x)?;
    }
    g.keep(x);
    Some(())
}

/// One move of a matrix of strings.
fn step(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let &[rows, columns] = x.shape.as_slice() else {
        return None;
    };
    match g.draws.below(8) {
        0 => strings(
            g,
            "Transpose",
            &[x],
            &[("perm", ints(&[1, 0]))],
            vec![columns, rows],
        ),
        1 => {
            let list = g.list(&[-1, 1]);
            strings(g, "Reshape", &[x, &list], &[], vec![rows * columns, 1])
        }
        2 => {
            let places = whole(g, DType::Int64, &[3], -(rows as i64), rows as i64 - 1)?;
            strings(g, "Gather", &[x, &places], &[], vec![3, columns])
        }
        3 => {
            let (start, end, axes, steps) = (g.list(&[-1]), g.list(&[-9]), g.list(&[1]), g.list(&[-1]));
            strings(
                g,
                "Slice",
                &[x, &start, &end, &axes, &steps],
                &[],
                vec![rows, columns],
            )
        }
        4 => {
            let other = drawn(g, &[rows, 2])?;
            strings(
                g,
                "Concat",
                &[x, &other],
                &[("axis", Int(-1))],
                vec![rows, columns + 2],
            )
        }
        5 => {
            let list = g.list(&[2, 1]);
            strings(g, "Tile", &[x, &list], &[], vec![2 * rows, columns])
        }
        6 if g.opset >= 20 => {
            let other = drawn(g, &[columns])?;
            let (a, b) = if g.draws.one_in(2) {
                (x, &other)
            } else {
                (&other, x)
            };
            strings(g, "StringConcat", &[a, b], &[], vec![rows, columns])
        }
        _ => {
            let other = drawn(g, &[])?;
            let mask = whole(g, DType::Int64, &[columns], 0, 1)?;
            let mask = cast(g, &mask, DType::Bool)?;
            let name = g
                .node("Where", &[&mask.name, &x.name, &other.name], &[], 1)
                .pop()?;
            Some(Wire { name, ..x.clone() })
        }
    }
}

/// Equal of two matrices of strings chooses between floats.
pub fn compared(g: &mut GraphDraft) -> Option<()> {
    (g.opset >= 19).then_some(())?;
    let x = g.float(&[2, 3], |wire| {
        wire.rank() == 2 && wire.len() > 0 && wire.len() < 40
    })?;
    let (a, b) = (drawn(g, &x.shape.clone())?, drawn(g, &[x.last()])?);
    let mask = counted(g, "Equal", &[&a, &b], &[], (DType::Bool, x.shape.clone(), 1.0))?;
    let other = g.number(0.5)?;
    let name = g
        .node("Where", &[&mask.name, &other.name, &x.name], &[], 1)
        .pop()?;
    g.keep(Wire {
        name,
        range: x.range.or(other.range),
        ..x
    });
    Some(())
}

/// Integers as texts and back.
pub fn written(g: &mut GraphDraft) -> Option<()> {
    let shape = [g.extent(1, 3), g.extent(1, 4)];
    let x = whole(g, DType::Int64, &shape, -999, 999)?;
    let texts = cast(g, &x, DType::String)?;
    let turned = strings(
        g,
        "Transpose",
        &[&texts],
        &[("perm", ints(&[1, 0]))],
        vec![shape[1], shape[0]],
    )?;
    let to = if g.draws.one_in(2) {
        DType::Int64
    } else {
        DType::Int32
    };
    let back = cast(g, &turned, to)?;
    g.keep(Wire {
        range: Range::multiples(999.0, 1.0),
        ..back
    });
    Some(())
}
