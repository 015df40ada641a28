//! The files of the public scoreboard of ONNX backends (github.com/onnx/backend-scoreboard), for
//! one folder of its `results`: `report.json`, `trend.json`, `nodes.csv`, `models.csv`.
//!
//! A case has the name of the test in ONNX's runner, `OnnxBackendNodeModelTest::test_abs_cpu`.
//! Cases that the backend does not support and disputed cases are *skipped*. An operator passes if
//! some test with it passes, like in `onnx.backend.test.report`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use run_record::common::unversioned;
use run_record::replace_in;
use run_record::{CaseId, Release, VerdictKind};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::{History, HistoryError};

/// The newest run of a backend.
#[derive(Debug, Default, Serialize)]
struct Board {
    date: String,
    failed: Vec<String>,
    passed: Vec<String>,
    skipped: Vec<String>,
}

/// One run in `trend.json`.
#[derive(Debug, Serialize)]
struct Point {
    date: String,
    failed: usize,
    passed: usize,
    skipped: usize,
    total_ops: usize,
    versions: Vec<Version>,
}

#[derive(Debug, Serialize)]
struct Version {
    name: String,
    version: String,
}

/// A run of the backend.
struct Run {
    backend: i64,
    started: String,
    version: String,
}

/// The result of a test of the newest release in a run.
struct Seen {
    test: i64,
    name: String,
    verdict: VerdictKind,
}

/// The suites of the tests that the runner calls real models. The archives of releases have these
/// models with constant weights, in `light`.
const WHOLE_MODELS: [&str; 2] = ["light", "real"];

/// How a verdict is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Passed,
    Failed,
    Skipped,
}

fn counts(verdict: VerdictKind) -> Counts {
    match verdict {
        VerdictKind::Pass => Counts::Passed,
        VerdictKind::Unsupported
        | VerdictKind::NotTaken
        | VerdictKind::Disputed
        | VerdictKind::Undecided
        | VerdictKind::Skipped
        | VerdictKind::NotRun => Counts::Skipped,
        VerdictKind::Mismatch
        | VerdictKind::Error
        | VerdictKind::Crash
        | VerdictKind::Timeout
        | VerdictKind::OutOfMemory
        | VerdictKind::Protocol
        | VerdictKind::Nondeterministic
        | VerdictKind::VariantDiffers
        | VerdictKind::Flaky => Counts::Failed,
    }
}

impl History {
    /// Writes the files for a backend to `folder` and returns them. Runs without official tests are
    /// ignored; without any other, no file is written.
    ///
    /// # Errors
    /// SQLite cannot read the file, or a file cannot be written.
    pub fn scoreboard(&self, backend: &str, folder: &Path) -> Result<Vec<PathBuf>, HistoryError> {
        let Some(texts) = self.scoreboard_texts(backend).map_err(self.failed())? else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for (name, text) in texts {
            files.push(replace_in(folder, name, text.as_bytes())?);
        }
        Ok(files)
    }

    fn scoreboard_texts(&self, backend: &str) -> rusqlite::Result<Option<[(&'static str, String); 4]>> {
        let mut points = Vec::new();
        let mut newest = None;
        for run in self.runs_of(backend)? {
            let Some((release, seen)) = self.seen(&run)? else {
                continue;
            };
            let board = board(&run, &seen);
            let operators = self.operators(&seen)?;
            points.push(Point {
                date: board.date.clone(),
                failed: board.failed.len(),
                passed: board.passed.len(),
                skipped: board.skipped.len(),
                total_ops: operators.len(),
                versions: [(backend, run.version.clone()), ("onnx", release.to_string())]
                    .map(|(name, version)| Version {
                        name: name.to_owned(),
                        version,
                    })
                    .into(),
            });
            newest = Some((board, seen, operators));
        }
        let Some((board, seen, operators)) = newest else {
            return Ok(None);
        };
        Ok(Some([
            ("report.json", json(&board)),
            ("trend.json", json(&points)),
            ("nodes.csv", nodes(backend, &operators)),
            ("models.csv", self.models(backend, &seen, &operators)?),
        ]))
    }

    fn runs_of(&self, backend: &str) -> rusqlite::Result<Vec<Run>> {
        let text =
            "SELECT backend.id, run.started, backend.version FROM backend JOIN run ON run.id = backend.run
            WHERE backend.name = ?1 AND run.selection = '' ORDER BY run.started, run.id";
        let run = |row: &rusqlite::Row<'_>| {
            Ok(Run {
                backend: row.get(0)?,
                started: row.get(1)?,
                version: row.get(2)?,
            })
        };
        self.connection
            .prepare(text)?
            .query_map([backend], run)?
            .collect()
    }

    /// The tests of the newest release in a run; `None` if it has no official test.
    fn seen(&self, run: &Run) -> rusqlite::Result<Option<(Release, Vec<Seen>)>> {
        let text = "SELECT test.id, test.name, verdict.name FROM result JOIN test ON test.id = result.test
            JOIN verdict ON verdict.id = result.verdict WHERE result.backend = ?1 ORDER BY test.name";
        let mut statement = self.connection.prepare_cached(text)?;
        let mut releases: BTreeMap<Release, Vec<Seen>> = BTreeMap::new();
        let columns =
            |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?));
        for found in statement.query_map([run.backend], columns)? {
            let (test, name, verdict) = found?;
            let verdict = VerdictKind::ALL.into_iter().find(|kind| kind.key() == verdict);
            let release = Release::of_corpus(CaseId::parse(&name).corpus);
            if let (Some(verdict), Some(release)) = (verdict, release) {
                releases
                    .entry(release)
                    .or_default()
                    .push(Seen { test, name, verdict });
            }
        }
        Ok(releases.pop_last())
    }

    /// Every operator of the specification, and whether some test with it passes.
    fn operators(&self, seen: &[Seen]) -> rusqlite::Result<BTreeMap<String, bool>> {
        let mut operators: BTreeMap<String, bool> = onnx_schema::operators()
            .iter()
            .map(|operator| (operator.name.to_owned(), false))
            .collect();
        for test in seen.iter().filter(|test| counts(test.verdict) == Counts::Passed) {
            for name in self.operators_of(test.test)? {
                operators.insert(name, true);
            }
        }
        Ok(operators)
    }

    /// The operators of a test, without domain and since-version.
    fn operators_of(&self, test: i64) -> rusqlite::Result<BTreeSet<String>> {
        let text = "SELECT operator.name FROM uses JOIN operator ON operator.id = uses.operator WHERE uses.test = ?1";
        let mut statement = self.connection.prepare_cached(text)?;
        let plain = |row: &rusqlite::Row<'_>| {
            let label: String = row.get(0)?;
            let name = unversioned(&label);
            Ok(name.rsplit('.').next().unwrap_or(name).to_owned())
        };
        statement.query_map([test], plain)?.collect()
    }

    /// The complete models, with the fraction of their operators that pass in some test.
    fn models(
        &self,
        backend: &str,
        seen: &[Seen],
        operators: &BTreeMap<String, bool>,
    ) -> rusqlite::Result<String> {
        let mut rows = vec![vec!["Model".to_owned(), backend.to_owned()]];
        let (mut passed, mut all) = (0, 0);
        for test in seen {
            let id = CaseId::parse(&test.name);
            if !WHOLE_MODELS.contains(&id.suite) {
                continue;
            }
            let own = self.operators_of(test.test)?;
            let covered = own
                .iter()
                .filter(|name| operators.get(*name) == Some(&true))
                .count();
            let passes = counts(test.verdict) == Counts::Passed;
            passed += usize::from(passes);
            all += 1;
            let verdict = if passes { "Passed!" } else { "Failed!" };
            let name = match id.name.strip_prefix("test_").unwrap_or(id.name) {
                // A row has the name of the model's graph, which is the test's but for this one.
                "squeezenet" => "squeezenet_old",
                name => name,
            };
            rows.push(vec![
                name.to_owned(),
                format!("{covered}/{} nodes covered: {verdict}", own.len()),
            ]);
        }
        rows.push(vec![
            "Summary".to_owned(),
            format!("{passed}/{all} model tests passed"),
        ]);
        Ok(csv(&rows))
    }

    /// The names of all backends, sorted by their first run.
    ///
    /// # Errors
    /// SQLite cannot read the file.
    pub fn backends(&self) -> Result<Vec<String>, HistoryError> {
        let names = || -> rusqlite::Result<Vec<String>> {
            let text = "SELECT name FROM backend GROUP BY name ORDER BY min(id)";
            self.connection
                .prepare(text)?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        names().map_err(self.failed())
    }

    /// The number of runs, and the start of the newest.
    ///
    /// # Errors
    /// SQLite cannot read the file.
    pub fn extent(&self) -> Result<(u64, Option<String>), HistoryError> {
        let found = self
            .connection
            .query_row("SELECT count(*), max(started) FROM run", params![], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional();
        Ok(found.map_err(self.failed())?.unwrap_or_default())
    }
}

fn board(run: &Run, seen: &[Seen]) -> Board {
    let mut board = Board {
        date: date(&run.started),
        ..Board::default()
    };
    for test in seen {
        let Some(name) = test_name(&test.name) else {
            continue;
        };
        match counts(test.verdict) {
            Counts::Passed => board.passed.push(name),
            Counts::Failed => board.failed.push(name),
            Counts::Skipped => board.skipped.push(name),
        }
    }
    for list in [&mut board.passed, &mut board.failed, &mut board.skipped] {
        list.sort();
    }
    board
}

/// `OnnxBackendNodeModelTest::test_abs_cpu`; `None` for a suite that the runner does not have.
fn test_name(case: &str) -> Option<String> {
    let id = CaseId::parse(case);
    let class = match id.suite {
        "node" => "OnnxBackendNodeModelTest",
        "simple" => "OnnxBackendSimpleModelTest",
        suite if WHOLE_MODELS.contains(&suite) => "OnnxBackendRealModelTest",
        "pytorch-converted" => "OnnxBackendPyTorchConvertedModelTest",
        "pytorch-operator" => "OnnxBackendPyTorchOperatorModelTest",
        _ => return None,
    };
    Some(format!("{class}::{}_cpu", id.name))
}

/// `11/20/2026 19:40:00` for `2026-11-20T19:40:00Z`.
fn date(started: &str) -> String {
    let (day, time) = started.split_once('T').unwrap_or((started, ""));
    let time = time.get(..8).unwrap_or(time);
    match day.split('-').collect::<Vec<_>>().as_slice() {
        [year, month, day] => format!("{month}/{day}/{year} {time}"),
        _ => started.to_owned(),
    }
}

fn nodes(backend: &str, operators: &BTreeMap<String, bool>) -> String {
    let mut rows = vec![vec!["Op".to_owned(), backend.to_owned()]];
    let verdict = |passed: bool| if passed { "Passed!" } else { "Failed!" };
    rows.extend(
        operators
            .iter()
            .map(|(name, &passed)| vec![name.clone(), verdict(passed).to_owned()]),
    );
    let passed = operators.values().filter(|passed| **passed).count();
    rows.push(vec![
        "Summary".to_owned(),
        format!("{passed}/{} node tests passed", operators.len()),
    ]);
    csv(&rows)
}

fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

fn csv(rows: &[Vec<String>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to a vector does not fail.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
