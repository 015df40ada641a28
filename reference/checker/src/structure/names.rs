//! The values of a graph, and the dependencies between nodes.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use onnx_model::Node;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::finding::{NodePlace, Sink};
use crate::problem::Problem;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Input,
    Initializer,
    /// The node at this index.
    Node(usize),
}

impl Definition {
    pub(super) fn text(self) -> &'static str {
        match self {
            Definition::Input => "an input",
            Definition::Initializer => "an initializer",
            Definition::Node(_) => "a node's output",
        }
    }
}

/// The values that a graph has defined so far. A body also sees those of the enclosing graphs.
pub(super) struct Names<'m, 's> {
    defined: HashMap<&'m str, Definition>,
    outer: Option<&'s Names<'m, 's>>,
    nodes: &'m [Node],
    /// The first node that defines a name, whether or not it was visited.
    producers: OnceCell<HashMap<&'m str, usize>>,
    /// The node that is being visited, including its bodies.
    pub(super) current: Cell<usize>,
    /// Dependencies as pairs of nodes: the second reads the first.
    edges: RefCell<Vec<(usize, usize)>>,
    /// Reads of names that a later node of this graph defines.
    early: RefCell<Vec<Early>>,
}

/// A read of a name before its definition.
struct Early {
    graph: String,
    place: NodePlace,
    input: usize,
    name: String,
    reader: usize,
    producer: usize,
}

impl<'m, 's> Names<'m, 's> {
    pub(super) fn new(nodes: &'m [Node], outer: Option<&'s Names<'m, 's>>) -> Names<'m, 's> {
        Names {
            defined: HashMap::with_capacity(nodes.len()),
            outer,
            nodes,
            producers: OnceCell::new(),
            current: Cell::new(0),
            edges: RefCell::new(Vec::new()),
            early: RefCell::new(Vec::new()),
        }
    }

    /// Defines a name. Returns its previous definition in this graph.
    pub(super) fn define(&mut self, name: &'m str, definition: Definition) -> Option<Definition> {
        let before = self.defined.get(name).copied();
        self.defined.entry(name).or_insert(definition);
        before
    }

    /// Whether this graph defines the name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    /// Whether an enclosing graph defines the name.
    pub(super) fn enclosing(&self, name: &str) -> bool {
        std::iter::successors(self.outer, |names| names.outer).any(|names| names.defines(name))
    }

    /// Records that an input of a node reads a name. Returns a problem if it is not defined.
    pub(super) fn read(
        &self,
        input: usize,
        name: &str,
        graph: &str,
        place: impl Fn() -> NodePlace,
    ) -> Option<Problem> {
        let mut levels = std::iter::successors(Some(self), |names| names.outer);
        if let Some((level, definition)) = levels.find_map(|level| Some((level, *level.defined.get(name)?))) {
            if let Definition::Node(producer) = definition {
                level.edges.borrow_mut().push((producer, level.current.get()));
            }
            return None;
        }
        let mut levels = std::iter::successors(Some(self), |names| names.outer);
        let Some((level, producer)) = levels.find_map(|level| Some((level, level.producer(name)?))) else {
            return Some(Problem::ValueUndefined {
                index: input,
                name: name.to_owned(),
            });
        };
        let reader = level.current.get();
        level.edges.borrow_mut().push((producer, reader));
        level.early.borrow_mut().push(Early {
            graph: graph.to_owned(),
            place: place(),
            input,
            name: name.to_owned(),
            reader,
            producer,
        });
        None
    }

    fn producer(&self, name: &str) -> Option<usize> {
        let find = || {
            let mut producers = HashMap::with_capacity(self.nodes.len());
            for (index, node) in self.nodes.iter().enumerate() {
                for output in node.outputs.iter().filter(|output| !output.is_empty()) {
                    producers.entry(output.as_str()).or_insert(index);
                }
            }
            producers
        };
        self.producers.get_or_init(find).get(name).copied()
    }

    /// After all nodes are visited, reports cycles, and wrong order outside of cycles.
    pub(super) fn finish(self, place: &str, sink: &mut Sink) {
        let early = self.early.into_inner();
        if early.is_empty() {
            return;
        }
        let cycles = cycles(self.nodes.len(), &self.edges.into_inner());
        let members = |(cycle, nodes): (usize, &Vec<usize>)| {
            nodes.iter().map(move |&node| (node, cycle)).collect::<Vec<_>>()
        };
        let cycle_of: HashMap<usize, usize> = cycles.iter().enumerate().flat_map(members).collect();
        for cycle in &cycles {
            let label = |&node: &usize| {
                self.nodes
                    .get(node)
                    .map_or_else(String::new, |node| node.label().to_owned())
            };
            let nodes = cycle.iter().take(MAX_NAMED).map(label).collect();
            sink.push(place, None, Problem::Cycle { nodes });
        }
        for Early {
            graph,
            place,
            input,
            name,
            reader,
            producer,
        } in early
        {
            if cycle_of.contains_key(&reader) && cycle_of.get(&reader) == cycle_of.get(&producer) {
                continue;
            }
            let producer = self.nodes.get(producer).map_or("", Node::label).to_owned();
            sink.push(
                &graph,
                Some(place),
                Problem::NodeOrder {
                    index: input,
                    name,
                    producer,
                },
            );
        }
    }
}

/// The maximum number of nodes of one cycle in a finding.
const MAX_NAMED: usize = 8;

/// The strongly connected components with a cycle: sets of nodes that depend on each other, in ascending
/// order.
pub(super) fn cycles(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), (), usize>::with_capacity(count, edges.len());
    (0..count).for_each(|_| {
        graph.add_node(());
    });
    for &(from, to) in edges.iter().filter(|(from, to)| *from < count && *to < count) {
        graph.add_edge(from.into(), to.into(), ());
    }
    let is_circle = |set: &Vec<petgraph::graph::NodeIndex<usize>>| match set.as_slice() {
        [only] => graph.contains_edge(*only, *only),
        _ => true,
    };
    let mut cycles: Vec<Vec<usize>> = kosaraju_scc(&graph)
        .iter()
        .filter(|set| is_circle(set))
        .map(|set| set.iter().map(|node| node.index()).collect())
        .collect();
    cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
    cycles.sort_unstable();
    cycles
}
