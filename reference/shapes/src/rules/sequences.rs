//! Sequences and optionals.

use onnx_tensor::ValueType;

use super::arithmetic::with;
use super::quantization::single;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Compared, Expr};
use crate::fact::{Content, Fact, SequenceFact};
use crate::finding::{Outcome, Stop, conflict, known, parameter};
use crate::merge::{element_of, joined_elements};

pub(super) const ROWS: &[Row] = &[
    row("SequenceConstruct", 11, |call| {
        let items: Vec<Fact> = (0..call.inputs.len()).map(|at| call.fact(at).clone()).collect();
        Ok(vec![sequence(call, items)])
    }),
    row("SequenceEmpty", 11, |call| Ok(vec![sequence(call, Vec::new())])),
    row("SequenceInsert", 11, insert),
    row("SequenceErase", 11, erase),
    row("SequenceAt", 11, |call| {
        single(call, &[1])?;
        at(call)
    }),
    row("SequenceLength", 11, length),
    row("SplitToSequence", 11, split),
    row("ConcatFromSequence", 11, concat),
    row("Optional", 15, |call| {
        let inner = match (call.given(0), call.attribute("type")) {
            (true, _) => call.fact(0).clone(),
            (false, Some(_)) => Fact::Unknown,
            (false, None) => return parameter("without an input, `type` must be set"),
        };
        Ok(vec![Fact::Optional(Box::new(inner))])
    }),
    row("OptionalGetElement", 15, |call| {
        Ok(vec![match call.fact(0) {
            Fact::Optional(inner) => (**inner).clone(),
            other => other.clone(),
        }])
    }),
    row("OptionalHasElement", 15, |_| one(Vec::new())),
];

/// A sequence of these values.
fn sequence(call: &mut Call<'_, '_>, items: Vec<Fact>) -> Fact {
    let element = joined_elements(&mut call.state.symbols, &items);
    Fact::Sequence(Box::new(SequenceFact {
        length: (items.len() as i64).into(),
        element,
        items: Some(items),
    }))
}

/// The position that an input says, if it is a number; the last one without an input.
fn position(
    call: &mut Call<'_, '_>,
    input: usize,
    positions: usize,
    default: usize,
) -> Outcome<Option<usize>> {
    if !call.given(input) {
        return Ok(Some(default));
    }
    let Some(at) = known(call.only(input))?.and_then(|at| at.constant()) else {
        return Ok(None);
    };
    let front = if at < 0 {
        at.saturating_add(positions as i64)
    } else {
        at
    };
    match usize::try_from(front).ok().filter(|&front| front < positions) {
        Some(front) => Ok(Some(front)),
        None => parameter(format!("position {at} is outside of {positions}")),
    }
}

fn insert(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    if let [Some(ValueType::Sequence(element)), Some(new)] =
        [0, 1].map(|at| call.inputs.get(at)?.kind.as_ref())
        && !element.same_kind(new)
    {
        return conflict(format!(
            "elements of type {element} and a new one of type {new} differ"
        ));
    }
    let known = call.sequence(0)?;
    let new = call.fact(1).clone();
    if let Some(mut items) = known.items.clone() {
        let count = items.len();
        // A negative position counts from the end of the sequence before the insertion.
        let at = if call.given(2) {
            crate::finding::known(call.only(2))?
                .and_then(|at| at.constant())
                .and_then(|at| {
                    let front = if at < 0 {
                        at.saturating_add(count as i64)
                    } else {
                        at
                    };
                    usize::try_from(front).ok().filter(|&front| front <= count)
                })
        } else {
            Some(count)
        };
        if let Some(at) = at {
            items.insert(at, new);
            return Ok(vec![sequence(call, items)]);
        }
    }
    let length = call.add(&known.length, &1.into());
    let mut members = vec![new];
    // An empty sequence says nothing of its elements.
    if !known.length.is(0) {
        members.push(element_of(&mut call.state.symbols, &known));
    }
    let element = joined_elements(&mut call.state.symbols, &members);
    Ok(vec![Fact::Sequence(Box::new(SequenceFact {
        length,
        element,
        items: None,
    }))])
}

fn erase(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let known = call.sequence(0)?;
    if let Some(mut items) = known.items.clone() {
        let count = items.len();
        if count == 0 {
            return parameter("the sequence has no element");
        }
        if let Some(at) = position(call, 1, count, count - 1)? {
            items.remove(at);
            return Ok(vec![sequence(call, items)]);
        }
    }
    let length = call.sub(&known.length, &1.into());
    Ok(vec![Fact::Sequence(Box::new(SequenceFact {
        length,
        element: known.element,
        items: None,
    }))])
}

fn at(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let known = call.sequence(0)?;
    if let Some(items) = &known.items
        && let Some(at) = position(call, 1, items.len(), 0)?
        && let Some(item) = items.get(at)
    {
        return Ok(vec![item.clone()]);
    }
    Ok(vec![element_of(&mut call.state.symbols, &known)])
}

fn length(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    match call.sequence(0) {
        Ok(known) => Ok(vec![with(Vec::new(), Content::Integers(vec![known.length]))]),
        Err(_) => one(Vec::new()),
    }
}

/// The longest sequence whose elements are followed one by one.
const MAX_ITEMS: usize = 256;

/// Parts of extent 1, of a length, or of listed lengths.
fn split(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let axis = call.axis_attribute(shape.len())?;
    let extent = shape[axis].clone();
    let part = |length: &Expr| {
        let mut part = shape.clone();
        part[axis] = length.clone();
        Fact::of(part)
    };
    if !call.given(1) {
        let keeps = call.int("keepdims") != Some(0);
        let mut item = shape.clone();
        if keeps {
            item[axis] = 1.into()
        } else {
            drop(item.remove(axis))
        }
        let count = extent.constant().and_then(|count| usize::try_from(count).ok());
        let items = count
            .filter(|&count| count <= MAX_ITEMS)
            .map(|count| vec![Fact::of(item.clone()); count]);
        return Ok(vec![Fact::Sequence(Box::new(SequenceFact {
            length: extent,
            element: Some(item.into_iter().map(Some).collect()),
            items,
        }))]);
    }
    let open = |length: Expr| {
        let mut element: Vec<Option<Expr>> = shape.iter().cloned().map(Some).collect();
        element[axis] = None;
        Ok(vec![Fact::Sequence(Box::new(SequenceFact {
            length,
            element: Some(element),
            items: None,
        }))])
    };
    match (call.rank(1), call.list(1)) {
        (Some(0), Ok(list)) => {
            let length = list.into_iter().next().and_then(|length| length.constant());
            match (length, extent.constant()) {
                (Some(length @ ..1), _) => parameter(format!("a scalar `split` is {length}")),
                (Some(length), Some(extent)) if extent / length <= MAX_ITEMS as i64 => {
                    let mut items = vec![part(&length.into()); usize::try_from(extent / length).unwrap_or(0)];
                    items.extend((extent % length > 0).then(|| part(&(extent % length).into())));
                    Ok(vec![sequence(call, items)])
                }
                (Some(length), _) => {
                    let count = call.ceil_div(&extent, length);
                    open(count)
                }
                (None, _) => {
                    let count = call.unknown();
                    open(count)
                }
            }
        }
        (Some(1), Ok(list)) if list.len() <= MAX_ITEMS => {
            let total = call.sum(&list);
            call.equal(&total, &extent, "sum of lengths and extent")?;
            let items = list.iter().map(part).collect();
            Ok(vec![sequence(call, items)])
        }
        (Some(1), _) => {
            let count = call.length(1)?;
            open(count)
        }
        (Some(0) | None, _) => {
            let count = call.unknown();
            open(count)
        }
        (Some(rank), _) => call.wrong_rank(1, rank, "0 or 1"),
    }
}

fn concat(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let known = call.sequence(0)?;
    let (new_axis, axis) = (call.flag("new_axis"), call.int("axis").ok_or(Stop::Unknown)?);
    let element = known.element.clone().ok_or(Stop::Unknown)?;
    let rank = element.len();
    let at = call.axis(axis, rank + usize::from(new_axis))?;
    let shapes: Option<Vec<Vec<Expr>>> = known
        .items
        .as_ref()
        .and_then(|items| items.iter().map(|item| item.shape().cloned()).collect());
    let mut result: Vec<Expr> = Vec::with_capacity(rank + 1);
    for extent in element {
        result.push(match extent {
            Some(extent) => extent,
            None => call.unknown(),
        });
    }
    if let Some(shapes) = &shapes {
        for shape in shapes {
            for other in (0..rank).filter(|&other| new_axis || other != at) {
                if call.state.symbols.compare(&result[other], &shape[other]) == Compared::Different {
                    let text = (call.shown(&result[other]), call.shown(&shape[other]));
                    return crate::finding::conflict(format!(
                        "extents beside the axis {} and {} differ",
                        text.0, text.1
                    ));
                }
            }
        }
    }
    match (new_axis, shapes) {
        (true, _) => result.insert(at, known.length.clone()),
        (false, Some(shapes)) => {
            let parts: Vec<Expr> = shapes.iter().map(|shape| shape[at].clone()).collect();
            result[at] = call.sum(&parts);
        }
        (false, None) => result[at] = call.unknown(),
    }
    one(result)
}
