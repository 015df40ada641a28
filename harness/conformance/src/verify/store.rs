//! Checks of the store: models that are sent once and named by their digests afterwards.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use backend_api::protocol::{
    Answer, ExternalFile, Frame, Load, MIN_NAMED, RefusalKind, Request, Sending, sha256,
};
use harness_worker::{Cancel, Worker, WorkerSpec};
use onnx_model::Bytes;
use tempfile::TempDir;

use super::bench::{Bench, TIME, declined};
use super::mistakes::{feed, plain};
use super::{Check, Outcome, check};

/// The variable of the libraries with the folder of the store.
const FOLDER: &str = "ONNX_CONFORMANCE_STORE";

pub(super) fn checks() -> Vec<Check> {
    let check = |name: &str, made: fn(&mut Far) -> Result<Outcome, Outcome>| {
        check(name, move |bench| {
            Far::start(bench)
                .and_then(|mut far| made(&mut far))
                .unwrap_or_else(|outcome| outcome)
        })
    };
    vec![
        check("a digest that the store does not have is missing", |far| {
            far.expect_missing(&far.model())
        }),
        check("a model that was sent once is loaded by its digest", |far| {
            let model = far.model();
            far.expect_loaded(&model, &[sha256(&model)])?;
            far.expect_loaded(&model, &[])
        }),
        check("another process of the worker finds the model", |far| {
            let model = far.model();
            far.expect_loaded(&model, &[sha256(&model)])?;
            far.restart()?;
            far.expect_loaded(&model, &[])
        }),
        check("a file of external data is found by its digest", files),
        check("a damaged file of the store is missing", |far| {
            let Some(folder) = far.folder.as_ref().map(|folder| folder.path().to_owned()) else {
                return Err(Outcome::Unsupported("the store is on another machine".to_owned()));
            };
            let model = far.model();
            far.expect_loaded(&model, &[sha256(&model)])?;
            damage(&folder)?;
            far.expect_missing(&model)?;
            far.expect_loaded(&model, &[sha256(&model)])
        }),
        check("bytes with another digest are refused and not kept", |far| {
            let model = far.model();
            let other = sha256(b"other bytes");
            let digest = sha256(&model);
            far.expect_refused(&model, Sending::Digests([digest.clone()].into()), |frame| {
                replace(frame, &digest, &other);
            })?;
            far.expect_missing(&model)
        }),
        check("a path is not a digest", |far| {
            let model = far.model();
            let digest = sha256(&model);
            far.expect_refused(&model, Sending::Digests([].into()), |frame| {
                replace(frame, &digest, "../../../../../../etc/passwd");
            })
        }),
        check("a worker that is not asked offers no store", |far| {
            far.spec.by_digest = false;
            far.restart()?;
            if far.worker.has_store() {
                Err(Outcome::Failed("it offers a store".to_owned()))
            } else {
                far.expect_refused(&far.model(), Sending::Digests([].into()), |_| {})
            }
        }),
    ]
}

/// A worker whose models are named by digest.
struct Far {
    spec: WorkerSpec,
    cancel: Cancel,
    worker: Worker,
    /// The folder of the store; `None` on another machine.
    folder: Option<TempDir>,
}

impl Far {
    fn start(bench: &Bench) -> Result<Far, Outcome> {
        let failed = |error: &dyn std::error::Error| Outcome::Failed(error.to_string());
        let mut spec = (*bench.spec).clone();
        spec.by_digest = true;
        let folder = match spec.launcher {
            Some(_) => None,
            None => {
                let folder = TempDir::with_prefix("onnx-store-").map_err(|error| failed(&error))?;
                spec.env
                    .insert(FOLDER.to_owned(), folder.path().display().to_string());
                Some(folder)
            }
        };
        let worker = Worker::start(Arc::new(spec.clone()), bench.cancel.clone());
        let worker = worker.map_err(|error| failed(&error))?;
        if worker.has_store() {
            Ok(Far {
                spec,
                cancel: bench.cancel.clone(),
                worker,
                folder,
            })
        } else {
            Err(Outcome::Unsupported("it has no store of models".to_owned()))
        }
    }

    fn restart(&mut self) -> Result<(), Outcome> {
        let worker = Worker::start(Arc::new(self.spec.clone()), self.cancel.clone());
        self.worker = worker.map_err(|error| Outcome::Failed(error.to_string()))?;
        Ok(())
    }

    /// A model that no earlier check has sent, long enough to be named by its digest.
    fn model(&self) -> Bytes {
        let mut model = plain();
        let number = self.worker.process_id();
        let time = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        model.producer_version = format!("{number} {} {}", time.as_nanos(), "-".repeat(MIN_NAMED));
        model.encode().into()
    }

    fn load(
        &mut self,
        load: Load,
        sending: Sending,
        edit: impl FnOnce(&mut Frame),
    ) -> Result<Answer, Outcome> {
        let answer = self
            .worker
            .send(Request::Load(load), sending, edit, Instant::now() + TIME);
        answer.map_err(|exit| Outcome::Failed(format!("the worker ended: {exit}")))
    }

    fn request(&self, model: &Bytes) -> Load {
        let wanted = self.worker.description().wants_inputs_at_load;
        Load {
            model: model.clone(),
            inputs: if wanted { feed().to_vec() } else { Vec::new() },
            ..Load::default()
        }
    }

    fn expect_loaded(&mut self, model: &Bytes, sent: &[String]) -> Result<Outcome, Outcome> {
        let sending = Sending::Digests(sent.iter().cloned().collect());
        match self.load(self.request(model), sending, |_| {})? {
            Answer::Loaded(_) => Ok(Outcome::Passed),
            answer => Err(declined("load", answer)),
        }
    }

    fn expect_missing(&mut self, model: &Bytes) -> Result<Outcome, Outcome> {
        let answer = self.load(self.request(model), Sending::Digests([].into()), |_| {})?;
        missing(answer, &[sha256(model)])
    }

    fn expect_refused(
        &mut self,
        model: &Bytes,
        sending: Sending,
        edit: impl FnOnce(&mut Frame),
    ) -> Result<Outcome, Outcome> {
        match self.load(self.request(model), sending, edit)? {
            Answer::Refused(refusal) if refusal.reason == RefusalKind::Malformed => Ok(Outcome::Passed),
            answer => Err(Outcome::Failed(format!(
                "expected `refused` with reason `malformed`, got `{}`",
                answer.name()
            ))),
        }
    }
}

/// A model and a file: both missing, then one of them sent, then both.
fn files(far: &mut Far) -> Result<Outcome, Outcome> {
    let model = far.model();
    let file: Bytes = model.iter().rev().copied().collect::<Vec<u8>>().into();
    let load = Load {
        files: vec![ExternalFile {
            location: "weights.bin".to_owned(),
            bytes: file.clone(),
        }],
        ..far.request(&model)
    };
    let digests = [sha256(&model), sha256(&file)];
    let [first, second] = digests.clone();
    let answer = far.load(load.clone(), Sending::Digests([].into()), |_| {})?;
    missing(answer, &digests)?;
    let answer = far.load(load.clone(), Sending::Digests([first].into()), |_| {})?;
    missing(answer, std::slice::from_ref(&second))?;
    for sent in [vec![second], Vec::new()] {
        let sending = Sending::Digests(sent.into_iter().collect());
        match far.load(load.clone(), sending, |_| {})? {
            Answer::Loaded(_) => {}
            answer => return Err(declined("load", answer)),
        }
    }
    Ok(Outcome::Passed)
}

fn missing(answer: Answer, expected: &[String]) -> Result<Outcome, Outcome> {
    match answer {
        Answer::Missing { sha256 } if sha256 == expected => Ok(Outcome::Passed),
        Answer::Missing { sha256 } => Err(Outcome::Failed(format!(
            "expected the missing digests {}, got {}",
            expected.join(", "),
            sha256.join(", ")
        ))),
        answer => Err(Outcome::Failed(format!(
            "expected `missing`, got `{}`",
            answer.name()
        ))),
    }
}

/// Changes a byte of every file in a folder.
fn damage(folder: &std::path::Path) -> Result<(), Outcome> {
    let change = |path: PathBuf| {
        let mut data = fs::read(&path)?;
        if let Some(byte) = data.last_mut() {
            *byte ^= 1;
        }
        fs::write(path, data)
    };
    let entries = fs::read_dir(folder).and_then(|entries| {
        let paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()?;
        paths.into_iter().try_for_each(change)
    });
    entries.map_err(|error| Outcome::Failed(format!("the store cannot be changed: {error}")))
}

/// Replaces a text of the header.
fn replace(frame: &mut Frame, old: &str, new: &str) {
    let header = String::from_utf8_lossy(&frame.header).replace(old, new);
    frame.header = header.into_bytes();
}
