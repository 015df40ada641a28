//! Prints the graph of a model after each pass, with the report of the pass.
//!
//! `cargo run -p backend-native --example dump-graph -- MODEL.onnx`

use std::path::Path;
use std::process::ExitCode;

use backend_api::{Backend, LoadRequest};
use backend_native::{Native, Settings};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: dump-graph MODEL.onnx");
        return ExitCode::from(2);
    };
    let path = Path::new(&path);
    let model = match std::fs::read(path) {
        Ok(model) => model,
        Err(error) => {
            eprintln!("cannot read `{}`: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let settings = Settings {
        dump: Some("/dev/stdout".into()),
        ..Settings::default()
    };
    let request = LoadRequest {
        model: model.into(),
        folder: path.parent().map(Path::to_owned),
        inputs: Vec::new(),
    };
    match Native::new(settings).load(request) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
