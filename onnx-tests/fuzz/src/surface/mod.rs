//! Every surface that reads bytes or text of others, in this process: inputs are drawn by mutation of sound ones, and the first
//! that panics or breaks a promise is made small.

mod bytes;
mod files;
mod protocol;
mod tables;
mod text;

use std::fmt::Debug;

use mutatis::Mutate;
use mutatis::check::Check;

use self::bytes::Blob;
use self::text::Text;

/// How many inputs, and from which number they are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Mutated inputs, beside the sound ones.
    pub count: usize,
    /// The number that all are drawn from.
    pub seed: u64,
}

/// An input that a surface does not survive, or what kept it from being tried.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{surface}: {message}")]
pub struct Failure {
    /// The surface.
    pub surface: &'static str,
    /// The input, as small as it could be made, and what it does.
    pub message: String,
}

/// A surface by its name, and the search for an input that it does not survive.
pub type Surface = (&'static str, fn(Budget) -> Result<(), String>);

/// All surfaces. Models that run are searched by [`crate::campaign`], in processes of their own.
pub const SURFACES: [Surface; 11] = [
    ("model-file", files::model),
    ("value-file", files::value),
    ("archive", files::archive),
    ("frame", protocol::frame),
    ("message", protocol::message),
    ("own-cases", tables::own_cases),
    ("errata", tables::errata),
    ("baseline", tables::baseline),
    ("tolerances", tables::tolerances),
    ("lock-file", tables::lock_file),
    ("run-log", tables::run_log),
];

/// Searches one surface.
///
/// # Errors
/// An input that it does not survive.
pub fn search((surface, search): Surface, budget: Budget) -> Result<(), Failure> {
    search(budget).map_err(|message| Failure { surface, message })
}

/// Tries `property` on sound inputs and on mutations of them. It fails by an error or a panic.
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
