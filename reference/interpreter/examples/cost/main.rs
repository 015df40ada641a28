//! The processor time of models on the reference, and digests of their outputs:
//! `cargo run -p onnx-interpreter --example cost -- [--noise CLASS] [--runs N] FOLDER…`
//!
//! Each folder below `FOLDER` with a `model.onnx` and its inputs (`test_data_set_0/input_*.pb`) is a line of
//! comma-separated values: its path, the mean time of a run in milliseconds, and a digest of the outputs.
//! There are at least `N` runs (3), and of several as many as can be measured.
//! With `--noise` runs have random rounding of this class, each the next seed from 1 on, and the digest is
//! that of the first `N`. Two programs that print the same digests compute the same bits. The time is that of
//! one thread, so that other work on the machine hardly changes it.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use onnx_interpreter::{Arithmetic, Limits, Program};
use onnx_model::{Model, ValueInfo, decode_value, encode_value};
use onnx_tensor::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Asked {
    noise: Option<Arithmetic>,
    runs: u64,
    folders: Vec<PathBuf>,
}

fn main() -> Outcome<()> {
    let asked = asked()?;
    for folder in &asked.folders {
        let mut models = Vec::new();
        find(folder, &mut models)?;
        models.sort();
        for model in models {
            let name = model.strip_prefix(folder)?.display();
            match measure(&model, &asked) {
                Ok((milliseconds, digest)) => println!("{name},{milliseconds:.3},{digest:016x}"),
                Err(error) => println!("{name},,{}", error.to_string().replace(['\n', ','], " ")),
            }
        }
    }
    Ok(())
}

fn asked() -> Outcome<Asked> {
    let mut asked = Asked {
        noise: None,
        runs: 3,
        folders: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("an option needs a value");
        match argument.as_str() {
            "--noise" => asked.noise = Some(value()?.parse()?),
            "--runs" => asked.runs = value()?.parse()?,
            _ => asked.folders.push(argument.into()),
        }
    }
    Ok(asked)
}

/// The folders with a model.
fn find(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome<()> {
    if folder.join("model.onnx").exists() {
        into.push(folder.to_owned());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, into)?;
        }
    }
    Ok(())
}

fn measure(folder: &Path, asked: &Asked) -> Outcome<(f64, u64)> {
    let model = Model::decode_file(folder.join("model.onnx"), &onnx_model::Limits::default())?;
    let inputs = inputs(folder, &model.graph.inputs)?;
    let program = Program::load(model)?;
    let mut hasher = DefaultHasher::new();
    let (before, mut spent, mut runs) = (nanoseconds()?, 0.0, 0);
    while runs < asked.runs || spent < MEASURED && asked.runs > 1 {
        runs += 1;
        let seed = runs;
        let limits = Limits {
            noise: asked.noise.map(|_| seed),
            arithmetic: asked.noise.unwrap_or_default(),
            ..Limits::default()
        };
        let outputs = program.run(&inputs, limits)?;
        spent = nanoseconds()? - before;
        if seed == 1 || asked.noise.is_some() && seed <= asked.runs {
            let bytes = outputs.iter().map(|(name, value)| encode_value(value, name));
            bytes.for_each(|bytes| bytes.hash(&mut hasher));
        }
    }
    Ok((spent / runs as f64 / 1e6, hasher.finish()))
}

fn inputs(folder: &Path, infos: &[ValueInfo]) -> Outcome<Vec<(String, Value)>> {
    let mut values = Vec::new();
    for (index, info) in infos.iter().enumerate() {
        let path = folder.join(format!("test_data_set_0/input_{index}.pb"));
        if let (true, Some(value_type)) = (path.exists(), &info.value_type) {
            let value = decode_value(&fs::read(path)?, value_type, &onnx_model::Limits::default())?;
            values.push((info.name.clone(), value));
        }
    }
    Ok(values)
}

/// The nanoseconds that the runs of a model take at least, because Linux counts them in steps of some
/// milliseconds.
const MEASURED: f64 = 1e8;

/// The processor time of this thread.
fn nanoseconds() -> Outcome<f64> {
    let counted = fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = counted.split(' ').next().ok_or("no time")?;
    Ok(first.parse()?)
}
