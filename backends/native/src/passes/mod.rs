//! Rewrites of a graph: one file each.
//!
//! A pass takes a graph and leaves one that computes the same. They run in the order of [`run`]; `dump` writes the graph
//! after each, with what the pass did.

mod attention;
mod batch_norm;
mod bodies;
mod common;
mod constants;
mod convolution;
mod dead;
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
mod shapes;

use std::fs::File;
use std::io::{self, Write};

use backend_api::BackendError;

use crate::error::NodeError;
use crate::ir::Graph;
use crate::kernels::Device;
use crate::settings::{Settings, Switch};

/// What a pass did, one line each; empty if nothing.
pub type Report = Vec<String>;

/// A rewrite.
type Pass = fn(&mut Graph) -> Result<Report, NodeError>;

/// The passes before the shapes of the inputs are settled, in their order.
const PASSES: [(&str, Pass); 11] = [
    ("infer types", |graph| infer::run(graph)),
    ("fold constants", constants::run),
    ("leave out identities", identity::run),
    ("merge common subexpressions", common::run),
    ("fold batch normalisation", batch_norm::run),
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
/// What inference finds that there is no code for, and a dump that cannot be written.
pub fn run(graph: &mut Graph, settings: &Settings) -> Result<(), BackendError> {
    let mut dump = Dump::open(settings)?;
    dump.write("import", &Vec::new(), graph)?;
    if settings.optimize == Switch::Off {
        infer::run(graph).map_err(NodeError::at_load)?;
        return Ok(());
    }
    bodies::run(graph).map_err(NodeError::at_load)?;
    for (name, pass) in PASSES {
        let report = pass(graph).map_err(NodeError::at_load)?;
        dump.write(name, &report, graph)?;
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
    for pass in [constants::run, identity::run, dead::run] {
        pass(graph)?;
    }
    layout::run(graph, device)?;
    Ok(())
}

pub use infer::node as infer_node;

/// Where the graph is written to.
struct Dump(Option<Box<dyn Write>>);

impl Dump {
    fn open(settings: &Settings) -> Result<Dump, BackendError> {
        let Some(path) = &settings.dump else {
            return Ok(Dump(None));
        };
        if path.as_os_str() == "-" {
            return Ok(Dump(Some(Box::new(io::stderr()))));
        }
        match File::create(path) {
            Ok(file) => Ok(Dump(Some(Box::new(io::BufWriter::new(file))))),
            Err(error) => Err(BackendError::Option {
                option: "dump".to_owned(),
                message: format!("`{}` cannot be written: {error}", path.display()),
            }),
        }
    }

    fn write(&mut self, name: &str, report: &Report, graph: &Graph) -> Result<(), BackendError> {
        let Some(file) = &mut self.0 else {
            return Ok(());
        };
        let mut text = format!("== {name}: {} nodes\n", graph.nodes.len());
        report
            .iter()
            .for_each(|line| text.push_str(&format!("-- {line}\n")));
        text.push_str(&graph.to_string());
        file.write_all(text.as_bytes())
            .map_err(|error| BackendError::load(format!("the dump cannot be written: {error}")))
    }
}
