//! Runs the program `onnx-conformance` on cases and workers made for a test.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness_corpus::Sha256;
use onnx_model::{Graph, Model, ValueInfo, encode_value};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use run_record::Report;
use rustix::process::{Pid, Signal, kill_process};

/// A worker that behaves like broken backends on demand.
pub const MOCK: &str = env!("CARGO_BIN_EXE_mock-worker");

/// A variable in the environment of the program and of every process that it starts.
pub const MARKER: &str = "MOCK_WORKER_MARKER";

/// The maximum duration of any step in these tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder in which the program runs.
pub struct Place(tempfile::TempDir);

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// One line says what is wrong, or clap does.
    #[track_caller]
    pub fn assert_one_error(&self, line: &str) {
        if !self.stderr.contains("Usage:") {
            let errors = self.stderr.lines().filter(|line| line.starts_with("error: "));
            assert_eq!(errors.count(), 1, "{line}: {}", self.stderr);
        }
    }
}

impl Place {
    /// An empty folder.
    pub fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    /// A folder with these cases in `cases`: name and behaviour of the worker, as in `run:exit-3`.
    pub fn with_cases(cases: &[(&str, &str)]) -> Place {
        let place = Place::new();
        for (name, behaviour) in cases {
            write_case(&place.at("cases").join(name), behaviour);
        }
        place
    }

    /// A path in the folder.
    pub fn at(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.path().join(name.as_ref())
    }

    /// Writes a text.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).expect("a file");
    }

    /// Reads a file that the program wrote.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program with arguments in shell syntax; `MOCK` is replaced by the worker.
    pub fn command(&self, line: &str) -> Command {
        self.command_of(program(), line)
    }

    fn command_of(&self, program: &Path, line: &str) -> Command {
        let line = line.replace("MOCK", MOCK);
        let mut command = Command::new(program);
        command
            .args(shlex::split(&line).unwrap_or_else(|| panic!("{line}")))
            .current_dir(self.0.path())
            .env(MARKER, self.marker())
            .stdin(Stdio::null());
        command
    }

    /// As [`Place::command`], of a program that finds the mock as its reference.
    pub fn command_with_mock_reference(&self, line: &str) -> Command {
        place_program("mock-reference", "onnx-worker-reference", Path::new(MOCK));
        self.command_of(&place_conformance("mock-reference"), line)
    }

    /// Runs the program to its end.
    pub fn run(&self, line: &str) -> Ended {
        ended(&mut self.command(line))
    }

    /// The report of the run in a folder.
    pub fn report(&self, out: &str) -> Report {
        Report::read(&self.at(out)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The value of [`MARKER`].
    pub fn marker(&self) -> String {
        self.0.path().display().to_string()
    }

    /// The running processes that were started from here.
    pub fn processes(&self) -> Vec<Pid> {
        let needle = format!("{MARKER}={}\0", self.marker()).into_bytes();
        let marked = |path: &PathBuf| {
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            environment.windows(needle.len()).any(|window| window == needle)
        };
        let entries = fs::read_dir("/proc").expect("/proc").flatten();
        let paths = entries.map(|entry| entry.path()).filter(marked);
        let number = |path: PathBuf| Pid::from_raw(path.file_name()?.to_str()?.parse().ok()?);
        paths.filter_map(number).collect()
    }

    /// Waits until no process that was started from here is running.
    #[track_caller]
    pub fn assert_no_process_left(&self) {
        until("all processes end", || self.processes().is_empty().then_some(()));
    }
}

/// The program in a folder without workers. Cargo builds no worker for the tests of this package, so
/// that a test that found one beside the program would depend on earlier builds.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| place_conformance("without-workers"))
}

fn place_conformance(folder: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_BIN_EXE_onnx-conformance"));
    place_program(folder, "onnx-conformance", from)
}

/// Gives a program a second path, in a folder that all test binaries share. With a rename the
/// program is never missing. It is a link, because a copy would be open for writing, and such a
/// file cannot be executed while another thread's child holds it.
fn place_program(folder: &str, name: &str, from: &Path) -> PathBuf {
    static LINKS: AtomicUsize = AtomicUsize::new(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a folder");
    let number = LINKS.fetch_add(1, Ordering::Relaxed);
    let link = folder.join(format!("new-{}-{number}", std::process::id()));
    fs::hard_link(from, &link)
        .or_else(|_| fs::copy(from, &link).map(drop))
        .expect("a program");
    let placed = folder.join(name);
    fs::rename(&link, &placed).expect("a program");
    // A rename does nothing if both names are already one file.
    let _ = fs::remove_file(&link);
    placed
}

/// Runs a command to its end. A program that was just copied is busy while the child of another thread holds
/// it.
pub fn ended(command: &mut Command) -> Ended {
    let mut output = command.output();
    for _ in 0..100 {
        if !matches!(&output, Err(error) if error.kind() == ErrorKind::ExecutableFileBusy) {
            break;
        }
        sleep(Duration::from_millis(20));
        output = command.output();
    }
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A case in the official layout that an echo passes: a model whose output is its input. The worker
/// executes the behaviour.
pub fn write_case(folder: &Path, behaviour: &str) {
    let info = ValueInfo {
        name: "x".to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(2)]),
        }),
    };
    let graph = Graph {
        inputs: vec![info.clone()],
        outputs: vec![info],
        ..Graph::default()
    };
    let model = Model {
        producer_name: format!("behave={behaviour};"),
        ..Model::new(13, graph)
    };
    let set = folder.join("test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::write(folder.join("model.onnx"), model.encode()).expect("a model");
    let value = encode_value(&Value::Tensor(Tensor::vector(vec![1.0_f32, 2.0])), "");
    for file in ["input_0.pb", "output_0.pb"] {
        fs::write(set.join(file), &value).expect("a value");
    }
}

/// Polls until there is an answer.
#[track_caller]
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a child.
pub fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process");
    kill_process(pid, signal).expect("the process lives");
}

/// Waits for a child, with a time limit.
#[track_caller]
pub fn wait(child: &mut Child) -> ExitStatus {
    until("the program ends", || child.try_wait().expect("a status"))
}

/// A log with the digest of its lines at the end of the run, as whoever changes a log can compute it.
pub fn resealed(text: &str) -> String {
    let mut sealed = String::new();
    for line in text.split_inclusive('\n') {
        match line.split_once(",\"log_sha256\":") {
            Some((event, _)) => {
                let digest = Sha256::of(format!("{sealed}{event}").as_bytes());
                sealed.push_str(&format!("{event},\"log_sha256\":\"{digest}\"}}\n"));
            }
            None => sealed.push_str(line),
        }
    }
    sealed
}
