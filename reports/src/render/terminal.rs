//! The tables at the end of a run.

use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};

use super::caveats::caveats;
use super::columns::columns;
use super::errata::errata_line;
use super::latencies::{self, Panel, latencies};
use super::levels::{EXPLAINED_FAILURES, FALL_BACK, explained_failures};
use super::models::models;
use super::news::news_text;
use super::throughput::{self, Throughput};
use super::{RenderError, findings, variants};
use run_record::shown::one_line;
use run_record::text::{seconds, thousands};
use run_record::{BackendReport, Look, Report, Tally};
use run_record::{DataFinding, Level, VerdictKind};

/// One row for each backend, one column for each verdict; then the excluded cases, and the accuracy of
/// the answers.
pub fn terminal(report: &Report, look: Look) -> String {
    let levels = report.levelled().then(|| levels(report, look));
    let variants = variants::any(report).then(|| variant_table(report, look));
    let news = Some(news_text(report, false)).filter(|text| !text.is_empty());
    let parts = [
        news,
        Some(verdicts(report, look)),
        errata_line(report),
        levels,
        variants,
        data_findings(report),
    ];
    let caveats = caveats(report)
        .into_iter()
        .map(|caveat| format!("warning: {}", one_line(&caveat)));
    parts
        .into_iter()
        .flatten()
        .chain(caveats)
        .collect::<Vec<_>>()
        .join("\n")
}

/// One row for each kind of variant: the number that differ from their plain case on each backend.
fn variant_table(report: &Report, look: Look) -> String {
    let mut table = empty(look);
    let backends = report
        .backends
        .iter()
        .map(|backend| one_line(&backend.info.name).into_owned());
    table.set_header(["variants".to_owned()].into_iter().chain(backends));
    for kind in &report.variants {
        let mut row = vec![Cell::new(kind.kind.key())];
        row.extend(kind.tallies.iter().map(|tally| {
            let cell = Cell::new(variants::cell(tally));
            if tally.differ > 0 {
                cell.fg(Color::Red)
            } else {
                cell
            }
        }));
        table.add_row(row);
    }
    align(&mut table, 1);
    table.trim_fmt()
}

/// The data sets with whose stored outputs the reference disagrees; `None` if there are none.
fn data_findings(report: &Report) -> Option<String> {
    let (listed, more) = findings::listed(report)?;
    let mut lines = vec![format!("{}:", findings::title(report))];
    let line = |finding: &DataFinding| {
        one_line(&format!("  {}: {}", finding.case, findings::words(finding))).into_owned()
    };
    lines.extend(listed.iter().map(line));
    if more > 0 {
        lines.push(format!("  and {} more, in results.csv", thousands(more as u64)));
    }
    Some(lines.join("\n"))
}

/// A row for each backend: its passes by level, its passes on a fall-back (also included there), and its
/// wrong answers that rounding explains.
fn levels(report: &Report, look: Look) -> String {
    let mut table = empty(look);
    let labels = Level::ALL.map(Level::label);
    table.set_header(
        ["accuracy of passes"]
            .into_iter()
            .chain(labels)
            .chain([FALL_BACK, EXPLAINED_FAILURES]),
    );
    for backend in &report.backends {
        let mut row = vec![Cell::new(one_line(&backend.info.name)).add_attribute(Attribute::Bold)];
        row.extend(
            backend
                .levels
                .iter()
                .map(|(level, cases)| count(cases, level_colour(level))),
        );
        row.push(count(backend.passed_on_fall_back, Color::Yellow));
        row.push(count(explained_failures(backend), Color::Yellow));
        table.add_row(row);
    }
    align(&mut table, 1);
    let policy = &report.started.policy;
    let said = format!(
        "judged by policy {}, version {}",
        one_line(&policy.name),
        policy.version
    );
    format!("{}\n{said}", table.trim_fmt())
}

fn level_colour(level: Level) -> Color {
    match level {
        Level::Exact | Level::WithinRounding => Color::Green,
        Level::ToleratedNoBound | Level::Tolerated => Color::Yellow,
        Level::Outside => Color::Red,
    }
}

/// Right-aligns the columns from `first` on.
fn align(table: &mut Table, first: usize) {
    for column in table.column_iter_mut().skip(first) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn verdicts(report: &Report, look: Look) -> String {
    let mut table = empty(look);
    let columns = columns(report);
    table.set_header(
        ["backend", "version", "cases"]
            .into_iter()
            .chain(columns.iter().map(|kind| kind.label()))
            .chain(["time"]),
    );
    table.add_rows(report.backends.iter().map(|backend| row(backend, &columns)));
    align(&mut table, 2);
    table.trim_fmt()
}

/// One row for each release, with the passes of each backend; empty if there is only one.
pub fn release_table(report: &Report, look: Look) -> String {
    if report.releases.len() < 2 {
        return String::new();
    }
    let mut table = empty(look);
    let backends = report
        .backends
        .iter()
        .map(|backend| one_line(&backend.info.name).into_owned());
    let fixed = ["release", "cases", "distinct", "excluded"].map(String::from);
    table.set_header(fixed.into_iter().chain(backends));
    for release in &report.releases {
        let disputed = release
            .tallies
            .iter()
            .map(|tally| tally.get(VerdictKind::Disputed))
            .max();
        let numbers = [release.cases, release.distinct, disputed.unwrap_or(0)];
        let passes = release.tallies.iter().map(Tally::passed);
        let numbers = numbers
            .into_iter()
            .chain(passes)
            .map(|number| Cell::new(thousands(number)));
        table.add_row(std::iter::once(Cell::new(one_line(&release.corpus))).chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// One row for each output of a complete model: its significant digits, and the distance of each backend
/// from the reference in multiples of its noise; empty if noise was not measured.
pub fn model_table(report: &Report, look: Look) -> String {
    let models = models(report);
    if models.is_empty() {
        return String::new();
    }
    let mut table = empty(look);
    let backends: Vec<&str> = report
        .backends
        .iter()
        .map(|backend| &*backend.info.name)
        .collect();
    let fixed = ["model", "output, data set", "digits"].map(String::from);
    table.set_header(
        fixed
            .into_iter()
            .chain(backends.iter().map(|name| one_line(name).into_owned())),
    );
    for model in &models {
        for output in &model.outputs {
            let mut row = vec![
                Cell::new(one_line(model.case)),
                Cell::new(format!("{} {}", one_line(output.name), output.data_set)),
                Cell::new(format!("{:.1}", output.floor.digits)),
            ];
            row.extend(backends.iter().map(|name| {
                match output.backends.iter().find(|answer| answer.backend == *name) {
                    Some(answer) if answer.deviation.beyond > 0 => {
                        Cell::new(answer.words()).fg(Color::Yellow)
                    }
                    Some(answer) => Cell::new(answer.words()),
                    None => Cell::new(""),
                }
            }));
            table.add_row(row);
        }
    }
    align(&mut table, 2);
    let said = "multiples of the model's own noise; !: some elements are beyond it";
    format!("{}\n{said}", table.trim_fmt())
}

/// For each kind of weights and thread count a table: a row for each model, with each backend's
/// median and its ratio to the fastest.
///
/// # Errors
/// None that depends on the contents of the report.
pub fn latency_table(report: &Report, look: Look) -> Result<String, RenderError> {
    let latencies = latencies(report)?;
    let tables = latencies.panels.iter().map(|panel| {
        let Panel { title, note, .. } = panel;
        format!(
            "{title} ({note})\n{}\nto load, the first run, and the most memory\n{}",
            figures(panel, look, median),
            figures(panel, look, |cell| Cell::new(&cell.cost))
        )
    });
    let mut parts: Vec<String> = tables.collect();
    if let Some(found) = &latencies.throughput {
        parts.push(rates(found, look));
    }
    if !latencies.gates.is_empty() {
        parts.push(gates(&latencies.gates, look));
    }
    if !latencies.machine.is_empty() {
        parts.push(format!("machine: {}", one_line(&latencies.machine)));
    }
    Ok(parts.join("\n\n"))
}

/// The samples per second of each network at each batch size and thread count.
fn rates(found: &Throughput, look: Look) -> String {
    let mut table = empty(look);
    let names = throughput::COLUMNS.map(str::to_owned).into_iter();
    table.set_header(names.chain(found.backends.iter().map(|name| one_line(name).into_owned())));
    for row in &found.rows {
        let keys = [
            one_line(&row.network).into_owned(),
            row.batch.to_string(),
            row.threads.to_string(),
        ];
        table.add_row(keys.iter().chain(&row.cells));
    }
    align(&mut table, 1);
    format!("{}\n{}", throughput::ABOUT, table.trim_fmt())
}

/// The decisions whether a backend became slower.
fn gates(rows: &[latencies::GateRow], look: Look) -> String {
    let mut table = empty(look);
    table.set_header([
        "model", "threads", "backend", "against", "change", "pairs", "verdict",
    ]);
    for row in rows {
        let verdict = Cell::new(&row.verdict);
        table.add_row([
            Cell::new(one_line(&row.model)),
            Cell::new(row.threads),
            Cell::new(one_line(&row.backend)),
            Cell::new(one_line(&row.against)),
            Cell::new(&row.change),
            Cell::new(row.pairs),
            if row.slower {
                verdict.fg(Color::Red)
            } else {
                verdict
            },
        ]);
    }
    table.trim_fmt()
}

fn figures(panel: &Panel, look: Look, figure: fn(&latencies::Cell) -> Cell) -> String {
    let mut table = empty(look);
    let backends = panel.columns.iter().map(|(name, _, _)| one_line(name));
    table.set_header(std::iter::once("model".into()).chain(backends));
    for row in &panel.rows {
        let model = std::iter::once(Cell::new(one_line(&row.model)));
        table.add_row(model.chain(row.cells.iter().map(figure)));
    }
    align(&mut table, 1);
    table.trim_fmt()
}

fn median(cell: &latencies::Cell) -> Cell {
    let shown = Cell::new(cell.words());
    match (cell.fault.is_empty(), cell.fastest) {
        (false, _) => shown.fg(Color::Red),
        (true, true) => shown.fg(Color::Green),
        (true, false) => shown,
    }
}

pub(super) fn empty(look: Look) -> Table {
    let mut table = Table::new();
    table.load_style(if look == Look::Plain {
        presets::ASCII_FULL_CONDENSED
    } else {
        presets::UTF8_FULL_CONDENSED
    });
    if look == Look::Colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn row(backend: &BackendReport, columns: &[VerdictKind]) -> Vec<Cell> {
    let tally = &backend.tally;
    let mut row = vec![
        Cell::new(one_line(&backend.info.name)).add_attribute(Attribute::Bold),
        Cell::new(one_line(&backend.info.version)),
        Cell::new(thousands(tally.total())),
    ];
    row.extend(columns.iter().map(|&kind| count(tally.get(kind), colour(kind))));
    row.push(Cell::new(seconds(backend.wall_s)));
    row
}

fn count(count: u64, colour: Color) -> Cell {
    let cell = Cell::new(thousands(count));
    if count == 0 {
        cell.add_attribute(Attribute::Dim)
    } else {
        cell.fg(colour)
    }
}

fn colour(kind: VerdictKind) -> Color {
    match kind {
        VerdictKind::Pass => Color::Green,
        VerdictKind::Unsupported | VerdictKind::NotTaken | VerdictKind::Disputed => Color::Yellow,
        _ => Color::Red,
    }
}
