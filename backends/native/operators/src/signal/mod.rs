//! Signal processing: discrete Fourier transforms, and the mel scale.

mod dft;
mod fourier;
mod mel;
mod stft;

use super::Row;

pub const ROWS: &[&[Row]] = &[dft::ROWS, mel::ROWS, stft::ROWS];

pub use dft::{Direction, extent_of};
pub use fourier::one_sided;
