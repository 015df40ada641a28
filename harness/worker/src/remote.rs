//! Workers on other machines and in containers: the programs that connect to them, and the quoting of their
//! command lines.
//!
//! A remote worker uses stdin and stdout. Its clock and its files are those of the other machine; times are
//! not corrected for the transport.

pub(crate) mod files;

use std::process::ExitStatus;

use super::system::signal;
use super::{SpecError, Transport, WorkerExitKind, WorkerSpec};

/// Shells and container runtimes report a process that was killed by a signal with this number plus that of
/// the signal as exit code.
const SIGNALLED: i32 = 128;

/// The program that starts a worker on another machine and connects its stdin and stdout to the harness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launcher {
    /// The program on this machine.
    pub program: &'static str,
    /// Its arguments before the command of the worker.
    pub args: Vec<String>,
    /// Whether a shell on the other machine splits the command, so that it must be one quoted text.
    pub shell: bool,
    /// The exit code with which the program reports that it could not connect, or lost the connection.
    pub lost: Option<i32>,
    /// How it gets files of this machine.
    pub place: Place,
}

/// How a worker on another machine gets files of this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// They are sent to a folder, which a shell there expands.
    Folder(&'static str),
    /// They are volumes of a container.
    Volume,
}

impl Launcher {
    /// The arguments of the program that start a worker with this command.
    pub(super) fn arguments(&self, words: &[String]) -> Vec<String> {
        let mut arguments = self.args.clone();
        if self.shell {
            // The shell stays, so that a signal that ends the worker becomes an exit code.
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            arguments.push(format!("{}; exit $?", words.join(" ")));
        } else {
            arguments.extend_from_slice(words)
        }
        arguments
    }

    /// How the worker ended, from the exit status of the program.
    pub(super) fn cause(&self, status: ExitStatus) -> WorkerExitKind {
        let program = self.program;
        match (status.code(), signal(status)) {
            (Some(code), _) if Some(code) == self.lost => WorkerExitKind::Disconnected {
                problem: format!("`{program}` exited with code {code}"),
            },
            (Some(code), _) if code > SIGNALLED => WorkerExitKind::Crash {
                signal: code - SIGNALLED,
            },
            (Some(code), _) => WorkerExitKind::Exit { code },
            (None, signal) => WorkerExitKind::Disconnected {
                problem: format!("`{program}` was killed by signal {}", signal.unwrap_or_default()),
            },
        }
    }
}

/// A kind of connection to another machine, by the text before the first colon.
struct Scheme {
    scheme: &'static str,
    /// The launcher for a target: a host, an image, a pod, a device.
    launcher: fn(&str) -> Launcher,
    /// The characters between the parts of a target.
    separators: &'static [char],
    /// An example target, for a message.
    example: &'static str,
    /// Whether the target has a default command, so that none is required.
    has_command: bool,
}

const SCHEMES: [Scheme; 4] = [
    Scheme {
        scheme: "ssh",
        separators: &['@'],
        example: "user@host",
        launcher: ssh,
        has_command: false,
    },
    Scheme {
        scheme: "docker",
        separators: &['/', ':', '@'],
        example: "image:tag",
        launcher: docker,
        has_command: true,
    },
    Scheme {
        scheme: "kubectl",
        separators: &['/'],
        example: "namespace/pod",
        launcher: kubectl,
        has_command: false,
    },
    Scheme {
        scheme: "adb",
        separators: &[],
        example: "SERIAL",
        launcher: adb,
        has_command: false,
    },
];

/// Whether the text before the first colon of a backend is a scheme of remote workers.
pub fn is_scheme(scheme: &str) -> bool {
    SCHEMES.iter().any(|found| found.scheme == scheme)
}

/// The worker of `scheme:TARGET:COMMAND ARGS`; `None` for another scheme. The target may contain colons
/// (`host:2222`, `image:tag`): the command starts after the last colon of the first word.
///
/// # Errors
/// [`SpecError::Remote`] for a text without a target or without a command.
pub(super) fn parse(scheme: &str, rest: &str) -> Option<Result<WorkerSpec, SpecError>> {
    let found = SCHEMES.iter().find(|found| found.scheme == scheme)?;
    Some(worker(found, rest).ok_or_else(|| SpecError::Remote {
        text: format!("{scheme}:{rest}"),
        scheme: found.scheme,
        example: found.example,
    }))
}

fn worker(found: &Scheme, rest: &str) -> Option<WorkerSpec> {
    let first = rest.split_whitespace().next()?;
    let (target, _) = first.rsplit_once(':')?;
    let words = shlex::split(rest.get(target.len() + 1..)?)?;
    // The program that connects must not take a part of the target for an option.
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('-');
    let is_target = target.split(found.separators).all(is_part);
    let named = words.first().is_some_and(|word| !word.is_empty());
    if !is_target || !(named || found.has_command) {
        return None;
    }
    let mut words = words.into_iter();
    let command = words.next().unwrap_or_default();
    Some(WorkerSpec {
        args: words.collect(),
        transport: Transport::Stdio,
        launcher: Some((found.launcher)(target)),
        by_digest: true,
        ..WorkerSpec::new(target, command)
    })
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

/// `[USER@]HOST[:PORT]`. It never asks for a password, because the run is not interactive.
fn ssh(target: &str) -> Launcher {
    // A lost connection is detected within fifteen seconds.
    let mut args = texts(["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5"]);
    let port = target
        .rsplit_once(':')
        .filter(|(_, port)| port.parse::<u16>().is_ok());
    let host = match port {
        Some((host, port)) => {
            args.extend(texts(["-p", port]));
            host
        }
        None => target,
    };
    let host = host.replace(['[', ']'], "");
    args.extend(texts(["--", &host]));
    Launcher {
        program: "ssh",
        args,
        shell: true,
        lost: Some(255),
        place: Place::Folder("${XDG_CACHE_HOME:-$HOME/.cache}/onnx-conformance/files"),
    }
}

/// `IMAGE[:TAG]`. The container ends with its worker; a volume keeps the models.
fn docker(target: &str) -> Launcher {
    Launcher {
        program: "docker",
        args: texts([
            "run",
            "--interactive",
            "--rm",
            "--volume",
            "onnx-conformance-store:/onnx-conformance/store",
            "--env",
            "ONNX_CONFORMANCE_STORE=/onnx-conformance/store",
            target,
        ]),
        shell: false,
        lost: Some(125),
        place: Place::Volume,
    }
}

/// `[NAMESPACE/]POD[/CONTAINER]`; with three parts the first is the namespace.
fn kubectl(target: &str) -> Launcher {
    let mut args = texts(["exec", "--stdin"]);
    let parts: Vec<&str> = target.split('/').collect();
    let (namespace, pod, container) = match parts.as_slice() {
        [namespace, pod, container] => (Some(*namespace), *pod, Some(*container)),
        [namespace, pod] => (Some(*namespace), *pod, None),
        _ => (None, target, None),
    };
    for (option, value) in [("--namespace", namespace), ("--container", container)] {
        if let Some(value) = value {
            args.extend(texts([option, value]));
        }
    }
    args.extend(texts([pod, "--"]));
    Launcher {
        program: "kubectl",
        args,
        shell: false,
        lost: None,
        place: Place::Folder("${TMPDIR:-/tmp}/onnx-conformance-files"),
    }
}

/// The serial number of a device, `SERIAL` or `HOST:PORT`.
fn adb(target: &str) -> Launcher {
    Launcher {
        program: "adb",
        args: texts(["-s", target, "shell", "-T"]),
        shell: true,
        lost: None,
        place: Place::Folder("/data/local/tmp/onnx-conformance"),
    }
}

/// A word in the quoting of a POSIX shell. A word with a NUL byte cannot be an argument: it is unchanged,
/// and the start fails.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let spec = WorkerSpec::parse(text).expect("a worker");
        assert_eq!(spec.transport, Transport::Stdio);
        let (program, arguments) = spec.command_line();
        let mut words = vec![program.display().to_string()];
        words.extend(arguments);
        assert_eq!(words, expected, "{text}");
    }

    #[test]
    fn each_scheme_has_its_program() {
        check(
            "ssh:me@host:./worker --flag 'a b'",
            &[
                "ssh",
                "-T",
                "-o",
                "BatchMode=yes",
                "-o",
                "ServerAliveInterval=5",
                "--",
                "me@host",
                "./worker --flag 'a b'; exit $?",
            ],
        );
        check(
            "ssh:[::1]:2222:worker",
            &[
                "ssh",
                "-T",
                "-o",
                "BatchMode=yes",
                "-o",
                "ServerAliveInterval=5",
                "-p",
                "2222",
                "--",
                "::1",
                "worker; exit $?",
            ],
        );
        check(
            "docker:repository/image:1.2:worker --at a:b",
            &[
                "docker",
                "run",
                "--interactive",
                "--rm",
                "--volume",
                "onnx-conformance-store:/onnx-conformance/store",
                "--env",
                "ONNX_CONFORMANCE_STORE=/onnx-conformance/store",
                "repository/image:1.2",
                "worker",
                "--at",
                "a:b",
            ],
        );
        check(
            "docker:image:",
            &[
                "docker",
                "run",
                "--interactive",
                "--rm",
                "--volume",
                "onnx-conformance-store:/onnx-conformance/store",
                "--env",
                "ONNX_CONFORMANCE_STORE=/onnx-conformance/store",
                "image",
            ],
        );
        check(
            "kubectl:lab/pod-1/main:worker 'a b'",
            &[
                "kubectl",
                "exec",
                "--stdin",
                "--namespace",
                "lab",
                "--container",
                "main",
                "pod-1",
                "--",
                "worker",
                "a b",
            ],
        );
        check(
            "adb:192.168.0.7:5555:/data/local/tmp/worker",
            &[
                "adb",
                "-s",
                "192.168.0.7:5555",
                "shell",
                "-T",
                "/data/local/tmp/worker; exit $?",
            ],
        );
    }

    #[test]
    fn options_are_quoted_for_the_remote_shell() {
        let mut spec = WorkerSpec::parse("ssh:host:worker").expect("a worker");
        spec.options.insert("file".to_owned(), "a b".to_owned());
        let (_, arguments) = spec.command_line();
        assert_eq!(
            arguments.last().map(String::as_str),
            Some("worker --opt 'file=a b'; exit $?")
        );
    }

    #[test]
    fn invalid_remote_workers_are_errors() {
        for text in [
            "ssh:",
            "ssh:host",
            "ssh:host:",
            "ssh::worker",
            "ssh:-oProxyCommand=x:worker",
            "adb:serial: ",
            "adb:-P:worker",
            "ssh:me@-oProxyCommand=x:worker",
            "docker:--privileged:worker",
            "docker:registry/-v:worker",
            "kubectl:ns/--kubeconfig=x:worker",
            "kubectl:--kubeconfig=x/pod:worker",
            "kubectl:ns/pod/--stdin:worker",
            "kubectl:ns//main:worker",
            "docker:x",
        ] {
            let error = WorkerSpec::parse(text).expect_err(text).to_string();
            assert!(error.contains("TARGET:COMMAND"), "{text}: {error}");
        }
    }
}
