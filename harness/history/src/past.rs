//! The verdicts of cases in earlier runs, for the page of cases.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use run_record::Report;
use run_record::past::{Past, PastBackend};
use run_record::trends::TrendRun;
use run_record::{Verdict, VerdictKind};

use crate::verdicts::{kinds, verdicts_of};
use crate::{History, HistoryError};

/// Earlier runs of each backend that a page shows.
const RUNS: u32 = 60;

/// The verdicts of one case: of each backend one for each run.
type Verdicts = Vec<Vec<Option<VerdictKind>>>;

impl History {
    /// Returns the verdicts, in the last runs of the backends of `report`, of its cases that do not
    /// pass everywhere. A run that is in the history already counts as an earlier one only if it
    /// began before this one.
    ///
    /// # Errors
    /// A file that SQLite cannot read.
    pub fn past(&self, report: &Report) -> Result<Past, HistoryError> {
        self.read_past(report).map_err(self.failed())
    }

    fn read_past(&self, report: &Report) -> rusqlite::Result<Past> {
        let failing = report
            .cases
            .iter()
            .filter(|record| record.verdict != Verdict::Pass);
        let failing: BTreeSet<&str> = failing.map(|record| record.case.as_str()).collect();
        let tests = self.numbers(&failing)?;
        let kinds = kinds(&self.connection)?;
        let mut past = Past::default();
        let mut cases: BTreeMap<&str, Verdicts> = BTreeMap::new();
        for backend in &report.backends {
            let name = &backend.info.name;
            let (ids, runs): (Vec<i64>, Vec<TrendRun>) = self
                .runs_before(name, &report.started.started)?
                .into_iter()
                .unzip();
            if ids.is_empty() {
                continue;
            }
            let place = past.backends.len();
            for (run, id) in ids.iter().enumerate() {
                for (test, verdict) in verdicts_of(&self.connection, *id)? {
                    let Some(case) = tests.get(&test) else { continue };
                    let rows = cases.entry(case).or_default();
                    rows.resize(rows.len().max(place + 1), Vec::new());
                    rows[place].resize(ids.len(), None);
                    rows[place][run] = kinds.get(&verdict).copied();
                }
            }
            past.backends.push(PastBackend {
                name: name.clone(),
                runs,
            });
        }
        let all = past.backends.len();
        past.cases = cases
            .into_iter()
            .map(|(case, mut rows)| {
                rows.resize(all, Vec::new());
                (case.to_owned(), rows)
            })
            .collect();
        Ok(past)
    }

    /// The cases of these names, by their numbers in this file.
    fn numbers<'a>(&self, names: &BTreeSet<&'a str>) -> rusqlite::Result<HashMap<i64, &'a str>> {
        let mut statement = self.connection.prepare("SELECT id, name FROM test")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let mut numbers = HashMap::new();
        for row in rows {
            let (id, name) = row?;
            if let Some(name) = names.get(name.as_str()) {
                numbers.insert(id, *name);
            }
        }
        Ok(numbers)
    }

    /// The last runs of a backend that began before a time, oldest first.
    fn runs_before(&self, backend: &str, started: &str) -> rusqlite::Result<Vec<(i64, TrendRun)>> {
        let text = "SELECT backend.id, run.started, backend.version, run.label FROM backend JOIN run ON run.id = backend.run
            WHERE backend.name = ?1 AND run.started < ?2 AND EXISTS (SELECT 1 FROM tally WHERE tally.backend = backend.id)
            ORDER BY run.started DESC, run.id DESC LIMIT ?3";
        let mut statement = self.connection.prepare(text)?;
        let run = |row: &rusqlite::Row<'_>| {
            let run = TrendRun {
                started: row.get(1)?,
                version: row.get(2)?,
                label: row.get(3)?,
            };
            Ok((row.get(0)?, run))
        };
        let mut runs: Vec<_> = statement
            .query_map((backend, started, RUNS), run)?
            .collect::<Result<_, _>>()?;
        runs.reverse();
        Ok(runs)
    }
}
