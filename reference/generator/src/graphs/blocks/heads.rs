//! The end of a model: reductions, classifiers, decisions.

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::DType;

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::ints;

/// A reduction over some axes, given as an attribute or as an input, depending on the opset.
pub fn reduced(g: &mut GraphDraft, x: &Wire, operator: &str, axes: &[usize], keep: bool) -> Option<Wire> {
    let shape: Vec<usize> = (0..x.rank())
        .filter_map(|axis| match (axes.contains(&axis), keep) {
            (true, true) => Some(1),
            (true, false) => None,
            (false, _) => x.shape.get(axis).copied(),
        })
        .collect();
    let terms: usize = axes.iter().map(|&axis| x.shape[axis]).product();
    let range = match operator {
        "ReduceMax" | "ReduceMin" => x.range,
        "ReduceSum" => x.range.dot(Range::multiples(1.0, 1.0), terms),
        "ReduceSumSquare" => x.range.dot(x.range, terms),
        "ReduceMean" => Range::rounded(x.range.most),
        _ => Range::rounded(x.range.most * terms as f64),
    };
    let flag = ("keepdims", Int(i64::from(keep)));
    let as_input = g.opset >= 18 || operator == "ReduceSum";
    Some(if as_input {
        let numbers: Vec<i64> = axes
            .iter()
            .map(|&axis| {
                if g.draws.one_in(2) {
                    axis as i64
                } else {
                    axis as i64 - x.rank() as i64
                }
            })
            .collect();
        let list = g.list(&numbers);
        g.emit(operator, &[x, &list], &[flag], shape, range)
    } else {
        g.emit(operator, &[x], &[("axes", ints(axes)), flag], shape, range)
    })
}

/// Any reduction over any axes.
pub fn reduction(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3, 5], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let mut axes: Vec<usize> = (0..x.rank()).filter(|_| g.draws.one_in(2)).collect();
    if axes.is_empty() {
        axes.push(x.rank() - 1);
    }
    let operator = g.text(&[
        "ReduceMean",
        "ReduceMean",
        "ReduceSum",
        "ReduceMax",
        "ReduceMin",
        "ReduceL2",
        "ReduceSumSquare",
        "ReduceL1",
    ]);
    let keep = g.draws.one_in(2);
    let y = reduced(g, &x, operator, &axes, keep)?;
    g.keep(y);
    Some(())
}

/// Flatten and a fully connected layer, and usually Softmax.
pub fn classifier(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 4, 3, 3], |wire| wire.rank() >= 2 && wire.len() > 0)?;
    let (rows, columns) = (x.shape[0], x.shape[1..].iter().product::<usize>());
    (columns <= 600).then_some(())?;
    let flat = g.emit(
        "Flatten",
        &[&x],
        &[("axis", Int(1))],
        vec![rows, columns],
        x.range,
    );
    let classes = g.one_of(&[1, 3, 10, 17]);
    let turned = g.draws.one_in(2);
    let shape = if turned {
        [classes, columns]
    } else {
        [columns, classes]
    };
    let (w, b) = (g.weights(&shape, columns)?, g.weights(&[classes], 1)?);
    let mut attributes = vec![("transB", Int(i64::from(turned)))];
    if g.draws.one_in(4) {
        attributes.extend([("alpha", Float(0.5)), ("beta", Float(2.0))]);
    }
    let range = flat.range.dot(w.range, columns).plus(b.range);
    let range = Range {
        most: range.most * 2.0,
        step: range.step / 2.0,
    };
    let y = g.emit("Gemm", &[&flat, &w, &b], &attributes, vec![rows, classes], range);
    g.keep(y);
    Some(())
}

/// Softmax or LogSoftmax over any axis.
pub fn softmax(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 7], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let axis = g.draws.between(-(x.rank() as i64), x.rank() as i64 - 1);
    let operator = g.text(&["Softmax", "Softmax", "LogSoftmax"]);
    let most = if operator == "Softmax" {
        1.0
    } else {
        2.0 * x.range.most + 8.0
    };
    let y = g.map(operator, &x, &[("axis", Int(axis))], most);
    g.keep(y);
    Some(())
}

/// A decision, which has one right answer if the elements are exact.
pub fn decision(g: &mut GraphDraft) -> Option<()> {
    let (float, any) = (g.float, g.rounding_decides && !g.undefined);
    let x = g.find(|wire| {
        wire.dtype == float && (any || wire.range.is_exact()) && wire.rank() >= 1 && wire.len() > 0
    })?;
    let axis = g.draws.below(x.rank());
    let mut shape = x.shape.clone();
    // TopK does not accept bfloat16 before version 24.
    if float == DType::Bfloat16 || g.draws.one_in(2) {
        let operator = g.text(&["ArgMax", "ArgMin"]);
        let last = i64::from(g.draws.one_in(3));
        shape[axis] = 1;
        let attributes = [("axis", Int(axis as i64)), ("select_last_index", Int(last))];
        let name = g.node(operator, &[&x.name], &attributes, 1).pop()?;
        let most = x.shape[axis] as f64;
        g.keep(Wire {
            name,
            dtype: DType::Int64,
            shape,
            range: Range::multiples(most, 1.0),
        });
        return Some(());
    }
    let count = 1 + g.draws.below(x.shape[axis]);
    let k = g.list(&[count as i64]);
    let largest = i64::from(g.draws.one_in(2));
    let names = g.node(
        "TopK",
        &[&x.name, &k.name],
        &[("axis", Int(axis as i64)), ("largest", Int(largest))],
        2,
    );
    shape[axis] = count;
    let [values, places] = <[String; 2]>::try_from(names).ok()?;
    g.keep(Wire {
        name: places,
        dtype: DType::Int64,
        shape: shape.clone(),
        range: Range::multiples(x.shape[axis] as f64, 1.0),
    });
    g.keep(Wire {
        name: values,
        shape,
        ..x
    });
    Some(())
}

/// Sums along an axis.
pub fn running_sum(g: &mut GraphDraft) -> Option<()> {
    (g.opset >= 14 && !matches!(g.float, DType::Float16 | DType::Bfloat16)).then_some(())?;
    let x = g.float(&[2, 6], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let axis = g.draws.below(x.rank());
    let number = g.whole_number(axis as i64);
    let flags = [
        ("exclusive", Int(i64::from(g.draws.one_in(2)))),
        ("reverse", Int(i64::from(g.draws.one_in(2)))),
    ];
    let range = x.range.dot(Range::multiples(1.0, 1.0), x.shape[axis]);
    let y = g.emit("CumSum", &[&x, &number], &flags, x.shape.clone(), range);
    g.keep(y);
    Some(())
}
