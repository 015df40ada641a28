//! Operators with bodies; `exec` runs them, so they have no function here.

use super::{Form, Row};

const fn with_body(name: &'static str, from: u32, form: Form) -> Row {
    Row {
        domain: "",
        name,
        from,
        form,
    }
}

pub const ROWS: &[&[Row]] = &[&[
    with_body("If", 1, Form::Branch),
    with_body("Loop", 1, Form::Repeat),
    with_body("Scan", 9, Form::Repeat),
    with_body("SequenceMap", 17, Form::Repeat),
]];
