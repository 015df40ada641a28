//! The JSON Schema of a baseline. [`Baseline`] reads the file with its comments, so that no type has its
//! form.

use std::borrow::Cow;

use run_record::VerdictKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::entry::{FIELDS, is_expected};
use super::{Baseline, FORMAT};

impl JsonSchema for Baseline {
    fn schema_name() -> Cow<'static, str> {
        "Baseline".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let verdicts = VerdictKind::ALL.into_iter().filter(|&kind| is_expected(kind));
        let verdicts: Vec<&str> = verdicts.map(VerdictKind::key).collect();
        let entry = |left_out: &str, required: &[&str]| {
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": required,
                "properties": fields(&verdicts, left_out),
            })
        };
        json_schema!({
            "description": "The cases that are expected to fail on a backend. The file is TOML.",
            "type": "object",
            "required": ["format", "backend", "cases"],
            "properties": {
                "format": { "const": FORMAT, "description": "The version of the format." },
                "backend": { "type": "string", "description": "The name of the backend in reports." },
                "policy": {
                    "type": "string",
                    "description": "The policy by which the lines were observed; `official` by default.",
                },
                "tolerances": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "The version of the file of the policy.",
                },
                "cases": {
                    "description": "By case, `own/Softmax/large`, or by a range of releases, \
                                    `onnx-1.2.1..1.22.0/node/test_add`. Any other case is expected to pass.",
                    "type": "object",
                    "additionalProperties": entry("", &["verdict", "reason"]),
                },
                "quarantine": {
                    "description": "Cases that are run and reported, but never close the gate.",
                    "type": "object",
                    "additionalProperties": entry("verdict", &["reason", "owner", "expires"]),
                },
            },
        })
    }
}

/// The schemas of the fields of an entry, without one of them.
fn fields(verdicts: &[&str], left_out: &str) -> Map<String, Value> {
    let schema = |field: &str| match field {
        "verdict" => json!({ "enum": verdicts, "description": "The expected verdict." }),
        "expires" => json!({
            "type": "string",
            "format": "date",
            "description": "The last day on which the line is valid: a date of TOML.",
        }),
        "owner" => json!({ "type": "string", "description": "The responsible person." }),
        "version" => json!({
            "type": "string",
            "description": "The only version of the backend for which the line is valid.",
        }),
        _ => json!({ "type": "string" }),
    };
    let kept = FIELDS.into_iter().filter(|&field| field != left_out);
    kept.map(|field| (field.to_owned(), schema(field))).collect()
}
