//! Determines the inputs and expected outputs of models before backends are judged.

use std::collections::BTreeMap;

use backend_api::Named;
use harness_console::note;
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::InvestigateError;
use harness_investigate::inputs::{Branches, branches, samples, values};
use harness_investigate::runner::{Answer, RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_investigate::truth::{
    Expected, Truth, by_agreement, by_reference, by_trust, unanswered, undefined,
};
use harness_worker::Cancel;
use onnx_model::ValueInfo;
use onnx_tensor::{Dim, ValueType};

use super::{Compare, shapes};
use crate::CliError;
use crate::inputs::{REFERENCE, draw, reference};
use crate::selection::fetcher;

/// A model with its inputs and expected outputs.
pub(crate) struct Prepared {
    pub subject: Subject,
    /// Inputs and expected outputs.
    pub sets: Vec<(Vec<Named>, Vec<Named>)>,
    /// The name of each data set: that of its folder or of its file; empty for the only one.
    pub names: Vec<String>,
    /// Whether the specification determines every result of each data set, so that the reference need not be
    /// asked again.
    pub settled: Vec<bool>,
    pub truth: Truth,
    /// Whether the stored data sets are used, so that their outputs are also judged.
    pub stored: bool,
}

/// The inputs of one data set.
#[derive(Clone)]
pub(super) struct Sample {
    /// Empty for the only one.
    pub name: String,
    pub inputs: Vec<Named>,
    /// The answer of the reference, if it was asked.
    pub answer: Option<Answer<Vec<Named>>>,
    /// Whether the specification determines every result of that answer.
    pub settled: bool,
    /// Whether the model is also judged without it, if the reference does not answer.
    pub is_spare: bool,
}

impl Sample {
    /// A sample that the reference was not asked for.
    pub fn new(name: &str, inputs: Vec<Named>) -> Sample {
        Sample {
            name: name.to_owned(),
            inputs,
            answer: None,
            settled: false,
            is_spare: false,
        }
    }
}

/// The prepared models.
pub(super) struct Found {
    pub prepared: Vec<Prepared>,
    /// Why models cannot be judged: they have no inputs, or the right outputs are unknown.
    pub undecided: Vec<CliError>,
}

/// The sources of expected outputs.
struct Oracles<'c> {
    command: &'c Compare,
    lock: Lockfile,
    fetcher: Fetcher,
    cancel: &'c Cancel,
    reference: Runner,
    /// The backend that the user trusts where the reference does not answer.
    trusted: Option<Runner>,
    /// Extents, as `--dim` gives them.
    dims: Vec<String>,
    /// Started when the reference does not answer for the first time.
    others: Option<Vec<Runner>>,
}

/// Determines inputs and expected outputs of each model.
///
/// # Errors
/// A worker does not start, or the command is interrupted. An error of one model does not affect the
/// others.
pub(super) fn prepare(
    command: &Compare,
    subjects: Vec<Subject>,
    second: Option<&Subject>,
    cancel: &Cancel,
) -> Result<Found, CliError> {
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let reference = reference(&command.backends.workers, command.strict, &lock, &fetcher, cancel)?;
    let trusted = command
        .trust
        .start(&command.backends.workers, &lock, &fetcher, cancel)?;
    let mut oracles = Oracles {
        command,
        trusted,
        lock,
        fetcher,
        cancel,
        reference,
        dims: Vec::new(),
        others: None,
    };
    let mut found = Found {
        prepared: Vec::new(),
        undecided: Vec::new(),
    };
    for subject in subjects {
        // The second model gets the inputs of the first.
        oracles.dims = second
            .map(|second| fixed_extents(&subject, second))
            .unwrap_or_default();
        match oracles.prepare(subject) {
            Ok(prepared) => found.prepared.push(prepared),
            Err(
                error @ CliError::Investigate(
                    InvestigateError::Input { .. } | InvestigateError::Undecided { .. },
                ),
            ) => {
                found.undecided.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The same inputs with other values of one that decides which branch of an If runs; names the first for its
/// value.
fn other_branches(subject: &Subject, first: &mut Sample) -> Vec<Sample> {
    let Some(Branches { drawn, others }) = branches(&subject.model, &first.inputs) else {
        return Vec::new();
    };
    let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
    note(format_args!(
        "{}: {drawn} decides which branch of an `If` runs: also {}",
        subject.name,
        names.join(", ")
    ));
    first.name = drawn;
    let spare = |(name, inputs): (String, Vec<Named>)| Sample {
        is_spare: true,
        ..Sample::new(&name, inputs)
    };
    others.into_iter().map(spare).collect()
}

/// The extents that a second model fixes where they are open in the first.
fn fixed_extents(first: &Subject, second: &Subject) -> Vec<String> {
    let declared = |subject: &Subject, name: &str| -> Option<Vec<Dim>> {
        let info = subject.model.graph.inputs.iter().find(|info| info.name == name)?;
        match info.value_type.as_ref()? {
            ValueType::Tensor { shape, .. } => shape.clone(),
            _ => None,
        }
    };
    let mut found = BTreeMap::new();
    for ValueInfo { name, .. } in first.model.graph.required_inputs() {
        let pairs = declared(first, name).into_iter().zip(declared(second, name));
        let dims = pairs
            .flat_map(|(ours, theirs)| ours.into_iter().zip(theirs))
            .enumerate();
        for (axis, dims) in dims {
            let (key, extent) = match dims {
                (Dim::Named(dim), Dim::Fixed(extent)) if onnx_shapes::is_name(&dim) => (dim, extent),
                (Dim::Named(_) | Dim::Unknown, Dim::Fixed(extent)) => (format!("{name}:{axis}"), extent),
                _ => continue,
            };
            found.entry(key).or_insert(extent);
        }
    }
    found
        .iter()
        .map(|(key, extent)| format!("{key}={extent}"))
        .collect()
}

fn request(subject: &Subject, inputs: Vec<Named>) -> RunRequest {
    RunRequest {
        model: subject.bytes.clone(),
        external: subject.external.clone(),
        inputs,
    }
}

impl Oracles<'_> {
    fn prepare(&mut self, subject: Subject) -> Result<Prepared, CliError> {
        let inputs = &self.command.inputs;
        let drawn = self.command.shapes_in_turn.is_some() || !inputs.is_empty();
        let stored = !drawn && !subject.stored.is_empty();
        let samples = if stored {
            subject
                .stored
                .iter()
                .map(|set| Sample::new(&set.name, set.inputs.clone()))
                .collect()
        } else {
            self.samples(&subject)?
        };
        let (mut sets, mut names, mut truth) = (Vec::new(), Vec::new(), Truth::Reference);
        let mut settled = Vec::new();
        for Sample {
            name,
            inputs,
            answer,
            settled: mut is_settled,
            is_spare,
        } in samples
        {
            let request = request(&subject, inputs);
            let is_known = answer.is_some();
            let expected = self.expected(&request, answer)?;
            is_settled |= !is_known && self.reference.is_settled(&request);
            match expected {
                Expected::Known {
                    outputs,
                    truth: known,
                } => {
                    settled.push(known == Truth::Reference && is_settled);
                    if known != Truth::Reference {
                        truth = known;
                    }
                    sets.push((request.inputs, outputs));
                    names.push(name);
                }
                Expected::Unknown { reason } if is_spare && !sets.is_empty() => {
                    note(format_args!("{}: without {name}: {reason}", subject.name));
                }
                Expected::Unknown { reason } => {
                    let reason = if name.is_empty() {
                        reason
                    } else {
                        format!("sample `{name}`: {reason}")
                    };
                    let model = subject.name;
                    return Err(InvestigateError::Undecided { model, reason }.into());
                }
            }
        }
        Ok(Prepared {
            subject,
            sets,
            names,
            settled,
            truth,
            stored,
        })
    }

    /// The inputs of each sample with its name. Only those of the first are printed.
    fn samples(&mut self, subject: &Subject) -> Result<Vec<Sample>, CliError> {
        let mut wanted = self.command.inputs.request(self.command.noise.seed());
        if self.command.inputs.is_empty() {
            wanted.dims.clone_from(&self.dims);
        }
        let samples = samples(&wanted).map_err(|problem| InvestigateError::Input {
            model: subject.name.clone(),
            problem,
        })?;
        if samples.len() > 1 && self.command.shapes_in_turn.is_some() {
            return Err(CliError::Usage(
                "--shapes draws inputs of several shapes, and --input names a folder of samples: give one of them"
                    .to_owned(),
            ));
        }
        if samples.len() > 1 {
            note(format_args!("{}: {} samples", subject.name, samples.len()));
        }
        if let ([only], Some(count)) = (&*samples, self.command.shapes_in_turn) {
            return shapes::in_turn(subject, &only.request, usize::from(count), &mut self.reference);
        }
        let mut samples = samples.into_iter();
        let Some(first) = samples.next() else {
            return Ok(Vec::new());
        };
        let drawn = draw(subject, &first.request, &mut self.reference)?;
        let asked = request(subject, drawn.drawn.values);
        let mut found = vec![Sample {
            answer: Some(drawn.outputs),
            settled: self.reference.is_settled(&asked),
            ..Sample::new(&first.name, asked.inputs)
        }];
        for sample in samples {
            let drawn = values(subject, &sample.request, &mut self.reference)?;
            found.push(Sample::new(&sample.name, drawn.values));
        }
        // What the user gives stays.
        if let ([only], true) = (found.as_mut_slice(), first.request.inputs.is_empty()) {
            let others = other_branches(subject, only);
            found.extend(others);
        }
        Ok(found)
    }

    /// The expected outputs; the reference is asked if its answer is not known.
    fn expected(
        &mut self,
        request: &RunRequest,
        answer: Option<Answer<Vec<Named>>>,
    ) -> Result<Expected, CliError> {
        let by_reference = match answer {
            Some(answer) => answer.map(|outputs| Expected::Known {
                outputs,
                truth: Truth::Reference,
            }),
            None => by_reference(request, &mut self.reference)?,
        };
        let refusal = match by_reference {
            Ok(known) => return Ok(known),
            Err(refusal) => refusal,
        };
        if let Some(trusted) = &mut self.trusted {
            return Ok(by_trust(unanswered(refusal), request, trusted)?);
        }
        if let Some(reason) = undefined(&refusal) {
            return Ok(Expected::Unknown { reason });
        }
        let others = match &mut self.others {
            Some(others) => others,
            None => {
                let others = self.start()?;
                self.others.insert(others)
            }
        };
        Ok(by_agreement(unanswered(refusal), request, others)?)
    }

    /// The backends of the command. The run reports missing ones.
    fn start(&self) -> Result<Vec<Runner>, CliError> {
        let backends = &self.command.backends;
        let (specs, _) = backends.specs(&self.lock, &self.fetcher)?;
        let started = specs
            .into_iter()
            .filter(|spec| spec.name != REFERENCE)
            .filter_map(|spec| Runner::start(spec, self.cancel.clone(), backends.workers.timeout).ok());
        Ok(started.collect())
    }
}
