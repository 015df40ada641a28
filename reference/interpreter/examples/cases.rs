//! Runs official cases from an extracted folder on the reference, in one process, for work on an operator:
//! `cargo run -p onnx-interpreter --example cases -- DATA_FOLDER [PATTERN…]`
//!
//! `DATA_FOLDER` holds `node/`, `simple/` and the like. The comparison is the official rule (rtol 1e-3, atol 1e-7) with exact
//! integers; the judge of a release is the harness, not this.
#![allow(clippy::print_stdout, reason = "a program whose result is what it prints")]

mod official;

use std::path::{Path, PathBuf};

use official::{Outcome, cases, values};
use onnx_interpreter::{Limits, run};
use onnx_model::Model;
use onnx_tensor::{Element, Float, Tensor, Value, dispatch};

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(
        arguments
            .next()
            .ok_or("the first argument is the folder of the data")?,
    );
    let patterns: Vec<String> = arguments.collect();
    let (mut passed, mut failed) = (0, 0);
    for case in cases(&folder)? {
        let name = case.strip_prefix(&folder)?.display().to_string();
        if !patterns.is_empty() && !patterns.iter().any(|pattern| name.contains(pattern)) {
            continue;
        }
        match check(&case) {
            Ok(()) => passed += 1,
            Err(error) => {
                failed += 1;
                println!("FAIL {name}: {error}");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(())
}

fn check(case: &Path) -> Outcome<()> {
    let model = Model::decode_file(case.join("model.onnx"), &onnx_model::Limits::default())?;
    for set in 0.. {
        let folder = case.join(format!("test_data_set_{set}"));
        if !folder.exists() {
            break;
        }
        let inputs = values(&folder, "input", &model.graph.inputs)?;
        let expected = values(&folder, "output", &model.graph.outputs)?;
        let outputs = run(&model, &inputs, Limits::default())?;
        for (name, want) in &expected {
            let (_, have) = outputs
                .iter()
                .find(|(output, _)| output == name)
                .ok_or("an output is missing")?;
            same(have, want).map_err(|problem| format!("output `{name}`: {problem}"))?;
        }
    }
    Ok(())
}

fn same(have: &Value, want: &Value) -> Outcome<()> {
    match (have, want) {
        (Value::Tensor(have), Value::Tensor(want)) => same_tensor(have, want),
        (Value::Sequence(have), Value::Sequence(want)) if have.values.len() == want.values.len() => have
            .values
            .iter()
            .zip(&want.values)
            .try_for_each(|(have, want)| same(have, want)),
        (Value::Map(have), Value::Map(want)) if have.entries.len() == want.entries.len() => have
            .entries
            .iter()
            .zip(&want.entries)
            .try_for_each(|((k, have), (l, want))| {
                if k == l {
                    same(have, want)
                } else {
                    Err("the keys of a map differ".into())
                }
            }),
        (Value::Optional { value: have, .. }, Value::Optional { value: want, .. }) => match (have, want) {
            (None, None) => Ok(()),
            (Some(have), Some(want)) => same(have, want),
            _ => Err("one optional is empty, the other is not".into()),
        },
        (have, want) => Err(format!("kinds differ: {} for {}", have.value_type(), want.value_type()).into()),
    }
}

fn same_tensor(have: &Tensor, want: &Tensor) -> Outcome<()> {
    if have.dtype() != want.dtype() || have.shape() != want.shape() {
        let (a, b) = ((have.dtype(), have.shape()), (want.dtype(), want.shape()));
        return Err(format!("{a:?} for {b:?}").into());
    }
    let close: Outcome<Vec<String>> = dispatch!(float, want.dtype(), T => Ok(far::<T>(have, want)?));
    let differing = match close {
        Ok(differing) => differing,
        Err(_) if have.same_bits(want) => Vec::new(),
        Err(_) => vec![format!("{have:?} for {want:?}").chars().take(400).collect()],
    };
    match differing.as_slice() {
        [] => Ok(()),
        list => Err(format!(
            "{} of {} differ: {}",
            list.len(),
            want.len(),
            list[..list.len().min(4)].join("; ")
        )
        .into()),
    }
}

fn far<T: Float + Element>(have: &Tensor, want: &Tensor) -> Outcome<Vec<String>> {
    let (have, want) = (have.array::<T>()?, want.array::<T>()?);
    let pairs = have
        .iter()
        .zip(want.iter())
        .map(|(a, b)| (a.to_f64(), b.to_f64()));
    Ok(pairs
        .enumerate()
        .filter(|(_, (a, b))| {
            let both_nan = a.is_nan() && b.is_nan();
            !(both_nan || a == b || b.is_finite() && (a - b).abs() <= 1e-7 + 1e-3 * b.abs())
        })
        .map(|(index, (a, b))| format!("[{index}] {a} for {b}"))
        .collect())
}
