//! What explains a wrong answer on an execution provider: other backends of the comparison, and ONNX Runtime
//! with one option changed, say whether they are right.

use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::bisect::Judge;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::witness::{Says, Witness, blame};
use harness_worker::{BackendArg, Cancel};
use run_record::standing::Standing;
use run_record::{BackendInfo, CaseId, CaseRecord, Report};

use super::{Compare, Prepared};
use crate::CliError;
use crate::columns::columns;
use crate::workers::runner;

/// The worker whose options are known here.
const ORT: &str = "ort";

/// ONNX Runtime's own provider.
const CPU: &str = "CPUExecutionProvider";

/// Turns the optimizations of a graph off.
const PLAIN: (&str, &str) = ("optimization", "disable");

/// The options of `ort` that select a provider; those of the provider itself begin with `ep.`.
const OF_PROVIDER: [&str; 6] = [
    "ep",
    "ep-library",
    "ep-package",
    "ep-device",
    "provider",
    "fallback",
];

/// Options that select a device or an adapter.
const OF_DEVICE: [&str; 2] = ["ep-device", "adapter"];

/// The option with which a provider keeps the precision of the types, by the documentation of each.
const PRECISE: [(&str, &str, &str); 5] = [
    ("CUDAExecutionProvider", "ep.use_tf32", "0"),
    ("TensorrtExecutionProvider", "ep.trt_fp16_enable", "0"),
    ("QNNExecutionProvider", "ep.enable_htp_fp16_precision", "0"),
    ("OpenVINOExecutionProvider", "ep.precision", "FP32"),
    ("ggml", "ep.weights", "f32"),
];

/// What is needed to ask.
pub(super) struct Court<'a> {
    pub command: &'a Compare,
    pub report: &'a Report,
    pub lock: &'a Lockfile,
    pub fetcher: &'a Fetcher,
    pub cancel: &'a Cancel,
}

/// What a witness says: its name, the answer, and why it is not right.
struct Testimony {
    witness: Witness,
    name: String,
    says: Says,
    reason: String,
}

impl Court<'_> {
    /// Prints what the other backends of the comparison say about the wrong answer of `record`, if it is one
    /// of a provider.
    ///
    /// # Errors
    /// The output is closed.
    pub fn tell_named(&self, record: &CaseRecord) -> Result<(), CliError> {
        match self.provider(record) {
            Some((info, _)) => print(self.command, record, self.named(record, info)),
            None => Ok(()),
        }
    }

    /// The same, and what ONNX Runtime says with one option changed. `request` asks for the answer, and
    /// `truth` is the reference.
    ///
    /// # Errors
    /// The reference cannot be asked, or the command is interrupted.
    pub fn tell(
        &self,
        record: &CaseRecord,
        model: &Prepared,
        request: RunRequest,
        truth: &mut Runner,
    ) -> Result<(), CliError> {
        let Some((info, provider)) = self.provider(record) else {
            return Ok(());
        };
        let mut said = self.named(record, info);
        let mut named = self.command.backends().iter();
        let text = named.find(|backend| backend.name() == record.backend);
        let mut own = text.map_or(Vec::new(), |backend| own(backend, provider));
        own.retain(|(witness, _)| said.iter().all(|one| one.witness != *witness));
        if !own.is_empty() {
            let mut judge = Judge::new(&model.subject.model, request, None, truth)?;
            for (witness, backend) in own {
                said.push(self.ask(witness, &backend, &mut judge, truth)?);
            }
        }
        print(self.command, record, said)
    }

    /// The description of a record's backend, and its provider if it is not ONNX Runtime's own.
    fn provider(&self, record: &CaseRecord) -> Option<(&BackendInfo, &str)> {
        let info = self.info(&record.backend)?;
        Some((info, foreign(info)?))
    }

    /// The description of a backend of the comparison.
    fn info(&self, name: &str) -> Option<&BackendInfo> {
        let mut infos = self.report.backends.iter().map(|backend| &backend.info);
        infos.find(|info| info.name == name)
    }

    /// What the other backends of the comparison say.
    fn named(&self, record: &CaseRecord, wrong: &BackendInfo) -> Vec<Testimony> {
        let of_model = self.report.cases.iter().filter(|other| other.case == record.case);
        let testimony = |other: &CaseRecord| {
            let info = self.info(&other.backend)?;
            Some(Testimony {
                witness: relation(wrong, info)?,
                name: info.name.clone(),
                says: Says::of(Standing::of(other)),
                reason: String::new(),
            })
        };
        of_model.filter_map(testimony).collect()
    }

    /// What ONNX Runtime with other options says. One that does not start says nothing.
    fn ask(
        &self,
        witness: Witness,
        backend: &BackendArg,
        judge: &mut Judge,
        truth: &mut Runner,
    ) -> Result<Testimony, CliError> {
        let workers = &self.command.backends.workers;
        let (says, reason) = match runner(workers, backend, self.lock, self.fetcher, self.cancel) {
            Ok(mut started) => judge.says(&mut started, truth)?,
            Err(error) => (Says::Nothing, error.to_string()),
        };
        Ok(Testimony {
            witness,
            name: backend.text().to_owned(),
            says,
            reason,
        })
    }
}

/// The provider of a backend, if it is not ONNX Runtime's own.
fn foreign(info: &BackendInfo) -> Option<&str> {
    let provider = info.providers.first()?;
    (provider != CPU).then_some(provider)
}

/// The backends of ONNX Runtime that differ from this one in one thing.
fn own(backend: &BackendArg, provider: &str) -> Vec<(Witness, BackendArg)> {
    if backend.worker() != Some(ORT) {
        return Vec::new();
    }
    let with = |backend: &BackendArg, (key, value): (&str, &str)| {
        backend.with_options(&[(key.to_owned(), value.to_owned())])
    };
    let processor = backend.without_options(|key| OF_PROVIDER.contains(&key) || key.starts_with("ep."));
    let plain = |backend: &BackendArg| with(backend, PLAIN);
    let is_plain = backend.option(PLAIN.0) == Some(PLAIN.1);
    let precise = PRECISE.iter().find(|(name, ..)| *name == provider);
    let precise = precise.filter(|(_, key, value)| backend.option(key) != Some(value));
    [
        (Witness::Processor, processor.clone()),
        (
            Witness::PlainProcessor,
            processor.filter(|_| !is_plain).as_ref().and_then(plain),
        ),
        (
            Witness::Plain,
            Some(backend).filter(|_| !is_plain).and_then(plain),
        ),
        (
            Witness::Precise,
            precise.and_then(|(_, key, value)| with(backend, (key, value))),
        ),
    ]
    .into_iter()
    .filter_map(|(witness, backend)| Some((witness, backend?)))
    .collect()
}

/// What a backend is for another one whose answer is wrong: `None` if they differ in more than one thing.
fn relation(wrong: &BackendInfo, other: &BackendInfo) -> Option<Witness> {
    // A worker with several providers may name one after its runtime.
    let runtime = |info: &BackendInfo| {
        let name = info.kind.split(' ').next().unwrap_or_default().to_owned();
        (name, info.version.clone())
    };
    if wrong.name == other.name || runtime(wrong) != runtime(other) {
        return None;
    }
    if wrong.providers != other.providers {
        return foreign(other).is_none().then_some(Witness::Processor);
    }
    let keys = wrong.options.keys().chain(other.options.keys());
    let mut differing: Vec<&String> = keys
        .filter(|key| wrong.options.get(*key) != other.options.get(*key))
        .collect();
    differing.dedup();
    let key = differing
        .first()
        .filter(|key| differing.iter().all(|one| one == *key))?;
    let is_plain = |info: &BackendInfo| info.options.get(PLAIN.0).is_some_and(|value| value == PLAIN.1);
    if OF_DEVICE.contains(&key.as_str()) {
        Some(Witness::OtherDevice)
    } else if key.as_str() == PLAIN.0 && is_plain(other) {
        Some(Witness::Plain)
    } else {
        PRECISE
            .iter()
            .any(|(_, name, value)| key == name && other.options.get(*name).is_some_and(|one| one == value))
            .then_some(Witness::Precise)
    }
}

/// Prints the conclusion, and a line for each witness; nothing without witnesses.
fn print(command: &Compare, record: &CaseRecord, mut said: Vec<Testimony>) -> Result<(), CliError> {
    if said.is_empty() {
        return Ok(());
    }
    said.sort_by_key(|one| one.witness);
    let name = CaseId::parse(&record.case).name;
    let (conclusion, rows) = lines(&said);
    command.say(&format!("{name} on {}: {conclusion}", record.backend))?;
    rows.iter().try_for_each(|row| command.say(row))
}

/// The conclusion, and a line for each witness.
fn lines(said: &[Testimony]) -> (String, Vec<String>) {
    let says = |witness| {
        let answers = said.iter().filter(|one| one.witness == witness);
        let found: Vec<Says> = answers.map(|one| one.says).collect();
        // Of several devices a right one tells more.
        let has = |wanted| found.contains(&wanted).then_some(wanted);
        has(Says::Right).or(has(Says::Wrong)).unwrap_or(Says::Nothing)
    };
    let row = |one: &Testimony| {
        let answer = match one.reason.as_str() {
            "" => one.says.words().to_owned(),
            reason => format!("{}: {reason}", one.says.words()),
        };
        vec![one.witness.words().to_owned(), one.name.clone(), answer]
    };
    let rows: Vec<Vec<String>> = said.iter().map(row).collect();
    (
        format!("to blame is {}", blame(says).words()),
        columns("  ", &rows),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn info(name: &str, kind: &str, provider: &str, options: &[(&str, &str)]) -> BackendInfo {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        BackendInfo {
            name: name.to_owned(),
            kind: kind.to_owned(),
            version: "1.30.0".to_owned(),
            options: options.iter().map(pair).collect::<BTreeMap<_, _>>(),
            providers: Vec::from_iter(Some(provider.to_owned()).filter(|name| !name.is_empty())),
            ..BackendInfo::default()
        }
    }

    #[test]
    fn a_witness_of_the_comparison_differs_in_one_thing() {
        const WEBGPU: &str = "onnxruntime-web webgpu";
        let gpu = "WebGpuExecutionProvider";
        let wrong = info(
            "webgpu",
            WEBGPU,
            gpu,
            &[("adapter", "default"), ("fallback", "off")],
        );
        let check = |other: BackendInfo, expected: Option<Witness>| {
            assert_eq!(relation(&wrong, &other), expected, "{other:?}");
        };
        check(wrong.clone(), None);
        check(
            info("wasm", "onnxruntime-web wasm", "", &[("threads", "1")]),
            Some(Witness::Processor),
        );
        check(info("wasm", "ort", "", &[]), None);
        check(info("qnn", WEBGPU, "QNNExecutionProvider", &[]), None);
        let soft = [("adapter", "software"), ("fallback", "off")];
        check(info("soft", WEBGPU, gpu, &soft), Some(Witness::OtherDevice));
        check(
            info(
                "both",
                WEBGPU,
                gpu,
                &[("adapter", "software"), ("fallback", "on")],
            ),
            None,
        );
        let plain = [
            ("adapter", "default"),
            ("fallback", "off"),
            ("optimization", "disable"),
        ];
        check(info("plain", WEBGPU, gpu, &plain), Some(Witness::Plain));
    }

    #[test]
    fn onnx_runtime_is_asked_with_one_thing_changed() {
        let check = |text: &str, provider: &str, expected: &[(Witness, &str)]| {
            let backend: BackendArg = text.parse().expect("a backend");
            let found = own(&backend, provider);
            let found: Vec<_> = found
                .iter()
                .map(|(witness, one)| (*witness, one.text()))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "g=ort:ep=ggml,threads=2,ep.partial=1",
            "ggml",
            &[
                (Witness::Processor, "ort:threads=2"),
                (Witness::PlainProcessor, "ort:threads=2,optimization=disable"),
                (
                    Witness::Plain,
                    "ort:ep=ggml,threads=2,ep.partial=1,optimization=disable",
                ),
                (
                    Witness::Precise,
                    "ort:ep=ggml,threads=2,ep.partial=1,ep.weights=f32",
                ),
            ],
        );
        check(
            "ort:version=1.31.1,provider=cuda,fallback=off,optimization=disable,ep.use_tf32=0",
            "CUDAExecutionProvider",
            &[(Witness::Processor, "ort:version=1.31.1,optimization=disable")],
        );
        check("tract", "ggml", &[]);
    }
}
