//! The values of attributes that the specification enumerates, from `attribute_values.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use onnx_schema::OperatorSchema;
use serde::Deserialize;

const TEXT: &str = include_str!("attribute_values.toml");

/// The entry for every operator without one of its own.
const ANY: &str = "any";

/// Maps operator to attribute to values. The file is built in, and a test parses it, so that the default
/// hides no error.
static TABLE: LazyLock<Table> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

type Table = BTreeMap<String, BTreeMap<String, Entry>>;

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Always(Vec<Scalar>),
    /// By since-version, from which on the values are valid.
    Since(BTreeMap<String, Vec<Scalar>>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Int(i64),
    Text(String),
}

/// The values that an attribute of this version may have, as text and in the order of the file; empty if
/// the specification does not enumerate them.
pub fn enumerated(schema: &OperatorSchema, attribute: &str) -> Vec<String> {
    let entry = [schema.name, ANY]
        .iter()
        .find_map(|table| TABLE.get(*table)?.get(attribute));
    let values = match entry {
        None => return Vec::new(),
        Some(Entry::Always(values)) => Some(values),
        Some(Entry::Since(versions)) => {
            let versions = versions
                .iter()
                .filter_map(|(since, values)| Some((since.parse::<u32>().ok()?, values)));
            let reached = versions.filter(|(since, _)| *since <= schema.since);
            reached.max_by_key(|(since, _)| *since).map(|(_, values)| values)
        }
    };
    let text = |value: &Scalar| match value {
        Scalar::Int(value) => value.to_string(),
        Scalar::Text(text) => text.clone(),
    };
    values.into_iter().flatten().map(text).collect()
}

#[cfg(test)]
mod tests {
    use onnx_schema::AttributeKind::{Int, Ints, String as Text, Strings};
    use onnx_schema::DefaultValue;

    use super::*;

    fn entries() -> Table {
        toml::from_str(TEXT).expect("the file is read")
    }

    #[test]
    fn every_entry_names_a_declared_attribute() {
        for (operator, attributes) in entries() {
            for (attribute, entry) in attributes {
                let with = onnx_schema::all().filter(|schema| operator == ANY || schema.name == operator);
                let with: Vec<_> = with
                    .filter(|schema| schema.attribute(&attribute).is_some())
                    .collect();
                assert!(!with.is_empty(), "{operator}.{attribute} is not declared");
                let Entry::Since(versions) = entry else { continue };
                for since in versions.keys() {
                    let known = with.iter().any(|schema| schema.since.to_string() == *since);
                    assert!(known, "{operator}.{attribute}: no version {since} has it");
                }
            }
        }
    }

    #[test]
    fn values_are_sorted_have_the_declared_kind_and_include_the_default() {
        for schema in onnx_schema::all() {
            for attribute in schema.attributes {
                let values = enumerated(schema, attribute.name);
                let place = format!("{schema}.{}", attribute.name);
                if values.is_empty() {
                    continue;
                }
                assert!(
                    matches!(attribute.kind, Int | Ints | Text | Strings),
                    "{place}: {:?}",
                    attribute.kind
                );
                if matches!(attribute.kind, Int | Ints) {
                    let numbers: Vec<i64> = values.iter().map(|value| value.parse().expect(&place)).collect();
                    assert!(numbers.is_sorted_by(|a, b| a < b), "{place}: {values:?}");
                } else {
                    assert!(values.is_sorted_by(|a, b| a < b), "{place}: {values:?}");
                }
                let default = match attribute.default {
                    Some(DefaultValue::Int(value)) => vec![value.to_string()],
                    Some(DefaultValue::String(text)) => vec![text.to_owned()],
                    Some(DefaultValue::Strings(texts)) => {
                        texts.iter().map(|text| (*text).to_owned()).collect()
                    }
                    _ => Vec::new(),
                };
                for value in default {
                    assert!(
                        values.contains(&value),
                        "{place}: the default `{value}` is not among {values:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_file_is_sorted() {
        let tables = TEXT
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
        let tables: Vec<_> = tables.filter(|table| *table != ANY).collect();
        assert!(tables.is_sorted(), "{tables:?}");
    }

    #[test]
    fn a_set_is_that_of_the_newest_entry_not_above_the_version() {
        let check = |operator: &str, attribute: &str, opset: u32, expected: &[&str]| {
            let schema = onnx_schema::lookup("", operator, opset).expect("a version");
            assert_eq!(enumerated(schema, attribute), expected, "{schema}.{attribute}");
        };
        check("Pad", "mode", 13, &["constant", "edge", "reflect"]);
        check("Pad", "mode", 21, &["constant", "edge", "reflect", "wrap"]);
        check("BitShift", "direction", 11, &["LEFT", "RIGHT"]);
        check("LSTM", "direction", 7, &["bidirectional", "forward", "reverse"]);
        check("Resize", "cubic_coeff_a", 13, &[]);
    }
}
