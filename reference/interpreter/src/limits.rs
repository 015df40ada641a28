//! Budgets and evaluation modes of a run.

use std::cell::Cell;
use std::num::NonZeroUsize;

use onnx_operators::frame::{OpError, Readings, Unspecified};
use onnx_tensor::{DType, Value, footprint};

use crate::noise::{Arithmetic, Noise};
use crate::observer::Watched;

/// Budgets and evaluation modes of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one value, the product of its non-zero extents; an initializer that stays in its file may
    /// have as many as all live values. Default 2 GiB.
    pub value_bytes: usize,
    /// Bytes of all values that are live at one time; a value with two names counts twice. Default 16 GiB.
    pub live_bytes: usize,
    /// Steps: each node, each run of a body and each call of a function counts as one. Default 10 million.
    pub steps: u64,
    /// Operations on elements of all nodes, charged before each node runs. Sixteen products of a matrix
    /// product of a type narrower than double count as one. Default 2^33.
    pub element_operations: u64,
    /// Depth of function calls. Default 64.
    pub function_depth: usize,
    /// First seed for random operators without `seed`. Default 0: runs are reproducible.
    pub seed: u64,
    /// Whether operators with a static function body in ONNX are evaluated by that body. Default no.
    pub function_bodies: bool,
    /// The seed of random rounding (Monte Carlo arithmetic), which moves the results of operators by the
    /// error that an implementation of the class `arithmetic` may have. Default none.
    pub noise: Option<u64>,
    /// The class of implementations of random rounding.
    pub arithmetic: Arithmetic,
    /// What happens to results that the specification does not determine. Default: the reference's choice.
    pub unspecified: Unspecified,
    /// Whether every [`Deviation`](onnx_operators::frame::Deviation) is rejected. Default no.
    pub strict: bool,
    /// The selected readings: answers to open questions other than the default. Default none.
    pub readings: Readings,
    /// Threads within an operator. No result depends on their number. Default 1.
    pub threads: NonZeroUsize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            value_bytes: 2 << 30,
            live_bytes: 16 << 30,
            steps: 10_000_000,
            element_operations: 1 << 33,
            function_depth: 64,
            seed: 0,
            function_bodies: false,
            noise: None,
            arithmetic: Arithmetic::Rounded,
            unspecified: Unspecified::Chosen,
            strict: false,
            readings: Readings::default(),
            threads: NonZeroUsize::MIN,
        }
    }
}

impl Limits {
    /// Whether 16-bit values stay in float from node to node.
    pub(crate) fn is_wide(&self) -> bool {
        self.noise.is_some() && self.arithmetic == Arithmetic::Wide
    }
}

/// Limits and the amounts spent.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    /// Whether the error radius of every value is computed as well.
    pub(crate) bounded: bool,
    pub(crate) noise: Option<Noise>,
    /// The receiver of each node that ran.
    pub(crate) watched: Watched,
    steps: Cell<u64>,
    work: Cell<u64>,
    held: Cell<usize>,
    seeds: Cell<u64>,
}

/// Checks the size of a value with elements of `element` bytes.
fn is_within(budget: usize, shape: &[usize], dtype: DType, element: usize) -> Result<(), OpError> {
    match footprint(shape)?.checked_mul(element) {
        Some(bytes) if bytes <= budget => Ok(()),
        _ => Err(OpError::TooLarge {
            shape: shape.to_vec(),
            dtype,
            budget,
        }),
    }
}

/// The cost in operations of copying a value in a sequence or map. Elements are shared, so their number
/// does not matter.
const COPY: u64 = 16;

impl Budget {
    pub(crate) fn new(limits: Limits, bounded: bool) -> Self {
        Budget {
            limits,
            bounded,
            noise: limits.noise.map(|seed| Noise::new(seed, limits.arithmetic)),
            watched: Watched::default(),
            steps: Cell::new(0),
            work: Cell::new(0),
            held: Cell::new(0),
            seeds: Cell::new(limits.seed),
        }
    }

    /// Checks that a value of this size is allowed, and charges its elements as work.
    pub(crate) fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        self.check_size(shape, dtype, dtype.memory())?;
        self.work(footprint(shape)? as u64)
    }

    /// Like [`Budget::reserve`], for strings with `bytes` of text each.
    pub(crate) fn reserve_text(&self, shape: &[usize], bytes: usize) -> Result<(), OpError> {
        self.check_size(shape, DType::String, DType::String.memory().saturating_add(bytes))?;
        self.work(footprint(shape)? as u64)
    }

    fn check_size(&self, shape: &[usize], dtype: DType, element: usize) -> Result<(), OpError> {
        is_within(self.limits.value_bytes, shape, dtype, element)
    }

    /// Fails if a value, or one inside it, exceeds the size of one value. Applies to all inputs of a run
    /// and outputs of a node.
    pub(crate) fn admit(&self, value: &Value) -> Result<(), OpError> {
        match value {
            Value::Tensor(tensor) => self.check_size(tensor.shape(), tensor.dtype(), tensor.dtype().memory()),
            Value::Sparse(sparse) => {
                let dtype = sparse.values.dtype();
                self.check_size(&sparse.shape, dtype, dtype.memory())
            }
            // Its file is as large: no small model makes such a value.
            Value::Stored(stored) => {
                let (dtype, most) = (stored.dtype, self.limits.live_bytes);
                is_within(most, &stored.shape, dtype, dtype.memory())
            }
            Value::Sequence(sequence) => sequence.values.iter().try_for_each(|value| self.admit(value)),
            Value::Map(map) => map.entries.values().try_for_each(|value| self.admit(value)),
            Value::Optional { value, .. } => value.as_deref().map_or(Ok(()), |value| self.admit(value)),
        }
    }

    /// Charges a value that a node reads or that a body receives: its elements, and for each value in it
    /// the cost of a copy.
    pub(crate) fn read(&self, value: &Value) -> Result<(), OpError> {
        match value {
            Value::Tensor(tensor) => self.work(footprint(tensor.shape())? as u64),
            Value::Sparse(sparse) => self.work(footprint(sparse.values.shape())? as u64),
            Value::Stored(stored) => self.work(footprint(&stored.shape)? as u64),
            Value::Sequence(sequence) => sequence
                .values
                .iter()
                .try_for_each(|value| self.read_inner(value)),
            Value::Map(map) => map.entries.values().try_for_each(|value| self.read_inner(value)),
            Value::Optional { value, .. } => value.as_deref().map_or(Ok(()), |value| self.read(value)),
        }
    }

    fn read_inner(&self, value: &Value) -> Result<(), OpError> {
        self.work(COPY)?;
        self.read(value)
    }

    /// Counts one node, run of a body or call of a function.
    pub(crate) fn step(&self) -> Result<(), OpError> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > self.limits.steps {
            return Err(OpError::TooManySteps {
                budget: self.limits.steps,
            });
        }
        Ok(())
    }

    /// Charges operations on elements before they run.
    pub(crate) fn work(&self, operations: u64) -> Result<(), OpError> {
        let done = self.work.get().saturating_add(operations);
        if done > self.limits.element_operations {
            return Err(OpError::TooMuchWork {
                wanted: operations,
                budget: self.limits.element_operations,
            });
        }
        self.work.set(done);
        Ok(())
    }

    /// Adds the bytes of a value that becomes live.
    pub(crate) fn hold(&self, bytes: usize) -> Result<(), OpError> {
        let held = self.held.get().saturating_add(bytes);
        if held > self.limits.live_bytes {
            return Err(OpError::TooMuchMemory {
                budget: self.limits.live_bytes,
            });
        }
        self.held.set(held);
        Ok(())
    }

    /// Subtracts the bytes of a value that is no longer live.
    pub(crate) fn release(&self, bytes: usize) {
        self.held.set(self.held.get().saturating_sub(bytes));
    }

    pub(crate) fn draw_seed(&self) -> u64 {
        let seed = self.seeds.get();
        self.seeds.set(seed.wrapping_add(1));
        seed
    }
}
