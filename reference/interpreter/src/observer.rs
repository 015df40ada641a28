//! Observers of a run.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

use onnx_model::Node;
use onnx_tensor::Value;

/// A node that ran, in the main graph, a body or a function.
#[derive(Debug)]
pub struct NodeRun<'r> {
    pub node: &'r Node,
    /// Its operator with the version, such as `Softmax-13`.
    pub operator: String,
    /// Its outputs in the order of the node; an absent one is `None`.
    pub outputs: &'r [Option<Value>],
    /// The start of its evaluation.
    pub start: Instant,
    /// The end of its evaluation. The time of a node with a body includes the nodes of the body.
    pub end: Instant,
}

/// Called for each node that ran.
pub trait Observer {
    /// Is called after each node.
    fn ran(&mut self, run: &NodeRun<'_>);
}

/// The observer of a run, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Watched(Option<Rc<RefCell<dyn Observer>>>);

impl Watched {
    pub(crate) fn by(observer: Rc<RefCell<dyn Observer>>) -> Watched {
        Watched(Some(observer))
    }

    /// Returns the time if there is an observer.
    pub(crate) fn start(&self) -> Option<Instant> {
        self.0.is_some().then(Instant::now)
    }

    /// Tells the observer of a node that started at `start`.
    pub(crate) fn ran(
        &self,
        start: Option<Instant>,
        node: &Node,
        operator: impl FnOnce() -> String,
        outputs: &[Option<Value>],
    ) {
        if let (Some(observer), Some(start)) = (&self.0, start) {
            let end = Instant::now();
            observer.borrow_mut().ran(&NodeRun {
                node,
                operator: operator(),
                outputs,
                start,
                end,
            });
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watched({})", self.0.is_some())
    }
}
