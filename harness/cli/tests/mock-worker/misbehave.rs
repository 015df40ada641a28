//! The behaviours of the mock worker.

use std::fs::File;
use std::io::{BufRead, BufReader, Write, stderr, stdout};
use std::process::{Command, Stdio, abort, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{park, spawn};

use backend_api::BackendError;
use backend_api::protocol::{Answer, Channel, Ran, encode_answer};
use onnx_tensor::{Tensor, Value};
use rustix::process::{Signal, getpid, kill_process};

/// The number of bytes that `flood` prints to each of stdout and stderr.
const FLOOD: usize = 150 << 20;

/// The number of elements of the answer of `long`: 256 MiB.
const LONG: usize = 64 << 20;

/// The number of pairs of characters of the longest message: in JSON, 0.9 MiB.
const MESSAGE: usize = 130_000;

/// Whether this process has given the answer of `once-wrong`.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Executes a behaviour; returns the answer to be sent normally.
pub(crate) fn misbehave(
    behaviour: &str,
    id: u64,
    answer: Answer,
    channel: &mut Channel,
) -> Result<Option<Answer>, String> {
    die(behaviour);
    if let Some(bytes) = wrong_bytes(behaviour, id, &answer)? {
        let _ = channel.output.write_all(&bytes);
        match behaviour {
            "torn-exit" => exit(0),
            "torn-hang" | "huge-length" => hang(),
            _ => return Ok(None),
        }
    }
    match behaviour {
        "hang-without-sigterm" => {
            let ignored = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal_hook::consts::SIGTERM, ignored)
                .map_err(|error| error.to_string())?;
            hang()
        }
        "closes" => {
            channel.output = File::open("/dev/null").map_err(|error| error.to_string())?;
            hang()
        }
        "grandchild-exit" => {
            grandchild(channel)?;
            exit(3)
        }
        "grandchild-answer" => grandchild(channel)?,
        "detached-exit" => {
            detached("setsid")?;
            exit(3)
        }
        "detached-answer" => detached("setsid")?,
        "detached-hang" => {
            grandchild(channel)?;
            detached("setsid")?;
            hang()
        }
        "hidden-answer" => detached("setsid env -i")?,
        "traced-hang" => traced()?,
        "flood" => flood(),
        "chatty" => stdout()
            .write_all(&b"loading ...\n".repeat(10_000))
            .map_err(|error| error.to_string())?,
        _ => {}
    }
    Ok(Some(wrong_answer(behaviour).unwrap_or(answer)))
}

/// The behaviours that end the process or never end.
fn die(behaviour: &str) {
    match behaviour {
        "segfault" => die_by(Signal::SEGV),
        "fpe" => die_by(Signal::FPE),
        "killed" => die_by(Signal::KILL),
        "abort" => abort(),
        "panic" => {
            eprintln!("thread 'main' panicked at mock.rs:1:1:\nthe axis is odd\nnote: no backtrace");
            abort()
        }
        "exit-0" => exit(0),
        "exit-3" => exit(3),
        "exit-255" => exit(255),
        "exhaust" => exhaust(),
        "hang" => hang(),
        _ => {}
    }
}

/// Bytes that are not the frame of the answer.
fn wrong_bytes(behaviour: &str, id: u64, answer: &Answer) -> Result<Option<Vec<u8>>, String> {
    let frame = |id| {
        let mut bytes = Vec::new();
        let written = encode_answer(id, answer.clone()).and_then(|frame| Ok(frame.write(&mut bytes)?));
        written.map(|()| bytes).map_err(|error| error.to_string())
    };
    let mut bytes = frame(id)?;
    Ok(Some(match behaviour {
        "garbage" => b"Segmentation fault (core not really dumped)\n".to_vec(),
        "torn-exit" | "torn-hang" => {
            bytes.truncate(bytes.len() / 2);
            bytes
        }
        "wrong-magic" => {
            bytes[3] ^= 0x20;
            bytes
        }
        "huge-length" => {
            bytes[16..24].copy_from_slice(&(1_u64 << 62).to_le_bytes());
            bytes
        }
        "wrong-id" => frame(id + 1)?,
        "twice" => bytes.repeat(2),
        _ => return Ok(None),
    }))
}

/// Answers that are well formed and wrong, and a long one; the protocol cannot detect the last four.
fn wrong_answer(behaviour: &str) -> Option<Answer> {
    match behaviour {
        "wrong-answer" => Some(Answer::Bye),
        "wrong-dtype" => Some(ran(vec![Tensor::vector(vec![1_i64, 2])])),
        "wrong-shape" => Tensor::new(&[1, 2, 1], vec![1.0_f32, 2.0])
            .ok()
            .map(|tensor| ran(vec![tensor])),
        "wrong-value" => Some(ran(vec![Tensor::vector(vec![1.0_f32, 2.5])])),
        "once-wrong" => {
            (!ANSWERED.swap(true, Ordering::Relaxed)).then(|| ran(vec![Tensor::vector(vec![1.0_f32, 2.5])]))
        }
        "wrong-count" => Some(ran(Vec::new())),
        "long" => Some(ran(vec![Tensor::vector(vec![1.0_f32; LONG])])),
        "long-message" => Some(Answer::Failed {
            error: BackendError::run("\u{1}x".repeat(MESSAGE)),
        }),
        "long-name" => Some(Answer::Ran(Ran {
            outputs: vec![("n".repeat(5000), Tensor::vector(vec![1.0_f32]).into())],
            nanoseconds: 0,
        })),
        "long-time" => Some(Answer::Ran(Ran {
            outputs: Vec::new(),
            nanoseconds: 1 << 63,
        })),
        "option" => Some(Answer::Failed {
            error: BackendError::Option {
                option: "threads".to_owned(),
                message: "no such option any more".to_owned(),
            },
        }),
        _ => None,
    }
}

fn ran(outputs: Vec<Tensor>) -> Answer {
    let outputs = outputs
        .into_iter()
        .map(|tensor| ("x".to_owned(), Value::from(tensor)))
        .collect();
    Answer::Ran(Ran {
        outputs,
        nanoseconds: 0,
    })
}

/// Repeated: the first SIGSEGV only removes the handler of Rust's runtime.
fn die_by(signal: Signal) -> ! {
    loop {
        let _ = kill_process(getpid(), signal);
    }
}

fn hang() -> ! {
    loop {
        park();
    }
}

/// Allocates and uses memory until there is none.
fn exhaust() -> ! {
    let mut taken = Vec::new();
    loop {
        taken.push(vec![1_u8; 16 << 20]);
    }
}

/// Prints far more than the capacity of any pipe to both streams.
fn flood() {
    fn pour(mut to: impl Write) {
        let line = [b'x'; 1 << 16];
        for _ in 0..FLOOD / line.len() {
            let _ = to.write_all(&line);
        }
    }
    let other = spawn(|| pour(stderr()));
    pour(stdout().lock());
    let _ = other.join();
}

/// Leaves a process in a session of its own, whose parent ends. Its arguments have the marker of the test.
fn detached(how: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let marker = std::env::var("MOCK_WORKER_MARKER").unwrap_or_default();
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{how} \"$0\" act-as-grandchild \"$1\" >/dev/null 2>&1 &"))
        .arg(program)
        .arg(marker)
        .status();
    status.map(drop).map_err(|error| error.to_string())
}

/// Is traced by a process in a session of its own, and hangs: its parent does not learn of its end before the
/// tracer does.
fn traced() -> Result<(), String> {
    // SAFETY: a system call that takes numbers and changes only who may trace this process.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let (marker, own) = (
        std::env::var("MOCK_WORKER_MARKER").unwrap_or_default(),
        std::process::id(),
    );
    let mut tracer = Command::new("setsid")
        .arg(program)
        .args(["act-as-tracer", &own.to_string(), &marker])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    let stdout = tracer.stdout.take().ok_or("no pipe")?;
    BufReader::new(stdout)
        .read_line(&mut line)
        .map_err(|error| error.to_string())?;
    hang()
}

/// Traces a process and never asks for its state.
pub(crate) fn act_as_tracer(process: &str) {
    let process: libc::pid_t = process.parse().unwrap_or(0);
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: a system call on another process; SEIZE reads and writes no memory of this one.
    let traced = unsafe { libc::ptrace(libc::PTRACE_SEIZE, process, none, none) };
    let _ = writeln!(stdout(), "{traced}");
    hang()
}

/// Leaves a process that keeps the channel open.
fn grandchild(channel: &Channel) -> Result<(), String> {
    let output = channel.output.try_clone().map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let spawned = Command::new(program)
        .arg("act-as-grandchild")
        .stdout(Stdio::from(output))
        .spawn();
    spawned.map(drop).map_err(|error| error.to_string())
}
