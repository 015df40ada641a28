//! Runs official cases of an extracted folder on the reference, in one process, and measures the time:
//! `cargo run -p onnx-interpreter --example cases -- DATA_FOLDER [PATTERN…]`
//!
//! `DATA_FOLDER` holds `node/`, `light/` and so on. The comparison is the official rule (rtol 1e-3, atol
//! 1e-7) with exact integers; the harness, not this example, judges a release. Times are wall-clock
//! seconds, separately for decoding (including file reads), evaluation and comparison, for all cases
//! together and for the slowest ones.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod compare;
mod data;

use std::error::Error;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use onnx_interpreter::{Limits, run};
use onnx_model::Model;

use compare::same_outputs;
use data::Case;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The number of slowest cases in the list.
const LISTED: usize = 12;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(
        arguments
            .next()
            .ok_or("the first argument must be the data folder")?,
    );
    let patterns: Vec<String> = arguments.collect();
    let mut times = Vec::new();
    let mut failed = 0;
    for case in data::cases(&folder)? {
        let name = case.name(&folder);
        if !patterns.is_empty() && !patterns.iter().any(|pattern| name.contains(pattern)) {
            continue;
        }
        let mut spent = Spent::default();
        if let Err(error) = check(&case, &mut spent) {
            failed += 1;
            println!("FAIL {name}: {error}");
        }
        times.push((name, spent));
    }
    println!("{} passed, {failed} failed", times.len() - failed);
    report(times);
    Ok(())
}

/// The time of a case by stage.
#[derive(Clone, Copy, Default)]
struct Spent {
    decode: Duration,
    evaluate: Duration,
    compare: Duration,
}

impl Spent {
    fn total(&self) -> Duration {
        self.decode + self.evaluate + self.compare
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.decode += other.decode;
        self.evaluate += other.evaluate;
        self.compare += other.compare;
    }
}

/// Returns the value of `work` and adds its time to `spent`.
fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = work();
    *spent += start.elapsed();
    value
}

fn report(mut times: Vec<(String, Spent)>) {
    times.sort_by_key(|(_, spent)| std::cmp::Reverse(spent.total()));
    let mut all = Spent::default();
    times.iter().for_each(|(_, spent)| all += *spent);
    println!(
        "{:>8} {:>8} {:>8} {:>8}",
        "total", "decode", "evaluate", "compare"
    );
    let listed = times.into_iter().take(LISTED);
    for (name, spent) in std::iter::once(("all cases".to_owned(), all)).chain(listed) {
        let [total, decode, evaluate, compare] =
            [spent.total(), spent.decode, spent.evaluate, spent.compare].map(|part| part.as_secs_f64());
        println!("{total:8.3} {decode:8.3} {evaluate:8.3} {compare:8.3}  {name}");
    }
}

fn check(case: &Case, spent: &mut Spent) -> Outcome<()> {
    let limits = onnx_model::Limits::default();
    let model = timed(&mut spent.decode, || Model::decode_file(&case.model, &limits))?;
    for set in &case.sets {
        let (inputs, expected) = timed(&mut spent.decode, || set.read(&model.graph))?;
        let outputs = timed(&mut spent.evaluate, || run(&model, &inputs, Limits::default()))?;
        timed(&mut spent.compare, || same_outputs(&outputs, &expected))?;
    }
    Ok(())
}
