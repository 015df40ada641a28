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
mod identity;
mod infer;
mod layer_norm;
mod layout;
mod pattern;
mod product;
mod scales;
mod shape_values;
mod shapes;
mod shuffle;
mod transpose;

use backend_api::Switch;

use crate::error::NodeError;
use crate::ir::Graph;
use crate::kernels::Device;

pub use dump::Dump;
#[cfg(test)]
pub use fixture::{Fixture, node};
pub use infer::node as infer_node;

/// What a pass did, one line each; empty if nothing.
pub type Report = Vec<String>;

/// A rewrite.
type Pass = fn(&mut Graph) -> Result<Report, NodeError>;

/// The passes before the shapes of the inputs are settled, in their order.
const PASSES: [(&str, Pass); 14] = [
    ("infer types", |graph| infer::run(graph)),
    ("fold constants", constants::run),
    ("leave out what nobody reads", dead::run),
    ("compose transposes", transpose::run),
    ("leave out identities", identity::run),
    ("merge common subexpressions", common::run),
    ("fold scales", scales::run),
    ("recognise channel shuffles", shuffle::run),
    ("recognise gelu", gelu::run),
    ("recognise layer normalisation", layer_norm::run),
    ("recognise attention", attention::run),
    ("fuse convolutions", convolution::run),
    ("fuse products", product::run),
    ("leave out dead code", dead::run),
];

/// Runs every pass, and those of the bodies inside.
///
/// # Errors
/// What inference finds that there is no code for.
pub fn run(graph: &mut Graph, optimize: Switch, dump: &Dump) -> Result<(), NodeError> {
    dump.write("import", &Report::new(), graph);
    if optimize == Switch::Off {
        infer::run(graph)?;
        return Ok(());
    }
    bodies::run(graph)?;
    for (name, pass) in PASSES {
        let report = pass(graph)?;
        dump.write(name, &report, graph);
    }
    Ok(())
}

/// The passes that hold for any graph, without a dump.
pub fn run_quietly(graph: &mut Graph) -> Result<(), NodeError> {
    for (_, pass) in PASSES {
        pass(graph)?;
    }
    Ok(())
}

/// The passes once the shapes of the inputs are settled.
pub fn settle(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    for pass in [
        constants::run,
        dead::run,
        transpose::run,
        identity::run,
        dead::run,
    ] {
        pass(graph)?;
    }
    let report = layout::run(graph, device)?;
    device.dump.write("choose layouts", &report, graph);
    Ok(())
}
