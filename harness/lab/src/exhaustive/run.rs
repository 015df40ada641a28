//! Runs every part of the subjects on the workers of a backend.

use std::time::{Duration, Instant};

use harness_worker::{Completion, Pool, Worker, WorkerExit};
use onnx_tensor::Value;

use crate::exhaustive::checked::{Checked, EXAMPLES, Example};
use crate::exhaustive::journal::{Journal, JournalError};
use crate::exhaustive::model::model;
use crate::exhaustive::subject::Job;
use crate::exhaustive::{codes, values};

/// Runs the jobs that are not in the journal. `told` receives each result when it is known.
///
/// # Errors
/// The journal cannot be written.
pub fn run(
    pool: &Pool,
    backend: &str,
    jobs: &[Job],
    timeout: Duration,
    journal: &mut Journal,
    mut told: impl FnMut(&Job, &Checked),
) -> Result<Completion, JournalError> {
    let open: Vec<Job> = jobs
        .iter()
        .filter(|job| {
            journal
                .get(backend, &job.subject.to_string(), job.chunk)
                .is_none()
        })
        .copied()
        .collect();
    let mut failed = None;
    let completion = pool.run_jobs(
        &open,
        |worker, job| check(worker, job, timeout),
        |index, outcome| {
            let Some(job) = open.get(index) else { return };
            let checked = outcome.result.unwrap_or_else(|failure| Checked {
                declined: Some(failure.to_string()),
                ..Checked::default()
            });
            told(job, &checked);
            let added = journal.add(backend, &job.subject.to_string(), job.chunk, checked);
            if let Err(error) = added {
                failed.get_or_insert(error);
            }
        },
    );
    match failed {
        Some(error) => Err(error),
        None => Ok(completion),
    }
}

/// The number of inputs of a request: tensors of this length stay in the caches of a processor.
const REQUEST: usize = 1 << 16;

fn check(worker: &mut Worker, job: &Job, timeout: Duration) -> Result<Checked, WorkerExit> {
    let mut checked = Checked::default();
    for codes in job.inputs().chunks(REQUEST) {
        let part = check_request(worker, job, codes, timeout)?;
        if part.declined.is_some() {
            return Ok(part);
        }
        checked.join(&part);
    }
    Ok(checked)
}

fn check_request(
    worker: &mut Worker,
    job: &Job,
    codes: &[u32],
    timeout: Duration,
) -> Result<Checked, WorkerExit> {
    let declined = |reason: String| Checked {
        declined: Some(reason),
        ..Checked::default()
    };
    let (Some(model), Some(input)) = (
        model(&job.subject, codes.len()),
        values::tensor(job.subject.input(), codes),
    ) else {
        return Ok(declined(
            "no version of the operator accepts these types".to_owned(),
        ));
    };
    let deadline = Instant::now() + timeout;
    let inputs = vec![("x".to_owned(), Value::Tensor(input))];
    let ran = worker.run_once(model.encode().into(), inputs, deadline)?;
    let outputs = match ran {
        Ok(ran) => ran.outputs,
        Err(error) => return Ok(declined(error.to_string())),
    };
    let Some((_, Value::Tensor(output))) = outputs.first() else {
        return Ok(declined("the output is not a tensor".to_owned()));
    };
    match values::numbers(output) {
        Ok(found) if found.len() == codes.len() => Ok(compare(job, codes, &found)),
        Ok(found) => Ok(declined(format!(
            "expected {} outputs, got {}",
            codes.len(),
            found.len()
        ))),
        Err(error) => Ok(declined(error.to_string())),
    }
}

fn compare(job: &Job, codes: &[u32], found: &[f64]) -> Checked {
    let mut checked = Checked::default();
    for ((code, found), expected) in codes.iter().zip(found).zip(job.expected(codes)) {
        let Some(expected) = expected else {
            checked.open += 1;
            continue;
        };
        checked.compared += 1;
        if found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan() {
            continue;
        }
        checked.wrong += 1;
        if checked.examples.len() < EXAMPLES {
            checked.examples.push(Example {
                code: *code,
                input: codes::value(job.subject.input(), *code).to_string(),
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
    }
    checked
}

#[cfg(test)]
mod tests {
    use onnx_tensor::DType;

    use super::*;
    use crate::exhaustive::subject::Subject;

    /// A correct answer passes; an error of one unit in the last place, a lost sign of zero and a NaN
    /// are detected.
    #[test]
    fn misrounded_values_are_detected() {
        let job = Job {
            subject: Subject::Cast {
                from: DType::Float16,
                to: DType::Float,
                saturate: None,
            },
            chunk: 0,
        };
        let inputs = job.inputs();
        let right: Vec<f64> = job
            .expected(&inputs)
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        let checked = compare(&job, &inputs, &right);
        assert_eq!((checked.compared, checked.wrong), (1 << 16, 0));
        for (index, value) in [
            (0x8000, 0.0),
            (0x3C00, f64::from(1.0_f32.next_up())),
            (7, f64::NAN),
        ] {
            let mut wrong = right.clone();
            wrong[index] = value;
            let checked = compare(&job, &inputs, &wrong);
            assert_eq!((checked.wrong, checked.examples[0].code), (1, index as u32));
        }
    }

    #[test]
    fn a_run_resumes_from_its_journal() {
        let path = std::env::temp_dir().join(format!("exhaustive-journal-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let part = Checked {
            compared: 5,
            ..Checked::default()
        };
        Journal::open(&path)
            .unwrap()
            .add("b 1", "Exp-13 float", 3, part.clone())
            .unwrap();
        std::fs::write(
            &path,
            [std::fs::read(&path).unwrap(), b"{\"torn".to_vec()].concat(),
        )
        .unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.get("b 1", "Exp-13 float", 3), Some(&part));
        assert_eq!(journal.get("b 2", "Exp-13 float", 3), None);
        journal.add("b 1", "Exp-13 float", 4, part.clone()).unwrap();
        assert_eq!(
            Journal::open(&path).unwrap().get("b 1", "Exp-13 float", 4),
            Some(&part)
        );
        std::fs::remove_file(&path).unwrap();
    }
}
