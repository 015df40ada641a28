//! What the results of a run depend on, in parts that can be compared: only the same run may be gone on with.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use harness_corpus::{CaseDefect, CaseFiles, Sha256, digest_of_all};
use harness_worker::WorkerSpec;
use reports::record::{BackendInfo, Event, RunStarted};

use super::{Crew, Plan};

/// How the part of a backend begins.
const BACKEND: &str = "backend ";

/// The part in which the shards of one run differ.
pub(crate) const SHARD: &str = "shard";

/// What stands before the part of a program that differs between machines.
pub(crate) const PROGRAM: &str = "program of ";

/// Digits of a digest that are shown: enough to tell any two.
const DIGITS: usize = 16;

/// The parts of `plan` with the backends that answered.
pub(super) fn fingerprint(plan: &Plan, crew: &Crew) -> BTreeMap<String, String> {
    let policy = &plan.conduct.policy;
    let names: Vec<&str> = crew.names().collect();
    let limits = |spec: &WorkerSpec| match spec.limits.memory {
        Some(bytes) => format!("{bytes} bytes"),
        None => "none".to_owned(),
    };
    let noise = plan.noise.as_ref();
    let noise = noise.map(|noise| format!("{} runs from seed {}", noise.runs, noise.seed));
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
        ("timeout", format!("{:?}", plan.conduct.timeout)),
        ("runs", plan.conduct.runs.to_string()),
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
    for (spec, info) in crew.infos() {
        parts.insert(format!("{BACKEND}{}", spec.name), backend(spec, &info));
    }
    parts
}

fn on(is: bool) -> String {
    if is { "on" } else { "off" }.to_owned()
}

/// What tells a selection of cases from another, for [`Plan::selected`].
pub fn digest_of_selection(cases: &[CaseFiles], defects: &[CaseDefect]) -> String {
    let mut all = digest_of_all(cases).to_string();
    for defect in defects {
        all.push_str(&format!("{}: {}\n", defect.id, defect.kind));
    }
    let count = cases.len() + defects.len();
    format!("{count} ({})", short(&Sha256::of(all.as_bytes())))
}

/// Its version, its options, and the file of its program, which may have been built anew under the same version.
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

/// The size of a program and when it was written, as the fingerprint of a backend holds them; `None` where the file cannot be
/// looked at.
pub fn program_file(path: &std::path::Path) -> Option<String> {
    let file = std::fs::metadata(path).ok()?;
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{PROGRAM}{} bytes, {} s", file.len(), modified.as_secs()))
}

/// A digest of all that a value holds; the same in every run of one build.
fn digest(value: &impl std::fmt::Debug) -> String {
    short(&Sha256::of(format!("{value:?}").as_bytes()))
}

fn short(digest: &Sha256) -> String {
    let mut digits = digest.to_string();
    digits.truncate(DIGITS);
    digits
}

/// Each part in which a run that starts with `now` differs from the one that `earlier` holds. A backend that was missing at the
/// time may be there now, and the other way round.
pub(super) fn differences(earlier: &[Event], now: &RunStarted) -> Vec<String> {
    let starts = earlier.iter().filter_map(|event| match event {
        Event::RunStarted(started) => Some(&started.fingerprint),
        _ => None,
    });
    let before: BTreeMap<&String, &String> = starts.flatten().collect();
    if before.is_empty() && !earlier.is_empty() {
        return vec!["it does not say on what its results depend".to_owned()];
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
    fn what_differs_is_named_and_a_backend_may_come_or_go() {
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
        check(&[&[]], &[a], &["it does not say on what its results depend"]);
        check(&[], &[a], &[]);
    }
}
