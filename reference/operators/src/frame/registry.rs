//! Maps domain, name and version of an operator to the function that evaluates it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{OpDef, Version};

static INDEX: LazyLock<HashMap<(&'static str, &'static str), &'static OpDef>> =
    LazyLock::new(|| crate::all().map(|def| ((def.domain, def.name), def)).collect());

/// The operator of this name; `""` is `ai.onnx`.
pub fn operator(domain: &str, name: &str) -> Option<&'static OpDef> {
    INDEX.get(&(onnx_schema::canonical_domain(domain), name)).copied()
}

/// The row of an operator for exactly this version of its schema.
pub fn version(domain: &str, name: &str, since: u32) -> Option<&'static Version> {
    operator(domain, name)?
        .versions
        .iter()
        .find(|version| version.since == since)
}
