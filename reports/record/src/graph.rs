//! A model as a graph whose nodes are coloured by a figure: time, error, support.

use crate::profile::ModelNode;

/// A model with figures for its nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModelGraph {
    /// The name of the model.
    pub model: String,
    /// The names of the main graph's inputs that have no initializer.
    pub inputs: Vec<String>,
    /// The names of the main graph's outputs.
    pub outputs: Vec<String>,
    /// All nodes, in the order of [`crate::profile::Profile::nodes`].
    pub nodes: Vec<ModelNode>,
    /// What the nodes can be coloured by; the first one at the beginning.
    pub layers: Vec<Layer>,
}

/// A figure of each node.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layer {
    /// What the figure is: `time, native`.
    pub name: String,
    /// What it means, in one sentence.
    pub about: String,
    /// The figure of each node; `None` where there is none.
    pub marks: Vec<Option<Mark>>,
}

/// The figure of a node.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mark {
    /// From 0, pale, to 1, strong.
    pub strength: f64,
    /// The figure in words: `1.23 ms, 4.5 %`.
    pub text: String,
}
