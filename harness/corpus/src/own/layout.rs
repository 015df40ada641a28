//! Converts own cases to files of the official layout, so that they are processed like all other cases.

use std::collections::BTreeMap;

use onnx_model::encode_value;
use serde_json::json;

use super::OwnCase;

/// The files by path: `<operator>/<case>/model.onnx` and so on.
pub(super) fn files(cases: &[OwnCase]) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for case in cases {
        let folder = format!("{}/{}", case.id.suite(), case.id.name());
        let mut put = |name: String, bytes| files.insert(format!("{folder}/{name}"), bytes);
        put("model.onnx".to_owned(), case.model.encode());
        let tolerance = json!({ "rtol": case.rtol, "atol": case.atol });
        put("data.json".to_owned(), tolerance.to_string().into_bytes());
        for (prefix, values) in [("input", &case.inputs), ("output", &case.outputs)] {
            for (index, (name, value)) in values.iter().enumerate() {
                let file = format!("test_data_set_0/{prefix}_{index}.pb");
                put(file, encode_value(value, name));
            }
        }
    }
    files
}
