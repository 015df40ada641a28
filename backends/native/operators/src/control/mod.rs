//! Operators with bodies; `exec` runs them, so they have no function here.

use super::{Form, Repetition, Row, formed};

use super::shapes::Shapes;

/// The shapes of the outputs follow from those of the body.
const fn with_body(name: &'static str, from: u32, form: Form, reason: &'static str) -> Row {
    formed("", name, from, Shapes::Open(reason, |_| None), form)
}

pub const ROWS: &[&[Row]] = &[&[
    with_body("If", 1, Form::Branch, "its shapes are those of its branches"),
    with_body(
        "Loop",
        1,
        Form::Repeat(Repetition::While),
        "the number of rounds depends on values",
    ),
    with_body(
        "Scan",
        8,
        Form::Repeat(Repetition::Batch),
        "the body runs once for each element of each sequence",
    ),
    with_body(
        "Scan",
        9,
        Form::Repeat(Repetition::Axis),
        "the body runs once for each element of an axis",
    ),
    with_body(
        "SequenceMap",
        17,
        Form::Repeat(Repetition::Sequence),
        "its result is a sequence",
    ),
]];
