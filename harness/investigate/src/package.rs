//! Runs the version converter of the `onnx` package in a separate Python process.

use std::env;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The variable with the Python interpreter, as for `onnx-backend:…`.
const PYTHON: &str = "ONNX_CONFORMANCE_PYTHON";

/// Reads a target opset and a model, and writes a flag followed by the converted model or a message,
/// until its input ends.
const PROGRAM: &str = r#"
import os, struct, sys
channel = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
import onnx, onnx.version_converter
def answer(flag, data):
    channel.write(struct.pack("<BQ", flag, len(data)) + data)
    channel.flush()
answer(0, onnx.__version__.encode())
while True:
    head = sys.stdin.buffer.read(12)
    if len(head) < 12:
        break
    to, size = struct.unpack("<IQ", head)
    try:
        model = onnx.load_model_from_string(sys.stdin.buffer.read(size))
        answer(0, onnx.version_converter.convert_version(model, to).SerializeToString())
    except BaseException as error:
        answer(1, " ".join(str(error).split()).encode()[:2000])
"#;

/// The maximum size of an answer in bytes.
const MAX_BYTES: u64 = 1 << 31;

/// An answer: a converted model, or why there is none.
type Converted = Result<Vec<u8>, String>;

/// The converter. A conversion that ends the process affects only itself.
#[derive(Debug)]
pub struct Package {
    version: String,
    timeout: Duration,
    process: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<io::Result<Converted>>,
}

impl Package {
    /// Starts Python and requests the version of the package.
    ///
    /// # Errors
    /// There is no Python, or it does not have the package.
    pub fn start(timeout: Duration) -> Result<Package, String> {
        let mut running = Running::start()
            .map_err(|error| format!("cannot start Python ({error}); set {PYTHON} to an interpreter"))?;
        match running.answer(timeout) {
            Ok(Ok(version)) => Ok(Package {
                version: String::from_utf8_lossy(&version).into_owned(),
                timeout,
                process: Some(running),
            }),
            Ok(Err(reason)) | Err(reason) => Err(format!(
                "Python has no package `onnx` ({reason}); set {PYTHON} to an interpreter that has it"
            )),
        }
    }

    /// The version of the package.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Converts a model to an opset of ai.onnx.
    ///
    /// # Errors
    /// The message of the converter, or that its process ended or timed out.
    pub fn convert(&mut self, model: &[u8], to: u32) -> Result<Vec<u8>, String> {
        let mut running = match self.process.take() {
            Some(running) => running,
            None => {
                let mut running = Running::start().map_err(|error| error.to_string())?;
                running.answer(self.timeout)??;
                running
            }
        };
        let head = [&to.to_le_bytes()[..], &(model.len() as u64).to_le_bytes()].concat();
        let sent = running
            .input
            .write_all(&head)
            .and_then(|()| running.input.write_all(model));
        sent.and_then(|()| running.input.flush())
            .map_err(|error| format!("its process ended ({error})"))?;
        let answer = running.answer(self.timeout)?;
        self.process = Some(running);
        answer
    }
}

impl Running {
    fn start() -> io::Result<Running> {
        let python = env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let mut child = Command::new(python)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => (input, output),
            _ => return Err(io::Error::other("its pipes are missing")),
        };
        let (send, answers) = channel();
        thread::spawn(move || {
            let mut output = output;
            loop {
                let answer = read(&mut output);
                let ends = answer.is_err();
                if send.send(answer).is_err() || ends {
                    return;
                }
            }
        });
        Ok(Running {
            child,
            input,
            answers,
        })
    }

    fn answer(&mut self, timeout: Duration) -> Result<Converted, String> {
        match self.answers.recv_timeout(timeout) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(format!("its process ended ({error})")),
            Err(RecvTimeoutError::Timeout) => Err(format!("it took more than {timeout:?}")),
            Err(RecvTimeoutError::Disconnected) => Err("its process ended".to_owned()),
        }
    }
}

/// The process has no state to save.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl Read) -> io::Result<Converted> {
    let mut flag = [0];
    let mut size = [0; 8];
    output.read_exact(&mut flag)?;
    output.read_exact(&mut size)?;
    let size = u64::from_le_bytes(size);
    if size > MAX_BYTES {
        return Err(io::Error::other(format!("an answer of {size} bytes")));
    }
    let mut data = Vec::new();
    output.take(size).read_to_end(&mut data)?;
    if data.len() as u64 != size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(match flag {
        [0] => Ok(data),
        _ => Err(String::from_utf8_lossy(&data).into_owned()),
    })
}
