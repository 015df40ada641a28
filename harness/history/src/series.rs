//! Series over runs with their change points: what the page of a history shows.

use std::collections::BTreeMap;

use run_record::VerdictKind;
use run_record::text;
use run_record::trends::{BackendBad, Measure, Series, SeriesChange, Trend, TrendRun, Trends};
use rusqlite::{Connection, params};

use crate::change_points::change_points;
use crate::steps::steps;
use crate::trends::{counted, tally, tests_of};
use crate::verdicts::Verdicts;
use crate::{History, HistoryError};

/// A backend in a run.
struct Row {
    id: i64,
    backend: String,
    release: String,
    policy: String,
    selection: String,
    machine: String,
    wall_s: Option<f64>,
    run: TrendRun,
}

/// The rows of one trend, oldest first.
type Group<'a> = Vec<&'a Row>;

/// The medians of one series of latencies, by backend of a run.
type Latencies = BTreeMap<(String, u32, String), BTreeMap<i64, f64>>;

impl History {
    /// The series of a backend (by its name or what it calls itself) or of all over the last `last`
    /// runs: counts of verdicts over all cases or over those that are about an operator, how long
    /// each run took, and latencies.
    ///
    /// Counts are compared between runs of the same releases, selection of cases and policy, times
    /// between runs on the same machine.
    ///
    /// # Errors
    /// A file that SQLite cannot read.
    pub fn trends(
        &self,
        backend: Option<&str>,
        operator: Option<&str>,
        last: u32,
    ) -> Result<Trends, HistoryError> {
        let mut trends = self.read_trends(backend, operator, last).map_err(self.failed())?;
        if operator.is_none() {
            let mut names: Vec<&str> = trends.trends.iter().map(|trend| trend.backend.as_str()).collect();
            names.dedup();
            let bad = |backend: &str| {
                Ok(BackendBad {
                    backend: backend.to_owned(),
                    cases: self.first_bad(backend)?,
                })
            };
            trends.first_bad = names.into_iter().map(bad).collect::<Result<_, HistoryError>>()?;
        }
        Ok(trends)
    }

    fn read_trends(
        &self,
        backend: Option<&str>,
        operator: Option<&str>,
        last: u32,
    ) -> rusqlite::Result<Trends> {
        let connection = &self.connection;
        let rows = rows(connection, backend, last)?;
        let tests = operator
            .map(|operator| tests_of(connection, operator))
            .transpose()?;
        let mut by_counts: BTreeMap<(&str, &str, &str, &str), Group<'_>> = BTreeMap::new();
        let mut by_machine: BTreeMap<(&str, &str), Group<'_>> = BTreeMap::new();
        for row in &rows {
            by_counts
                .entry((&row.backend, &row.release, &row.policy, &row.selection))
                .or_default()
                .push(row);
            by_machine
                .entry((&row.backend, &row.machine))
                .or_default()
                .push(row);
        }
        let mut verdicts = Verdicts::of(connection)?;
        let mut trends = Vec::new();
        for ((backend, release, policy, selection), group) in by_counts {
            let counts = counts(connection, &group, tests.as_deref())?;
            // A bench has no cases.
            let mut group: Vec<_> = group.into_iter().zip(counts).collect();
            group.retain(|(_, counts)| !counts.verdicts.is_empty());
            if !group.is_empty() {
                trends.push(Trend {
                    backend: backend.to_owned(),
                    about: about(release, policy, selection),
                    runs: group.iter().map(|(row, _)| row.run.clone()).collect(),
                    series: of_counts(&group, tests.as_deref(), &mut verdicts)?,
                });
            }
        }
        for ((backend, machine), group) in by_machine.into_iter().filter(|_| operator.is_none()) {
            trends.extend(of_latencies(connection, backend, machine, group)?);
        }
        trends.sort_by(|a, b| a.backend.cmp(&b.backend));
        let mut runs: Vec<&str> = rows.iter().map(|row| row.run.started.as_str()).collect();
        runs.dedup();
        Ok(Trends {
            runs: runs.len() as u64,
            operator: operator.map(str::to_owned),
            trends,
            first_bad: Vec::new(),
        })
    }
}

/// The backends of the last runs, oldest first.
fn rows(connection: &Connection, backend: Option<&str>, last: u32) -> rusqlite::Result<Vec<Row>> {
    let text = "SELECT backend.id, backend.name, run.release, run.policy, run.machine, backend.wall_s, run.started, backend.version, run.label, run.selection
        FROM backend JOIN run ON run.id = backend.run
        WHERE (?1 IS NULL OR backend.name = ?1 OR backend.kind = ?1)
          AND run.id IN (SELECT id FROM run ORDER BY started DESC, id DESC LIMIT ?2)
        ORDER BY run.started, run.id, backend.id";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Row {
            id: row.get(0)?,
            backend: row.get(1)?,
            release: row.get(2)?,
            policy: row.get(3)?,
            machine: row.get(4)?,
            wall_s: row.get(5)?,
            selection: row.get(9)?,
            run: TrendRun {
                started: row.get(6)?,
                version: row.get(7)?,
                label: row.get(8)?,
            },
        })
    };
    connection
        .prepare(text)?
        .query_map(params![backend, last], row)?
        .collect()
}

/// `ONNX 1.22.0, policy official`, and for a part of the cases the arguments that select it.
fn about(release: &str, policy: &str, selection: &str) -> String {
    let mut parts = vec![match release {
        "" => "other cases".to_owned(),
        release => format!("ONNX {release}"),
    }];
    parts.extend(Some(selection).filter(|text| !text.is_empty()).map(str::to_owned));
    parts.extend(
        Some(policy)
            .filter(|text| !text.is_empty())
            .map(|policy| format!("policy {policy}")),
    );
    parts.join(", ")
}

/// What is counted of a backend in a run.
struct Counts {
    verdicts: BTreeMap<String, u64>,
    max_ulp: Option<f64>,
}

impl Counts {
    fn of(&self, measure: Measure) -> u64 {
        let kinds = VerdictKind::ALL
            .into_iter()
            .filter(|kind| Measure::counting(*kind) == Some(measure));
        kinds.filter_map(|kind| self.verdicts.get(kind.key())).sum()
    }
}

fn counts(
    connection: &Connection,
    group: &Group<'_>,
    tests: Option<&[i64]>,
) -> rusqlite::Result<Vec<Counts>> {
    let of = |row: &&Row| {
        let (verdicts, max_ulp) = match tests {
            None => (tally(connection, row.id)?, None),
            Some(tests) => counted(connection, row.id, tests)?,
        };
        Ok(Counts { verdicts, max_ulp })
    };
    group.iter().map(of).collect()
}

/// Counts of verdicts, the largest error of an operator, and how long the runs took.
fn of_counts(
    group: &[(&Row, Counts)],
    tests: Option<&[i64]>,
    verdicts: &mut Verdicts<'_>,
) -> rusqlite::Result<Vec<Series>> {
    let mut all = Vec::new();
    for measure in Measure::COUNTS {
        let values = group
            .iter()
            .map(|(_, counts)| Some(counts.of(measure) as f64))
            .collect();
        let mut one = series(measure, String::new(), values);
        for change in &mut one.changes {
            let before = change.run.checked_sub(1).and_then(|before| group.get(before));
            if let (Some((before, _)), Some((after, _))) = (before, group.get(change.run)) {
                let (broke, fixed) = verdicts.moved(before.id, after.id, tests)?;
                (change.broke, change.fixed) = (Some(broke), Some(fixed));
            }
        }
        all.push(one);
    }
    let errors: Vec<_> = group.iter().map(|(_, counts)| counts.max_ulp).collect();
    let machine = group.last().map_or("", |(row, _)| row.machine.as_str());
    // The time of a part of the cases says nothing, and that of another machine neither.
    let time = |row: &Row| row.wall_s.filter(|_| tests.is_none() && row.machine == machine);
    let times: Vec<_> = group.iter().map(|(row, _)| time(row)).collect();
    for (measure, values) in [(Measure::Error, errors), (Measure::Duration, times)] {
        if values.iter().any(Option::is_some) {
            all.push(series(measure, String::new(), values));
        }
    }
    Ok(all)
}

/// The latencies of a backend on a machine; none where it has none.
fn of_latencies(
    connection: &Connection,
    backend: &str,
    machine: &str,
    group: Group<'_>,
) -> rusqlite::Result<Option<Trend>> {
    let text = "SELECT model, threads, setting, median_ns FROM latency WHERE backend = ?1";
    let mut statement = connection.prepare_cached(text)?;
    let mut found = Latencies::new();
    let mut measured = Vec::new();
    for row in group {
        let columns =
            |row: &rusqlite::Row<'_>| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get::<_, u64>(3)?));
        let latencies: Vec<_> = statement
            .query_map([row.id], columns)?
            .collect::<Result<_, _>>()?;
        if !latencies.is_empty() {
            measured.push(row);
        }
        for (key, median_ns) in latencies {
            found.entry(key).or_default().insert(row.id, median_ns as f64);
        }
    }
    if measured.is_empty() {
        return Ok(None);
    }
    let one = |((model, threads, setting), medians): ((String, u32, String), BTreeMap<i64, f64>)| {
        let threads = text::counted(threads, "thread");
        let values = measured.iter().map(|row| medians.get(&row.id).copied()).collect();
        series(Measure::Latency, format!("{model}, {threads}, {setting}"), values)
    };
    Ok(Some(Trend {
        backend: backend.to_owned(),
        about: format!("latencies on {machine}"),
        runs: measured.iter().map(|row| row.run.clone()).collect(),
        series: found.into_iter().map(one).collect(),
    }))
}

/// A series with its change points. Times are compared by their logarithms: they differ by factors.
fn series(measure: Measure, subject: String, values: Vec<Option<f64>>) -> Series {
    let known: Vec<(usize, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(run, value)| Some((run, (*value)?)))
        .collect();
    let scaled: Vec<f64> = known.iter().map(|(_, value)| scale(measure, *value)).collect();
    let shifts = if Measure::COUNTS.contains(&measure) {
        steps(&scaled)
    } else {
        change_points(&scaled)
    };
    let mut ends: Vec<usize> = vec![0];
    ends.extend(shifts.iter().map(|shift| shift.at));
    ends.push(known.len());
    let medians: Vec<f64> = ends
        .windows(2)
        .map(|ends| median(&known[ends[0]..ends[1]]))
        .collect();
    let change = |(place, shift): (usize, &crate::Shift)| SeriesChange {
        run: known[shift.at].0,
        before: medians[place],
        after: medians[place + 1],
        p: shift.p,
        broke: None,
        fixed: None,
    };
    Series {
        changes: shifts.iter().enumerate().map(change).collect(),
        measure,
        subject,
        values,
    }
}

fn scale(measure: Measure, value: f64) -> f64 {
    match measure {
        Measure::Pass | Measure::Wrong | Measure::Broken | Measure::Unsupported => value,
        // Errors go up to the largest float.
        Measure::Error => value.ln_1p(),
        Measure::Duration | Measure::Latency => value.max(f64::MIN_POSITIVE).ln(),
    }
}

/// The lower median.
fn median(values: &[(usize, f64)]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or_default()
}
