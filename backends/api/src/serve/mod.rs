//! The main loop of a worker in Rust.

mod bench;
mod choice;
mod files;
mod options;
mod orphan;
mod service;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

pub use choice::{Switch, use_one_of};
pub use options::Options;
pub use orphan::end_with_channel;
use service::Service;
pub use settings::{Below, Setting, Threads};
pub use store::Store;

use crate::protocol::caps::{MAX_MESSAGE, shorten};
use crate::protocol::{
    Answer, Channel, Frame, Hello, Library, ProtocolError, Refusal, RefusalKind, Request,
    decode_request_with, encode_answer,
};
use crate::{Backend, BackendError};

/// Exit code: the worker was not started by a harness, or has no channel to it.
const NO_CHANNEL: u8 = 2;
/// Exit code: the channel delivered something that is not a message.
const BROKEN_CHANNEL: u8 = 3;

/// Serves a backend over the worker protocol until the harness sends `shutdown` or closes the channel.
///
/// A worker's `main` is one line: `fn main() -> ExitCode { backend_api::serve(MyBackend::new) }`.
///
/// `make` receives the arguments of the process, all of the form `--opt key=value`. If it fails, its error is
/// the answer to every request, so the harness can show it.
///
/// # Panics
/// A panic that reaches this function aborts the process (`SIGABRT`) after its message is written to stderr.
/// It does *not* become an error: a backend that panics on a model would terminate any program that uses it,
/// and the report must show that. A backend may catch its own panics.
pub fn serve<B: Backend>(make: impl FnOnce(Options) -> Result<B, BackendError>) -> ExitCode {
    let _abort = AbortOnPanic;
    if std::env::var_os(crate::protocol::FD_IN).is_none() && std::io::stdin().is_terminal() {
        eprintln!("this is a worker of onnx-conformance: the harness starts it");
        return ExitCode::from(NO_CHANNEL);
    }
    let Channel {
        mut input,
        mut output,
    } = match Channel::open() {
        Ok(channel) => channel,
        Err(error) => {
            eprintln!("no channel to the harness: {error}");
            return ExitCode::from(NO_CHANNEL);
        }
    };
    if let Err(error) = end_with_channel(&input) {
        eprintln!("cannot detect the end of the harness during a run: {error}");
    }
    let arguments = std::env::args_os().skip(1);
    let ended = match Options::from_args(arguments).and_then(make) {
        Ok(backend) => {
            let mut service = Service::new(backend);
            answer_all(&mut input, &mut output, Store::open, |request| {
                service.answer(request)
            })
        }
        Err(error) => answer_all(&mut input, &mut output, Store::open, |_| Answer::Failed {
            error: error.clone(),
        }),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the channel to the harness failed: {error}");
            ExitCode::from(BROKEN_CHANNEL)
        }
    }
}

/// Answers requests in order until `shutdown` or the end of the channel. `open` opens the store of models if
/// the harness asks for it.
///
/// # Errors
/// If a frame or header has no valid id, so that no answer is possible, or if an answer cannot be written.
fn answer_all(
    input: &mut impl Read,
    output: &mut impl Write,
    open: impl Fn() -> Option<Store>,
    mut answer: impl FnMut(Request) -> Answer,
) -> Result<(), ProtocolError> {
    let mut store = None;
    while let Some(frame) = Frame::read(input)? {
        let library = store.as_mut().map(|store: &mut Store| store as &mut dyn Library);
        let (id, last, reply) = match decode_request_with(frame, library) {
            Ok((id, request)) => {
                if let Request::Hello { store: true, .. } = request {
                    store = open();
                }
                (id, matches!(request, Request::Shutdown), answer(request))
            }
            Err(ProtocolError::Missing { id, sha256 }) => (id, false, Answer::Missing { sha256 }),
            Err(error) => refuse_request(error).map(|(id, refusal)| (id, false, Answer::Refused(refusal)))?,
        };
        let reply = match reply {
            Answer::Hello(hello) => Answer::Hello(Hello {
                store: store.is_some(),
                ..hello
            }),
            reply => shortened(reply),
        };
        let reply = encode_answer(id, reply).or_else(|error| {
            let refusal = Refusal {
                reason: RefusalKind::TooLong,
                message: error.to_string(),
            };
            encode_answer(id, Answer::Refused(refusal))
        })?;
        reply.write(output)?;
        if last {
            break;
        }
    }
    Ok(())
}

/// The answer with texts that the protocol allows: a runtime may report a whole model in an error.
fn shortened(mut answer: Answer) -> Answer {
    match &mut answer {
        Answer::Failed { error } => error.cap(),
        Answer::Refused(refusal) => shorten(&mut refusal.message, MAX_MESSAGE),
        _ => {}
    }
    answer
}

/// The refusal of a request that has an id.
fn refuse_request(error: ProtocolError) -> Result<(u64, Refusal), ProtocolError> {
    let message = error.to_string();
    match error {
        ProtocolError::UnknownMessage { id, .. } => Ok((
            id,
            Refusal {
                reason: RefusalKind::UnknownMessage,
                message,
            },
        )),
        ProtocolError::Malformed { id, .. } => Ok((
            id,
            Refusal {
                reason: RefusalKind::Malformed,
                message,
            },
        )),
        other => Err(other),
    }
}

/// Aborts the process when a panic drops it.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}
