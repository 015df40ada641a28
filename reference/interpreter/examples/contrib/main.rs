//! Writes generated cases of the operators that ONNX Runtime adds, with the outputs of the reference, in the
//! layout of the official cases: `cargo run -p onnx-interpreter --example contrib -- FOLDER [MOST] [SEED]`
//!
//! `onnx-tests/scripts/contrib_witness.py FOLDER` runs them on ONNX Runtime and prints where it disagrees.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use onnx_generator::Case;
use onnx_interpreter::{Limits, run_bounded};
use onnx_model::encode_value;
use onnx_tensor::{Tensor, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("the first argument must be a folder")?);
    let most = arguments.next().map_or(Ok(6000), |most| most.parse())?;
    let seed = arguments.next().map_or(Ok(0), |seed| seed.parse())?;
    let cases = onnx_generator::contrib_cases(seed, most);
    for case in &cases {
        write(case, &folder).map_err(|error| format!("{}/{}: {error}", case.suite, case.name))?;
    }
    println!("{} cases in {}", cases.len(), folder.display());
    Ok(())
}

/// Writes the model, the inputs, the outputs, and the radii as outputs of f64.
fn write(case: &Case, folder: &Path) -> Result<(), Box<dyn Error>> {
    let outputs = run_bounded(&case.model, &case.inputs, Limits::default())?;
    let case_folder = folder.join(&case.suite).join(&case.name);
    let data = case_folder.join("test_data_set_0");
    fs::create_dir_all(&data)?;
    fs::write(case_folder.join("model.onnx"), case.model.encode())?;
    for (index, (name, value)) in case.inputs.iter().enumerate() {
        fs::write(data.join(format!("input_{index}.pb")), encode_value(value, name))?;
    }
    for (index, (name, value, radius)) in outputs.iter().enumerate() {
        fs::write(data.join(format!("output_{index}.pb")), encode_value(value, name))?;
        let radii = value.as_tensor().and_then(|tensor| radius.array(tensor.shape()));
        if let Some(radii) = radii {
            let radii = Value::Tensor(Tensor::from(radii));
            fs::write(
                data.join(format!("radius_{index}.pb")),
                encode_value(&radii, name),
            )?;
        }
    }
    Ok(())
}
