//! Stores a reduced model as a regression case.
//!
//! `reduce` writes a folder: the model as a case in the official layout, and `reduction.json` with its
//! origin ([`Provenance`]). [`ToKeep`] converts it to a folder of cases for `--cases`, with
//! `provenance.json` beside the case, `ISSUE.md` for the maintainers of the backend, and, for a model of
//! one node, the text of an own case. The expected values are those of the reference; each file states
//! this.

mod issue;
mod own_text;

use backend_api::protocol::External;
use std::fs;
use std::path::{Path, PathBuf};

use backend_api::Named;
use harness_corpus::LOCAL;
use onnx_model::Model;
use run_record::VerdictKind;
use run_record::common::unversioned;
use run_record::replace;
use serde::{Deserialize, Serialize};

use crate::InvestigateError;
use crate::case_files::CaseToWrite;
use crate::deviation::deviation;
use crate::given::Given;
use crate::reduce::{Reduced, failure};
use crate::runner::Runner;
use crate::signature::normalised;
use crate::subject;

/// The file with the origin of a reduced model.
pub const REDUCTION: &str = "reduction.json";

/// The origin of a reduced model and its failure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this format.
    pub format: u32,
    /// The name of the original model.
    pub model: String,
    /// SHA-256 of the original file.
    pub sha256: String,
    /// The backend as given on the command line.
    pub backend: String,
    /// Name and version that the backend reports.
    pub version: String,
    /// The verdict on the reduced model: `mismatch`, `error`, `crash`.
    pub verdict: String,
    /// The kind of mismatch, the stage of the error, the signal; may be empty.
    pub detail: String,
    pub reason: String,
    /// The operators of the reduced model, with versions.
    pub operators: Vec<String>,
    /// Numbers of nodes before and after.
    pub nodes: (usize, usize),
    /// The seed of generated inputs.
    pub seed: u64,
    /// The number of models that were tried.
    pub trials: usize,
    /// The source of the expected outputs.
    pub expected: String,
    /// The backend that computed them, if the user trusts it in place of the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<String>,
    /// The version of this program.
    pub harness: String,
}

/// The source of the expected values.
const BY_REFERENCE: &str = "computed by the reference of onnx-conformance, not by hand";

/// The source if there are no expected values.
const BY_NOBODY: &str = "none: the reference does not answer on the original model";

impl Provenance {
    /// Reads the provenance in a folder that `reduce` wrote.
    ///
    /// # Errors
    /// The folder was not written by `reduce`.
    pub fn read(folder: &Path) -> Result<Provenance, InvestigateError> {
        let not_reduced = |reason: String| InvestigateError::NotReduced {
            path: folder.to_owned(),
            reason: format!("{REDUCTION}: {reason}"),
        };
        let json = fs::read(folder.join(REDUCTION)).map_err(|error| not_reduced(error.to_string()))?;
        serde_json::from_slice(&json).map_err(|error| not_reduced(error.to_string()))
    }

    /// The provenance of a reduced model.
    pub fn of(
        reduced: &Reduced,
        subject: &subject::Subject,
        backend: (&str, String),
        (seed, trusted): (u64, Option<&str>),
    ) -> Provenance {
        use sha2::{Digest, Sha256};
        let model = &reduced.part.model;
        let mut operators: Vec<String> = model
            .graph
            .nodes
            .iter()
            .map(|node| crate::cut::operator(model, node))
            .collect();
        operators.dedup();
        Provenance {
            format: 1,
            model: subject.name.clone(),
            sha256: hex::encode(Sha256::digest(&subject.bytes)),
            backend: harness_conformance::gate::portable(backend.0),
            version: backend.1,
            verdict: reduced.judgement.verdict.key().to_owned(),
            detail: reduced.judgement.verdict.detail().into_owned(),
            reason: reduced.judgement.reason.clone(),
            operators,
            nodes: reduced.nodes,
            seed,
            trials: reduced.trials,
            expected: match (&reduced.expected, trusted) {
                (None, _) => BY_NOBODY.to_owned(),
                (Some(_), None) => BY_REFERENCE.to_owned(),
                (Some(_), Some(name)) => format!(
                    "computed by `{name}`, which the user trusts; the reference does not answer, and nothing verifies them"
                ),
            },
            trusted: trusted.map(str::to_owned),
            harness: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Writes a reduced model into a folder.
///
/// # Errors
/// A file cannot be written.
pub fn write(reduced: &Reduced, provenance: &Provenance, folder: &Path) -> Result<(), InvestigateError> {
    let mut model = reduced.part.model.clone();
    model.producer_name = "onnx-conformance".to_owned();
    model.producer_version = format!("reduced from {}", provenance.model);
    if let Some(expected) = &reduced.expected {
        declare(&mut model, expected);
    }
    let case = CaseToWrite {
        model: model.encode().into(),
        external: &External::of(&model),
        sets: vec![(
            reduced.part.inputs.clone(),
            reduced.expected.clone().unwrap_or_default(),
        )],
    };
    case.write(folder)?;
    Ok(replace(&folder.join(REDUCTION), provenance.json().as_bytes())?)
}

/// Declares the types of outputs, which are now known.
fn declare(model: &mut Model, expected: &[Named]) {
    let graph = std::sync::Arc::make_mut(&mut model.graph);
    for info in &mut graph.outputs {
        if let Some((_, value)) = expected.iter().find(|(name, _)| *name == info.name) {
            info.value_type = Some(value.value_type());
        }
    }
}

/// The files that [`keep`] wrote.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The folder of cases.
    pub cases: PathBuf,
    /// The id of the case when the folder is given as `--cases`.
    pub id: String,
    /// All files.
    pub files: Vec<PathBuf>,
}

/// A folder that `reduce` wrote, with the name of its regression case.
#[derive(Debug)]
pub struct ToKeep {
    /// The origin of the model.
    pub provenance: Provenance,
    folder: PathBuf,
    subject: subject::Subject,
    suite: String,
    name: String,
}

impl ToKeep {
    /// Reads the folder.
    ///
    /// # Errors
    /// The folder was not written by `reduce`, or it has no expected outputs.
    pub fn read(folder: &Path) -> Result<ToKeep, InvestigateError> {
        let not_reduced = |reason: &str| InvestigateError::NotReduced {
            path: folder.to_owned(),
            reason: reason.to_owned(),
        };
        let provenance = Provenance::read(folder)?;
        let subject = subject::open(&folder.join("model.onnx"))?.next();
        let subject = subject.ok_or_else(|| not_reduced("it has no model.onnx"))??;
        if subject.stored.is_empty() {
            let unread = subject
                .unfit
                .as_ref()
                .filter(|_| provenance.expected != BY_NOBODY);
            return Err(InvestigateError::NotACase {
                path: folder.to_owned(),
                reason: match unread {
                    Some(unfit) => format!("its data set cannot be read: {}", unfit.reason),
                    None => "it has no expected outputs, because the reference does not answer on the model"
                        .to_owned(),
                },
            });
        }
        let (suite, name) = names(&provenance, &subject.bytes);
        Ok(ToKeep {
            folder: folder.to_owned(),
            provenance,
            subject,
            suite,
            name,
        })
    }

    /// Runs the case on the backend, which must fail as `reduce` said. `reference` is the trusted backend
    /// where that one computed the expected outputs.
    ///
    /// # Errors
    /// It does not fail, or otherwise; the expected outputs are not those of the reference; a worker cannot
    /// be started again, or the command is interrupted.
    pub fn check(&self, reference: &mut Runner, backend: &mut Runner) -> Result<(), InvestigateError> {
        let stored = self.subject.stored.first();
        let (inputs, expected) = stored.map(|set| (set.inputs.clone(), &set.outputs)).unzip();
        let given = Given::file(&self.subject, inputs.unwrap_or_default());
        let computed = reference.run(&given.request)?;
        let is_computed = |expected: &Vec<Named>| {
            computed
                .as_ref()
                .is_ok_and(|outputs| deviation(expected, &outputs.values) == 0.0)
        };
        if !expected.is_some_and(is_computed) {
            return Err(InvestigateError::NotACase {
                path: self.folder.clone(),
                reason: "its expected outputs are not those of the reference".to_owned(),
            });
        }
        let words = |verdict: &str, detail: &str, reason: &str| match detail {
            "" => format!("{verdict}: {reason}"),
            detail => format!("{verdict} ({detail}): {reason}"),
        };
        let said = &self.provenance;
        let failed = failure(&given, reference, backend)?;
        let same = failed.as_ref().is_some_and(|judgement| {
            let verdict = judgement.verdict;
            let is_mismatch = verdict.kind() == VerdictKind::Mismatch;
            verdict.key() == said.verdict
                && verdict.detail() == said.detail
                && (is_mismatch || normalised(&judgement.reason) == normalised(&said.reason))
        });
        if same {
            return Ok(());
        }
        Err(InvestigateError::NotKept {
            path: self.folder.clone(),
            backend: backend.name().to_owned(),
            reduced: said.backend.clone(),
            said: words(&said.verdict, &said.detail, &said.reason),
            seen: match failed {
                Some(now) => format!(
                    "fails with {}",
                    words(now.verdict.key(), &now.verdict.detail(), &now.reason)
                ),
                None => "answers right".to_owned(),
            },
        })
    }

    /// The id of the case when its folder is given as `--cases`.
    pub fn id(&self) -> String {
        format!("{LOCAL}/{}/{}", self.suite, self.name)
    }

    /// Stores the model in `to` as a regression case. The report of the fault and the text of an own case,
    /// which state that the backend fails, are written only after [`Self::check`].
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, to: &Path, is_checked: bool) -> Result<Kept, InvestigateError> {
        let (cases, model) = (to.join("cases"), &self.subject.model);
        let place = cases.join(&self.suite).join(&self.name);
        let stored = &self.subject.stored;
        let case = CaseToWrite {
            model: self.subject.bytes.clone(),
            external: &self.subject.external,
            sets: stored
                .iter()
                .take(1)
                .map(|set| (set.inputs.clone(), set.outputs.clone()))
                .collect(),
        };
        case.write(&place)?;
        let mut files = vec![place.join("model.onnx")];
        let mut put = |path: PathBuf, text: &str| -> Result<(), InvestigateError> {
            replace(&path, text.as_bytes())?;
            files.push(path);
            Ok(())
        };
        put(place.join("provenance.json"), &self.provenance.json())?;
        let id = self.id();
        for set in stored.iter().take(1).filter(|_| is_checked) {
            let issue = issue::markdown(&self.provenance, model, set, &id);
            put(to.join("issues").join(format!("{}.md", self.name)), &issue)?;
            if let Some(text) = own_text::text(&self.provenance, model, set, &self.name) {
                put(to.join("own").join(format!("{}.toml", self.name)), &text)?;
            }
        }
        Ok(Kept { cases, id, files })
    }
}

/// Suite and name of the case: the operator, and the verdict of the backend.
fn names(provenance: &Provenance, model: &[u8]) -> (String, String) {
    use sha2::{Digest, Sha256};
    let plain = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect()
    };
    let operator = provenance.operators.first().map_or("model", String::as_str);
    let operator = unversioned(operator);
    let digest = hex::encode(Sha256::digest(model));
    let parts = [
        operator,
        &provenance.backend,
        &provenance.verdict,
        digest.get(..8).unwrap_or_default(),
    ];
    ("kept".to_owned(), parts.map(plain).join("_").to_lowercase())
}
