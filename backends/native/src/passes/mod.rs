//! Rewrites of a graph, one file each.
//!
//! A pass replaces a graph by one that computes the same. [`run`] defines their order. `dump` writes the
//! graph after each pass, with the report of the pass.

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
mod rms_norm;
mod scales;
mod shape_values;
mod shapes;
mod shuffle;
mod transpose;

use crate::error::NodeError;
use crate::ir::{Graph, Op};
use crate::kernels::Device;

pub use dump::Dump;
#[cfg(test)]
pub use fixture::{Fixture, node};
pub use infer::node as infer_node;
pub use rewrites::Rewrites;

/// The changes of a pass, one line each; empty if there are none.
pub type Report = Vec<String>;

/// A rewrite.
type Pass = fn(&mut Graph) -> Result<Report, NodeError>;

/// The passes that run before the shapes of the inputs are known, in order; each is named after its file.
const PASSES: [(&str, Pass); 9] = [
    ("qdq", qdq::run),
    ("constants", constants::run),
    ("dead", dead::run),
    ("hoist", hoist::run),
    ("transpose", transpose::run),
    ("identity", identity::run),
    ("common", common::run),
    ("scales", scales::run),
    ("shuffle", shuffle::run),
];

/// The passes that find patterns. They run when the shapes are known, so that a model with named extents is rewritten as one
/// with fixed extents is.
const PATTERNS: [(&str, Pass); 7] = [
    ("gelu", gelu::run),
    ("layer_norm", layer_norm::run),
    ("rms_norm", rms_norm::run),
    ("attention", attention::run),
    ("convolution", convolution::run),
    ("product", product::run),
    ("epilogue", epilogue::run),
];

/// The passes that run when the shapes are known, in order.
const SETTLING: [&str; 16] = [
    "constants",
    "dead",
    "transpose",
    "identity",
    "gelu",
    "layer_norm",
    "rms_norm",
    "attention",
    // The keys of an attention are transposed back.
    "transpose",
    "identity",
    "convolution",
    "product",
    "epilogue",
    "dead",
    "interleave",
    "layout",
];

/// A rewrite that depends on the available kernels.
type DevicePass = fn(&mut Graph, &Device) -> Result<Report, NodeError>;

/// The passes of [`SETTLING`] that are in neither [`PASSES`] nor [`PATTERNS`].
const DEVICE_PASSES: [(&str, DevicePass); 2] = [("interleave", interleave::run), ("layout", layout::run)];

/// Infers types and runs every enabled pass, those of the bodies first.
///
/// # Errors
/// An operator or type that inference finds to be invalid or not implemented.
pub fn run(graph: &mut Graph, rewrites: &Rewrites, dump: &Dump) -> Result<(), NodeError> {
    dump.write("import", &Report::new(), graph);
    bodies::run(graph, rewrites)?;
    run_all(graph, rewrites, dump)
}

/// Runs the passes without those of the bodies.
fn run_all(graph: &mut Graph, rewrites: &Rewrites, dump: &Dump) -> Result<(), NodeError> {
    let report = infer::run(graph)?;
    dump.write("infer", &report, graph);
    for (name, pass) in PASSES.into_iter().filter(|(name, _)| rewrites.want(name)) {
        let report = pass(graph)?;
        dump.write(name, &report, graph);
    }
    Ok(())
}

/// Runs the passes for known input shapes.
pub fn settle(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    // Constant folding includes inference.
    if !device.rewrites.want("constants") {
        infer::run(graph)?;
    }
    for name in SETTLING.into_iter().filter(|name| device.rewrites.want(name)) {
        if name == "constants" && !device.folds_bodies {
            constants::fold(graph, |node| matches!(node.op, Op::Plain(_)))?;
        } else if let Some((_, pass)) = PASSES.iter().chain(&PATTERNS).find(|(pass, _)| *pass == name) {
            let report = pass(graph)?;
            device.dump.write(name, &report, graph);
        }
        if let Some((_, pass)) = DEVICE_PASSES.iter().find(|(pass, _)| *pass == name) {
            let report = pass(graph, device)?;
            device.dump.write(name, &report, graph);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node};
    use onnx_tensor::Tensor;

    use super::{Fixture, PASSES, PATTERNS, node};
    use crate::ir::walks;

    /// Returns the number of nodes visited by walks over the whole graph while all passes run on a chain with
    /// this number of links.
    fn walked(links: usize, link: fn(&str, &str) -> Node) -> usize {
        let name = |at: usize| match at {
            0 => "x".to_owned(),
            at if at == links => "y".to_owned(),
            at => format!("v{at}"),
        };
        let nodes = (0..links).map(|at| link(&name(at), &name(at + 1))).collect();
        let fixture = Fixture::new(&[1, 4, 3, 3], nodes)
            .varied("c", &[4, 1, 1])
            .varied("w", &[4, 4, 1, 1])
            .varied("m", &[3, 3])
            .constant("s", Tensor::vector(vec![1_i64, 4, 3, 3]));
        walks::take();
        fixture
            .text(
                &PASSES
                    .into_iter()
                    .chain(PATTERNS)
                    .map(|(_, pass)| pass)
                    .collect::<Vec<_>>(),
            )
            .expect("all passes run");
        walks::take()
    }

    /// Twice the nodes take twice the work: no pass walks over the whole graph for each node.
    #[test]
    fn passes_take_time_in_proportion_to_the_nodes() {
        type Link = fn(&str, &str) -> Node;
        let links: [(&str, Link); 7] = [
            ("Relu", |x, y| node("Relu", x, y, &[])),
            ("Mul", |x, y| node("Mul", &format!("{x} c"), y, &[])),
            ("Add", |x, y| node("Add", &format!("c {x}"), y, &[])),
            ("Conv", |x, y| node("Conv", &format!("{x} w"), y, &[])),
            ("MatMul", |x, y| node("MatMul", &format!("{x} m"), y, &[])),
            ("Reshape", |x, y| node("Reshape", &format!("{x} s"), y, &[])),
            ("Transpose", |x, y| {
                let order = ("perm", AttributeValue::Ints(vec![0, 2, 1, 3]));
                node("Transpose", x, y, &[order])
            }),
        ];
        for (name, link) in links {
            let [once, twice] = [100, 200].map(|count| walked(count, link));
            assert!(
                twice <= 2 * once && once < 100 * 40,
                "{name}: {once} nodes were visited for 100, {twice} for 200"
            );
        }
    }
}
