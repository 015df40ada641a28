//! Elements by index: gathers, scatters, one-hot rows, selections.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::integers::{cast, counted};
use super::text;

/// Indices into an axis, negative ones among them, from an input or in the model.
fn places(g: &mut GraphDraft, shape: &[usize], extent: usize) -> Option<Wire> {
    let extent = extent as i64;
    super::integers::whole(g, DType::Int64, shape, -extent, extent - 1)
}

/// GatherElements along any axis.
pub fn gather_elements(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4], |wire| (1..=4).contains(&wire.rank()) && wire.len() > 0)?;
    let axis = g.draws.below(x.rank());
    let mut shape = x.shape.clone();
    shape[axis] = 1 + g.draws.below(4);
    let indices = places(g, &shape, x.shape[axis])?;
    let axis = axis as i64 - if g.draws.one_in(2) { x.rank() as i64 } else { 0 };
    let y = g.emit(
        "GatherElements",
        &[&x, &indices],
        &[("axis", Int(axis))],
        shape,
        x.range,
    );
    g.keep(y);
    Some(())
}

/// GatherND of rows or elements, with a batch axis or without.
pub fn gather_nd(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3, 4], |wire| {
        (2..=4).contains(&wire.rank()) && wire.len() > 0
    })?;
    let batch = g.draws.below(2);
    let deep = 1 + g.draws.below(x.rank() - batch);
    let count = g.extent(1, 3);
    let rows = [&x.shape[..batch], &[count]].concat();
    let tuples: usize = rows.iter().product();
    let mut numbers = Vec::new();
    for _ in 0..tuples {
        for &extent in &x.shape[batch..batch + deep] {
            numbers.push(g.draws.between(-(extent as i64), extent as i64 - 1));
        }
    }
    let tensor = Tensor::new(&[&rows[..], &[deep]].concat(), numbers).ok()?;
    let indices = g.constant(tensor, Range::multiples(0.0, 1.0));
    let shape = [&rows, &x.shape[batch + deep..]].concat();
    let y = g.emit(
        "GatherND",
        &[&x, &indices],
        &[("batch_dims", Int(batch as i64))],
        shape,
        x.range,
    );
    g.keep(y);
    Some(())
}

/// The reductions of a scatter that an opset has.
fn reduction(g: &mut GraphDraft) -> &'static str {
    match g.opset {
        18.. => g.text(&["none", "add", "mul", "max", "min"]),
        16.. => g.text(&["none", "add", "mul"]),
        _ => "none",
    }
}

/// The range of updated elements: at most `count` updates meet at one element.
fn updated(reduction: &str, x: Range, updates: Range, count: usize) -> Range {
    match reduction {
        "add" => x.plus(updates.dot(Range::multiples(1.0, 1.0), count)),
        "mul" => (0..count).fold(x, |range, _| {
            let product = range.dot(updates, 1);
            Range {
                most: product.most.max(range.most),
                step: product.step.min(range.step),
            }
        }),
        _ => x.or(updates),
    }
}

/// ScatterElements along any axis. Without a reduction, no index occurs twice.
pub fn scatter_elements(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[4, 3], |wire| {
        (1..=3).contains(&wire.rank()) && wire.len() > 0 && wire.range.most <= 4.0
    })?;
    let axis = g.draws.below(x.rank());
    let extent = x.shape[axis];
    let reduction = reduction(g);
    let mut shape = x.shape.clone();
    shape[axis] = 1 + g.draws.below(extent.min(2));
    let lanes: usize = shape[axis + 1..].iter().product();
    let order = g.draws.permutation(extent);
    let count: usize = shape.iter().product();
    let at = |number: usize| order[number / lanes % shape[axis]];
    let numbers: Vec<i64> = (0..count)
        .map(|number| match reduction {
            "none" => at(number) as i64 - if number % 2 == 0 { extent as i64 } else { 0 },
            _ => g.draws.between(-(extent as i64), extent as i64 - 1),
        })
        .collect();
    let tensor = Tensor::new(&shape, numbers).ok()?;
    let (indices, updates) = (
        g.constant(tensor, Range::multiples(0.0, 1.0)),
        g.weights(&shape, 1)?,
    );
    let mut attributes = vec![("axis", Int(axis as i64))];
    if reduction != "none" {
        attributes.push(("reduction", text(reduction)));
    }
    let range = updated(reduction, x.range, updates.range, shape[axis]);
    let y = g.emit(
        "ScatterElements",
        &[&x, &indices, &updates],
        &attributes,
        x.shape.clone(),
        range,
    );
    g.keep(y);
    Some(())
}

/// ScatterND of rows. Without a reduction, no row occurs twice.
pub fn scatter_nd(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[4, 3], |wire| {
        (1..=4).contains(&wire.rank()) && wire.len() > 0 && wire.range.most <= 4.0
    })?;
    let extent = x.shape[0];
    let reduction = reduction(g);
    let count = 1 + g.draws.below(extent.min(3));
    let order = g.draws.permutation(extent);
    let numbers: Vec<i64> = (0..count)
        .map(|number| match reduction {
            "none" => order[number] as i64,
            _ => g.draws.between(0, extent as i64 - 1),
        })
        .collect();
    let tensor = Tensor::new(&[count, 1], numbers).ok()?;
    let indices = g.constant(tensor, Range::multiples(0.0, 1.0));
    let updates = g.weights(&[&[count], &x.shape[1..]].concat(), 1)?;
    let attributes = [("reduction", text(reduction))];
    let attributes = if reduction == "none" { &[][..] } else { &attributes };
    let range = updated(reduction, x.range, updates.range, count);
    let y = g.emit(
        "ScatterND",
        &[&x, &indices, &updates],
        attributes,
        x.shape.clone(),
        range,
    );
    g.keep(y);
    Some(())
}

/// Rows of OneHot, as floats.
pub fn one_hot(g: &mut GraphDraft) -> Option<()> {
    let depth = g.extent(2, 5);
    let shape = [g.extent(1, 3), g.extent(1, 3)];
    // An index beyond the depth gives a row without a one.
    let indices = super::integers::whole(g, DType::Int64, &shape, -(depth as i64) - 1, depth as i64)?;
    let float = g.float;
    let (count, values) = (g.whole_number(depth as i64), g.list(&[-1, 3]));
    let axis = g.draws.between(-3, 2);
    let mut wanted = shape.to_vec();
    wanted.insert(axis.rem_euclid(3) as usize, depth);
    let y = counted(
        g,
        "OneHot",
        &[&indices, &count, &values],
        &[("axis", Int(axis))],
        (DType::Int64, wanted, 3.0),
    )?;
    let y = cast(g, &y, float)?;
    g.keep(y);
    Some(())
}

/// Compress, or the places of NonZero by which rows are gathered: shapes that depend on values.
pub fn selection(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[4, 3], |wire| wire.rank() >= 1 && wire.len() > 0)?;
    let axis = g.draws.below(x.rank());
    let extent = x.shape[axis];
    let flags: Vec<bool> = (0..extent).map(|_| g.draws.one_in(2)).collect();
    let count = flags.iter().filter(|&&flag| flag).count();
    let tensor = Tensor::vector(flags);
    let mask = if g.draws.one_in(2) {
        let wire = g.fed(tensor, Range::multiples(1.0, 1.0));
        g.wires.pop();
        wire
    } else {
        g.constant(tensor, Range::multiples(1.0, 1.0))
    };
    let mut shape = x.shape.clone();
    shape[axis] = count;
    let axis = [("axis", Int(axis as i64))];
    let y = if g.float != DType::Bfloat16 && g.draws.one_in(2) {
        g.emit("Compress", &[&x, &mask], &axis, shape, x.range)
    } else {
        let found = counted(
            g,
            "NonZero",
            &[&mask],
            &[],
            (DType::Int64, vec![1, count], extent as f64),
        )?;
        let first = g.list(&[0]);
        let list = counted(
            g,
            "Squeeze",
            &[&found, &first],
            &[],
            (DType::Int64, vec![count], extent as f64),
        )?;
        g.emit("Gather", &[&x, &list], &axis, shape, x.range)
    };
    g.keep(y);
    Some(())
}

/// The distinct integers of a list, with their counts.
pub fn distinct(g: &mut GraphDraft) -> Option<()> {
    let count = g.extent(1, 8);
    let numbers: Vec<i64> = (0..count).map(|_| g.draws.between(-2, 2)).collect();
    let mut known = numbers.clone();
    known.sort_unstable();
    known.dedup();
    let x = g.fed(Tensor::vector(numbers), Range::multiples(2.0, 1.0));
    let sorted = i64::from(g.draws.one_in(2));
    let names = g.node("Unique", &[&x.name], &[("sorted", Int(sorted))], 4);
    for (name, extent) in names
        .into_iter()
        .zip([known.len(), known.len(), count, known.len()])
    {
        let range = Range::multiples(count.max(2) as f64, 1.0);
        g.keep(Wire {
            name,
            dtype: DType::Int64,
            shape: vec![extent],
            range,
        });
    }
    Some(())
}

/// Each sequence of a batch reversed up to its length.
pub fn reversed(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 4, 2], |wire| wire.rank() >= 2 && wire.len() > 0)?;
    (g.float != DType::Bfloat16).then_some(())?;
    let time = g.draws.below(2);
    let (steps, batch) = (x.shape[time], x.shape[1 - time]);
    let lengths = super::integers::whole(g, DType::Int64, &[batch], 1, steps as i64)?;
    let axes = [
        ("time_axis", Int(time as i64)),
        ("batch_axis", Int(1 - time as i64)),
    ];
    let y = g.emit(
        "ReverseSequence",
        &[&x, &lengths],
        &axes,
        x.shape.clone(),
        x.range,
    );
    g.keep(y);
    Some(())
}
