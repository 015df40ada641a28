//! The variants of a case: its numbers and extents are replaced by extremes.

use onnx_model::AttributeValue;

use super::{Case, Input};

const INTS: [i64; 11] = [
    0,
    -1,
    1,
    2,
    i32::MAX as i64,
    1 << 31,
    1 << 61,
    (1 << 62) + 2,
    ((1 << 60) + 2) / 3,
    i64::MAX,
    i64::MIN,
];

const FLOATS: [f32; 9] = [
    0.0,
    -1.0,
    1e-30,
    1e30,
    -1e30,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Extents next to a 0: one that a value may have, and others that none may have.
const HUGE: [usize; 3] = [1 << 16, 1 << 40, i64::MAX as usize];

/// The number of variants that change several numbers at once.
const MIXED: usize = 40;

/// A number of a case that can be replaced.
#[derive(Clone, Copy)]
enum Slot {
    /// In an attribute; in a list, at this position.
    Attribute(usize, usize),
    /// In an input that holds numbers.
    Element(usize, usize),
}

pub fn of(case: &Case) -> Vec<Case> {
    let slots = slots(case);
    let mut all = Vec::new();
    for &slot in &slots {
        for pick in 0..INTS.len().max(FLOATS.len()) {
            all.push(with(case, slot, pick));
        }
    }
    // Pseudo-random, so that a failure can be reproduced.
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64 ^ case.operator.len() as u64;
    let mut next = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..if slots.len() > 1 { MIXED } else { 0 } {
        let mut mixed = case.clone();
        for _ in 0..2 + next(3) {
            mixed = with(&mixed, slots[next(slots.len())], next(INTS.len()));
        }
        all.push(mixed);
    }
    all.extend(lists(case));
    all.extend(extents(case));
    all
}

fn slots(case: &Case) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (at, (_, value)) in case.attributes.iter().enumerate() {
        let count = match value {
            AttributeValue::Int(_) | AttributeValue::Float(_) => 1,
            AttributeValue::Ints(values) => values.len(),
            AttributeValue::Floats(values) => values.len(),
            _ => 0,
        };
        slots.extend((0..count).map(|place| Slot::Attribute(at, place)));
    }
    for (at, input) in case.inputs.iter().enumerate() {
        let count = match input {
            Some(Input::Ints(values, _)) => values.len(),
            Some(Input::Floats(values, _)) => values.len(),
            Some(Input::Shaped(..)) | None => 0,
        };
        slots.extend((0..count).map(|place| Slot::Element(at, place)));
    }
    slots
}

fn with(case: &Case, slot: Slot, pick: usize) -> Case {
    let mut case = case.clone();
    let (int, float) = (INTS[pick % INTS.len()], FLOATS[pick % FLOATS.len()]);
    match slot {
        Slot::Attribute(at, place) => match &mut case.attributes[at].1 {
            AttributeValue::Int(value) => *value = int,
            AttributeValue::Float(value) => *value = float,
            AttributeValue::Ints(values) => values[place] = int,
            AttributeValue::Floats(values) => values[place] = float,
            _ => {}
        },
        Slot::Element(at, place) => match &mut case.inputs[at] {
            Some(Input::Ints(values, _)) => values[place] = int,
            Some(Input::Floats(values, _)) => values[place] = float,
            Some(Input::Shaped(..)) | None => {}
        },
    }
    case
}

/// Omitted attributes, and lists that are empty or too long.
fn lists(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for at in 0..case.attributes.len() {
        let mut without = case.clone();
        without.attributes.remove(at);
        all.push(without);
        if let AttributeValue::Ints(values) = &case.attributes[at].1 {
            for list in [Vec::new(), [&values[..], &values[..]].concat()] {
                let mut other = case.clone();
                other.attributes[at].1 = AttributeValue::Ints(list);
                all.push(other);
            }
        }
    }
    for at in 0..case.inputs.len() {
        let mut without = case.clone();
        without.inputs[at] = None;
        all.push(without);
        if let Some(Input::Ints(values, _)) = &case.inputs[at] {
            for list in [Vec::new(), [&values[..], &values[..]].concat()] {
                let mut other = case.clone();
                other.inputs[at] = Some(Input::Ints(list, false));
                all.push(other);
            }
        }
    }
    all
}

/// Inputs with extents of 0, with huge extents next to it, with one axis less or more.
fn extents(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |at: usize, kind: char, shape: Vec<usize>| {
        let mut other = case.clone();
        other.inputs[at] = Some(Input::Shaped(kind, shape));
        all.push(other);
    };
    for (at, input) in case.inputs.iter().enumerate() {
        let Some(Input::Shaped(kind, shape)) = input else {
            continue;
        };
        for empty in 0..shape.len() {
            let replaced = |axis: usize, extent: usize| {
                let mut shape = shape.clone();
                shape[empty] = 0;
                shape[axis] = extent;
                shape
            };
            add(at, *kind, replaced(empty, 0));
            add(at, *kind, replaced(empty, 1));
            for other in (0..shape.len()).filter(|&other| other != empty) {
                HUGE.iter()
                    .for_each(|&huge| add(at, *kind, replaced(other, huge)));
            }
            let mut shorter = shape.clone();
            shorter.remove(empty);
            add(at, *kind, shorter);
        }
        add(at, *kind, [&[2], &shape[..]].concat());
        add(at, *kind, vec![0; shape.len()]);
    }
    // All inputs are empty along their first or their last axis.
    for last in [false, true] {
        let mut other = case.clone();
        for input in other.inputs.iter_mut().flatten() {
            if let Input::Shaped(_, shape) = input {
                let extent = if last { shape.last_mut() } else { shape.first_mut() };
                extent.into_iter().for_each(|extent| *extent = 0);
            }
        }
        all.push(other);
    }
    all
}
