//! Adds a rule to the file of tolerances, which users edit as well.

use std::path::Path;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value, value};

use super::{Policies, PolicyError};

#[derive(Clone, Debug, Default)]
pub struct NewRule {
    /// The operator, with or without its since_version.
    pub operator: Option<String>,
    /// The element type, by its ONNX name.
    pub dtype: Option<String>,
    /// The case's id, or a glob pattern.
    pub case: Option<String>,
    /// The output's name.
    pub output: Option<String>,
    /// The allowance, as returned by [`read_allowance`](super::read_allowance).
    pub allow: Option<Value>,
    /// The allowance without a known bound; only together with the allowance `bound`.
    pub unbounded: Option<Value>,
    pub reason: String,
}

/// Adds `rule` to `policy` in the file at `path` and increments the file's version; returns the new
/// version. Everything else, including comments, is unchanged. Nothing is written if the result would be
/// invalid.
pub fn add_rule(path: &Path, policy: &str, rule: NewRule) -> Result<u32, PolicyError> {
    let text = Policies::read(path)?;
    Policies::parse(&text, path)?.get(policy)?;
    let text = with_rule(&text, policy, rule).map_err(|problem| PolicyError::Line {
        path: path.to_owned(),
        line: 1,
        problem,
    })?;
    let version = Policies::parse(&text, path)?.get(policy)?.used.version;
    run_record::replace(path, text.as_bytes())?;
    Ok(version)
}

/// The text of the file with the additional rule and the next version.
pub(super) fn with_rule(text: &str, policy: &str, rule: NewRule) -> Result<String, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| error.to_string())?;
    let version = document
        .get("version")
        .and_then(Item::as_integer)
        .unwrap_or_default();
    let next = document.get_mut("version").and_then(Item::as_value_mut);
    let next = next.ok_or("`version` is missing")?;
    let decor = next.decor().clone();
    *next = (version + 1).into();
    *next.decor_mut() = decor;
    let policy = document
        .get_mut("policies")
        .and_then(|policies| policies.get_mut(policy))
        .and_then(Item::as_table_mut)
        .ok_or("the policy is not a table")?;
    let rules = policy
        .entry("rules")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let rules = rules
        .as_array_of_tables_mut()
        .ok_or("`rules` is not an array of tables")?;
    let mut table = Table::new();
    let texts = [
        ("operator", rule.operator),
        ("dtype", rule.dtype),
        ("case", rule.case),
        ("output", rule.output),
    ];
    for (key, text) in texts {
        text.into_iter().for_each(|text| {
            table.insert(key, value(text));
        });
    }
    for (key, allowed) in [("allow", rule.allow), ("unbounded", rule.unbounded)] {
        allowed.into_iter().for_each(|allowed| {
            table.insert(key, value(allowed));
        });
    }
    table.insert("reason", value(rule.reason));
    rules.push(table);
    Ok(document.to_string())
}
