//! Which operator versions have a case whose expected outputs are not ours.
//!
//! The official cases of all pinned releases lie in many archives, which a test should not have to fetch: what they exercise
//! is kept in `official-versions.txt`, one line for each operator version with the oldest case that has it, and
//! `cargo xtask generate versions --check` holds that to the archives. `excused-versions.toml` names the versions that need no case.

use std::collections::{BTreeMap, BTreeSet};

use harness_conformance::case::Case;
use harness_corpus::{CaseId, Corpus};

/// The list that is checked in.
pub const OFFICIAL: &str = include_str!("../official-versions.txt");

/// What the checked-in list begins with.
const HEAD: &str = "\
# Operator versions that official cases exercise, each with its oldest case. Written by `cargo xtask generate versions`.
";

/// Models of the zoo, whose expected outputs do not depend on most of their nodes.
const PROVES_LITTLE: &str = "light";

/// The versions of a list in the form of [`OFFICIAL`]: `Softmax-13` to the case; lines of another form are left out.
pub fn listed(text: &str) -> BTreeMap<&str, CaseId> {
    let entry = |line| {
        let (version, case) = str::split_once(line, ' ')?;
        Some((version, case.parse().ok()?))
    };
    text.lines().filter_map(entry).collect()
}

/// The list of what the cases of `corpora`, oldest release first, exercise. A case that cannot be read exercises nothing; nor
/// does an experimental operator of the first releases count, which no opset has kept.
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
