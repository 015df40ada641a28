//! Text in columns, for results on the terminal.

use reports::shown::one_line;

/// Formats rows of cells as lines with an indent; each column is as wide as its widest cell. The last
/// column is not padded.
pub(super) fn columns(indent: &str, rows: &[Vec<String>]) -> Vec<String> {
    let shown: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell).into_owned()).collect())
        .collect();
    let count = shown.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        shown
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{indent}{}", line.trim_end())
    };
    shown.iter().map(line).collect()
}
