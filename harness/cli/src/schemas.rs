//! The JSON Schemas of the files, documents and messages of this program, generated from their types.

use backend_api::protocol::{Header, VERSIONS, WireAnswer, WireRequest};
use harness_conformance::gate::Baseline;
use harness_conformance::provider::{ProviderResults, WrittenProfile};
use harness_corpus::{JSON_VERSION, JsonCase};
use harness_history::{Place, Summary};
use reports::render;
use run_record::trends::{Bad, Change};
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::backends::{choose, show, verify};
use crate::config::Configuration;
use crate::{check, compare, gate, list, mutate, power};

/// A format with its JSON Schema.
#[derive(Debug)]
pub struct Format {
    /// The name of the file of the schema, without `.json`.
    pub name: &'static str,
    /// What has this format.
    title: &'static str,
    /// The version, where no field of the document states it.
    version: Option<u32>,
    schema: fn() -> Schema,
}

impl Format {
    const fn new(name: &'static str, title: &'static str, schema: fn() -> Schema) -> Format {
        Format {
            name,
            title,
            version: None,
            schema,
        }
    }

    const fn version(self, version: u32) -> Format {
        Format {
            version: Some(version),
            ..self
        }
    }

    /// The schema as text: draft 2020-12, with `$id`, `title`, and `version` if the format has one.
    ///
    /// # Errors
    /// None; a schema is always a JSON object with text as keys.
    pub fn text(&self) -> serde_json::Result<String> {
        let mut schema = (self.schema)();
        in_plain_words(&mut schema);
        let version = self.version.map(Value::from).or_else(|| stated(&schema));
        let id = version.iter().fold(
            format!("urn:onnx-conformance:schema:{}", self.name),
            |id, version| format!("{id}:{version}"),
        );
        schema.insert("$id".to_owned(), id.into());
        schema.insert("title".to_owned(), self.title.into());
        if let Some(version) = version {
            schema.insert("version".to_owned(), version);
        }
        Ok(serde_json::to_string_pretty(&schema)? + "\n")
    }
}

/// All formats, in the order of `docs/schemas/README.md`.
pub const FORMATS: &[Format] = &[
    Format::new("summary", "summary.json", written::<render::Summary<'static>>),
    Format::new("run-log", "a line of run.jsonl", written::<run_record::LogLine>).version(run_record::FORMAT),
    Format::new(
        "coverage",
        "coverage.json",
        written::<render::MatrixJson<'static>>,
    ),
    Format::new(
        "populations",
        "populations.json, and `accumulation --format json`",
        written::<run_record::sums::Sums>,
    ),
    Format::new(
        "provider-results",
        "provider-results.json",
        written::<ProviderResults>,
    ),
    Format::new("list", "`conformance --list=json`", written::<list::Document>),
    Format::new(
        "check",
        "`check --format json`",
        written::<check::Document<'static>>,
    ),
    Format::new("gate", "`gate --format json`", written::<gate::Document<'static>>),
    Format::new(
        "diff",
        "diff.json, and `diff --format json`",
        written::<run_record::diff::Diff>,
    ),
    Format::new("history", "`history show --format json`", written::<Shown>),
    Format::new(
        "coverage-of-cases",
        "`coverage --format json`",
        written::<render::CoverageJson<'static>>,
    ),
    Format::new(
        "coverage-gaps",
        "`coverage --gaps --format json`",
        written::<render::GapsJson<'static>>,
    ),
    Format::new(
        "backends",
        "`backends list` and `backends probe` with `--format json`",
        written::<show::Document<'static>>,
    ),
    Format::new(
        "compare",
        "`compare --format json`",
        written::<compare::json::Document>,
    ),
    Format::new(
        "backends-choose",
        "`backends choose --format json`",
        written::<choose::Document<'static>>,
    ),
    Format::new(
        "backends-verify",
        "`backends verify --format json`",
        written::<verify::Verified<'static>>,
    ),
    Format::new("power", "`power --format json`", written::<power::Json<'static>>),
    Format::new(
        "mutate",
        "`mutate --format json`",
        written::<mutate::Document<'static>>,
    ),
    Format::new("configuration", "onnx-conformance.toml", read::<Configuration>),
    Format::new("baseline", "a baseline of `gate`", read::<Baseline>),
    Format::new(
        "tolerances",
        "a file of policies, tolerances.toml",
        read::<harness_compare::policy::File>,
    ),
    Format::new(
        "provider-profile",
        "a profile of an execution provider",
        read::<WrittenProfile>,
    ),
    Format::new("case", "a case as JSON text, NAME.case.json", read::<JsonCase>).version(JSON_VERSION),
    Format::new(
        "protocol-request",
        "the header of a request to a worker",
        written::<Header<WireRequest>>,
    )
    .version(VERSIONS[0]),
    Format::new(
        "protocol-answer",
        "the header of an answer of a worker",
        read::<Header<WireAnswer>>,
    )
    .version(VERSIONS[0]),
];

/// The page that lists the schemas.
pub fn page() -> String {
    let row = |format: &Format| format!("| [{0}]({0}.json) | {1} |\n", format.name, format.title);
    let rows: String = FORMATS.iter().map(row).collect();
    PAGE.to_owned() + &rows
}

/// The page before its rows.
const PAGE: &str = "# JSON Schemas

`cargo xtask generate schemas` writes these files from the types of the program. Each has the
version of its format in `$id`; [stability.md](../stability.md) says which formats stay, and for how
long. A schema allows keys that it does not name, because new ones are no new version. A schema for
a file in TOML describes its values; a date is a text there.

| schema | of |
| --- | --- |
";

/// The forms of `history show --format json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it names the forms")]
enum Shown {
    /// The counts of runs.
    Summaries(Vec<Summary>),
    /// `--case`: the results of a case.
    Timeline(Vec<Place>),
    /// `--changes`: change points.
    Changes(Vec<Change>),
    /// `--first-bad`: the cases that fail in the newest version and passed in an older one.
    FirstBad(Vec<Bad>),
}

/// The schema of what this program writes.
fn written<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema of what this program reads.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The version that a field of the document states.
fn stated(schema: &Schema) -> Option<Value> {
    let fields = ["format", "version"].into_iter();
    let mut stated = fields.filter_map(|field| schema.pointer(&format!("/properties/{field}/const")));
    stated.next().cloned()
}

/// Replaces links of rustdoc in descriptions, and joins their lines.
fn in_plain_words(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = without_links(&text.replace('\n', " "));
    }
    transform_subschemas(&mut in_plain_words, schema);
}

/// "[`Answer::Hello`](path)" and "[`Hello`]" become "`Answer::Hello`" and "`Hello`".
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        let Some((name, after)) = link.split_once("`]") else {
            plain.push_str("[`");
            rest = link;
            continue;
        };
        plain.push_str(&format!("`{name}`"));
        rest = match after.strip_prefix('(').and_then(|path| path.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_rustdoc_become_code() {
        for (text, plain) in [
            (
                "[`Hello`], [`A::b`](path::c) and [x](y)",
                "`Hello`, `A::b` and [x](y)",
            ),
            ("no link, [`open", "no link, [`open"),
        ] {
            assert_eq!(without_links(text), plain);
        }
    }

    #[test]
    fn schemas_have_the_version_of_their_format() {
        for format in FORMATS {
            let schema: Value = serde_json::from_str(&format.text().unwrap()).unwrap();
            let versioned = !matches!(format.name, "history" | "configuration");
            assert_eq!(schema["version"].is_u64(), versioned, "{}", format.name);
            let id = format!("urn:onnx-conformance:schema:{}", format.name);
            let stated = schema["$id"].as_str().unwrap();
            let end = stated.strip_prefix(id.as_str()).unwrap_or(stated);
            let version = schema["version"].as_u64().map(|version| format!(":{version}"));
            assert_eq!(end, version.unwrap_or_default(), "{stated}");
        }
    }
}
