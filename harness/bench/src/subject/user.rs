//! A user's models, with inputs that are given, stored beside them, or drawn.

use backend_api::protocol::External;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backend_api::Named;
use harness_conformance::referee::Referee;
use harness_investigate::InvestigateError;
use harness_investigate::inputs::{Drawn, Request, Role, fitting, role, samples, values};
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject as investigated;
use onnx_tensor::ValueType;
use run_record::ModelSource;
use sha2::{Digest, Sha256};

use super::batch::batch;
use super::gross::gross;
use super::{Expected, Judged, Rule, Subject, SubjectError};
use crate::oracle::Oracle;
use crate::ring::{RING, Ring};

/// A user's model with its inputs. It is read again when it is measured: many large models would not fit
/// into the memory together.
#[derive(Debug)]
pub struct UserModel {
    /// The name in reports; in a sweep with the extents: `net (batch=8)`.
    pub name: String,
    /// The name without extents.
    pub network: String,
    /// The number of samples that one run computes ([`batch`]).
    pub batch: Option<u64>,
    /// Extents of symbolic dimensions.
    pub dims: BTreeMap<String, u64>,
    /// The file and the origin of its inputs.
    pub source: ModelSource,
    /// Notes on the inputs: extents, and which values were drawn.
    pub notes: Vec<String>,
    ring: Ring,
    gross: f64,
}

/// A model with the inputs of `request`: from files or folders of samples, or, if it has none, from the
/// data sets beside the model, or drawn. `swept` are the dimensions that appear in the name.
///
/// # Errors
/// Inputs do not fit the model, cannot be read, or cannot be drawn.
pub fn user_model(
    subject: &investigated::Subject,
    request: &Request,
    swept: &[String],
    reference: &mut Runner,
) -> Result<UserModel, InvestigateError> {
    let asked = !(request.inputs.is_empty() && request.dims.is_empty() && request.shapes.is_empty());
    let stored = if asked { Vec::new() } else { stored(subject) };
    let given = if stored.is_empty() {
        given(subject, request, reference)?
    } else {
        Given {
            origin: format!(
                "inputs from {} of {} data sets beside the model",
                stored.len(),
                subject.stored.len()
            ),
            sets: stored,
            drawn: Drawn::default(),
        }
    };
    let Given { sets, drawn, origin } = given;
    let roles = roles(subject, sets.first().map_or(&[], Vec::as_slice));
    let path = std::fs::canonicalize(&subject.path).unwrap_or_else(|_| subject.path.clone());
    Ok(UserModel {
        name: if swept.is_empty() {
            subject.name.clone()
        } else {
            format!("{} ({})", subject.name, swept.join(", "))
        },
        network: subject.name.clone(),
        batch: batch(&subject.model.graph, sets.first().map_or(&[], Vec::as_slice)),
        dims: drawn
            .dims
            .iter()
            .map(|(name, extent, _)| (name.clone(), *extent as u64))
            .collect(),
        source: ModelSource {
            path: path.display().to_string(),
            sha256: digest(subject),
            inputs: request.inputs.clone(),
            dims: request.dims.clone(),
            shapes: request.shapes.clone(),
            seed: request.seed,
        },
        notes: notes(subject, &drawn, request.seed, &origin),
        ring: Ring::of(sets, &roles),
        gross: gross(&subject.model),
    })
}

/// Sets of inputs.
struct Given {
    sets: Vec<Vec<Named>>,
    /// The first of them, with what was drawn for it.
    drawn: Drawn,
    /// A description of files with several sets, or why the extents are not the usual ones; empty if there is
    /// nothing to say.
    origin: String,
}

/// The sets of a request: one, or from folders of samples as many as a ring has. The samples have the types
/// and shapes of the first: others would take another time.
fn given(
    subject: &investigated::Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Given, InvestigateError> {
    let samples = samples(request).map_err(|problem| InvestigateError::Input {
        model: subject.name.clone(),
        problem,
    })?;
    let count = samples.len();
    let mut found: Option<Given> = None;
    for sample in samples {
        match &mut found {
            None => {
                let (drawn, refused) = fitting(subject, &sample.request, reference)?;
                found = Some(Given {
                    sets: vec![drawn.values.clone()],
                    drawn,
                    origin: refused.map_or_else(String::new, |reason| {
                        format!("other inputs, because the reference refuses the usual ones: {reason}")
                    }),
                });
            }
            Some(given) => {
                let drawn = values(subject, &sample.request, reference)?;
                if types(&given.drawn.values) == types(&drawn.values) {
                    given.sets.push(drawn.values);
                }
            }
        }
        if found.as_ref().is_some_and(|given| given.sets.len() == RING) {
            break;
        }
    }
    let mut given = found.unwrap_or_else(|| Given {
        sets: Vec::new(),
        drawn: Drawn::default(),
        origin: String::new(),
    });
    if count > 1 {
        given.origin = format!("inputs from {} of {count} samples", given.sets.len());
    }
    Ok(given)
}

fn types(inputs: &[Named]) -> Vec<ValueType> {
    inputs.iter().map(|(_, value)| value.value_type()).collect()
}

/// A digest of the model file and of the files that it refers to. The place and the size stand for files that
/// are too large to be read for this.
fn digest(subject: &investigated::Subject) -> String {
    let mut digest = Sha256::new();
    digest.update(&subject.bytes);
    match &subject.external {
        External::Sent(files) => {
            for file in files {
                digest.update(&file.location);
                digest.update(&file.bytes);
            }
        }
        External::InFolder { folder, locations } => {
            for location in locations {
                digest.update(location);
                let size = fs::metadata(folder.join(location)).map_or(0, |metadata| metadata.len());
                digest.update(size.to_le_bytes());
            }
        }
    }
    hex::encode(digest.finalize())
}

/// The stored sets whose inputs have the types and shapes of the first: other sets would take another
/// time.
fn stored(subject: &investigated::Subject) -> Vec<Vec<Named>> {
    let first = subject.stored.first().map(|set| types(&set.inputs));
    let sets = subject.stored.iter().map(|set| &set.inputs);
    sets.filter(|inputs| Some(types(inputs)) == first)
        .cloned()
        .collect()
}

fn roles(subject: &investigated::Subject, values: &[Named]) -> Vec<Role> {
    let inputs = &subject.model.graph.inputs;
    let of = |(name, _): &Named| {
        let info = inputs.iter().find(|info| info.name == *name);
        info.map_or(Role::Other, |info| role(&subject.model, info))
    };
    values.iter().map(of).collect()
}

fn notes(subject: &investigated::Subject, drawn: &Drawn, seed: u64, origin: &str) -> Vec<String> {
    let name = &subject.name;
    let unfit = subject.unfit.iter().map(|unfit| {
        format!(
            "{name}: the data sets beside the model are not used: {}",
            unfit.reason
        )
    });
    let dims = drawn
        .dims
        .iter()
        .map(|(dim, extent, why)| format!("{name}: dimension {dim} = {extent} ({why})"));
    let words = drawn
        .drawn
        .iter()
        .map(|words| format!("{name}: drawn input {words} (seed {seed})"));
    let stored = (!origin.is_empty()).then(|| format!("{name}: {origin}"));
    unfit.chain(dims).chain(words).chain(stored).collect()
}

impl Subject {
    /// A model with one set of inputs whose outputs were judged before: those of further sets are compared
    /// with the first run on each.
    pub fn judged(subject: &investigated::Subject, inputs: Vec<Named>) -> Subject {
        let roles = roles(subject, &inputs);
        Subject {
            model: subject.bytes.clone(),
            external: subject.external.clone(),
            ring: Ring::of(vec![inputs], &roles),
            expected: Vec::new(),
            gross: gross(&subject.model),
            unknown: String::new(),
        }
    }

    /// Reads the model again and computes expected outputs by the reference, as many as it computes within
    /// `budget`. `referee` judges the answers to the first input; those to others must only agree with the
    /// reference's.
    ///
    /// # Errors
    /// The file cannot be read any more, or changed.
    pub fn user(
        model: &UserModel,
        budget: Duration,
        oracle: &mut Oracle,
        referee: &Arc<Referee>,
    ) -> Result<Subject, SubjectError> {
        let path = PathBuf::from(&model.source.path);
        let changed = || SubjectError::Changed { path: path.clone() };
        let subject = investigated::open(&path)?.next().ok_or_else(changed)??;
        if digest(&subject) != model.source.sha256 {
            return Err(changed());
        }
        let investigated::Subject { bytes, external, .. } = subject;
        let (outputs, unknown) = oracle.outputs_within(budget, &bytes, &external, &model.ring.sets);
        let sets = model.ring.sets.iter().enumerate();
        let expected = outputs.into_iter().zip(sets).map(|(outputs, (number, inputs))| {
            let judged = || Judged {
                referee: Arc::clone(referee),
                request: RunRequest {
                    model: bytes.clone(),
                    external: external.clone(),
                    inputs: inputs.clone(),
                },
                collected: Mutex::default(),
            };
            outputs.map(|outputs| Expected {
                outputs,
                rule: match number {
                    0 => Rule::Judged(Box::new(judged())),
                    _ => Rule::Agreement(model.gross),
                },
            })
        });
        let expected = expected.collect();
        Ok(Subject {
            model: bytes,
            external,
            ring: model.ring.clone(),
            expected,
            gross: model.gross,
            unknown,
        })
    }
}
