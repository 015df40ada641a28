//! Checks that no crate depends on a layer above its own.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::run;

/// The crates from the lowest to the highest; each may depend only on those before it (ARCHITECTURE.md,
/// "Layers").
const LAYERS: [&str; 38] = [
    "onnx-tensor",
    "onnx-model",
    "onnx-schema",
    "onnx-checker",
    "onnx-shapes",
    "onnx-generator",
    "onnx-rejections",
    "onnx-randomness",
    "onnx-exact",
    "onnx-operators",
    "onnx-bounds",
    "onnx-interpreter",
    "onnx-upgrade",
    "native-kernels",
    "backend-api",
    "backend-native",
    "backend-reference",
    "backend-ort",
    "backend-rten",
    "backend-tract",
    "reports",
    "harness-console",
    "harness-corpus",
    "harness-worker",
    "harness-compare",
    "harness-conformance",
    "harness-mutate",
    "harness-exhaustive",
    "harness-populations",
    "harness-investigate",
    "harness-bench",
    "harness-statement",
    "harness-history",
    "harness-profile",
    "harness-cli",
    "onnx-tests",
    "onnx-fuzz",
    "xtask",
];

/// One line for each crate that is not listed, and for each dependency on a layer above.
pub fn faults(root: &Path) -> Result<Vec<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = run(Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root))?;
    let metadata: Value =
        serde_json::from_str(&output).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let text = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let rank = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut faults = Vec::new();
    for package in list(&metadata, "packages") {
        let name = text(&package, "name");
        let Some(own) = rank(&name) else {
            faults.push(format!(
                "{name}: the crate is not in the list of layers (xtask/src/repo/layers.rs)"
            ));
            continue;
        };
        for dependency in list(&package, "dependencies") {
            let used = text(&dependency, "name");
            if text(&dependency, "kind") != "dev" && rank(&used).is_some_and(|used| used >= own) {
                faults.push(format!("{name} depends on {used}, which is a layer above it"));
            }
        }
    }
    Ok(faults)
}
