//! Which promise of a contract an output breaks.

use onnx_tensor::TensorError;

/// A broken promise of a random operator.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Violation {
    /// The output has not as many elements as draws were asked for.
    #[error("{found} elements where {expected} draws are asked for")]
    Count {
        /// Elements found.
        found: usize,
        /// Draws asked for.
        expected: usize,
    },
    /// An element that the distribution cannot give.
    #[error("element {index} is {value}, which is not {support}")]
    Support {
        /// Its place in row-major order.
        index: usize,
        /// Its value.
        value: f64,
        /// What it should be.
        support: String,
    },
    /// A moment is further from its value than chance takes it.
    #[error("the {moment} of {count} elements is {found}, not within {limit} of {expected}")]
    Moment {
        /// Which one.
        moment: &'static str,
        /// Elements that went into it.
        count: usize,
        /// Its value in the sample.
        found: f64,
        /// Its value in the distribution.
        expected: f64,
        /// How far chance takes it.
        limit: f64,
    },
    /// The elements are spread otherwise than the distribution.
    #[error("{test}: the statistic is {statistic}, beyond {limit}, over {count} elements")]
    Fit {
        /// The test.
        test: &'static str,
        /// Elements that went into it.
        count: usize,
        /// What it found.
        statistic: f64,
        /// How far chance takes it.
        limit: f64,
    },
    /// A Dropout's mask says that an element fell, and its output still has it.
    #[error("element {index} is masked, but its output is not 0")]
    Mask {
        /// Its place in row-major order.
        index: usize,
    },
    /// Two runs of a node with a seed differ.
    #[error("two runs with one seed differ")]
    NotReproducible,
    /// The output is not a tensor of numbers.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}
