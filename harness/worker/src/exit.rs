//! How a worker ended.

use std::fmt;
use std::time::Duration;

use signal_hook::low_level::signal_name;

/// The end of a worker that was not requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerExit {
    /// The kind of end.
    pub kind: WorkerExitKind,
    /// The request during which it ended: `hello`, `load`, `run`, …
    pub during: &'static str,
    /// The last part of stderr since that request was sent.
    pub stderr: String,
}

/// The kinds of [`WorkerExit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkerExitKind {
    /// It was ended by a signal that the harness did not send.
    Crash {
        /// Its number.
        signal: i32,
    },
    /// It exited by itself during a request.
    Exit {
        /// Its exit code.
        code: i32,
    },
    /// There was no answer before the deadline, and the harness killed it.
    Timeout {
        /// The time that it had.
        after: Duration,
        /// Whether it ignored SIGTERM, so that SIGKILL was needed.
        ignored_sigterm: bool,
    },
    /// Its memory was exhausted, with evidence. Without evidence it is a [`WorkerExitKind::Crash`] or
    /// [`WorkerExitKind::Exit`].
    OutOfMemory {
        /// The evidence: the message of a failed allocation, or the count of the kernel's OOM killer.
        evidence: String,
    },
    /// It violated the protocol, and the harness killed it.
    Protocol {
        /// What was wrong.
        problem: String,
    },
    /// The program that connects the harness to a worker on another machine ended for its own reason; the
    /// state of the worker is unknown.
    Disconnected {
        /// The program, and how it ended.
        problem: String,
    },
    /// The run was cancelled; the state of the worker is unknown.
    Cancelled,
}

/// One line: what happened, during which request, and the most informative line of stderr.
impl fmt::Display for WorkerExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} during {}", self.kind, self.during)?;
        match telling_line(&self.stderr) {
            Some(line) => write!(f, ": {line}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for WorkerExit {}

impl fmt::Display for WorkerExitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerExitKind::Crash { signal } => {
                write!(
                    f,
                    "killed by {} ({signal})",
                    signal_name(*signal).unwrap_or("a signal")
                )
            }
            WorkerExitKind::Exit { code } => write!(f, "exited with code {code}"),
            WorkerExitKind::Timeout {
                after,
                ignored_sigterm: false,
            } => write!(f, "no answer within {:?}", tenths(*after)),
            WorkerExitKind::Timeout {
                after,
                ignored_sigterm: true,
            } => {
                write!(
                    f,
                    "no answer within {:?}, and SIGTERM was ignored",
                    tenths(*after)
                )
            }
            WorkerExitKind::OutOfMemory { evidence } => write!(f, "out of memory ({evidence})"),
            WorkerExitKind::Protocol { problem } => write!(f, "protocol violated: {problem}"),
            WorkerExitKind::Disconnected { problem } => write!(f, "the connection broke: {problem}"),
            WorkerExitKind::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// The duration, rounded for display: `30s`, `300ms`; below a tenth of a second in milliseconds.
fn tenths(duration: Duration) -> Duration {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(if millis < 100 { millis } else { millis / 100 * 100 })
}

/// The maximum length of the line of stderr in a reason, in characters.
const MAX_LINE: usize = 300;

/// The panic message, if there is one (Rust writes it on the line after `panicked at`), otherwise the last
/// line.
fn telling_line(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let panic = lines.iter().rposition(|line| line.contains("panicked at "));
    let line = match panic.and_then(|index| lines.get(index..)) {
        Some([place, message, ..]) => format!("{} {message}", without_number(place)),
        _ => (*lines.last()?).to_owned(),
    };
    Some(
        line.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(MAX_LINE)
            .collect(),
    )
}

/// The line without the number that Rust prints after the name of a panicking thread: it differs
/// between runs.
fn without_number(line: &str) -> String {
    let parts = line.split_once("' (").and_then(|(name, rest)| {
        let (number, rest) = rest.split_once(')')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        (name.starts_with("thread '") && is_number).then(|| format!("{name}'{rest}"))
    });
    parts.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_one_line() {
        let panic =
            "noise\n\nthread 'main' (7) panicked at src/a.rs:3:9:\nindex out of bounds\nnote: run with ...\n";
        for (kind, stderr, expected) in [
            (
                WorkerExitKind::Crash { signal: 11 },
                "",
                "killed by SIGSEGV (11) during run",
            ),
            (
                WorkerExitKind::Crash { signal: 6 },
                panic,
                "killed by SIGABRT (6) during run: thread 'main' panicked at src/a.rs:3:9: index out of bounds",
            ),
            (
                WorkerExitKind::Exit { code: 3 },
                "one\ntwo\x1b[0m\n\n",
                "exited with code 3 during run: two [0m",
            ),
            (
                WorkerExitKind::Timeout {
                    after: Duration::from_millis(300),
                    ignored_sigterm: true,
                },
                "",
                "no answer within 300ms, and SIGTERM was ignored during run",
            ),
        ] {
            let exit = WorkerExit {
                kind,
                during: "run",
                stderr: stderr.to_owned(),
            };
            assert_eq!(exit.to_string(), expected);
        }
    }
}
