//! The options of this backend: constants, optimization, threads.

use backend_api::{Switch, Threads, choice, settings};
use onnx_tensor::DType;

settings! {
    /// The options in effect.
    Settings {
        /// none, integers (default) or all: which inputs known at load become constants before optimisation
        constants: Constants = Constants::Integers => "a choice of inputs";
        /// on (default) or off: lower to optimised kernels, or declutter the graph only
        optimize: Switch = Switch::On => "a switch";
        /// 1 (default) to 1024: threads for matrix products and large loops
        // tract panics if the system cannot start them.
        threads: Threads<1024> = Threads::ONE => "a number of threads";
    }
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
