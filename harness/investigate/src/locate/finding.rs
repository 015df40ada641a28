//! The results of a search.

use harness_conformance::judge::Judgement;
use run_record::standing::Standing;

use crate::cut::Part;
use crate::property::Property;
pub use crate::trial::Local;

/// The location of a fault.
#[derive(Clone, Debug)]
pub struct Location {
    /// The deviation of the model's outputs; `None` if the backend gives none.
    pub outputs: Option<f64>,
    /// The same without a least deviation of integers, for people.
    pub difference: Option<f64>,
    pub finding: Finding,
    /// The propagated error at the probed cuts, in the order of the model.
    pub growth: Vec<Growth>,
    /// Notes on the search.
    pub notes: Vec<String>,
    /// The number of runs of the backend.
    pub probes: usize,
    /// Whether the time of the search was over before its end.
    pub is_late: bool,
}

/// The propagated error after a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The number of the node in topological order, from 0.
    pub index: usize,
    /// Its name.
    pub node: String,
    /// Operator and version.
    pub operator: String,
    /// The deviation of the values that are live after it.
    pub deviation: f64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The outputs are not wrong, nor is any node that was checked.
    Right {
        /// The verdict on the outputs.
        standing: Standing,
        /// After a scan, the node with the largest local error relative to the limit of its noise, and this
        /// ratio.
        largest: Option<(String, f64)>,
    },
    /// A node whose output is wrong, given the inputs of the reference.
    Node(Box<NodeFault>),
    /// No single node is wrong, but the outputs of the model are.
    Together {
        /// The node after which the propagated error is first large, if the search reached it.
        near: Option<String>,
        /// The smallest sequence of nodes that ends with it and is wrong as a whole, given the inputs of
        /// the reference; `None` if none was found.
        run: Option<Box<NodeRun>>,
        /// The node with the largest local error relative to the limit of its noise, and this ratio.
        largest: Option<(String, f64)>,
    },
    /// The backend gives no answer and starts to fail at this node.
    Fails(Box<FailingNode>),
    /// The backend fails on the file, but not in the same way on a model of the same nodes.
    WholeFile(WholeFile),
}

/// A failure that no model of parts repeats.
#[derive(Clone, Debug)]
pub struct WholeFile {
    /// How the backend fails on the file; `None` if its outputs are wrong.
    pub judgement: Option<Judgement>,
    /// The properties of the file without which it does not fail.
    pub properties: Vec<Property>,
}

/// The results of other backends on a node: their local error, or their failure.
pub type OtherResults = Vec<(String, Result<Local, Judgement>)>;

/// A node whose output is wrong.
#[derive(Clone, Debug)]
pub struct NodeFault {
    /// The number of the node of the main graph in topological order, from 0.
    pub index: usize,
    /// Its name, preceded by those of the nodes that contain it.
    pub path: Vec<String>,
    /// Operator and version.
    pub operator: String,
    /// Its local error.
    pub local: Local,
    /// The model of the single node with the inputs of the reference.
    pub part: Part,
    /// The local error of the same node on other backends.
    pub others: OtherResults,
}

impl NodeFault {
    /// Which node is wrong: `node 3 \`softmax\` (Softmax-13)`.
    pub fn label(&self) -> String {
        format!(
            "node {} `{}` ({})",
            self.index,
            self.path.join(" / "),
            self.operator
        )
    }

    /// Whether the node is a Constant, whose fault may show nowhere.
    pub(super) fn is_constant(&self) -> bool {
        self.operator.starts_with("Constant-")
    }
}

/// Adjacent nodes that are wrong as a sequence and right one by one: the backend fuses them.
#[derive(Clone, Debug)]
pub struct NodeRun {
    /// Name and operator of each.
    pub nodes: Vec<(String, String)>,
    /// Their error on the inputs of the reference.
    pub local: Local,
    /// Their model with the inputs of the reference.
    pub part: Part,
    /// The errors of other backends on them.
    pub others: OtherResults,
}

/// A node at which a backend starts to fail.
#[derive(Clone, Debug)]
pub struct FailingNode {
    /// The number of the node of the main graph in topological order, from 0.
    pub index: usize,
    /// Its name.
    pub node: String,
    /// Operator and version.
    pub operator: String,
    /// How the backend fails.
    pub judgement: Judgement,
    /// Whether a shorter part of the model than all of it fails in the same way.
    pub shorter: bool,
    /// Whether it also fails on the single node; `None` if the reference cannot compute the inputs of
    /// the node.
    pub alone: Option<bool>,
    /// The model of the single node, if its inputs are known.
    pub part: Option<Part>,
    /// The results of other backends on the same node.
    pub others: OtherResults,
}
