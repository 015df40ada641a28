//! Adds rows to the database.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use run_record::Report;
use rusqlite::{Transaction, params};

use crate::rows::{BackendRow, LatencyRow, ResultRow, Rows, RunRow};
use crate::{History, HistoryError};

/// The result of adding runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    /// The number of new runs.
    pub runs: usize,
    /// The number of results in these runs.
    pub results: usize,
    /// The number of latencies in these runs.
    pub latencies: usize,
    /// The number of runs that were already in the file.
    pub known: usize,
}

impl Rows {
    /// The rows of the run in `folder`, with a label that may be empty.
    ///
    /// # Errors
    /// The log cannot be read, or the run is incomplete.
    pub fn of_run(folder: &Path, label: &str) -> Result<Rows, HistoryError> {
        let report = Report::read(folder)?;
        if !report.complete {
            return Err(HistoryError::Incomplete {
                folder: folder.to_owned(),
            });
        }
        Ok(Rows::of(&report, label))
    }
}

impl History {
    /// Adds the runs of `rows` that are not in the file, all or none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, rows: &Rows) -> Result<Added, HistoryError> {
        let path = self.path.clone();
        let failed = |source| HistoryError::of(&path, source);
        let transaction = self.connection.transaction().map_err(failed)?;
        let added = insert(&transaction, rows).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(added)
    }
}

fn insert(transaction: &Transaction<'_>, rows: &Rows) -> rusqlite::Result<Added> {
    let mut added = Added::default();
    let mut runs: HashMap<&str, i64> = HashMap::new();
    for run in &rows.runs {
        match insert_run(transaction, run)? {
            Some(id) => drop(runs.insert(&run.run, id)),
            None => added.known += 1,
        }
    }
    added.runs = runs.len();
    let mut backends: HashMap<(&str, &str), i64> = HashMap::new();
    for backend in &rows.backends {
        if let Some(run) = runs.get(backend.run.as_str()) {
            let id = insert_backend(transaction, *run, backend)?;
            backends.insert((&backend.run, &backend.backend), id);
        }
    }
    added.results = insert_results(transaction, &rows.results, &backends)?;
    added.latencies = insert_latencies(transaction, &rows.latencies, &backends)?;
    let new: BTreeSet<&str> = rows
        .results
        .iter()
        .filter(|row| runs.contains_key(row.run.as_str()))
        .map(|row| row.test.as_str())
        .collect();
    let (mut tests, mut operators) = (Names::new("test", "name"), Names::new("operator", "name"));
    let text = "INSERT OR IGNORE INTO uses (test, operator, about) VALUES (?1, ?2, ?3)";
    let mut statement = transaction.prepare(text)?;
    for row in rows.uses.iter().filter(|row| new.contains(row.test.as_str())) {
        let (test, operator) = (
            tests.id(transaction, &row.test)?,
            operators.id(transaction, &row.operator)?,
        );
        statement.execute(params![test, operator, row.about])?;
    }
    Ok(added)
}

/// The id of a new run; `None` if it is already in the file.
fn insert_run(transaction: &Transaction<'_>, run: &RunRow) -> rusqlite::Result<Option<i64>> {
    let text =
        "INSERT OR IGNORE INTO run (digest, started, release, policy, tolerances, harness, machine, label, selection)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let changed = transaction.prepare_cached(text)?.execute(params![
        run.run,
        run.started,
        run.release,
        run.policy,
        run.tolerances,
        run.harness,
        run.machine,
        run.label,
        run.selection
    ])?;
    Ok((changed > 0).then(|| transaction.last_insert_rowid()))
}

fn insert_backend(transaction: &Transaction<'_>, run: i64, backend: &BackendRow) -> rusqlite::Result<i64> {
    let text =
        "INSERT INTO backend (run, name, kind, version, options, wall_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let BackendRow {
        backend,
        kind,
        version,
        options,
        wall_s,
        ..
    } = backend;
    transaction
        .prepare_cached(text)?
        .execute(params![run, backend, kind, version, options, wall_s])?;
    Ok(transaction.last_insert_rowid())
}

fn insert_latencies(
    transaction: &Transaction<'_>,
    rows: &[LatencyRow],
    backends: &HashMap<(&str, &str), i64>,
) -> rusqlite::Result<usize> {
    let text = "INSERT OR REPLACE INTO latency (backend, model, threads, setting, median_ns) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = transaction.prepare(text)?;
    let mut count = 0;
    for row in rows {
        if let Some(backend) = backends.get(&(row.run.as_str(), row.backend.as_str())) {
            statement.execute(params![
                backend,
                row.model,
                row.threads,
                row.setting,
                row.median_ns
            ])?;
            count += 1;
        }
    }
    Ok(count)
}

fn insert_results(
    transaction: &Transaction<'_>,
    rows: &[ResultRow],
    backends: &HashMap<(&str, &str), i64>,
) -> rusqlite::Result<usize> {
    let (mut tests, mut verdicts) = (Names::new("test", "name"), Names::new("verdict", "name"));
    let (mut reasons, mut levels) = (Names::new("reason", "text"), Names::new("level", "name"));
    let mut tallies: BTreeMap<(i64, i64), u64> = BTreeMap::new();
    let text =
        "INSERT INTO result (backend, test, verdict, reason, level, max_ulp) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = transaction.prepare(text)?;
    let mut count = 0;
    for row in rows {
        let Some(&backend) = backends.get(&(row.run.as_str(), row.backend.as_str())) else {
            continue;
        };
        let verdict = verdicts.id(transaction, &row.verdict)?;
        let reason = row
            .reason
            .as_ref()
            .map(|text| reasons.id(transaction, text))
            .transpose()?;
        let level = row
            .level
            .as_ref()
            .map(|name| levels.id(transaction, name))
            .transpose()?;
        let ulp = if row.infinite {
            Some(f64::INFINITY)
        } else {
            row.max_ulp
        };
        statement.execute(params![
            backend,
            tests.id(transaction, &row.test)?,
            verdict,
            reason,
            level,
            ulp
        ])?;
        *tallies.entry((backend, verdict)).or_default() += 1;
        count += 1;
    }
    let mut statement =
        transaction.prepare("INSERT INTO tally (backend, verdict, cases) VALUES (?1, ?2, ?3)")?;
    for ((backend, verdict), cases) in tallies {
        statement.execute(params![backend, verdict, cases])?;
    }
    Ok(count)
}

/// The ids of names in a table of unique names.
struct Names {
    table: &'static str,
    column: &'static str,
    known: HashMap<String, i64>,
}

impl Names {
    fn new(table: &'static str, column: &'static str) -> Names {
        Names {
            table,
            column,
            known: HashMap::new(),
        }
    }

    /// The id of a name, which is inserted if it is new.
    fn id(&mut self, transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.known.get(name) {
            return Ok(id);
        }
        let Names { table, column, .. } = self;
        let insert = format!("INSERT OR IGNORE INTO {table} ({column}) VALUES (?1)");
        transaction.prepare_cached(&insert)?.execute([name])?;
        let select = format!("SELECT id FROM {table} WHERE {column} = ?1");
        let id = transaction
            .prepare_cached(&select)?
            .query_row([name], |row| row.get(0))?;
        self.known.insert(name.to_owned(), id);
        Ok(id)
    }
}
