//! One table for every format: columns and typed cells, with a writer for the terminal, Markdown, HTML and
//! CSV.

use std::fmt::Write;
use std::io;

use comfy_table::{Attribute, CellAlignment, Color, presets};
use serde::{Serialize, Serializer};

use super::RenderError;
use super::html::escape::escaped;
use run_record::shown::{self, markdown as escape, one_line};
use run_record::text::thousands;
use run_record::{Look, VerdictKind};

/// A table. Every row has a cell for each column.
#[derive(Debug, Default)]
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Whether its cells are numbers, which stand at the right.
    is_number: bool,
}

/// What a cell says about the backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// The subject of the row.
    Name,
    /// Not the usual one.
    Strong,
    Good,
    Notable,
    Bad,
}

/// A cell: its value, and its tone.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    value: Value,
    tone: Tone,
}

#[derive(Debug, Clone, Default, PartialEq)]
enum Value {
    /// No value.
    #[default]
    Empty,
    /// Text of a file or another program.
    Foreign(String),
    /// Text of this program, which needs no escape.
    Own(String),
    Count(u64),
    Real(f64),
    Flag(bool),
}

impl Cell {
    /// Text of this program.
    pub fn own(text: impl Into<String>) -> Cell {
        Cell {
            value: Value::Own(text.into()),
            tone: Tone::Plain,
        }
    }

    /// A count with this tone unless it is 0.
    pub fn count(count: u64, tone: Tone) -> Cell {
        Cell::from(count).toned(if count == 0 { Tone::Plain } else { tone })
    }

    /// The cell with a tone.
    pub fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }

    /// The text for people.
    fn words(&self) -> String {
        match &self.value {
            Value::Empty => String::new(),
            Value::Foreign(text) | Value::Own(text) => text.clone(),
            Value::Count(count) => thousands(*count),
            Value::Real(value) => value.to_string(),
            Value::Flag(flag) => flag.to_string(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_owned().into()
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell {
            value: Value::Foreign(text),
            tone: Tone::Plain,
        }
    }
}

/// Conversions of numbers and flags.
macro_rules! cells {
    ($($from:ty => |$value:ident| $to:expr),* $(,)?) => {$(
        impl From<$from> for Cell {
            fn from($value: $from) -> Cell {
                Cell { value: $to, tone: Tone::Plain }
            }
        }
    )*};
}

cells! {
    u64 => |count| Value::Count(count),
    u32 => |count| Value::Count(count.into()),
    usize => |count| Value::Count(count as u64),
    f64 => |value| Value::Real(value),
    bool => |flag| Value::Flag(flag),
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or_else(Cell::default, Into::into)
    }
}

/// The value for programs.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Empty => serializer.serialize_none(),
            Value::Foreign(text) | Value::Own(text) => serializer.serialize_str(&shown::cell(text)),
            Value::Count(count) => serializer.serialize_u64(*count),
            Value::Real(value) => serializer.serialize_f64(*value),
            Value::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

/// A column of a table over rows of one type: its name, and the cell of a row.
pub(super) type Field<R> = (&'static str, fn(&R) -> Cell);

impl Table {
    /// A table with these columns; a name that ends with `#` is that of a column of numbers, without the
    /// sign.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Table {
        let column = |name: N| {
            let name: String = name.into();
            match name.strip_suffix('#') {
                Some(number) => Column {
                    name: number.to_owned(),
                    is_number: true,
                },
                None => Column {
                    name,
                    is_number: false,
                },
            }
        };
        Table {
            columns: names.into_iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// The table of these records, with a column for each field.
    pub fn of<R>(fields: &[Field<R>], records: impl IntoIterator<Item = R>) -> Table {
        let mut table = Table::new(fields.iter().map(|(name, _)| *name));
        for record in records {
            table.push(fields.iter().map(|(_, cell)| cell(&record)));
        }
        table
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table for programs and spreadsheets, with its header also without rows. An empty field means
    /// that there is no value; no cell is a formula.
    pub fn csv(&self) -> Result<String, RenderError> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| &column.name))?;
        for row in &self.rows {
            writer.serialize(row)?;
        }
        let bytes = writer
            .into_inner()
            .map_err(|error| csv::Error::from(io::Error::from(error.error().kind())))?;
        Ok(String::from_utf8(bytes).map_err(|error| csv::Error::from(io::Error::other(error)))?)
    }

    /// The table with frames.
    pub fn terminal(&self, look: Look) -> String {
        let mut table = framed(look);
        table.set_header(
            self.columns
                .iter()
                .map(|column| one_line(&column.name).into_owned()),
        );
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| {
                let shown = comfy_table::Cell::new(one_line(&cell.words()));
                match (cell.tone, &cell.value) {
                    (Tone::Name | Tone::Strong, _) => shown.add_attribute(Attribute::Bold),
                    (Tone::Good, _) => shown.fg(Color::Green),
                    (Tone::Notable, _) => shown.fg(Color::Yellow),
                    (Tone::Bad, _) => shown.fg(Color::Red),
                    (Tone::Plain, Value::Count(0)) => shown.add_attribute(Attribute::Dim),
                    (Tone::Plain, _) => shown,
                }
            }));
        }
        for (column, shown) in self.columns.iter().zip(table.column_iter_mut()) {
            if column.is_number {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }

    /// Writes the table as Markdown.
    pub fn markdown(&self, text: &mut String) -> std::fmt::Result {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let names = self.columns.iter().map(|column| escape(&column.name));
        writeln!(text, "{}", line(names.collect()))?;
        let sides = self
            .columns
            .iter()
            .map(|column| if column.is_number { "--:" } else { ":--" });
        writeln!(text, "|{}|", sides.collect::<Vec<_>>().join("|"))?;
        for row in &self.rows {
            let cells = row.iter().map(|cell| {
                let words = match &cell.value {
                    Value::Foreign(text) => escape(text),
                    _ => cell.words(),
                };
                match cell.tone {
                    Tone::Strong => format!("**{words}**"),
                    _ => words,
                }
            });
            writeln!(text, "{}", line(cells.collect()))?;
        }
        Ok(())
    }

    /// The table as HTML, with a name for people who do not see it.
    pub fn html(&self, label: &str) -> String {
        let side = |column: &Column| if column.is_number { " class=\"n\"" } else { "" };
        let head =
            |column: &Column| format!("<th scope=\"col\"{}>{}</th>", side(column), escaped(&column.name));
        let heads: String = self.columns.iter().map(head).collect();
        let cell = |(column, cell): (&Column, &Cell)| {
            let words = escaped(&cell.words());
            match cell.tone {
                Tone::Name => format!("<th scope=\"row\"><b>{words}</b></th>"),
                Tone::Strong => format!("<td{}><b>{words}</b></td>", side(column)),
                Tone::Bad => format!(
                    "<td{}><span class=\"verdict mismatch\">{words}</span></td>",
                    side(column)
                ),
                _ => format!("<td{}>{words}</td>", side(column)),
            }
        };
        let row = |row: &Vec<Cell>| {
            format!(
                "<tr>{}</tr>\n",
                self.columns.iter().zip(row).map(cell).collect::<String>()
            )
        };
        format!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table class=\"levels\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</div>",
            escaped(label),
            self.rows.iter().map(row).collect::<String>()
        )
    }
}

/// The tone of a number of verdicts.
pub(super) fn tone(kind: VerdictKind) -> Tone {
    match kind {
        VerdictKind::Pass => Tone::Good,
        VerdictKind::Unsupported | VerdictKind::NotTaken | VerdictKind::Disputed => Tone::Notable,
        _ => Tone::Bad,
    }
}

/// An empty table of the terminal.
pub(super) fn framed(look: Look) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
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
