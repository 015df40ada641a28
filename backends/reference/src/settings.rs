//! The options of this backend.

use backend_api::{Switch, Threads, choice, settings};
use onnx_interpreter::{Arithmetic, Limits, Readings, Unspecified};

settings! {
    /// The options in effect.
    Settings {
        /// seed of random rounding; each run uses the next one (default none)
        noise: u64 => "a number";
        /// errors of random rounding: `rounded` (default), `approximated`, `wide`, `narrow` or `reduced`
        arithmetic: Arithmetic = Arithmetic::Rounded => "a class of arithmetic";
        /// results that the specification does not determine are `chosen` by the reference (default),
        /// `drawn`, or `refused`
        unspecified: Open = Open::Chosen => "chosen, drawn or refused";
        /// `own` code (default), or ONNX's `bodies` for the operators that have a static one
        functions: Functions = Functions::Own => "a way to evaluate functions";
        /// first seed of random operators without a seed attribute (default 0)
        seed: u64 = Limits::default().seed => "a number";
        /// maximum bytes of one value (default 2147483648)
        memory: usize = Limits::default().value_bytes => "a number of bytes";
        /// maximum bytes of all live values (default 17179869184)
        total_memory: usize = Limits::default().live_bytes => "a number of bytes";
        /// maximum steps of a run: nodes, runs of bodies, calls of functions (default 10000000)
        steps: u64 = Limits::default().steps => "a number of steps";
        /// maximum operations on elements of a run, charged before each node (default 8589934592)
        operations: u64 = Limits::default().element_operations => "a number of operations";
        /// interpretations of open questions of the specification, as `resize-extent=real+arg-nan=ignored`;
        /// `ambiguities` lists them (default none)
        reading: Readings => "a choice of readings";
        /// on or off (default): refuse deviations from the specification that real models rely on
        strict: Switch = Switch::Off => "a switch";
        /// 1 (default) to 256: threads within an operator; no result depends on their number
        threads: Threads<256> = Threads::ONE => "a number of threads";
    }
}

choice! {
    /// How operators with a static function body are evaluated.
    Functions {
        /// By their own implementation.
        Own = "own",
        /// By the function body, which is an independent definition.
        Bodies = "bodies",
    }
}

choice! {
    /// What happens to results that the specification does not determine.
    Open {
        /// The reference's choice.
        Chosen = "chosen",
        /// They are drawn at random; each run has other ones.
        Drawn = "drawn",
        /// A run that needs one ends with an error.
        Refused = "refused",
    }
}

impl Settings {
    /// The limits of a run.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            function_bodies: self.functions == Functions::Bodies,
            noise: self.noise,
            arithmetic: self.arithmetic,
            unspecified: match self.unspecified {
                Open::Chosen => Unspecified::Chosen,
                Open::Drawn => Unspecified::Drawn,
                Open::Refused => Unspecified::Refused,
            },
            seed: self.seed,
            value_bytes: self.memory,
            live_bytes: self.total_memory,
            steps: self.steps,
            element_operations: self.operations,
            readings: self.reading.unwrap_or_default(),
            threads: self.threads.into(),
            strict: self.strict == Switch::On,
            ..Limits::default()
        }
    }
}
