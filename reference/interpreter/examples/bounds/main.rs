//! Holds the outputs stored with the official cases of an extracted folder to the bounds of the reference, for work on a rule:
//! `cargo run -p onnx-interpreter --example bounds -- DATA_FOLDER [PATTERN…]`
//!
//! The stored outputs were computed by NumPy, for the most part: an independent implementation in the output's precision, so a
//! bound that does not hold them is most often too tight. Prints what lies outside, what has no bound and why, and what the
//! bounds cost beside the plain run.
#![allow(clippy::print_stdout, reason = "a program whose result is what it prints")]

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
            .ok_or("the first argument is the folder of the data")?,
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

/// The greatest share of its radius that an element is off by; infinite where it is off and has none.
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
