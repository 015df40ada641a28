//! Unique.

use std::cmp::Ordering;

use onnx_tensor::{Tensor, Value};

use super::super::call::{axis, count};
use super::super::movement::{Run, assemble, reshape, split_at};
use super::super::{Call, Outcome, Row, row};
use super::keys::{Key, Keys};
use crate::shapes::Shapes::Open;

pub const ROWS: &[Row] = &[row(
    "Unique",
    11,
    Open("the elements decide how many differ", |known| {
        Some(known.unique())
    }),
    unique,
)];

fn unique(call: &Call) -> Outcome {
    let sorted = call.attributes.int("sorted")? != 0;
    let (tensor, at) = match call.attributes.find_int("axis")? {
        Some(given) => (call.tensor(0)?.clone(), axis(given, call.tensor(0)?.rank())?),
        None => (reshape(call.tensor(0)?, &[call.tensor(0)?.len()])?, 0),
    };
    let (outer, length, inner) = split_at(tensor.shape(), at);
    count(&[length])?;
    let mut groups = match Keys::new(&tensor)? {
        Keys::Narrow(keys) => equal(&keys, (outer, length, inner)),
        Keys::Wide(keys) => equal(&keys, (outer, length, inner)),
    };
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let mut shape = tensor.shape().to_vec();
    shape[at] = groups.len();
    let firsts: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    let runs = (0..outer).flat_map(|row| {
        firsts.iter().map(move |&along| Run {
            source: 0,
            start: (row * length + along) * inner,
            length: inner,
        })
    });
    let values = assemble(&[&tensor], &shape, runs)?;
    let mut inverse = vec![0_i64; length];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&along| inverse[along] = number as i64);
    }
    let counts = groups.iter().map(|group| group.len() as i64).collect();
    let firsts = firsts.iter().map(|&at| at as i64).collect();
    Ok([
        values,
        Tensor::vector(firsts),
        Tensor::vector(inverse),
        Tensor::vector::<i64>(counts),
    ]
    .map(Value::Tensor)
    .into())
}

/// Returns the groups of equal slices in order; each has its slices in order of position.
fn equal<K: Key>(keys: &[K], (outer, length, inner): (usize, usize, usize)) -> Vec<Vec<usize>> {
    let slices = |a: usize, b: usize| {
        let place = |row: usize, along: usize, column: usize| (row * length + along) * inner + column;
        let all = (0..outer).flat_map(|row| (0..inner).map(move |column| (row, column)));
        let mut orders =
            all.map(|(row, column)| keys[place(row, a, column)].cmp(&keys[place(row, b, column)]));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let ranked: Vec<usize> = match outer * inner {
        1 => {
            let mut ranked: Vec<K::Ranked> = (0..).zip(keys).map(|(at, key)| key.with(at)).collect();
            ranked.sort_unstable();
            ranked.into_iter().map(K::index).collect()
        }
        _ => {
            let mut ranked: Vec<usize> = (0..length).collect();
            ranked.sort_by(|&a, &b| slices(a, b).then(a.cmp(&b)));
            ranked
        }
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for along in ranked {
        match groups.last_mut() {
            Some(group) if slices(group[0], along).is_eq() => group.push(along),
            _ => groups.push(vec![along]),
        }
    }
    groups
}
