//! The operator versions with a case whose expected outputs have an independent source.
//!
//! The official cases of all pinned releases are in many archives, which a test should not need to
//! download. So the exercised versions are stored in `official-versions.txt`, one line for each operator
//! version with the oldest case that has it; `cargo xtask generate versions --check` compares it with
//! the archives. `excused-versions.toml` lists the versions that need no case.

use std::collections::{BTreeMap, BTreeSet};

use harness_conformance::case::Case;
use harness_corpus::{CaseId, Corpus};

/// The checked-in list.
pub const OFFICIAL: &str = include_str!("../official-versions.txt");

/// The header of the checked-in list.
const HEAD: &str = "\
# Operator versions that official cases exercise, each with its oldest case. Written by `cargo xtask generate versions`.
";

/// Models of the zoo, whose expected outputs do not depend on most of their nodes.
const PROVES_LITTLE: &str = "light";

/// The versions in a list of the form of [`OFFICIAL`]: maps `Softmax-13` to the case; lines of another
/// form are ignored.
pub fn listed(text: &str) -> BTreeMap<&str, CaseId> {
    let entry = |line| {
        let (version, case) = str::split_once(line, ' ')?;
        Some((version, case.parse().ok()?))
    };
    text.lines().filter_map(entry).collect()
}

/// The list of what the cases of `corpora`, oldest release first, exercise. A case that cannot be read
/// exercises nothing, and experimental operators of the first releases, which are in no opset, do not
/// count.
pub fn list(corpora: &[Corpus]) -> String {
    let known: BTreeSet<String> = onnx_schema::all().map(ToString::to_string).collect();
    let mut found = BTreeMap::new();
    let cases = corpora.iter().flat_map(Corpus::cases);
    for files in cases.filter(|files| files.id.suite() != PROVES_LITTLE) {
        let versions = Case::decode(files).into_iter().flat_map(|case| case.operators);
        for version in versions.filter(|version| known.contains(version)) {
            found.entry(version).or_insert_with(|| files.id.clone());
        }
    }
    let lines = found.iter().map(|(version, case)| format!("{version} {case}\n"));
    HEAD.to_owned() + &lines.collect::<String>()
}
