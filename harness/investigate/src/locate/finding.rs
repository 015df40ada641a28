//! What a search finds.

use harness_conformance::judge::Judgement;

use crate::cut::Part;
pub use crate::trial::Local;

/// What one knows about the place of a fault.
#[derive(Clone, Debug)]
pub struct Location {
    /// The deviation of the model's outputs; none where the backend gives none.
    pub outputs: Option<f64>,
    /// What was found.
    pub finding: Finding,
    /// The propagated error at the cuts that were probed, in the order of the model.
    pub growth: Vec<Growth>,
    /// What happened on the way that a reader should know.
    pub notes: Vec<String>,
    /// Runs of the backend.
    pub probes: usize,
}

/// The propagated error behind a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The number of the node in topological order, from 0.
    pub index: usize,
    /// Its name.
    pub node: String,
    /// Operator and version.
    pub operator: String,
    /// The deviation of the values that live behind it.
    pub deviation: f64,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The outputs are those of the reference.
    Agrees,
    /// A node whose output leaves its bound on the inputs of the reference.
    Node(Box<NodeFault>),
    /// The outputs differ by no more than rounding can cause: every node stays within its bound.
    Rounding {
        /// The largest local error of a node as a part of its bound, with the node.
        largest: Option<(String, f64)>,
    },
    /// No node leaves its bound alone, but the outputs of the model differ by more than rounding makes in most models.
    Together {
        /// The node behind which the propagated error is first large, if the search came so far.
        near: Option<String>,
        /// The fewest nodes before it, itself included, that are wrong together on the inputs of the reference; none where no such
        /// nodes were found.
        run: Option<Box<NodeRun>>,
        /// The largest local error of a node as a part of its bound, with the node.
        largest: Option<(String, f64)>,
    },
    /// The backend gives no answer, and begins to fail with this node.
    Fails(Box<FailingNode>),
}

/// What other backends make of a node: their local error, or how they fail.
pub type Blame = Vec<(String, Result<Local, Judgement>)>;

/// A node whose output is wrong.
#[derive(Clone, Debug)]
pub struct NodeFault {
    /// The number of the node of the main graph in topological order, from 0.
    pub index: usize,
    /// Its name, behind those of the nodes it stands in.
    pub path: Vec<String>,
    /// Operator and version.
    pub operator: String,
    /// Its local error.
    pub local: Local,
    /// The model of the node alone with the inputs of the reference.
    pub part: Part,
    /// The local error of the same node on other backends.
    pub blame: Blame,
}

/// Neighbouring nodes that are wrong together and right alone: the backend fuses them.
#[derive(Clone, Debug)]
pub struct NodeRun {
    /// Name and operator of each.
    pub nodes: Vec<(String, String)>,
    /// Their error on the inputs of the reference.
    pub local: Local,
    /// Their model with the inputs of the reference.
    pub part: Part,
    /// The error of other backends on them.
    pub blame: Blame,
}

/// A node with which a backend begins to fail.
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
    /// Whether it fails on the node alone as well; none where the reference cannot compute the inputs of the node.
    pub alone: Option<bool>,
    /// The model of the node alone, where its inputs are known.
    pub part: Option<Part>,
    /// Other backends on the same node.
    pub blame: Blame,
}
