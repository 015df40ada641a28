//! Queries: runs with their counts, a case over time, the versions with which cases started to fail.

use std::collections::BTreeMap;

use run_record::trends::Bad;
use run_record::{Outcome, Severity, VerdictKind};
use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::verdicts::{Verdicts, kinds, verdicts_of};
use crate::{History, HistoryError, version};

/// A backend of a run with its counts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// When the run began, UTC.
    pub started: String,
    /// The releases of ONNX.
    pub release: String,
    pub policy: String,
    /// The arguments that select some of the cases; empty for all cases of the releases.
    pub selection: String,
    /// The label of the run.
    pub label: String,
    /// The backend's name in reports.
    pub backend: String,
    pub version: String,
    /// The number of cases by verdict.
    pub verdicts: BTreeMap<String, u64>,
    /// The number of cases that passed in the previous run of the same backend, releases, selection
    /// and policy, and fail in this one; `None` for the first run.
    pub broke: Option<u64>,
    /// The number of cases that failed in the previous run and pass in this one.
    pub fixed: Option<u64>,
    /// The largest finite error of passing answers, in units in the last place; `None` if nothing was
    /// measured.
    pub max_ulp: Option<f64>,
}

impl Summary {
    /// The number of cases whose verdict has this outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        let of = |kind: &VerdictKind| kind.outcome() == outcome;
        let kinds = VerdictKind::ALL.into_iter().filter(of);
        kinds.filter_map(|kind| self.verdicts.get(kind.key())).sum()
    }

    /// The number of cases with one verdict.
    pub fn verdict(&self, kind: VerdictKind) -> u64 {
        self.verdicts.get(kind.key()).copied().unwrap_or_default()
    }
}

/// The result of a case in one run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    /// When the run began, UTC.
    pub started: String,
    /// The backend's name in reports.
    pub backend: String,
    pub version: String,
    /// The complete id of the case.
    pub test: String,
    pub verdict: String,
    /// The reason, unless it is a pass.
    pub reason: Option<String>,
    /// The largest error in units in the last place.
    pub max_ulp: Option<f64>,
}

/// A backend of a run in the database.
struct Row {
    id: i64,
    summary: Summary,
}

const COLUMNS: &str =
    "backend.id, run.started, run.release, run.policy, run.label, backend.name, backend.version, run.selection
    FROM backend JOIN run ON run.id = backend.run";

impl History {
    /// The last runs, oldest first, of a backend (by its name in reports or the name that it reports) or
    /// of all, counted over all cases or over those about an operator (`Softmax`, or one version,
    /// `Softmax-13`).
    ///
    /// # Errors
    /// SQLite cannot read the file.
    pub fn summaries(
        &self,
        backend: Option<&str>,
        operator: Option<&str>,
        last: u32,
    ) -> Result<Vec<Summary>, HistoryError> {
        self.read_summaries(backend, operator, last)
            .map_err(self.failed())
    }

    fn read_summaries(
        &self,
        backend: Option<&str>,
        operator: Option<&str>,
        last: u32,
    ) -> rusqlite::Result<Vec<Summary>> {
        let connection = &self.connection;
        let text = format!(
            "SELECT {COLUMNS} WHERE (?1 IS NULL OR backend.name = ?1 OR backend.kind = ?1)
             ORDER BY run.started DESC, run.id DESC, backend.id DESC LIMIT ?2"
        );
        let mut statement = connection.prepare(&text)?;
        let rows: Vec<Row> = statement
            .query_map(params![backend, last], row)?
            .collect::<Result<_, _>>()?;
        let tests = operator
            .map(|operator| tests_of(connection, operator))
            .transpose()?;
        let mut verdicts = Verdicts::of(connection)?;
        let mut summaries = Vec::new();
        for Row { id, mut summary } in rows.into_iter().rev() {
            match &tests {
                None => summary.verdicts = tally(connection, id)?,
                Some(tests) => (summary.verdicts, summary.max_ulp) = counted(connection, id, tests)?,
            }
            if let Some(before) = before(connection, id)? {
                let (broke, fixed) = verdicts.moved(before, id, tests.as_deref())?;
                (summary.broke, summary.fixed) = (Some(broke), Some(fixed));
            }
            summaries.push(summary);
        }
        Ok(summaries)
    }

    /// The results of the cases with this name in every run, oldest first. The name is a complete id, or
    /// one without its corpus: `node/test_abs` selects the case in each release.
    ///
    /// # Errors
    /// SQLite cannot read the file.
    pub fn timeline(&self, test: &str, backend: Option<&str>) -> Result<Vec<Place>, HistoryError> {
        self.read_timeline(test, backend).map_err(self.failed())
    }

    fn read_timeline(&self, test: &str, backend: Option<&str>) -> rusqlite::Result<Vec<Place>> {
        let text = "SELECT id, name FROM test WHERE name = ?1 OR substr(name, instr(name, '/') + 1) = ?1 ORDER BY name";
        let mut statement = self.connection.prepare(text)?;
        let tests = statement.query_map([test], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let tests: Vec<(i64, String)> = tests.collect::<Result<_, _>>()?;
        let text = format!(
            "SELECT {COLUMNS} WHERE (?1 IS NULL OR backend.name = ?1 OR backend.kind = ?1)
             ORDER BY backend.name, run.started, run.id"
        );
        let mut statement = self.connection.prepare(&text)?;
        let backends: Vec<Row> = statement.query_map([backend], row)?.collect::<Result<_, _>>()?;
        let text = "SELECT verdict.name, reason.text, result.max_ulp FROM result
            JOIN verdict ON verdict.id = result.verdict LEFT JOIN reason ON reason.id = result.reason
            WHERE result.backend = ?1 AND result.test = ?2";
        let mut statement = self.connection.prepare(text)?;
        let mut places = Vec::new();
        for same in backends.chunk_by(|a, b| a.summary.backend == b.summary.backend) {
            for (test, name) in &tests {
                for Row { id, summary } in same {
                    let place = |row: &rusqlite::Row<'_>| {
                        Ok(Place {
                            started: summary.started.clone(),
                            backend: summary.backend.clone(),
                            version: summary.version.clone(),
                            test: name.clone(),
                            verdict: row.get(0)?,
                            reason: row.get(1)?,
                            max_ulp: row.get(2)?,
                        })
                    };
                    places.extend(statement.query_row(params![id, test], place).optional()?);
                }
            }
        }
        Ok(places)
    }

    /// The cases that fail with the newest version of a backend and passed with an older one, with the
    /// first version from which on each fails. Of several runs of one version the newest counts.
    ///
    /// # Errors
    /// SQLite cannot read the file.
    pub fn first_bad(&self, backend: &str) -> Result<Vec<Bad>, HistoryError> {
        self.read_first_bad(backend).map_err(self.failed())
    }

    fn read_first_bad(&self, backend: &str) -> rusqlite::Result<Vec<Bad>> {
        let connection = &self.connection;
        let text = format!(
            "SELECT {COLUMNS} WHERE backend.name = ?1 OR backend.kind = ?1 ORDER BY run.started, run.id"
        );
        let mut statement = connection.prepare(&text)?;
        let mut newest: BTreeMap<String, i64> = BTreeMap::new();
        for found in statement.query_map([backend], row)? {
            let Row { id, summary } = found?;
            newest.insert(summary.version, id);
        }
        let mut versions: Vec<(String, i64)> = newest.into_iter().collect();
        versions.sort_by(|(a, _), (b, _)| version::compare(a, b));
        let Some(((_, last), older)) = versions.split_last() else {
            return Ok(Vec::new());
        };
        let text = "SELECT result.test, test.name, verdict.name, coalesce(reason.text, '') FROM result JOIN test ON test.id = result.test
            JOIN verdict ON verdict.id = result.verdict LEFT JOIN reason ON reason.id = result.reason
            WHERE result.backend = ?1 AND verdict.name NOT IN ('pass', 'disputed', 'skipped', 'not_run') ORDER BY test.name";
        let mut statement = connection.prepare(text)?;
        let texts =
            |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let failing: Vec<(i64, String, String, String)> =
            statement.query_map([last], texts)?.collect::<Result<_, _>>()?;
        let kinds = kinds(connection)?;
        let newest = versions.last().map_or("", |(version, _)| version.as_str());
        let mut open: BTreeMap<i64, (usize, &str)> = failing
            .iter()
            .enumerate()
            .map(|(place, (test, ..))| (*test, (place, newest)))
            .collect();
        let mut found: Vec<(usize, &str, &str)> = Vec::new();
        for (version, id) in older.iter().rev() {
            if open.is_empty() {
                break;
            }
            for (test, verdict) in verdicts_of(connection, *id)? {
                let Some((place, first_bad)) = open.get_mut(&test) else {
                    continue;
                };
                match kinds.get(&verdict).and_then(|kind| kind.severity()) {
                    Some(Severity::Passed) => {
                        found.push((*place, version, *first_bad));
                        open.remove(&test);
                    }
                    Some(Severity::Unsupported | Severity::Error | Severity::Crash | Severity::Wrong) => {
                        *first_bad = version;
                    }
                    // A verdict that is not a result of the backend is ignored.
                    None => {}
                }
            }
        }
        found.sort_unstable();
        let bad = |(place, last_good, first_bad): (usize, &str, &str)| {
            let (_, test, verdict, reason) = failing.get(place)?;
            Some(Bad {
                test: test.clone(),
                last_good: last_good.to_owned(),
                first_bad: first_bad.to_owned(),
                verdict: verdict.clone(),
                reason: reason.clone(),
            })
        };
        Ok(found.into_iter().filter_map(bad).collect())
    }
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get(0)?,
        summary: Summary {
            started: row.get(1)?,
            release: row.get(2)?,
            policy: row.get(3)?,
            label: row.get(4)?,
            backend: row.get(5)?,
            version: row.get(6)?,
            selection: row.get(7)?,
            verdicts: BTreeMap::new(),
            broke: None,
            fixed: None,
            max_ulp: None,
        },
    })
}

/// The cases about an operator, by its name with or without since-version.
pub(crate) fn tests_of(connection: &Connection, operator: &str) -> rusqlite::Result<Vec<i64>> {
    let text = "SELECT DISTINCT uses.test FROM operator JOIN uses ON uses.operator = operator.id
        WHERE uses.about = 1 AND (operator.name = ?1 OR
          (substr(operator.name, 1, length(?1) + 1) = ?1 || '-' AND instr(substr(operator.name, length(?1) + 2), '-') = 0))
        ORDER BY uses.test";
    connection
        .prepare(text)?
        .query_map([operator], |row| row.get(0))?
        .collect()
}

pub(crate) fn tally(connection: &Connection, backend: i64) -> rusqlite::Result<BTreeMap<String, u64>> {
    let text = "SELECT verdict.name, tally.cases FROM tally JOIN verdict ON verdict.id = tally.verdict WHERE tally.backend = ?1";
    let mut statement = connection.prepare_cached(text)?;
    let counts = statement.query_map([backend], |row| Ok((row.get(0)?, row.get(1)?)))?;
    counts.collect()
}

/// The verdicts of some cases, and the largest error of those that pass.
pub(crate) fn counted(
    connection: &Connection,
    backend: i64,
    tests: &[i64],
) -> rusqlite::Result<(BTreeMap<String, u64>, Option<f64>)> {
    let text = "SELECT verdict.name, result.max_ulp FROM result JOIN verdict ON verdict.id = result.verdict
        WHERE result.backend = ?1 AND result.test = ?2";
    let mut statement = connection.prepare_cached(text)?;
    let (mut counts, mut worst) = (BTreeMap::new(), None::<f64>);
    for test in tests {
        let found: Option<(String, Option<f64>)> = statement
            .query_row(params![backend, test], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((verdict, ulp)) = found else { continue };
        if let Some(ulp) = ulp.filter(|ulp| verdict == "pass" && ulp.is_finite()) {
            worst = Some(worst.map_or(ulp, |worst| worst.max(ulp)));
        }
        *counts.entry(verdict).or_default() += 1;
    }
    Ok((counts, worst))
}

/// The same backend in the previous run with the same releases, selection of cases and policy.
fn before(connection: &Connection, backend: i64) -> rusqlite::Result<Option<i64>> {
    let text = "SELECT old.id FROM backend AS new JOIN run AS now ON now.id = new.run
        JOIN backend AS old ON old.name = new.name JOIN run AS past ON past.id = old.run
        WHERE new.id = ?1 AND past.release = now.release AND past.policy = now.policy AND past.selection = now.selection
          AND (past.started, past.id) < (now.started, now.id)
        ORDER BY past.started DESC, past.id DESC LIMIT 1";
    connection
        .prepare_cached(text)?
        .query_row([backend], |row| row.get(0))
        .optional()
}
