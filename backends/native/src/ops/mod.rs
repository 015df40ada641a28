//! The operators: which code computes which version, and the code that is not bound to a shape.
//!
//! Everything here works on whole values of any element type and allocates its results. It is what constants are folded
//! with, what runs shape arithmetic, rare operators and rare element types, and what the kernels of `exec` are measured
//! against in tests. What models spend their time in has a second, planned form in `exec`.
//!
//! A family is a folder; its rows say from which since on which function holds.

pub mod broadcast;
pub mod call;
pub mod movement;
pub mod numbers;

mod attention;
mod control;
mod conversion;
mod convolution;
mod elementwise;
mod generation;
mod image;
mod indexing;
mod loss;
mod matrix;
mod normalization;
mod pooling;
mod quantization;
mod recurrent;
mod reduction;
mod sequence;
mod shaping;
mod sorting;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use call::{Call, Outcome, densified};
pub use convolution::{Rounding, Window};
pub use image::{between, scaled_extent};
pub use matrix::MatMulShape;
pub use shaping::{concat, reshaped, resolve_slice, transpose};

/// From which since on an operator is computed how.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    /// The name.
    pub name: &'static str,
    /// The first since it holds for, up to the next row of the same name.
    pub from: u32,
    /// How it is computed.
    pub form: Form,
}

/// How an operator is computed.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// From values to values.
    Plain(fn(&Call) -> Outcome),
    /// By one of two bodies.
    Branch,
    /// By a body, many times.
    Repeat,
}

/// A row of `ai.onnx`.
const fn row(name: &'static str, from: u32, run: fn(&Call) -> Outcome) -> Row {
    row_of("", name, from, run)
}

/// A row of another domain.
const fn row_of(domain: &'static str, name: &'static str, from: u32, run: fn(&Call) -> Outcome) -> Row {
    Row {
        domain,
        name,
        from,
        form: Form::Plain(run),
    }
}

/// The rows of every family.
const FAMILIES: [&[&[Row]]; 18] = [
    attention::ROWS,
    control::ROWS,
    conversion::ROWS,
    convolution::ROWS,
    elementwise::ROWS,
    generation::ROWS,
    image::ROWS,
    indexing::ROWS,
    loss::ROWS,
    matrix::ROWS,
    normalization::ROWS,
    pooling::ROWS,
    quantization::ROWS,
    recurrent::ROWS,
    reduction::ROWS,
    sequence::ROWS,
    shaping::ROWS,
    sorting::ROWS,
];

type Table = HashMap<(&'static str, &'static str), Vec<&'static Row>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        for row in FAMILIES
            .iter()
            .flat_map(|family| family.iter())
            .flat_map(|rows| rows.iter())
        {
            table.entry((row.domain, row.name)).or_default().push(row);
        }
        table
    })
}

/// The row of one version of an operator, if there is code for it.
pub fn find(domain: &str, name: &str, since: u32) -> Option<&'static Row> {
    let rows = table().get(&(domain, name))?;
    rows.iter()
        .copied()
        .filter(|row| row.from <= since)
        .max_by_key(|row| row.from)
}

/// Every operator version that there is code for; functions that are put in place of their calls not counted.
pub fn implemented() -> impl Iterator<Item = &'static onnx_schema::OperatorSchema> {
    let has_code = |schema: &&onnx_schema::OperatorSchema| {
        !schema.deprecated && find(schema.domain, schema.name, schema.since).is_some()
    };
    onnx_schema::all().filter(has_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_about_a_version_that_exists() {
        for rows in table().values() {
            for row in rows {
                let versions = onnx_schema::versions(row.domain, row.name);
                let exists = versions.iter().any(|version| version.since == row.from);
                assert!(exists, "{} has no since {}", row.name, row.from);
            }
        }
    }
}
