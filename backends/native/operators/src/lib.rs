//! The operators: the table of implemented versions, and their code over whole values.
//!
//! Everything here works on whole values of any element type and allocates its results. It folds constants,
//! computes shape arithmetic, rare operators and rare element types, and is the expected result in tests of
//! the kernels. Operators that take most of the run time of models also have a planned form in `exec`.
//!
//! Each family has a folder. A row registers an operator from a version on: its function, how the shapes and
//! the type of its outputs follow from what is known before a run (`shapes`), and what faster code does with
//! it (`fast`).

#![cfg_attr(
    test,
    allow(dead_code, reason = "the table of operators is not compiled for unit tests")
)]

pub mod attributes;
pub mod broadcast;
pub mod call;
pub mod compose;
pub mod equation;
pub mod error;
pub mod fast;
mod guards;
pub mod movement;
pub mod numbers;
pub mod rules;
pub mod shapes;
pub mod size;
pub mod walk;

mod attention;
mod contrib;
mod control;
mod conversion;
mod convolution;
mod elementwise;
mod generation;
mod image;
mod indexing;
mod loss;
mod matrix;
mod ml;
mod normalization;
mod pooling;
mod quantization;
mod recurrent;
pub mod reduction;
mod sequence;
mod shaping;
mod signal;
mod sorting;
mod text;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use compose::Compose;
use fast::{Fast, RealFunction};
use rules::Rule;
use shapes::{SAME, Shapes, TypeRule};

pub use call::{Call, Outcome, densified};
pub use contrib::experts;
pub use convolution::{Rounding, Transposition, Window, check_filters, two_axes};
pub use guards::guard;
pub use image::{Neighbours, Sampled, Sampler, between, neighbours};
pub use indexing::{Places, index, scatter_floats, whole};
pub use matrix::MatMulShape;
pub use pooling::unpooled;
pub use recurrent::{Function, activations};
pub use sequence::{lengths_of_parts, position_in_list};
pub use shaping::{
    Padded, Selected, concat, equal as equal_parts, listed_axes, padded, pads_of, reshaped, resolve_slice,
    selected, spread_pads, transpose, zero,
};
pub use signal::{Direction, extent_of, one_sided};

/// The implementation of an operator from a version on.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    pub name: &'static str,
    /// The first since of the row; it is valid up to the next row of the same name.
    pub from: u32,
    /// How the shapes of the outputs follow from what is known before a run.
    pub shapes: Shapes,
    /// How the element type of the first output follows, where the signature does not say it.
    pub element: Option<TypeRule>,
    /// The implementation.
    pub form: Form,
    /// The kernel.
    pub fast: Option<Fast>,
    /// Whether each element of the result follows from the elements of the operands at its position.
    pub pointwise: bool,
    /// Whether the first output is the first input with another shape.
    pub view: bool,
    /// What every node must fulfil besides its signature, whichever code runs it.
    pub rule: Option<Rule>,
}

impl Row {
    /// Runs the general code.
    ///
    /// # Errors
    /// Those of the operator; an operator with bodies has no general code.
    pub fn run(&self, call: &Call) -> Outcome {
        if let Some(rule) = self.rule {
            call.check(rule)?;
        }
        match self.form {
            Form::Plain(run) => run(call),
            Form::Function(make) => {
                let function = make(call.attributes)?;
                call::one(elementwise::map_floats(call.tensor(0)?, function)?)
            }
            Form::Composed(compose) => compose::run(compose, call),
            Form::Branch | Form::Repeat(_) => invalid("the body is missing"),
        }
    }

    /// Returns the operator as a function of one real number, if it is one.
    pub fn function(&self, attributes: &Attributes) -> Option<RealFunction> {
        match self.form {
            Form::Function(make) => make(attributes).ok(),
            Form::Plain(_) | Form::Composed(_) | Form::Branch | Form::Repeat(_) => None,
        }
    }

    /// Adds the kernel.
    const fn fast(self, kernel: Fast) -> Row {
        Row {
            fast: Some(kernel),
            ..self
        }
    }

    /// States that each element follows from those at its position.
    const fn pointwise(self) -> Row {
        Row {
            pointwise: true,
            ..self
        }
    }

    /// States that only the shape changes.
    const fn view(self) -> Row {
        Row { view: true, ..self }
    }

    /// Adds what every node must fulfil.
    const fn requires(self, rule: Rule) -> Row {
        Row {
            rule: Some(rule),
            ..self
        }
    }

    /// Adds the rule for the element type of the first output.
    const fn of_type(self, rule: TypeRule) -> Row {
        Row {
            element: Some(rule),
            ..self
        }
    }
}

/// The form of an implementation.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A function of values.
    Plain(fn(&Call) -> Outcome),
    /// A function of real numbers, which is applied to each element and rounded once.
    Function(fn(&Attributes) -> Result<RealFunction, Problem>),
    /// A composition of other operators.
    Composed(Compose),
    /// One of two bodies.
    Branch,
    /// A body, executed repeatedly.
    Repeat(Repetition),
}

/// How often a body runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// Up to a count, or until a condition fails: Loop.
    While,
    /// For each element of an axis: Scan.
    Axis,
    /// For each element of each sequence of a batch: Scan-8.
    Batch,
    /// For each element of a sequence: SequenceMap.
    Sequence,
}

/// Makes a row of `ai.onnx`.
const fn row(name: &'static str, from: u32, shapes: Shapes, run: fn(&Call) -> Outcome) -> Row {
    row_of("", name, from, shapes, run)
}

/// Makes a row of another domain.
const fn row_of(
    domain: &'static str,
    name: &'static str,
    from: u32,
    shapes: Shapes,
    run: fn(&Call) -> Outcome,
) -> Row {
    formed(domain, name, from, shapes, Form::Plain(run))
}

/// Makes a row of a composition of other operators. Its types are those of the nodes that it writes.
const fn composed(domain: &'static str, name: &'static str, compose: Compose) -> Row {
    formed(domain, name, 1, Shapes::Composed, Form::Composed(compose))
}

/// Makes a row of a function of one real number.
const fn function(
    name: &'static str,
    from: u32,
    make: fn(&Attributes) -> Result<RealFunction, Problem>,
) -> Row {
    formed("", name, from, SAME, Form::Function(make)).pointwise()
}

const fn formed(domain: &'static str, name: &'static str, from: u32, shapes: Shapes, form: Form) -> Row {
    Row {
        domain,
        name,
        from,
        shapes,
        element: None,
        form,
        fast: None,
        pointwise: false,
        view: false,
        rule: None,
    }
}

/// The rows of all families.
#[cfg(not(test))]
const FAMILIES: [&[&[Row]]; 22] = [
    attention::ROWS,
    contrib::ROWS,
    control::ROWS,
    conversion::ROWS,
    convolution::ROWS,
    elementwise::ROWS,
    generation::ROWS,
    image::ROWS,
    indexing::ROWS,
    loss::ROWS,
    matrix::ROWS,
    ml::ROWS,
    normalization::ROWS,
    pooling::ROWS,
    quantization::ROWS,
    recurrent::ROWS,
    reduction::ROWS,
    sequence::ROWS,
    shaping::ROWS,
    signal::ROWS,
    sorting::ROWS,
    text::ROWS,
];

type Table = HashMap<(&'static str, &'static str), Vec<&'static Row>>;

/// No rows: unit tests are those of functions, and without the table no operator is compiled a second time
/// for them. The table and the operators are tested from outside.
#[cfg(test)]
pub fn rows() -> std::iter::Empty<&'static Row> {
    panic!("unit tests have no table of operators")
}

/// Returns all rows, family by family.
#[cfg(not(test))]
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten().copied().flatten()
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        for row in rows() {
            table.entry((row.domain, row.name)).or_default().push(row);
        }
        table
    })
}

/// Returns the row of one version of an operator, if it is implemented.
pub fn find(domain: &str, name: &str, since: u32) -> Option<&'static Row> {
    let rows = table().get(&(domain, name))?;
    rows.iter()
        .copied()
        .filter(|row| row.from <= since)
        .max_by_key(|row| row.from)
}

/// Returns every implemented operator version, without functions that are inlined.
pub fn implemented() -> impl Iterator<Item = &'static onnx_schema::OperatorSchema> {
    let has_code = |schema: &&onnx_schema::OperatorSchema| {
        !schema.deprecated && find(schema.domain, schema.name, schema.since).is_some()
    };
    onnx_schema::all().chain(onnx_schema::contrib()).filter(has_code)
}
