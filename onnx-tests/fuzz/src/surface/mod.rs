//! Every surface that reads external bytes or text, in this process: inputs are mutations of valid ones,
//! and the first one that panics or violates an invariant is minimised.

mod bytes;
mod files;
mod history;
mod protocol;
mod statement;
mod tables;
mod text;

use std::fmt::Debug;

use mutatis::Mutate;
use mutatis::check::Check;

use self::bytes::Blob;
use self::text::Text;

/// The number and the seed of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The number of mutated inputs, in addition to the valid ones.
    pub count: usize,
    /// The seed of all inputs.
    pub seed: u64,
}

/// An input that causes a fault of a surface, or why the surface could not be tested.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{surface}: {message}")]
pub struct Failure {
    pub surface: &'static str,
    /// The minimised input, and its effect.
    pub message: String,
}

/// A surface by its name, and the search for an input that causes a fault.
pub type Surface = (&'static str, fn(Budget) -> Result<(), String>);

/// All surfaces. Models are run by [`crate::campaign`], in separate processes.
pub const SURFACES: [Surface; 17] = [
    ("model-file", files::model),
    ("value-file", files::value),
    ("archive", files::archive),
    ("frame", protocol::frame),
    ("message", protocol::message),
    ("measurements", protocol::measurements),
    ("own-cases", tables::own_cases),
    ("errata", tables::errata),
    ("baseline", tables::baseline),
    ("tolerances", tables::tolerances),
    ("lock-file", tables::lock_file),
    ("run-log", tables::run_log),
    ("configuration", tables::configuration),
    ("envelope", statement::sealed),
    ("statement", statement::statement),
    ("history", history::database),
    ("history-table", history::table),
];

/// Searches one surface.
///
/// # Errors
/// An input causes a fault.
pub fn search((surface, search): Surface, budget: Budget) -> Result<(), Failure> {
    search(budget).map_err(|message| Failure { surface, message })
}

/// Runs `property` on valid inputs and on mutations of them. It fails by an error or a panic.
fn run<T: Clone + Debug>(
    budget: Budget,
    mutator: impl Mutate<T>,
    sound: Vec<T>,
    property: impl FnMut(&T) -> Result<(), String>,
) -> Result<(), String> {
    let mut check = Check::new();
    check.seed(budget.seed).iters(budget.count).max_shrink_iters(500);
    check
        .run_with(mutator, sound, property)
        .map_err(|error| error.to_string())
}
