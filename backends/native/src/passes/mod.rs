//! Rewrites of a graph: one file each.
//!
//! A pass takes a graph and leaves one that computes the same. They run in the order of [`run`]; `dump` writes the graph
//! after each, with what the pass did.

mod attention;
mod bodies;
mod common;
mod constants;
mod convolution;
mod dead;
mod dump;
mod epilogue;
#[cfg(test)]
mod fixture;
mod gelu;
mod hoist;
mod identity;
mod infer;
mod interleave;
mod layer_norm;
mod layout;
mod pattern;
mod product;
mod qdq;
mod rewrites;
mod scales;
mod shape_values;
mod shapes;
mod shuffle;
mod transpose;

use crate::error::NodeError;
use crate::ir::Graph;
use crate::kernels::Device;

pub use dump::Dump;
#[cfg(test)]
pub use fixture::{Fixture, node};
pub use infer::node as infer_node;
pub use rewrites::Rewrites;

/// What a pass did, one line each; empty if nothing.
pub type Report = Vec<String>;

/// A rewrite.
type Pass = fn(&mut Graph) -> Result<Report, NodeError>;

/// The passes before the shapes of the inputs are settled, in their order, each named as its file.
const PASSES: [(&str, Pass); 16] = [
    ("qdq", qdq::run),
    ("constants", constants::run),
    ("dead", dead::run),
    ("hoist", hoist::run),
    ("transpose", transpose::run),
    ("identity", identity::run),
    ("common", common::run),
    ("scales", scales::run),
    ("shuffle", shuffle::run),
    ("gelu", gelu::run),
    ("layer_norm", layer_norm::run),
    ("attention", attention::run),
    ("convolution", convolution::run),
    ("product", product::run),
    ("epilogue", epilogue::run),
    ("dead", dead::run),
];

/// The passes once the shapes are settled.
const SETTLING: [&str; 7] = [
    "constants",
    "dead",
    "transpose",
    "identity",
    "dead",
    "interleave",
    "layout",
];

/// A rewrite that asks what kernels there are.
type DevicePass = fn(&mut Graph, &Device) -> Result<Report, NodeError>;

/// The passes of [`SETTLING`] that are none of [`PASSES`].
const DEVICE_PASSES: [(&str, DevicePass); 2] = [("interleave", interleave::run), ("layout", layout::run)];

/// Infers types, and runs every pass that is wanted, those of the bodies inside first.
///
/// # Errors
/// What inference finds that there is no code for.
pub fn run(graph: &mut Graph, rewrites: &Rewrites, dump: &Dump) -> Result<(), NodeError> {
    dump.write("import", &Report::new(), graph);
    bodies::run(graph, rewrites)?;
    run_all(graph, rewrites, dump)
}

/// Without those of the bodies inside.
fn run_all(graph: &mut Graph, rewrites: &Rewrites, dump: &Dump) -> Result<(), NodeError> {
    let report = infer::run(graph)?;
    dump.write("infer", &report, graph);
    for (name, pass) in PASSES.into_iter().filter(|(name, _)| rewrites.want(name)) {
        let report = pass(graph)?;
        dump.write(name, &report, graph);
    }
    Ok(())
}

/// The passes once the shapes of the inputs are settled.
pub fn settle(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    // Folding constants infers along the way.
    if !device.rewrites.want("constants") {
        infer::run(graph)?;
    }
    for name in SETTLING.into_iter().filter(|name| device.rewrites.want(name)) {
        if let Some((_, pass)) = PASSES.iter().find(|(pass, _)| *pass == name) {
            pass(graph)?;
        }
        if let Some((_, pass)) = DEVICE_PASSES.iter().find(|(pass, _)| *pass == name) {
            let report = pass(graph, device)?;
            device.dump.write(name, &report, graph);
        }
    }
    Ok(())
}
