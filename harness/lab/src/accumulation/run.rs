//! Runs populations and probes on the workers of a backend.

use std::time::{Duration, Instant};

use harness_worker::{Completion, Pool, Worker, WorkerExit};
use onnx_tensor::{DType, Tensor, Value};

use crate::accumulation::accumulator::Accumulator;
use crate::accumulation::layout::Layout;
use crate::accumulation::model::model;
use crate::accumulation::population::{Population, measure};
use crate::accumulation::probe::{Rows, accumulator};
use crate::accumulation::subject::{Kind, Subject};
use crate::accumulation::values::{draw, numbers, stream, tensor};

/// A result, or why there is none.
pub type Measured<T> = Result<T, String>;

/// The statistics of each population, in the order of `subjects`; `None` where the run was interrupted.
pub fn populations(
    pool: &Pool,
    subjects: &[Subject],
    seed: u64,
    timeout: Duration,
) -> (Completion, Vec<Option<Measured<Population>>>) {
    run(pool, subjects, |worker, subject| {
        population(worker, subject, seed, timeout)
    })
}

/// The accumulator of each operator and type, in their order; `None` where the run was interrupted.
pub fn accumulators(
    pool: &Pool,
    adders: &[(Kind, DType)],
    timeout: Duration,
) -> (Completion, Vec<Option<Measured<Accumulator>>>) {
    let sums: Vec<(Kind, DType)> = adders.to_vec();
    run(pool, &sums, |worker, (kind, dtype)| {
        // A square has no sign: no two terms cancel.
        if *kind == Kind::ReduceSumSquare {
            return Ok(Err("the terms are squares, which do not cancel".to_owned()));
        }
        let mut reason = None;
        let found = accumulator(*kind, *dtype, |rows| {
            Ok(match sums_of(worker, *kind, *dtype, rows, timeout)? {
                Ok(sums) => Some(sums),
                Err(declined) => {
                    reason.get_or_insert(declined);
                    None
                }
            })
        })?;
        Ok(found.ok_or_else(|| reason.unwrap_or_else(|| "the results are not sums".to_owned())))
    })
}

/// Runs a job for each item.
fn run<I: Sync, T: Send>(
    pool: &Pool,
    items: &[I],
    job: impl Fn(&mut Worker, &I) -> Result<Measured<T>, WorkerExit> + Sync,
) -> (Completion, Vec<Option<Measured<T>>>) {
    let mut all: Vec<Option<Measured<T>>> = items.iter().map(|_| None).collect();
    let completion = pool.run_jobs(items, job, |index, outcome| {
        let result = outcome.result.unwrap_or_else(|failure| Err(failure.to_string()));
        if let Some(slot) = all.get_mut(index) {
            *slot = Some(result);
        }
    });
    (completion, all)
}

fn population(
    worker: &mut Worker,
    subject: &Subject,
    seed: u64,
    timeout: Duration,
) -> Result<Measured<Population>, WorkerExit> {
    let Subject {
        kind, dtype, terms, ..
    } = *subject;
    let layout = Layout::of(kind, subject.length);
    let mut rng = stream(subject, seed);
    let mut operand = |shape: &[usize]| {
        let count = shape.iter().product();
        let drawn: Vec<f64> = (0..count).map(|_| draw(terms, &mut rng)).collect();
        tensor(dtype, shape, &drawn).map_err(|error| error.to_string())
    };
    let operands = operand(&layout.first).and_then(|first| {
        let second = layout.second.as_ref().map(|shape| operand(shape)).transpose()?;
        Ok((first, second))
    });
    let (first, second) = match operands {
        Ok(operands) => operands,
        Err(reason) => return Ok(Err(reason)),
    };
    let found = evaluate(worker, kind, &first, second.as_ref(), timeout)?;
    Ok(found.and_then(|found| {
        let read = |tensor: &Tensor| numbers(tensor).map_err(|error| error.to_string());
        let (first, second) = (
            read(&first)?,
            second.as_ref().map(read).transpose()?.unwrap_or_default(),
        );
        if found.len() == layout.sums {
            Ok(measure(&layout, kind, dtype, &first, &second, &found))
        } else {
            Err(format!("expected {} sums, got {}", layout.sums, found.len()))
        }
    }))
}

/// The sum of each row.
fn sums_of(
    worker: &mut Worker,
    kind: Kind,
    dtype: DType,
    rows: &Rows,
    timeout: Duration,
) -> Result<Measured<Vec<f64>>, WorkerExit> {
    /// The columns of the second operand, which are all alike.
    const COLUMNS: usize = 8;
    let (count, length) = (rows.len(), rows.first().map_or(0, Vec::len));
    let flat = rows.concat();
    let ones = |shape: &[usize]| vec![1.0; shape.iter().product()];
    let (first, second, step) = match kind {
        Kind::MatMul | Kind::Einsum => {
            let shape = vec![length, COLUMNS];
            (
                (vec![count, length], flat),
                Some((shape.clone(), ones(&shape))),
                COLUMNS,
            )
        }
        Kind::Gemm => {
            let shape = vec![COLUMNS, length];
            (
                (vec![count, length], flat),
                Some((shape.clone(), ones(&shape))),
                COLUMNS,
            )
        }
        Kind::Conv => {
            let image = vec![1, length / 9, 3, 3];
            (
                (image.clone(), ones(&image)),
                Some((vec![count, length / 9, 3, 3], flat)),
                1,
            )
        }
        Kind::ReduceSum | Kind::ReduceMean | Kind::ReduceSumSquare => ((vec![count, length], flat), None, 1),
        Kind::GlobalAveragePool => ((vec![1, count, 1, length], flat), None, 1),
    };
    let made = |(shape, numbers): &(Vec<usize>, Vec<f64>)| {
        tensor(dtype, shape, numbers).map_err(|error| error.to_string())
    };
    let operands = made(&first).and_then(|first| Ok((first, second.as_ref().map(made).transpose()?)));
    match operands {
        Ok((first, second)) => {
            let found = evaluate(worker, kind, &first, second.as_ref(), timeout)?;
            Ok(found.map(|found| found.into_iter().step_by(step).collect()))
        }
        Err(reason) => Ok(Err(reason)),
    }
}

/// The numbers of the output.
fn evaluate(
    worker: &mut Worker,
    kind: Kind,
    first: &Tensor,
    second: Option<&Tensor>,
    timeout: Duration,
) -> Result<Measured<Vec<f64>>, WorkerExit> {
    let Some(model) = model(kind, first, second) else {
        return Ok(Err(format!(
            "no version of {} accepts {}",
            kind.operator(),
            first.dtype()
        )));
    };
    let deadline = Instant::now() + timeout;
    let inputs = vec![("a".to_owned(), Value::Tensor(first.clone()))];
    let ran = worker.run_once(model.encode().into(), inputs, deadline)?;
    Ok(match ran {
        Err(declined) => Err(declined.to_string()),
        Ok(ran) => match ran.outputs.first() {
            Some((_, Value::Tensor(output))) if output.dtype() == first.dtype() => {
                numbers(output).map_err(|error| error.to_string())
            }
            Some(_) | None => Err("the output is not a tensor of the type of the input".to_owned()),
        },
    })
}
