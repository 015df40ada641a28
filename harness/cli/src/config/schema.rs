//! The JSON Schema of `onnx-conformance.toml`, from the definitions of the commands.

use std::borrow::Cow;

use clap::{Arg, ArgAction, Command, Subcommand};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// The configuration file.
pub(crate) enum Configuration {}

impl JsonSchema for Configuration {
    fn schema_name() -> Cow<'static, str> {
        "Configuration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let root = crate::Command::augment_subcommands(Command::new("onnx-conformance"));
        let commands = root.get_subcommands();
        let tables = commands.map(|command| (command.get_name().to_owned(), table(command)));
        let mut tables: Map<String, Value> = tables.collect();
        // The command of this name has no table.
        tables.insert(
            "backends".to_owned(),
            json!({
                "description": "Backends of your own: the text for `--backend`, by name.",
                "type": "object",
                "additionalProperties": { "type": "string" },
            }),
        );
        json_schema!({
            "description": "Named backends, and default values of options in a table for each command. \
                            The file is TOML; `{dir}` in a string is its folder.",
            "type": "object",
            "additionalProperties": false,
            "properties": tables,
        })
    }
}

/// The table of a command.
fn table(command: &Command) -> Value {
    let option = |arg: &Arg| Some((arg.get_long()?.to_owned(), option(arg)));
    let options: Map<String, Value> = command.get_arguments().filter_map(option).collect();
    json!({
        "description": command.get_about().map(ToString::to_string),
        "type": "object",
        "additionalProperties": false,
        "properties": options,
    })
}

/// The values of an option: one, or a list.
fn option(arg: &Arg) -> Value {
    let help = arg.get_help().map(ToString::to_string);
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return json!({ "description": help, "type": "boolean" });
    }
    let named: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    let one = match named.as_slice() {
        [] => json!({ "type": ["string", "number", "boolean"] }),
        names => json!({ "enum": names }),
    };
    json!({ "description": help, "anyOf": [one, { "type": "array", "items": one }] })
}
