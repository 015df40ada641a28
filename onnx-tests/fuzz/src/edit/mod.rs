//! One edit of a mutant; the number of the edit determines the change.

mod attribute;
mod bytes;
mod composition;
mod graph;
mod model;
mod node;
mod place;
mod tensor;

use onnx_model::proto::ModelProto;
use prost::Message;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use self::bytes::Flip;
use crate::seed::{Fed, Seed};

/// A mutant during editing.
pub struct Subject {
    /// The model.
    pub model: ModelProto,
    /// The values of its inputs, by name.
    pub inputs: Vec<(String, Fed)>,
    /// Changes of the bytes of the encoded file.
    pub flips: Vec<Flip>,
}

impl Subject {
    /// A copy of the seed.
    pub fn new(seed: &Seed) -> Subject {
        Subject {
            model: ModelProto::decode(seed.model.as_slice()).unwrap_or_default(),
            inputs: seed
                .inputs
                .iter()
                .filter_map(|input| Some((input.name.clone(), input.fed()?)))
                .collect(),
            flips: Vec::new(),
        }
    }
}

/// Makes a change, or returns false if there is nothing of its kind to change.
type Change = fn(&mut Subject, &mut ChaCha8Rng) -> bool;

/// Every kind of edit with its weight.
const EDITS: [(u32, &str, Change); 27] = [
    (300, "attribute value", attribute::value),
    (120, "attribute added", attribute::add),
    (30, "attribute removed", attribute::remove),
    (30, "attribute of another kind", attribute::kind),
    (200, "fed tensor", graph::fed),
    (120, "fed tensor as initializer", graph::fed_to_initializer),
    (80, "initializer", graph::initializer),
    (30, "initializer as input", graph::initializer_to_input),
    (30, "input renamed", graph::rename_input),
    (20, "input dropped", graph::drop_input),
    (40, "declared type", graph::declared_type),
    (60, "declared shapes removed", graph::undeclare),
    (30, "inner value as output", graph::add_output),
    (20, "outputs changed", graph::outputs),
    (60, "element type everywhere", model::retype),
    (40, "opset", model::opset),
    (10, "format version", model::ir_version),
    (30, "node removed", node::remove),
    (30, "node duplicated", node::duplicate),
    (60, "node input", node::input),
    (30, "node output", node::output),
    (50, "operator replaced", node::operator),
    (120, "node appended", composition::append),
    (20, "node in a function", composition::function),
    (2, "functions that call twice", composition::doubling),
    (20, "bodies swapped", composition::bodies),
    (30, "bytes of the file", bytes::flip),
];

/// Applies one edit, and returns its kind. If there is nothing to change, other kinds are drawn, a few
/// times.
pub fn apply(subject: &mut Subject, edit: u64) -> &'static str {
    let mut rng = ChaCha8Rng::seed_from_u64(edit);
    let total: u32 = EDITS.iter().map(|(weight, _, _)| weight).sum();
    for _ in 0..8 {
        let mut drawn = rng.random_range(0..total);
        for (weight, name, change) in EDITS {
            if drawn >= weight {
                drawn -= weight;
                continue;
            }
            if change(subject, &mut rng) {
                return name;
            }
            break;
        }
    }
    "nothing"
}
