//! Text in columns, for results on the terminal.

use run_record::shown::one_line;

/// The maximum width of a column in characters. A longer cell is complete, and moves the rest of its row.
const MAX_WIDTH: usize = 200;

/// Formats rows of cells as lines with an indent; each column is as wide as its widest cell. The last
/// column is not padded.
pub(super) fn columns(indent: &str, rows: &[Vec<String>]) -> Vec<String> {
    let shown: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell).into_owned()).collect())
        .collect();
    let count = shown.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = shown.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..count)
        .map(|column| width(column).unwrap_or(0).min(MAX_WIDTH))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let padding = width.saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(padding))
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{indent}{}", line.trim_end())
    };
    shown.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_any_length_is_complete() {
        let rows = |long: usize| {
            let row = |cell: &str| vec![cell.to_owned(), "é".to_owned(), "end".to_owned()];
            columns("> ", &[row("a"), row(&"x".repeat(long))])
        };
        assert_eq!(rows(3), [">\u{20}a    é  end", "> xxx  é  end"]);
        for long in [200, 201, 65_536, 1_000_000] {
            let lines = rows(long);
            assert_eq!(lines[0].chars().count(), 2 + 200 + 2 + 1 + 2 + 3);
            assert_eq!(lines[1].chars().count(), 2 + long + 2 + 1 + 2 + 3);
        }
    }
}
