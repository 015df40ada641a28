//! The inputs of a model that the user names.

use backend_api::Named;
use clap::Args;
use harness_console::note;
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::inputs::{Answered, Request, answered};
use harness_investigate::runner::Runner;
use harness_investigate::subject::{Subject, Unfit};
use harness_worker::{BackendArg, Cancel};

use super::CliError;
use super::workers::Workers;

/// The backend that computes expected outputs.
pub(super) const REFERENCE: &str = "reference";

/// The inputs.
#[derive(Args, Clone, Debug)]
pub struct Inputs {
    /// The value of an input: NAME=FILE, where the file is .npy, .npz, .pb, .json, or an image (.png,
    /// .jpg, .bmp, .webp, .tiff); or FILE.npz with arrays named after inputs (repeatable). `compare` takes
    /// a folder of such files too: each file is a sample. Other inputs are generated from --seed.
    #[arg(long = "input", value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// The extent of a symbolic dimension; for one without a name INPUT:AXIS=N (repeatable).
    #[arg(long = "dim", value_name = "NAME=N")]
    dims: Vec<String>,
    /// The shape of an input: INPUT=1x3x224x224. It must fit the declared shape (repeatable).
    #[arg(long = "shape", value_name = "INPUT=SHAPE")]
    shapes: Vec<String>,
    /// Put NaN, infinities and both zeros into generated floats, too: some runtimes lose NaN in Relu, Clip,
    /// Max or Min.
    #[arg(long)]
    special: bool,
}

impl Inputs {
    /// No arguments for inputs.
    pub(super) fn none() -> Inputs {
        Inputs {
            inputs: Vec::new(),
            dims: Vec::new(),
            shapes: Vec::new(),
            special: false,
        }
    }

    /// The request with a seed for generated values.
    pub(super) fn request(&self, seed: u64) -> Request {
        Request {
            inputs: self.inputs.clone(),
            dims: self.dims.clone(),
            shapes: self.shapes.clone(),
            seed,
            is_special: self.special,
            ..Request::default()
        }
    }

    /// Whether no argument for inputs is given.
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.dims.is_empty() && self.shapes.is_empty() && !self.special
    }
}

/// The reference with the limits of `workers`.
pub(super) fn reference(
    workers: &Workers,
    strict: bool,
    lock: &Lockfile,
    fetcher: &Fetcher,
    cancel: &Cancel,
) -> Result<Runner, CliError> {
    let mut spec = workers.spec(&BackendArg::installed(REFERENCE), lock, fetcher)?;
    if strict {
        spec.options.insert("strict".to_owned(), "on".to_owned());
    }
    Ok(Runner::start(spec, cancel.clone(), workers.timeout)?.settling())
}

/// Values for the inputs of a model that the reference answers, if there are such values; prints which were
/// generated.
pub(super) fn draw(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Answered, CliError> {
    if let Some(Unfit { reason, .. }) = &subject.unfit {
        note(format_args!(
            "{}: the data sets beside the model are not used: {reason}",
            subject.name
        ));
    }
    let answered = answered(subject, request, reference)?;
    tell(subject, request, &answered);
    Ok(answered)
}

/// Prints what was chosen for the inputs of a model, and why.
fn tell(subject: &Subject, request: &Request, answered: &Answered) {
    let Answered { drawn, refused, .. } = answered;
    if let Some(reason) = refused {
        note(format_args!(
            "{}: other inputs, because the reference refuses the usual ones: {reason}",
            subject.name
        ));
    }
    for (name, extent, why) in &drawn.dims {
        note(format_args!(
            "{}: dimension {name} = {extent} ({why})",
            subject.name
        ));
    }
    for words in &drawn.images {
        note(format_args!("{}: {words}", subject.name));
    }
    for words in &drawn.drawn {
        note(format_args!(
            "{}: drawn input {words} (seed {})",
            subject.name, request.seed
        ));
    }
    for name in drawn.empty() {
        note(format_args!(
            "{}: input {name} is empty, so what the model does with its elements is not compared: give other extents \
             (--dim, --shape)",
            subject.name
        ));
    }
    if answered.is_constant() {
        note(format_args!(
            "{}: every output is empty or has one value only: little is compared; give inputs of your own (--input)",
            subject.name
        ));
    }
}

/// The inputs of the first stored data set if no inputs are given; otherwise the given or generated
/// ones.
pub(super) fn first_inputs(
    subject: &Subject,
    inputs: &Inputs,
    seed: u64,
    reference: &mut Runner,
) -> Result<Vec<Named>, CliError> {
    match subject.stored.first() {
        Some(stored) if inputs.is_empty() => Ok(stored.inputs.clone()),
        _ => Ok(draw(subject, &inputs.request(seed), reference)?.drawn.values),
    }
}
