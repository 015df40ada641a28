//! `check --format sarif`: findings in the Static Analysis Results Interchange Format, version 2.1.0.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::Checked;
use super::found::Found;

/// The document: one run with a result for each finding, and a notification for each file that is not a
/// model.
pub(super) fn sarif(checked: &[Checked]) -> Value {
    let findings = || {
        let models = checked
            .iter()
            .filter_map(|model| Some((&model.path, model.found.as_ref().ok()?)));
        models.flat_map(|(path, found)| found.list.iter().map(move |finding| (path, finding)))
    };
    let rules: BTreeMap<&str, &str> = findings()
        .map(|(_, finding)| (finding.rule, finding.section))
        .collect();
    let places: BTreeMap<&str, usize> = rules
        .keys()
        .enumerate()
        .map(|(place, name)| (*name, place))
        .collect();
    let results: Vec<Value> = findings()
        .map(|(path, finding)| result(path, finding, &places))
        .collect();
    let errors = checked
        .iter()
        .filter_map(|model| Some((&model.path, model.found.as_ref().err()?)));
    let notifications: Vec<Value> = errors
        .map(|(path, error)| json!({ "level": "error", "message": { "text": error.to_string() }, "locations": [file(path)] }))
        .collect();
    let rule = |(name, section): (&&str, &&str)| json!({ "id": name, "shortDescription": { "text": format!("{name} ({section})") } });
    json!({
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "onnx-conformance check",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "results": results,
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
        }],
    })
}

fn result(path: &Path, finding: &Found, places: &BTreeMap<&str, usize>) -> Value {
    let mut location = file(path);
    let node = finding.node.as_ref().map(|node| node.label.as_str());
    let parts: Vec<&str> = [finding.graph.as_str()]
        .into_iter()
        .chain(node)
        .filter(|part| !part.is_empty())
        .collect();
    if let Some(name) = parts.last() {
        location["logicalLocations"] = json!([{ "name": name, "fullyQualifiedName": parts.join("/") }]);
    }
    let text = match finding.operator() {
        operator if operator.is_empty() => finding.message.clone(),
        operator => format!("{operator}: {}", finding.message),
    };
    json!({
        "ruleId": finding.rule,
        "ruleIndex": places.get(finding.rule),
        "level": "error",
        "message": { "text": text },
        "locations": [location],
    })
}

/// A model is a binary file without lines.
fn file(path: &Path) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } })
}

/// A path as the reference of a URI: all bytes except letters, digits and a few marks are
/// percent-encoded.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    let path: String = text.bytes().map(byte).collect();
    if path.starts_with('/') {
        format!("file://{path}")
    } else {
        path
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::uri;

    #[test]
    fn paths_are_percent_encoded() {
        let check = |path: &str, expected: &str| assert_eq!(uri(Path::new(path)), expected);
        check("a/model.onnx", "a/model.onnx");
        check("/a b/m#1?.onnx", "file:///a%20b/m%231%3F.onnx");
        check("ü:x", "%C3%BC%3Ax");
    }
}
