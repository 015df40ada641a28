//! Compares the verdicts of complete runs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use run_record::{Severity, VerdictKind};
use rusqlite::Connection;

/// The verdict of each case of a backend, sorted by case id.
pub(crate) fn verdicts_of(connection: &Connection, backend: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
    let text = "SELECT test, verdict FROM result WHERE backend = ?1 ORDER BY test";
    let mut statement = connection.prepare_cached(text)?;
    statement
        .query_map([backend], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The verdicts by their ids in this file.
pub(crate) fn kinds(connection: &Connection) -> rusqlite::Result<HashMap<i64, VerdictKind>> {
    let mut statement = connection.prepare("SELECT id, name FROM verdict")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let kind = |name: &str| VerdictKind::ALL.into_iter().find(|kind| kind.key() == name);
    Ok(rows
        .into_iter()
        .filter_map(|(id, name)| Some((id, kind(&name)?)))
        .collect())
}

/// The verdicts of backends; each run is used twice, as itself and as the previous run.
pub(crate) struct Verdicts<'c> {
    connection: &'c Connection,
    kinds: HashMap<i64, VerdictKind>,
    known: HashMap<i64, Vec<(i64, i64)>>,
}

impl<'c> Verdicts<'c> {
    /// Starts without any.
    pub fn of(connection: &'c Connection) -> rusqlite::Result<Verdicts<'c>> {
        Ok(Verdicts {
            connection,
            kinds: kinds(connection)?,
            known: HashMap::new(),
        })
    }

    /// The numbers of broken and fixed cases between two runs; `tests` are the cases that count, if not
    /// all.
    pub fn moved(&mut self, before: i64, now: i64, tests: Option<&[i64]>) -> rusqlite::Result<(u64, u64)> {
        for backend in [before, now] {
            if let Entry::Vacant(place) = self.known.entry(backend) {
                place.insert(verdicts_of(self.connection, backend)?);
            }
        }
        let old = self.known.remove(&before).unwrap_or_default();
        let new = self.known.get(&now).map_or(&[][..], Vec::as_slice);
        let severity = |verdict: &i64| self.kinds.get(verdict).and_then(|kind| kind.severity());
        let (mut broke, mut fixed) = (0, 0);
        let mut old = old.iter().peekable();
        for (test, verdict) in new {
            while old.next_if(|(other, _)| other < test).is_some() {}
            let Some((_, was)) = old.next_if(|(other, _)| other == test) else {
                continue;
            };
            if was == verdict || tests.is_some_and(|tests| tests.binary_search(test).is_err()) {
                continue;
            }
            if let (Some(was), Some(is)) = (severity(was), severity(verdict)) {
                broke += u64::from(was == Severity::Passed && is != Severity::Passed);
                fixed += u64::from(was != Severity::Passed && is == Severity::Passed);
            }
        }
        Ok((broke, fixed))
    }
}
