//! Violations of a contract.

use onnx_tensor::TensorError;

/// A violation of the contract of a random operator.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Violation {
    /// The number of elements differs from the number of draws.
    #[error("expected {expected} elements, one for each draw, got {found}")]
    Count {
        /// The number of elements.
        found: usize,
        /// The number of draws.
        expected: usize,
    },
    /// An element is outside the support of the distribution.
    #[error("element {index} is {value}, which is not {support}")]
    Support {
        /// Its position in row-major order.
        index: usize,
        /// Its value.
        value: f64,
        /// The expected support.
        support: String,
    },
    /// A moment is further from its expected value than the limit.
    #[error("the {moment} of {count} elements is {found}, not within {limit} of {expected}")]
    Moment {
        /// Its name.
        moment: &'static str,
        /// The number of elements.
        count: usize,
        /// Its value in the sample.
        found: f64,
        expected: f64,
        /// The limit of the difference.
        limit: f64,
    },
    /// The elements do not fit the distribution.
    #[error("{test}: the statistic is {statistic}, beyond {limit}, over {count} elements")]
    Fit {
        test: &'static str,
        /// The number of elements.
        count: usize,
        statistic: f64,
        limit: f64,
    },
    /// A Dropout's mask marks an element as dropped, but its output is not 0.
    #[error("element {index} is masked, but its output is not 0")]
    Mask {
        /// Its position in row-major order.
        index: usize,
    },
    /// Two runs of a node with a seed differ.
    #[error("two runs with one seed differ")]
    NotReproducible,
    /// The output is not a numeric tensor.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}
