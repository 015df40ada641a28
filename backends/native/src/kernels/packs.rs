//! Packed weights, which all plans of a model share.
//!
//! A plan is made for the shapes of its inputs, but packed weights depend on the weights alone. The
//! graph that further plans are made from keeps its constants, so the address of their elements
//! identifies them. Nodes of one plan that read the same constant share what is packed of it, too.

use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex};

use onnx_tensor::{Tensor, TensorError, dispatch};

use crate::error::Problem;
use crate::ir::{Graph, Op};

/// The address of the first element of a constant, and the number of elements.
type Place = (usize, usize);

/// Everything that packed weights depend on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    constants: Vec<Place>,
    kind: TypeId,
    parameters: String,
}

#[derive(Default)]
struct Held {
    /// The constants that live as long as the model.
    constants: HashMap<Place, Tensor>,
    packed: HashMap<Key, Arc<dyn Any + Send + Sync>>,
}

/// The packed weights of a model.
#[derive(Default)]
pub struct Packs(Mutex<Held>);

impl Debug for Packs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packs of {} constants", self.counts().0)
    }
}

impl Packs {
    /// Enters the constants of a graph that further plans are made from, and of its bodies.
    pub fn enter(&self, graph: &Graph) {
        let mut graphs = vec![graph];
        while let Some(graph) = graphs.pop() {
            if let Ok(mut held) = self.0.lock() {
                for tensor in graph
                    .values
                    .iter()
                    .filter_map(|value| value.constant.as_ref()?.as_tensor())
                {
                    if let Some(place) = place(tensor) {
                        held.constants.entry(place).or_insert_with(|| tensor.clone());
                    }
                }
            }
            for node in &graph.nodes {
                match &node.op {
                    Op::If { branches, .. } => graphs.extend(branches.iter().map(AsRef::as_ref)),
                    Op::Repeat { body, .. } => graphs.push(body),
                    Op::Plain(_) | Op::Fused(_) => {}
                }
            }
        }
    }

    /// Enters the constants that several nodes of a graph read, as those of layers that share weights, while
    /// `make` makes the plan of the graph.
    pub fn share<T>(&self, graph: Graph, make: impl FnOnce(Graph) -> T) -> T {
        let mut entered = HashSet::new();
        if let Ok(mut held) = self.0.lock() {
            for tensor in read_by_several(&graph) {
                if let Some(place) = place(&tensor).filter(|place| !held.constants.contains_key(place)) {
                    held.constants.insert(place, tensor);
                    entered.insert(place);
                }
            }
        }
        let made = make(graph);
        if let Ok(mut held) = self.0.lock() {
            let left = |place: &Place| entered.contains(place);
            held.packed.retain(|key, _| !key.constants.iter().any(left));
            held.constants.retain(|place, _| !left(place));
        }
        made
    }

    /// Returns what `pack` makes of these constants with these parameters. It is made once if all
    /// constants were entered, else each time.
    pub fn get<T: Any + Send + Sync>(
        &self,
        constants: &[&Tensor],
        parameters: impl Debug,
        pack: impl FnOnce() -> Result<T, Problem>,
    ) -> Result<Arc<T>, Problem> {
        let places = constants
            .iter()
            .map(|constant| place(constant))
            .collect::<Option<Vec<_>>>();
        let (Some(places), Ok(mut held)) = (places, self.0.lock()) else {
            return pack().map(Arc::new);
        };
        if !places.iter().all(|place| held.constants.contains_key(place)) {
            drop(held);
            return pack().map(Arc::new);
        }
        let key = Key {
            constants: places,
            kind: TypeId::of::<T>(),
            parameters: format!("{parameters:?}"),
        };
        if let Some(found) = held.packed.get(&key).map(Arc::clone)
            && let Ok(found) = found.downcast()
        {
            return Ok(found);
        }
        let made = Arc::new(pack()?);
        held.packed
            .insert(key, Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        Ok(made)
    }

    /// Returns the number of entered constants, and of packed weights.
    pub fn counts(&self) -> (usize, usize) {
        self.0
            .lock()
            .map_or((0, 0), |held| (held.constants.len(), held.packed.len()))
    }
}

/// Returns the constants that nodes read more than once.
fn read_by_several(graph: &Graph) -> Vec<Tensor> {
    let mut reads = vec![0; graph.values.len()];
    let inputs = graph.nodes.iter().flat_map(|node| &node.inputs).flatten();
    inputs.for_each(|id| reads[id.index()] += 1);
    let several = graph.values.iter().zip(reads).filter(|(_, reads)| *reads > 1);
    several
        .filter_map(|(value, _)| value.constant.as_ref()?.as_tensor().cloned())
        .collect()
}

/// Returns the place of a constant; `None` if it has no elements.
fn place(tensor: &Tensor) -> Option<Place> {
    let address = address(tensor).ok().filter(|_| !tensor.is_empty())?;
    Some((address, tensor.len()))
}

fn address(tensor: &Tensor) -> Result<usize, TensorError> {
    dispatch!(all, tensor.dtype(), T => Ok(tensor.array::<T>()?.as_ptr().addr()))
}
