//! The fingerprint of a run: everything on which its results depend, in comparable parts. Only the same
//! run may be resumed.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use harness_corpus::{CaseDefect, CaseFiles, Sha256, digest_of_all};
use harness_worker::WorkerSpec;
use run_record::{BackendInfo, Event, RunStarted};

use super::{Participants, Plan};

/// The prefix of the part of a backend.
const BACKEND: &str = "backend ";

/// The part in which the shards of one run differ.
pub(crate) const SHARD: &str = "shard";

/// The prefix of the part of a program that differs between machines.
pub(crate) const PROGRAM: &str = "program of ";

/// The number of digits of a digest that are shown.
const DIGITS: usize = 16;

/// The parts of `plan` with the backends that answered.
pub(super) fn fingerprint(plan: &Plan, participants: &Participants) -> BTreeMap<String, String> {
    let policy = &plan.options.policy;
    let names: Vec<&str> = participants.names().collect();
    let limits = |spec: &WorkerSpec| match spec.limits.memory {
        Some(bytes) => format!("{bytes} bytes"),
        None => "none".to_owned(),
    };
    let noise = plan.noise.as_ref();
    let noise = noise.map(|noise| match noise.effort.runs {
        Some(runs) => format!("{runs} runs from seed {}", noise.effort.seed),
        None => format!("as many runs as needed from seed {}", noise.effort.seed),
    });
    let mut parts = BTreeMap::from([
        ("harness", env!("CARGO_PKG_VERSION").to_owned()),
        ("cases", plan.selected.clone()),
        ("backends", names.join(", ")),
        (
            "policy",
            format!(
                "{} version {} ({})",
                policy.used.name,
                policy.used.version,
                digest(policy)
            ),
        ),
        ("errata", digest(&plan.errata.entries())),
        ("timeout", format!("{:?}", plan.options.timeout)),
        ("runs", plan.options.runs.to_string()),
        ("bounds", on(plan.reference.is_some())),
        ("noise", noise.unwrap_or_else(|| on(false))),
    ])
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect::<BTreeMap<String, String>>();
    if plan.retries > 0 {
        parts.insert("retries".to_owned(), plan.retries.to_string());
    }
    if let Some(shard) = plan.started.shard {
        let shard = format!("{} of {}", shard.index, shard.count);
        parts.insert(SHARD.to_owned(), shard);
    }
    if let Some(spec) = plan.backends.first() {
        parts.insert("memory".to_owned(), limits(spec));
    }
    for (spec, info) in participants.infos() {
        parts.insert(format!("{BACKEND}{}", spec.name), backend(spec, &info));
    }
    parts
}

fn on(is: bool) -> String {
    if is { "on" } else { "off" }.to_owned()
}

/// A digest of a selection of cases, for [`Plan::selected`].
pub fn digest_of_selection(cases: &[CaseFiles], defects: &[CaseDefect]) -> String {
    let mut all = digest_of_all(cases).to_string();
    for defect in defects {
        all.push_str(&format!("{}: {}\n", defect.id, defect.kind));
    }
    let count = cases.len() + defects.len();
    format!("{count} ({})", short(&Sha256::of(all.as_bytes())))
}

/// Its version, its options, and the file of its program, which may have been rebuilt under the same
/// version.
fn backend(spec: &WorkerSpec, info: &BackendInfo) -> String {
    let mut words = vec![format!("{} {}", info.kind, info.version)];
    let options = info.options.iter().map(|(key, value)| format!("{key}={value}"));
    words.extend(options);
    let given = format!(
        "{:?} {:?} {:?} {:?} {}",
        spec.command, spec.args, spec.env, spec.options, info.build
    );
    words.push(format!("({})", short(&Sha256::of(given.as_bytes()))));
    words.extend(program_file(&spec.command));
    words.join(" ")
}

/// The size and modification time of a program, in the form of the fingerprint of a backend; `None` if
/// the file cannot be read.
pub fn program_file(path: &std::path::Path) -> Option<String> {
    let file = std::fs::metadata(path).ok()?;
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{PROGRAM}{} bytes, {} s", file.len(), modified.as_secs()))
}

/// A digest of all fields of a value; the same in every run of one build.
fn digest(value: &impl std::fmt::Debug) -> String {
    short(&Sha256::of(format!("{value:?}").as_bytes()))
}

fn short(digest: &Sha256) -> String {
    let mut digits = digest.to_string();
    digits.truncate(DIGITS);
    digits
}

/// Each part in which a run that starts with `now` differs from the one in `earlier`. Backends may be
/// missing in either.
pub(super) fn differences(earlier: &[Event], now: &RunStarted) -> Vec<String> {
    let starts = earlier.iter().filter_map(|event| match event {
        Event::RunStarted(started) => Some(&started.fingerprint),
        _ => None,
    });
    let before: BTreeMap<&String, &String> = starts.flatten().collect();
    if before.is_empty() && !earlier.is_empty() {
        return vec!["it has no fingerprint".to_owned()];
    }
    let mut differences = Vec::new();
    for name in before.keys().copied().chain(now.fingerprint.keys()) {
        let (was, is) = (before.get(name).copied(), now.fingerprint.get(name));
        let difference = match (was, is) {
            (Some(was), Some(is)) if was != is => format!("{name} was {was} and is {is}"),
            (Some(was), None) if !name.starts_with(BACKEND) => format!("{name} was {was}"),
            (None, Some(is)) if !name.starts_with(BACKEND) && !earlier.is_empty() => {
                format!("{name} is {is}")
            }
            _ => continue,
        };
        if !differences.contains(&difference) {
            differences.push(difference);
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(parts: &[(&str, &str)]) -> RunStarted {
        let parts = parts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        RunStarted {
            fingerprint: parts.collect(),
            ..RunStarted::default()
        }
    }

    #[track_caller]
    fn check(before: &[&[(&str, &str)]], now: &[(&str, &str)], expected: &[&str]) {
        let earlier: Vec<Event> = before
            .iter()
            .map(|parts| Event::RunStarted(Box::new(started(parts))))
            .collect();
        assert_eq!(differences(&earlier, &started(now)), expected);
    }

    #[test]
    fn differences_are_named_and_backends_may_be_missing() {
        let (a, b) = (("policy", "official"), ("backend x", "1.0"));
        check(&[&[a, b]], &[a, b], &[]);
        check(&[&[a]], &[a, b], &[]);
        check(&[&[a, b]], &[a], &[]);
        check(
            &[&[a], &[a, b]],
            &[a, ("backend x", "2.0")],
            &["backend x was 1.0 and is 2.0"],
        );
        check(
            &[&[a, b]],
            &[("policy", "bound"), b],
            &["policy was official and is bound"],
        );
        check(&[&[a]], &[b], &["policy was official"]);
        check(&[&[b]], &[a, b], &["policy is official"]);
        check(&[&[]], &[a], &["it has no fingerprint"]);
        check(&[], &[a], &[]);
    }
}
