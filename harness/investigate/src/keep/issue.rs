//! Writes the report of a fault as Markdown, for the maintainers of the backend.

use onnx_model::Model;
use onnx_tensor::Value;

use super::Provenance;
use crate::inputs::shown;
use crate::subject::StoredSet;
use crate::text::{elements, text};

/// The text of the issue.
pub(super) fn markdown(provenance: &Provenance, model: &Model, set: &StoredSet, id: &str) -> String {
    let Provenance {
        backend,
        version,
        verdict,
        detail,
        reason,
        operators,
        nodes,
        ..
    } = provenance;
    let detail = if detail.is_empty() {
        String::new()
    } else {
        format!(" ({detail})")
    };
    let values = |values: &[backend_api::Named]| {
        let line = |(name, value): &backend_api::Named| match value {
            Value::Tensor(tensor) => format!(
                "- `{name}`: {} = {}",
                shown(&value.value_type()),
                elements(tensor)
            ),
            other => format!("- `{name}`: {}", shown(&other.value_type())),
        };
        values.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    format!(
        "# {operators}: {verdict}{detail} on {version}\n\n\
         {reason}\n\n\
         - backend: `{backend}`, {version}\n\
         - model: {after} of {before} nodes of `{original}` (SHA-256 `{sha256}`)\n\
         - expected values: {expected}\n\
         - found by onnx-conformance {harness}\n\n\
         ## Model\n\n```\n{text}```\n\n\
         ## Inputs\n\n{inputs}\n\n\
         ## Expected outputs\n\n{outputs}\n\n\
         ## Reproduce\n\n```sh\nonnx-conformance conformance --cases cases --filter '{id}' --policy bound --backend '{backend}'\n```\n",
        operators = operators.join(", "),
        after = nodes.1,
        before = nodes.0,
        original = provenance.model,
        sha256 = provenance.sha256,
        expected = provenance.expected,
        harness = provenance.harness,
        text = text(model),
        inputs = values(&set.inputs),
        outputs = values(&set.outputs),
    )
}
