//! How backends add: the results of `accumulation`, as its JSON file has them.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::read_file;

/// The version of the file.
pub const FORMAT: u32 = 1;

/// The largest file that is read, in bytes. That of the five backends here has 0.5 MB.
const MAX_BYTES: u64 = 64 << 20;

/// Why a file of `accumulation` could not be read.
#[derive(Debug, Error)]
pub enum SumsError {
    /// The error of the system.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The file is not the JSON of `accumulation`.
    #[error("{} is not a file of `accumulation --out`: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// Another version of the file.
    #[error("{} has version {found} of the format, expected {FORMAT}; run `accumulation --out` again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// The sums of backends, tested as populations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sums {
    /// [`FORMAT`].
    #[schemars(extend("const" = FORMAT))]
    pub version: u32,
    /// The seed of the terms.
    pub seed: u64,
    /// The largest mean of the squared errors that rounding to nearest explains. Errors are normalised, so
    /// that sums which are rounded to nearest have at most 1/3.
    pub limit_of_mean_square: f64,
    /// The largest magnitude of the bias that rounding to nearest explains.
    pub limit_of_bias: f64,
    /// The backends, in the order of the command line.
    pub backends: Vec<BackendSums>,
}

/// The sums of one backend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackendSums {
    /// Its name with its version.
    pub backend: String,
    /// What it adds with, by operator and element type.
    pub accumulators: Vec<AccumulatorFound>,
    /// The populations.
    pub populations: Vec<PopulationFound>,
}

/// What an operator adds with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccumulatorFound {
    /// The operator: `MatMul`.
    pub operator: String,
    /// The element type: `float16`.
    pub element_type: String,
    /// The accumulator, its rounding and the order of the additions, in words.
    pub accumulator: Option<String>,
    /// The bits of partial sums; `None` if the probes cannot see that many.
    pub bits: Option<u32>,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// A population: about a thousand sums of one operator, element type, kind of terms and length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PopulationFound {
    /// The operator: `MatMul`.
    pub operator: String,
    /// The element type: `float16`.
    pub element_type: String,
    /// The kind of terms: with both signs, positive, large next to small.
    pub terms: String,
    /// The number of terms of a sum.
    pub length: usize,
    /// The number of sums.
    pub sums: Option<usize>,
    /// The mean of the squared normalised errors.
    pub mean_square: Option<f64>,
    /// The sum of the normalised errors in its standard deviations; negative if results are too small in
    /// magnitude.
    pub bias: Option<f64>,
    /// What they mean; `None` without an answer.
    pub verdict: Option<Verdict>,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// What the bias and the spread of a population mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Verdict {
    /// The errors are those of sums that are rounded to nearest.
    #[serde(rename = "explained")]
    Explained,
    /// The errors have a direction: partial sums are truncated, or small terms are lost.
    #[serde(rename = "biased")]
    Biased,
    /// The errors are larger than rounding in single precision causes (double for double): a
    /// narrower accumulator or narrower factors, a lost term, or an algorithm with other sums
    /// (Winograd).
    #[serde(rename = "too wide")]
    Wide,
    /// A result is not finite.
    #[serde(rename = "not finite")]
    NotFinite,
}

impl Verdict {
    /// The name in results.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Explained => "explained",
            Verdict::Biased => "biased",
            Verdict::Wide => "too wide",
            Verdict::NotFinite => "not finite",
        }
    }
}

impl Sums {
    /// Reads the file that `accumulation --out` writes.
    ///
    /// # Errors
    /// The file cannot be read, is too large, is not such a file, or has another version.
    pub fn read(path: &Path) -> Result<Sums, SumsError> {
        let read = read_file(path, MAX_BYTES);
        let path = || path.to_path_buf();
        let bytes = read.map_err(|source| SumsError::Read { path: path(), source })?;
        let sums: Sums =
            serde_json::from_slice(&bytes).map_err(|source| SumsError::Json { path: path(), source })?;
        match sums.version {
            FORMAT => Ok(sums),
            found => Err(SumsError::Version { path: path(), found }),
        }
    }
}
