//! The faults of mutants, and whether two are the same.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use signal_hook::consts::SIGABRT;

/// A fault that no input may cause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A panic at this location in the code.
    Panic {
        /// File and line.
        place: String,
        message: String,
    },
    /// The process aborted with this message.
    Abort(String),
    /// A signal ended the process.
    Signal(String),
    /// The process exceeded its memory limit and ended.
    Memory(String),
    /// A stage exceeded its time limit.
    Hang,
}

impl Fault {
    /// The fault that ended a worker.
    pub fn of(status: ExitStatus, said: &str) -> Fault {
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines().find(|line| line.contains("memory allocation of"));
        let last = || lines().next_back().unwrap_or_default().to_owned();
        match (line, status.signal()) {
            (Some(line), _) => Fault::Memory(line.to_owned()),
            (None, Some(SIGABRT)) => Fault::Abort(last()),
            (None, Some(signal)) => Fault::Signal(
                signal_hook::low_level::signal_name(signal)
                    .map_or_else(|| format!("signal {signal}"), str::to_owned),
            ),
            (None, None) => Fault::Abort(format!("{status} {}", last())),
        }
    }

    /// The name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Panic { .. } => "panic",
            Fault::Abort(_) => "abort",
            Fault::Signal(_) => "signal",
            Fault::Memory(_) => "memory",
            Fault::Hang => "hang",
        }
    }

    /// Whether another fault is probably the same: the location of a panic, the kind of any other fault.
    pub fn is_like(&self, other: &Fault) -> bool {
        match (self, other) {
            (Fault::Panic { place, .. }, Fault::Panic { place: other, .. }) => place == other,
            _ => self.kind() == other.kind(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Panic { place, message } => write!(f, "panic at {place}: {message}"),
            Fault::Abort(said) => write!(f, "abort: {said}"),
            Fault::Signal(name) => write!(f, "{name}"),
            Fault::Memory(said) => write!(f, "out of memory: {said}"),
            Fault::Hang => write!(f, "a stage exceeded its time limit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: i32, said: &str, expected: &str) {
        assert_eq!(Fault::of(ExitStatus::from_raw(raw), said).to_string(), expected);
    }

    #[test]
    fn an_exit_is_classified() {
        check(11, "", "SIGSEGV");
        check(
            6,
            "one\nfatal runtime error: two\n\n",
            "abort: fatal runtime error: two",
        );
        check(
            6,
            "memory allocation of 8 bytes failed\n",
            "out of memory: memory allocation of 8 bytes failed",
        );
        check(0x0200, "no luck", "abort: exit status: 2 no luck");
    }

    #[test]
    fn panics_at_one_place_are_one_fault() {
        let panic = |place: &str, message: &str| Fault::Panic {
            place: place.to_owned(),
            message: message.to_owned(),
        };
        assert!(panic("a.rs:1", "index 1").is_like(&panic("a.rs:1", "index 2")));
        assert!(!panic("a.rs:1", "").is_like(&panic("a.rs:2", "")));
        assert!(!panic("a.rs:1", "").is_like(&Fault::Hang));
    }
}
