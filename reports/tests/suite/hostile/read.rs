//! Reads each format by a real parser: structure and data.

use pulldown_cmark as cmark;
use quick_xml::events::{BytesStart, Event};

/// The contents of a file.
#[derive(Default)]
pub struct Content {
    /// Elements, columns, keys: they must not depend on names.
    pub structure: Vec<String>,
    /// Texts, cells, values of attributes.
    pub data: Vec<String>,
}

impl Content {
    /// Whether some text holds the name.
    pub fn holds(&self, name: &str) -> bool {
        self.data.iter().any(|text| text.contains(name))
    }
}

/// XML, by a parser that checks that tags match.
pub fn xml(text: &str) -> Content {
    let mut content = Content::default();
    let mut reader = quick_xml::Reader::from_str(text);
    let mut run = String::new();
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) | Event::Empty(tag) => {
                content.data.push(std::mem::take(&mut run));
                element(&tag, &mut content);
            }
            Event::Text(part) => run.push_str(&part.decode().expect("UTF-8")),
            Event::GeneralRef(reference) => run.push_str(&resolve(&reference)),
            Event::CData(part) => run.push_str(&part.decode().expect("UTF-8")),
            Event::Comment(_) | Event::PI(_) => content.structure.push("no element".to_owned()),
            Event::End(_) | Event::Decl(_) | Event::DocType(_) => content.data.push(std::mem::take(&mut run)),
            Event::Eof => return content,
        }
    }
}

fn element(tag: &BytesStart<'_>, content: &mut Content) {
    let mut keys = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.expect("a well-formed attribute");
        keys.push(String::from_utf8_lossy(attribute.key.as_ref()).into_owned());
        content.data.push(
            attribute
                .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                .expect("known entities")
                .into_owned(),
        );
    }
    content.structure.push(format!(
        "{} {keys:?}",
        String::from_utf8_lossy(tag.name().as_ref())
    ));
}

fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> String {
    match reference.resolve_char_ref().expect("a character") {
        Some(character) => character.to_string(),
        None => {
            let name = reference.decode().expect("UTF-8");
            quick_xml::escape::resolve_xml_entity(&name)
                .expect("a known entity")
                .to_owned()
        }
    }
}

/// Markdown with tables, by a parser of CommonMark and GitHub's extensions.
pub fn markdown(text: &str) -> Content {
    let mut content = Content::default();
    let mut run = String::new();
    for event in cmark::Parser::new_ext(
        text,
        cmark::Options::all() - cmark::Options::ENABLE_SMART_PUNCTUATION,
    ) {
        match event {
            cmark::Event::Text(text) => run.push_str(&text),
            cmark::Event::Start(tag) => {
                content.data.push(std::mem::take(&mut run));
                content.structure.push(format!("{tag:?}"));
            }
            cmark::Event::End(tag) => {
                content.data.push(std::mem::take(&mut run));
                content.structure.push(format!("{tag:?}"));
            }
            other => content.structure.push(format!("{other:?}")),
        }
    }
    content
}

/// JSON: keys that are not names are structure.
pub fn json(text: &str) -> Content {
    let mut content = Content::default();
    values(&serde_json::from_str(text).expect("valid JSON"), &mut content);
    // Fields are sorted by name.
    content.structure.sort();
    content
}

fn values(value: &serde_json::Value, content: &mut Content) {
    match value {
        serde_json::Value::Object(fields) => {
            content.structure.push(format!("object of {}", fields.len()));
            for (key, value) in fields {
                content.data.push(key.clone());
                values(value, content);
            }
        }
        serde_json::Value::Array(items) => {
            content.structure.push(format!("list of {}", items.len()));
            items.iter().for_each(|item| values(item, content));
        }
        serde_json::Value::String(text) => content.data.push(text.clone()),
        other => content.structure.push(other.to_string()),
    }
}

/// A table: records of one length, in which no cell is a formula.
pub fn csv(text: &str) -> Content {
    let mut content = Content::default();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    content
        .structure
        .extend(reader.headers().expect("a header").iter().map(str::to_owned));
    for record in reader.records() {
        let record = record.expect("as many cells as the header has");
        content.structure.push(format!("record of {}", record.len()));
        for cell in &record {
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!formula || cell.parse::<f64>().is_ok(), "{cell:?} is a formula");
            content.data.push(cell.to_owned());
        }
    }
    content
}

/// Workflow commands of GitHub, `::level key=value,key=value::message`, one per line.
pub fn workflow_commands(text: &str) -> Content {
    let mut content = Content::default();
    for line in text.lines() {
        let rest = line.strip_prefix("::").expect("a command");
        let (command, message) = rest.split_once("::").expect("the end of the command");
        let (level, properties) = command.split_once(' ').expect("properties");
        let mut keys = Vec::new();
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').expect("a key and a value");
            keys.push(key.to_owned());
            content.data.push(value.to_owned());
        }
        content.structure.push(format!("{level} {keys:?}"));
        content.data.push(message.to_owned());
    }
    content
}

/// Lines for a terminal.
pub fn terminal(text: &str) -> Content {
    Content {
        structure: vec![format!("{} lines", text.lines().count())],
        data: vec![text.to_owned()],
    }
}

/// The text without colour sequences of our own tables (`ESC [ … m`).
pub fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once('m') {
            Some((codes, rest)) if codes.chars().all(|c| c.is_ascii_digit() || c == ';') => {
                plain.push_str(rest)
            }
            _ => {
                plain.push('\u{1b}');
                plain.push_str(part);
            }
        }
    }
    plain
}
