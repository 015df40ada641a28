//! The table at the end of a run.

use std::env;
use std::io::IsTerminal;

use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};

use crate::record::VerdictKind;
use crate::text::{printable, seconds, thousands};
use crate::{BackendReport, Report};

/// How much a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// ASCII without colour: for files, pipes and CI logs.
    Plain,
    /// Lines, without colour: for a terminal whose user set `NO_COLOR`.
    Lines,
    /// Lines and colour.
    Colour,
}

impl Look {
    /// What `stream` can show, and the user wants (`NO_COLOR`, unless empty, forbids colour).
    pub fn of(stream: &impl IsTerminal) -> Self {
        match (
            stream.is_terminal(),
            env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        ) {
            (false, _) => Self::Plain,
            (true, true) => Self::Lines,
            (true, false) => Self::Colour,
        }
    }
}

const COUNTED: [VerdictKind; 6] = [
    VerdictKind::Pass,
    VerdictKind::Mismatch,
    VerdictKind::Unsupported,
    VerdictKind::Error,
    VerdictKind::Crash,
    VerdictKind::Timeout,
];

/// One row for each backend. All verdicts without a column of their own are under `other`.
pub fn terminal(report: &Report, look: Look) -> String {
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
    let counted = COUNTED.map(VerdictKind::label);
    table.set_header(
        ["backend", "version", "cases"]
            .into_iter()
            .chain(counted)
            .chain(["other", "wall"]),
    );
    table.add_rows(report.backends.iter().map(row));
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn row(backend: &BackendReport) -> Vec<Cell> {
    let tally = &backend.tally;
    let mut row = vec![
        Cell::new(printable(&backend.info.name)).add_attribute(Attribute::Bold),
        Cell::new(printable(&backend.info.version)),
        Cell::new(thousands(tally.total())),
    ];
    row.extend(COUNTED.map(|kind| count(tally.get(kind), colour(kind))));
    row.push(count(tally.sum(|kind| !COUNTED.contains(&kind)), Color::Yellow));
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
        VerdictKind::Unsupported => Color::Yellow,
        _ => Color::Red,
    }
}
