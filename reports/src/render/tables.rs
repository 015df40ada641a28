//! The tables that several formats show, from the same columns.

use super::latencies::{Cell as Median, GateRow, Panel};
use super::levels::{EXPLAINED_FAILURES, FALL_BACK, explained_failures};
use super::table::{Cell, Table, Tone, tone};
use super::throughput::{self, Throughput};
use super::{columns, readings, variants};
use run_record::text::{percent, seconds};
use run_record::{BackendReport, Level, Report, Tally, VerdictKind};

/// The names of the backends, which are columns of numbers.
fn backends(report: &Report) -> impl Iterator<Item = String> + '_ {
    report
        .backends
        .iter()
        .map(|backend| format!("{}#", backend.info.name))
}

fn name(backend: &BackendReport) -> Cell {
    Cell::from(backend.info.name.as_str()).toned(Tone::Name)
}

/// One row for each backend, one column for each verdict; with `share` also the share of passes.
pub(super) fn verdicts(report: &Report, share: bool) -> Table {
    let kinds = columns::columns(report);
    let kinds_names = kinds.iter().map(|kind| format!("{}#", kind.label()));
    let names = ["backend", "version", "cases#"].map(str::to_owned);
    let passed = share.then(|| "passed#".to_owned());
    let last = passed.into_iter().chain(["time#".to_owned()]);
    let mut table = Table::new(names.into_iter().chain(kinds_names).chain(last));
    for backend in &report.backends {
        let tally = &backend.tally;
        let counts = kinds.iter().map(|&kind| Cell::count(tally.get(kind), tone(kind)));
        let first = [
            name(backend),
            backend.info.version.as_str().into(),
            tally.total().into(),
        ];
        let passed = share.then(|| Cell::own(percent(tally.passed(), tally.counted())));
        let last = passed.into_iter().chain([Cell::own(seconds(backend.wall_s))]);
        table.push(first.into_iter().chain(counts).chain(last));
    }
    table
}

/// A row for each backend: its passes by level, its passes on a fall-back (also included there), and its
/// wrong answers that rounding explains.
pub(super) fn levels(report: &Report) -> Table {
    let labels = Level::ALL.map(|level| format!("{}#", level.label()));
    let last = [FALL_BACK, EXPLAINED_FAILURES].map(|name| format!("{name}#"));
    let names = ["accuracy of passes".to_owned()].into_iter();
    let mut table = Table::new(names.chain(labels).chain(last));
    for backend in &report.backends {
        let levels = backend.levels.iter();
        let counts = levels.map(|(level, count)| Cell::count(count, level_tone(level)));
        let last = [backend.passed_on_fall_back, explained_failures(backend)];
        let last = last.map(|count| Cell::count(count, Tone::Notable));
        table.push([name(backend)].into_iter().chain(counts).chain(last));
    }
    table
}

fn level_tone(level: Level) -> Tone {
    match level {
        Level::Exact | Level::WithinRounding => Tone::Good,
        Level::ToleratedNoBound | Level::Tolerated => Tone::Notable,
        Level::Outside => Tone::Bad,
    }
}

/// One row for each kind of variant: the number that differ from their plain case on each backend.
/// With `form` also what is changed.
pub(super) fn variants(report: &Report, form: bool) -> Table {
    let names = ["variant", "form"].into_iter().take(if form { 2 } else { 1 });
    let names = names.map(str::to_owned);
    let mut table = Table::new(names.chain(backends(report)));
    for kind in &report.variants {
        let kind_cell = Cell::own(kind.kind.key()).toned(Tone::Name);
        let what = form.then(|| Cell::own(variants::what(kind.kind)));
        let first = [kind_cell].into_iter().chain(what);
        let cells = kind.tallies.iter().map(|tally| {
            let tone = if tally.differ > 0 { Tone::Bad } else { Tone::Plain };
            Cell::own(variants::cell(tally)).toned(tone)
        });
        table.push(first.chain(cells));
    }
    table
}

/// The answers of the backends to open questions of the specification; those other than the default are
/// marked.
pub(super) fn readings(report: &Report) -> Table {
    let names = ["question", "default"].map(str::to_owned);
    let backends = report.backends.iter().map(|backend| backend.info.name.clone());
    let mut table = Table::new(names.into_iter().chain(backends));
    for row in readings::rows(report) {
        let first = [Cell::from(row.question).toned(Tone::Name), row.default.into()];
        let cells = row.cells.into_iter().map(|(answers, departs)| {
            Cell::from(answers).toned(if departs { Tone::Strong } else { Tone::Plain })
        });
        table.push(first.into_iter().chain(cells));
    }
    table
}

/// One row for each release, with the passes of each backend.
pub(super) fn releases(report: &Report) -> Table {
    let names = ["release", "cases#", "distinct#", "excluded#"].map(str::to_owned);
    let mut table = Table::new(names.into_iter().chain(backends(report)));
    for release in &report.releases {
        let disputed = release
            .tallies
            .iter()
            .map(|tally| tally.get(VerdictKind::Disputed));
        let numbers = [release.cases, release.distinct, disputed.max().unwrap_or(0)];
        let passes = release.tallies.iter().map(Tally::passed);
        let numbers = numbers
            .into_iter()
            .chain(passes)
            .map(|count| Cell::count(count, Tone::Plain));
        table.push([Cell::from(release.corpus.as_str())].into_iter().chain(numbers));
    }
    table
}

/// The samples per second of each network at each batch size and thread count.
pub(super) fn rates(found: &Throughput) -> Table {
    let [network, batch, threads] = throughput::COLUMNS;
    let names = [network.to_owned(), format!("{batch}#"), format!("{threads}#")];
    let backends = found.backends.iter().map(|name| format!("{name}#"));
    let mut table = Table::new(names.into_iter().chain(backends));
    for row in &found.rows {
        let keys = [
            row.network.as_str().into(),
            Cell::own(row.batch.to_string()),
            Cell::own(row.threads.to_string()),
        ];
        table.push(keys.into_iter().chain(row.cells.iter().map(Cell::own)));
    }
    table
}

/// The decisions whether a backend became slower.
pub(super) fn gates(rows: &[GateRow]) -> Table {
    let mut table = Table::new([
        "model", "threads#", "backend", "against", "change", "pairs#", "verdict",
    ]);
    for row in rows {
        let tone = if row.slower { Tone::Bad } else { Tone::Plain };
        table.push([
            row.model.as_str().into(),
            row.threads.into(),
            row.backend.as_str().into(),
            row.against.as_str().into(),
            Cell::own(&row.change),
            row.pairs.into(),
            Cell::own(&row.verdict).toned(tone),
        ]);
    }
    table
}

/// A figure of each model on each backend.
pub(super) fn figures(panel: &Panel, figure: fn(&Median) -> Cell) -> Table {
    let names = panel.columns.iter().map(|(name, _, _)| format!("{name}#"));
    let mut table = Table::new(["model".to_owned()].into_iter().chain(names));
    for row in &panel.rows {
        let model = [Cell::from(row.model.as_str())].into_iter();
        table.push(model.chain(row.cells.iter().map(figure)));
    }
    table
}

/// The median with its ratio to the fastest.
pub(super) fn median(cell: &Median) -> Cell {
    let shown = Cell::own(cell.words());
    match (cell.fault.is_empty(), cell.fastest) {
        (false, _) => shown.toned(Tone::Bad),
        (true, true) => shown.toned(Tone::Good),
        (true, false) => shown,
    }
}
