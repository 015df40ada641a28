//! Who is to blame for a wrong answer on an execution provider: the provider itself, its precision mode, the
//! optimizer or the runtime, by the answers of witnesses. A witness is the same runtime with one difference.

use run_record::standing::Standing;

/// A backend that differs in one thing from the one whose answer is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Witness {
    /// The runtime's own provider, on the processor.
    Processor,
    /// The runtime's own provider, without optimizations of the graph.
    PlainProcessor,
    /// The same provider, without optimizations of the graph.
    Plain,
    /// The same provider, with the full precision of the element types.
    Precise,
    /// The same provider on another device or adapter.
    OtherDevice,
}

/// What a witness says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// Its answer is right.
    Right,
    /// Its answer is wrong too.
    Wrong,
    /// It has no answer that can be judged.
    Nothing,
}

/// What explains the wrong answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The runtime's own provider is wrong as well, with and without optimizations.
    Runtime,
    /// The runtime's own provider is wrong too, and right without optimizations.
    Optimizer,
    /// The runtime's own provider is wrong too; nothing says whether optimizations matter.
    RuntimeOrOptimizer,
    /// The provider is right with the full precision of the types.
    Precision,
    /// The provider is right without optimizations, the runtime's own one always.
    ProviderOptimizer,
    /// The provider is right on another device or adapter.
    Driver,
    /// The provider is wrong on two devices, the runtime's own one is right.
    Kernels,
    /// Only the provider is wrong; no witness tells its kernels from the driver.
    Provider,
    /// No witness says enough.
    Unknown,
}

impl Witness {
    /// What it is.
    pub fn words(self) -> &'static str {
        match self {
            Witness::Processor => "the runtime's own provider",
            Witness::PlainProcessor => "the runtime's own provider without optimizations",
            Witness::Plain => "the provider without optimizations",
            Witness::Precise => "the provider in full precision",
            Witness::OtherDevice => "the provider on another device",
        }
    }
}

impl Says {
    /// What an answer of this standing says.
    pub fn of(standing: Standing) -> Says {
        match standing {
            Standing::CannotJudge | Standing::Unsupported | Standing::Failed | Standing::NotRun => {
                Says::Nothing
            }
            answered if answered.is_wrong() => Says::Wrong,
            _ => Says::Right,
        }
    }

    /// A description.
    pub fn words(self) -> &'static str {
        match self {
            Says::Right => "right",
            Says::Wrong => "wrong",
            Says::Nothing => "no answer",
        }
    }
}

impl Blame {
    /// The conclusion in words.
    pub fn words(self) -> &'static str {
        match self {
            Blame::Runtime => {
                "the runtime, not the provider: its own provider is wrong too, also without optimizations"
            }
            Blame::Optimizer => {
                "the optimizer of the runtime: its own provider is wrong too, and right without it"
            }
            Blame::RuntimeOrOptimizer => {
                "the runtime or its optimizer, not the provider: its own provider is wrong too"
            }
            Blame::Precision => "the precision mode of the provider: in full precision it is right",
            Blame::ProviderOptimizer => {
                "an optimization for this provider: without optimizations it is right"
            }
            Blame::Driver => {
                "the device, its driver or its shader compiler: on another one the provider is right"
            }
            Blame::Kernels => {
                "the kernels of the provider: it is wrong on two devices, and the runtime's own is right"
            }
            Blame::Provider => {
                "the provider, its shader compiler or its driver: the runtime's own provider is right; another \
                 device or adapter tells these apart"
            }
            Blame::Unknown => "no witness tells",
        }
    }
}

/// What explains a wrong answer on a provider. The first explanation that holds counts, from what concerns
/// the least of the runtime to the most: a mode, an optimization, a device; then what remains.
pub fn blame(says: impl Fn(Witness) -> Says) -> Blame {
    let is = |witness, said| says(witness) == said;
    if is(Witness::Processor, Says::Wrong) {
        return match says(Witness::PlainProcessor) {
            Says::Right => Blame::Optimizer,
            Says::Wrong => Blame::Runtime,
            Says::Nothing => Blame::RuntimeOrOptimizer,
        };
    }
    let own_is_right = is(Witness::Processor, Says::Right);
    if is(Witness::Precise, Says::Right) {
        Blame::Precision
    } else if is(Witness::Plain, Says::Right) {
        Blame::ProviderOptimizer
    } else if is(Witness::OtherDevice, Says::Right) {
        Blame::Driver
    } else if own_is_right && is(Witness::OtherDevice, Says::Wrong) {
        Blame::Kernels
    } else if own_is_right {
        Blame::Provider
    } else {
        Blame::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &[(Witness, Says)], expected: Blame) {
        let says = |witness| {
            let found = said.iter().find(|(one, _)| *one == witness);
            found.map_or(Says::Nothing, |(_, says)| *says)
        };
        assert_eq!(blame(says), expected, "{said:?}");
    }

    #[test]
    fn the_smallest_difference_that_makes_the_answer_right_explains_it() {
        use Says::{Right, Wrong};
        use Witness::{OtherDevice, Plain, PlainProcessor, Precise, Processor};
        check(&[], Blame::Unknown);
        check(&[(Processor, Right)], Blame::Provider);
        check(&[(Processor, Wrong)], Blame::RuntimeOrOptimizer);
        check(&[(Processor, Wrong), (PlainProcessor, Right)], Blame::Optimizer);
        check(&[(Processor, Wrong), (PlainProcessor, Wrong)], Blame::Runtime);
        check(
            &[(Processor, Wrong), (PlainProcessor, Wrong), (Precise, Right)],
            Blame::Runtime,
        );
        check(
            &[(Processor, Right), (Precise, Right), (Plain, Right)],
            Blame::Precision,
        );
        check(
            &[(Processor, Right), (Precise, Wrong), (Plain, Right)],
            Blame::ProviderOptimizer,
        );
        check(&[(Plain, Right)], Blame::ProviderOptimizer);
        check(
            &[(Processor, Right), (Plain, Wrong), (OtherDevice, Right)],
            Blame::Driver,
        );
        check(
            &[(Processor, Right), (Plain, Wrong), (OtherDevice, Wrong)],
            Blame::Kernels,
        );
        check(&[(OtherDevice, Wrong)], Blame::Unknown);
    }
}
