//! The profiles of providers agree with the baselines: each has one of the same backend, and claims no case
//! that does not pass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use harness_conformance::case::Case;
use harness_conformance::provider::ProviderProfile;
use harness_corpus::errata::Errata;
use harness_corpus::{CaseFiles, Filter};
use harness_fetch::{Cache, Fetcher, Lockfile};

/// The fewest cases that a profile claims: one that claims nothing judges nothing.
const FEWEST: usize = 100;

/// The files of a folder of this package.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The baselines by their backends.
fn baselines() -> BTreeMap<String, toml::Table> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a baseline");
        let table: toml::Table = text.parse().expect("a baseline in TOML");
        let backend = table.get("backend").and_then(toml::Value::as_str);
        (backend.unwrap_or_default().to_owned(), table)
    };
    files("baselines").into_iter().map(read).collect()
}

/// The node cases of the release of the baselines, without disputed ones.
fn cases() -> Vec<CaseFiles> {
    let fetcher = Fetcher::new(Cache::from_env().expect("a cache"), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().expect("a lock file");
    let releases: Vec<_> = lock.newest_wheel().into_iter().collect();
    let corpora =
        harness_fetch::releases(&releases, &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    let errata = Errata::embedded().expect("errata");
    let node = Filter::new(["*/node/*"]).expect("a pattern");
    let mut cases = node.select(&corpora).expect("cases").cases;
    cases.retain(|case| errata.find(case.ids()).is_none());
    cases
}

#[test]
fn what_a_profile_claims_passes() {
    let baselines = baselines();
    let profiles: Vec<_> = files("providers")
        .into_iter()
        .map(|path| {
            let profile = ProviderProfile::load(&path).unwrap_or_else(|error| panic!("{error}"));
            let backend = profile.backend.clone().unwrap_or_default();
            let baseline = baselines.get(&backend).and_then(|table| table.get("cases"));
            let failing = baseline.and_then(toml::Value::as_table);
            let failing = failing.unwrap_or_else(|| panic!("{}: no baseline of {backend}", path.display()));
            (profile, failing)
        })
        .collect();
    let mut claimed = vec![0; profiles.len()];
    let mut wrong = Vec::new();
    for files in cases() {
        let Ok((case, _)) = Case::decode_plain(&files) else {
            panic!("{}: not decoded", files.id);
        };
        for ((profile, failing), count) in profiles.iter().zip(&mut claimed) {
            if !profile.claims(&case.exercises) {
                continue;
            }
            *count += 1;
            if failing.contains_key(&files.id.to_string()) {
                wrong.push(format!("{}: claims {}", profile.name, files.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for ((profile, _), count) in profiles.iter().zip(claimed) {
        assert!(count >= FEWEST, "{} claims {count} cases", profile.name);
    }
}
