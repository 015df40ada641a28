//! The options of this backend: constants, optimization, threads.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use backend_api::{BackendError, Options, Switch, choice};
use onnx_tensor::DType;

/// The maximum number of threads. A larger number is a typing error, and tract panics if the system cannot
/// start them.
const MAX_THREADS: u16 = 1024;

/// The options with one line of help each.
pub(crate) const HELP: [(&str, &str); 3] = [
    (
        "constants",
        "none, integers (default) or all: which inputs known at load become constants before optimisation",
    ),
    (
        "optimize",
        "on (default) or off: lower to optimised kernels, or declutter the graph only",
    ),
    (
        "threads",
        "1 (default) to 1024: threads for matrix products and large loops",
    ),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The inputs that become constants.
    pub constants: Constants,
    /// Whether the graph is lowered to optimised kernels; otherwise it is only decluttered.
    pub optimize: Switch,
    /// The number of threads for matrix products and large loops.
    pub threads: NonZeroU16,
}

choice! {
    /// The inputs known at load that are compiled into the model as constants.
    ///
    /// tract infers every shape before it runs. For many operators to load, an input that determines a shape
    /// (a target shape, axes, pads, indices) must be a constant.
    Constants {
        /// None: every input is fed at run time.
        None = "none",
        /// Those with integer or boolean elements.
        Integers = "integers",
        /// Every input. Then tract's constant folding runs instead of a plan, which helps to tell faults of
        /// the two apart.
        All = "all",
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            constants: Constants::Integers,
            optimize: Switch::On,
            threads: NonZeroU16::MIN,
        }
    }
}

impl Settings {
    /// Reads options by name; others keep their defaults.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an unknown name or an invalid value.
    pub fn from_options(mut options: Options) -> Result<Settings, BackendError> {
        let default = Settings::default();
        let settings = Settings {
            constants: options
                .take("constants", "a choice of inputs")?
                .unwrap_or(default.constants),
            optimize: options.take("optimize", "a switch")?.unwrap_or(default.optimize),
            threads: options.take_threads(MAX_THREADS)?,
        };
        options.finish()?;
        Ok(settings)
    }

    /// Returns the options by name, for a report.
    pub(crate) fn in_effect(&self) -> BTreeMap<String, String> {
        [
            ("constants", self.constants.to_string()),
            ("optimize", self.optimize.to_string()),
            ("threads", self.threads.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

impl Constants {
    /// Whether an input of this element type becomes a constant.
    pub(crate) fn takes(self, dtype: DType) -> bool {
        use DType::{Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64};
        match self {
            Constants::None => false,
            Constants::All => true,
            Constants::Integers => {
                matches!(
                    dtype,
                    Bool | Int8 | Int16 | Int32 | Int64 | Uint8 | Uint16 | Uint32 | Uint64
                )
            }
        }
    }
}
