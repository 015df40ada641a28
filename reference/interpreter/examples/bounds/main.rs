//! Compares the stored outputs of official cases in an extracted folder with the bounds of the reference,
//! for work on a rule: `cargo run -p onnx-interpreter --example bounds -- DATA_FOLDER [PATTERN…]`
//!
//! Most stored outputs were computed by NumPy, an independent implementation in the precision of the
//! output, so a bound that they exceed is probably too tight. Prints the outputs outside of their bound,
//! the outputs without a bound and the reason, and the time of the bounds and of the plain run.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

#[path = "../cases/data.rs"]
mod data;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use onnx_interpreter::{Limits, Radius, run, run_bounded};
use onnx_model::Model;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

type Outcome<T> = Result<T, Box<dyn Error>>;

#[derive(Default)]
struct Tally {
    exact: usize,
    within: usize,
    outside: usize,
    unknown: BTreeMap<String, usize>,
    plain: Duration,
    bounded: Duration,
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(
        arguments
            .next()
            .ok_or("the first argument must be the data folder")?,
    );
    let patterns: Vec<String> = arguments.collect();
    let mut tally = Tally::default();
    for case in data::cases(&folder)? {
        let name = case.name(&folder);
        let wanted = patterns.is_empty() || patterns.iter().any(|pattern| name.contains(pattern));
        if wanted && let Err(error) = check(&name, &case, &mut tally) {
            println!("SKIP {name}: {error}");
        }
    }
    let mut unknown: Vec<_> = tally.unknown.iter().collect();
    unknown.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in unknown {
        println!("{count:5} {reason}");
    }
    let Tally {
        exact,
        within,
        outside,
        plain,
        bounded,
        ..
    } = tally;
    println!("{exact} exact, {within} within, {outside} outside; plain {plain:.2?}, bounded {bounded:.2?}");
    Ok(())
}

fn check(name: &str, case: &data::Case, tally: &mut Tally) -> Outcome<()> {
    let model = Model::decode_file(&case.model, &onnx_model::Limits::default())?;
    let Some(set) = case.sets.first() else {
        return Ok(());
    };
    let (inputs, expected) = set.read(&model.graph)?;
    let began = Instant::now();
    run(&model, &inputs, Limits::default())?;
    tally.plain += began.elapsed();
    let began = Instant::now();
    let outputs = run_bounded(&model, &inputs, Limits::default())?;
    tally.bounded += began.elapsed();
    for (output, center, radius) in outputs {
        let stored = expected.iter().find(|(name, _)| *name == output);
        let (Some((_, Value::Tensor(stored))), Value::Tensor(center)) = (stored, &center) else {
            continue;
        };
        match radius {
            Radius::Unknown(reason) => {
                println!("NONE {name} `{output}`: {reason}");
                *tally.unknown.entry(reason.into_owned()).or_default() += 1;
            }
            Radius::Exact if center.same_bits(stored) => tally.exact += 1,
            radius => match worst(center, stored, &radius)? {
                ratio if ratio <= 1.0 => tally.within += 1,
                ratio => {
                    tally.outside += 1;
                    println!(
                        "OUT {name} `{output}`: {ratio:.3} times the radius ({})",
                        model_of(&radius)
                    );
                }
            },
        }
    }
    Ok(())
}

fn model_of(radius: &Radius) -> &str {
    match radius {
        Radius::Within { model, .. } => model,
        _ => "exact",
    }
}

/// The greatest error of an element in units of its radius; infinite for an error where the radius is 0.
fn worst(center: &Tensor, stored: &Tensor, radius: &Radius) -> Outcome<f64> {
    let (a, b) = (reals(center)?, reals(stored)?);
    let radius = radius.array(center.shape()).ok_or("no radius")?;
    let share = |((a, b), radius): ((&f64, &f64), &f64)| match (a - b).abs() {
        _ if a == b || a.is_nan() && b.is_nan() => 0.0,
        difference if difference.is_finite() => difference / radius,
        _ => f64::INFINITY,
    };
    Ok(a.iter().zip(&b).zip(radius.iter()).map(share).fold(0.0, f64::max))
}

fn reals(tensor: &Tensor) -> Outcome<Vec<f64>> {
    let convert = || -> Result<Vec<f64>, TensorError> {
        dispatch!(real, tensor.dtype(), T => Ok(tensor.array::<T>()?.iter().map(|x| Real::to_f64(*x)).collect()))
    };
    Ok(convert()?)
}
