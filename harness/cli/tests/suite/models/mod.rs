//! Models and backends for the tests of commands on the user's models.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, ValueType};

use crate::program::{Ended, ended};

/// The reference interpreter with a fault in one node.
pub const FAULTY: &str = env!("CARGO_BIN_EXE_faulty-worker");

/// A folder with models.
pub struct Bench {
    pub folder: tempfile::TempDir,
    /// The fault of the reference.
    pub reference: &'static str,
    /// The bytes of external data that the harness holds in memory; `None` for the default.
    pub resident: Option<u64>,
}

/// The program with a reference beside it, created once: a file that is open for writing cannot be
/// executed, and every process that another thread starts holds it open for a moment.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let made = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("onnx-conformance");
        fs::copy(env!("CARGO_BIN_EXE_onnx-conformance"), &program).expect("the program");
        symlink(FAULTY, folder.path().join("onnx-worker-reference")).expect("the reference");
        (folder, program)
    });
    &made.1
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench {
            folder: tempfile::tempdir().expect("a folder"),
            reference: "none",
            resident: None,
        };
        fs::write(bench.at("net.onnx"), model().encode()).expect("a model");
        bench
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command line in which RIGHT, AGAIN, FAULTY and STALE are backends.
    pub fn run(&self, line: &str) -> Ended {
        ended(&mut self.command(line))
    }

    /// The command of such a line.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        let words = shlex::split(line).expect("a line");
        command
            .args(words.iter().map(|word| backend(word)))
            .current_dir(self.folder.path());
        if let Some(bytes) = self.resident {
            command.env("ONNX_CONFORMANCE_RESIDENT_BYTES", bytes.to_string());
        }
        command.env("MOCK_REFERENCE", self.reference);
        command
    }
}

/// Replaces the names of backends in a word.
pub fn backend(word: &str) -> String {
    [
        ("RIGHT", "none"),
        ("AGAIN", "nobody:swap"),
        ("FAULTY", "second:swap"),
        ("STALE", "session:stale"),
    ]
    .iter()
    .fold(word.to_owned(), |word, (name, fault)| {
        word.replace(name, &format!("cmd:{FAULTY} --opt fault={fault}"))
    })
}

pub fn info(name: &str, shape: &[Dim]) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(shape.to_vec()),
        }),
    }
}

pub fn node(name: &str, operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        name: name.to_owned(),
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

/// y = sigmoid(relu(x) − w) of x: [batch, 3].
pub fn model() -> Model {
    let shape = [Dim::Named("batch".to_owned()), Dim::Fixed(3)];
    Model::new(
        13,
        Graph {
            inputs: vec![info("x", &shape)],
            outputs: vec![info("y", &shape)],
            initializers: vec![("w".to_owned(), Tensor::vector(vec![0.5_f32, 0.25, 2.0]).into())],
            nodes: vec![
                node("first", "Relu", &["x"], "a"),
                node("second", "Sub", &["a", "w"], "b"),
                node("third", "Sigmoid", &["b"], "y"),
            ],
            ..Graph::default()
        },
    )
}

#[track_caller]
pub fn check(bench: &Bench, line: &str, code: i32, parts: &[&str]) -> Ended {
    let ended = bench.run(line);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(code), "{line}\n{said}");
    for part in parts {
        assert!(said.contains(part), "{line}: wanted `{part}` in\n{said}");
    }
    ended
}

pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A model whose weights are in a missing file.
pub fn write_external(path: &Path) {
    use onnx_model::proto;
    use prost::Message;
    let mut model = proto::ModelProto::decode(model().encode().as_slice()).expect("a model");
    let entry = |key: &str, value: &str| proto::StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value.into()),
    };
    let graph = model.graph.as_mut().expect("a graph");
    graph.initializer.truncate(0);
    graph.initializer.push(proto::TensorProto {
        name: Some("w".into()),
        data_type: Some(1),
        dims: vec![3],
        data_location: Some(1),
        external_data: vec![
            entry("location", "weights.bin"),
            entry("offset", "0"),
            entry("length", "12"),
        ],
        ..proto::TensorProto::default()
    });
    fs::write(path, model.encode_to_vec()).expect("a file");
}
