//! The user's request for inputs.

/// The user's request for inputs.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `NAME=FILE`, or a file of several named values.
    pub inputs: Vec<String>,
    /// `NAME=EXTENT`.
    pub dims: Vec<String>,
    /// `INPUT=1x3x224x224`.
    pub shapes: Vec<String>,
    /// The seed of generated values.
    pub seed: u64,
    /// Which of several extents dimensions get that nothing decides; 0 for the defaults.
    pub variant: usize,
    /// Whether integers of unknown meaning are small and not negative, as indices are, and floats are normal
    /// numbers only.
    pub is_narrow: bool,
    /// Whether latencies are measured: a batch is one sample, and floats are normal numbers only.
    pub is_timed: bool,
    /// Whether some floats are NaN, infinite or zero.
    pub is_special: bool,
    /// What is drawn after a refusal.
    pub otherwise: Otherwise,
}

impl Request {
    /// The same request after a refusal. Floats that are drawn to have a result are normal numbers only.
    pub(super) fn otherwise(&self, otherwise: Otherwise) -> Request {
        Request {
            is_narrow: self.is_narrow || matches!(otherwise, Otherwise::NearZero | Otherwise::Fractions),
            otherwise,
            ..self.clone()
        }
    }
}

/// Values that are tried in turn after a refusal, and where the usual ones leave outputs undefined: no
/// divisor is 0, no row is hidden whole, no square is infinite, no root or logarithm is NaN.
pub(super) const OTHER_VALUES: [Otherwise; 4] = [
    Otherwise::NoZeros,
    Otherwise::Hiding,
    Otherwise::NearZero,
    Otherwise::Fractions,
];

/// What is drawn in place of the usual inputs after a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Otherwise {
    /// Nothing else.
    #[default]
    Usual,
    /// Integers of unknown meaning are indices below this number.
    Below(usize),
    /// Integers of unknown meaning are a mask of 0 and 1: their sums are indices.
    Flags,
    /// Images are square.
    Square,
    /// Extents that nothing decides are small.
    FewElements,
    /// Floats of unknown meaning are near 0.
    NearZero,
    /// Floats of unknown meaning are between 0 and 1, as probabilities are.
    Fractions,
    /// Tokens, masks and other integers are not 0: a row that a mask hides whole has no number.
    NoZeros,
    /// Masks hide where they are 1, as `key_padding_mask` of PyTorch does.
    Hiding,
}
