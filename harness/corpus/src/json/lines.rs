//! The lines of the text: one for each field and for each value.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Serializes with a line for each field of the outermost object and for each entry of its lists.
pub(super) fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Lines::default()))?;
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[derive(Default)]
struct Lines {
    /// Whether each open object or list has an entry, outermost first.
    has_entry: Vec<bool>,
}

impl Lines {
    /// The depth up to which each entry has its own line.
    const DEEPEST: usize = 2;

    fn open(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.has_entry.push(false);
        writer.write_all(bracket)
    }

    fn close(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        if self.has_entry.pop() == Some(true) && self.has_entry.len() < Self::DEEPEST {
            self.new_line(writer)?;
        }
        writer.write_all(bracket)
    }

    fn entry(&mut self, writer: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        if let Some(has_entry) = self.has_entry.last_mut() {
            *has_entry = true;
        }
        match (is_first, self.has_entry.len() <= Self::DEEPEST) {
            (true, true) => self.new_line(writer),
            (true, false) => Ok(()),
            (false, true) => writer.write_all(b",").and_then(|()| self.new_line(writer)),
            (false, false) => writer.write_all(b", "),
        }
    }

    fn new_line(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        write!(writer, "\n{:1$}", "", 2 * self.has_entry.len())
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.entry(writer, first)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.entry(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_string;

    #[test]
    fn fields_and_values_have_lines() {
        let value = json!({ "a": [{ "x": [1, 2], "y": {} }, 3], "b": { "c": 1 }, "d": [] });
        let text = "{\n  \"a\": [\n    {\"x\": [1, 2], \"y\": {}},\n    3\n  ],\n  \"b\": {\n    \"c\": 1\n  },\n  \
                    \"d\": []\n}\n";
        assert_eq!(to_string(&value).unwrap(), text);
    }
}
