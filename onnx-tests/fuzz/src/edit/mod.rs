//! One edit of a mutant: what it changes is drawn from the edit's number.

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

/// A mutant while it is edited.
pub struct Subject {
    /// The model.
    pub model: ModelProto,
    /// What it is fed, by name.
    pub inputs: Vec<(String, Fed)>,
    /// What is changed in the bytes of the file, once it is written.
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

/// Changes something, or answers false where there is nothing of its kind to change.
type Change = fn(&mut Subject, &mut ChaCha8Rng) -> bool;

/// Every kind of edit, with how often it is drawn.
const EDITS: [(u32, &str, Change); 27] = [
    (30, "attribute value", attribute::value),
    (12, "attribute added", attribute::add),
    (3, "attribute removed", attribute::remove),
    (3, "attribute of another kind", attribute::kind),
    (20, "fed tensor", graph::fed),
    (12, "fed tensor as initializer", graph::fed_to_initializer),
    (8, "initializer", graph::initializer),
    (3, "initializer as input", graph::initializer_to_input),
    (3, "input renamed", graph::rename_input),
    (2, "input dropped", graph::drop_input),
    (4, "declared type", graph::declared_type),
    (6, "declared shapes removed", graph::undeclare),
    (3, "inner value as output", graph::add_output),
    (2, "outputs changed", graph::outputs),
    (6, "element type everywhere", model::retype),
    (4, "opset", model::opset),
    (1, "format version", model::ir_version),
    (3, "node removed", node::remove),
    (3, "node duplicated", node::duplicate),
    (6, "node input", node::input),
    (3, "node output", node::output),
    (5, "operator replaced", node::operator),
    (12, "node appended", composition::append),
    (2, "node in a function", composition::function),
    (1, "functions that call twice", composition::doubling),
    (2, "bodies swapped", composition::bodies),
    (3, "bytes of the file", bytes::flip),
];

/// Applies one edit, and names its kind. Kinds that find nothing to change are drawn again, a few times.
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
