//! Rewrites of a graph, one file each.
//!
//! A pass replaces a graph by one that computes the same. [`run`] defines their order. `dump` writes the
//! graph after each pass, with the report of the pass.

mod attention;
mod bodies;
mod chain;
mod columns;
mod common;
mod compositions;
mod constants;
mod convolution;
mod dead;
mod einsum;
mod epilogue;
mod formula;
mod gelu;
mod global_pool;
mod halves;
mod heads;
mod hoist;
mod identity;
pub mod infer;
mod inline;
mod interleave;
mod layer_norm;
mod layout;
mod loss;
mod masks;
mod names;
mod pattern;
mod pixel;
mod product;
mod qdq;
mod rms_norm;
mod rules;
mod scales;
mod sequences;
mod shape_values;
mod shapes;
mod shuffle;
mod silu;
mod transpose;
mod variadic;
mod weights;

use crate::dump::Dump;
use crate::error::NodeError;
use crate::ir::Graph;
use crate::kernels::Device;

pub use infer::node as infer_node;
pub use names::names;
pub use product::with_kernel;
pub use rules::check_node;

/// The changes of a pass, one line each; empty if there are none.
pub type Report = Vec<String>;

pub type Rewrite = fn(&mut Graph) -> Result<Report, NodeError>;

#[derive(Clone, Copy)]
struct Pass {
    /// The name; the file has it too.
    name: &'static str,
    run: Run,
}

/// What a pass reads besides the graph.
#[derive(Clone, Copy)]
enum Run {
    /// Nothing.
    Graph(Rewrite),
    /// The device: its kernels, or how it computes constants.
    Device(fn(&mut Graph, &Device) -> Result<Report, NodeError>),
}

impl Pass {
    const fn new(name: &'static str, run: Rewrite) -> Pass {
        Pass {
            name,
            run: Run::Graph(run),
        }
    }

    const fn of_device(
        name: &'static str,
        run: fn(&mut Graph, &Device) -> Result<Report, NodeError>,
    ) -> Pass {
        Pass {
            name,
            run: Run::Device(run),
        }
    }

    fn run(self, graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
        match self.run {
            Run::Graph(run) => run(graph),
            Run::Device(run) => run(graph, device),
        }
    }
}

const ATTENTION: Pass = Pass::new("attention", attention::run);
const COMMON: Pass = Pass::new("common", common::run);
const COMPOSITIONS: Pass = Pass::new("compositions", compositions::run);
const CONSTANTS: Pass = Pass::of_device("constants", constants::run);
const CONVOLUTION: Pass = Pass::new("convolution", convolution::run);
const DEAD: Pass = Pass::new("dead", dead::run);
const EINSUM: Pass = Pass::new("einsum", einsum::run);
const EPILOGUE: Pass = Pass::new("epilogue", epilogue::run);
const GELU: Pass = Pass::new("gelu", gelu::run);
const GLOBAL_POOL: Pass = Pass::new("global_pool", global_pool::run);
const HALVES: Pass = Pass::new("halves", halves::convolutions);
const HEADS: Pass = Pass::new("heads", heads::run);
const HOIST: Pass = Pass::new("hoist", hoist::run);
const IDENTITY: Pass = Pass::new("identity", identity::run);
const IMAGES_OF_HALVES: Pass = Pass::new("halves", halves::images);
const INTERLEAVE: Pass = Pass::of_device("interleave", interleave::run);
const LAYER_NORM: Pass = Pass::new("layer_norm", layer_norm::run);
const LAYOUT: Pass = Pass::of_device("layout", layout::run);
const LOSS: Pass = Pass::new("loss", loss::run);
const MASKS: Pass = Pass::new("masks", masks::run);
const PIXEL: Pass = Pass::new("pixel", pixel::run);
const PRODUCT: Pass = Pass::new("product", product::run);
const QDQ: Pass = Pass::of_device("qdq", qdq::run);
const RMS_NORM: Pass = Pass::new("rms_norm", rms_norm::run);
const SCALES: Pass = Pass::new("scales", scales::run);
const SHUFFLE: Pass = Pass::new("shuffle", shuffle::run);
const SILU: Pass = Pass::new("silu", silu::run);
const TRANSPOSE: Pass = Pass::new("transpose", transpose::run);
const VARIADIC: Pass = Pass::new("variadic", variadic::run);
const WEIGHTS: Pass = Pass::of_device("weights", weights::run);

/// The passes that run at load, before the shapes of the inputs are known, in order.
const LOADING: [Pass; 14] = [
    COMPOSITIONS,
    QDQ,
    WEIGHTS,
    // Layers that share weights transpose the same ones: they are computed and packed once.
    IDENTITY,
    COMMON,
    CONSTANTS,
    DEAD,
    HOIST,
    TRANSPOSE,
    IDENTITY,
    COMMON,
    SCALES,
    SHUFFLE,
    HALVES,
];

/// The passes that run when the shapes are known, in order. Patterns are searched here, so that a
/// model with named extents is rewritten as one with fixed extents is.
const SPECIALIZING: [Pass; 28] = [
    COMPOSITIONS,
    // Layers that share lengths have one mask.
    COMMON,
    DEAD,
    VARIADIC,
    LOSS,
    EINSUM,
    PIXEL,
    // Transposed and divided constants.
    CONSTANTS,
    HEADS,
    MASKS,
    TRANSPOSE,
    IDENTITY,
    GELU,
    SILU,
    LAYER_NORM,
    RMS_NORM,
    ATTENTION,
    // After the patterns that have a ReduceMean.
    GLOBAL_POOL,
    // The keys of an attention are transposed back.
    TRANSPOSE,
    IDENTITY,
    IMAGES_OF_HALVES,
    // What patterns replaced must not count as a reader.
    DEAD,
    CONVOLUTION,
    PRODUCT,
    EPILOGUE,
    DEAD,
    INTERLEAVE,
    LAYOUT,
];

/// Infers types and runs every enabled pass, those of the bodies first. Rules that depend on shapes hold for
/// the nodes of a body when it runs, because a branch that is not taken may break them.
///
/// # Errors
/// An operator or type that inference finds to be invalid or not implemented, or a node that breaks the rule
/// of its operator.
pub fn run(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    device.dump.write("import", &[], graph);
    bodies::run(graph, device)?;
    infer_types(graph, &device.dump)?;
    rules::check(graph)?;
    run_each(&LOADING, graph, device, &device.dump)
}

fn infer_types(graph: &mut Graph, dump: &Dump) -> Result<(), NodeError> {
    let report = infer::run(graph)?;
    dump.write("infer", &report, graph);
    Ok(())
}

fn run_all(graph: &mut Graph, device: &Device, dump: &Dump) -> Result<(), NodeError> {
    infer_types(graph, dump)?;
    run_each(&LOADING, graph, device, dump)
}

/// Specializes a graph: runs the passes for known input shapes.
pub fn specialize(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    // Constant folding includes inference.
    if device.rewrites.want(CONSTANTS.name) {
        run_each(&[CONSTANTS], graph, device, &device.dump)?
    } else {
        infer::run(graph).map(drop)?
    }
    rules::check(graph)?;
    run_each(&SPECIALIZING, graph, device, &device.dump)
}

fn run_each(passes: &[Pass], graph: &mut Graph, device: &Device, dump: &Dump) -> Result<(), NodeError> {
    for pass in passes.iter().filter(|pass| device.rewrites.want(pass.name)) {
        let report = pass.run(graph, device)?;
        dump.write(pass.name, &report, graph);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node};
    use onnx_tensor::Tensor;

    use super::{LOADING, SPECIALIZING};
    use crate::fixture::{Fixture, device, node};
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
        let mut graph = fixture.graph();
        let device = device(1);
        for pass in LOADING.iter().chain(&SPECIALIZING) {
            pass.run(&mut graph, &device).expect(pass.name);
        }
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
