//! An interpreter with very small budgets.

use std::cell::Cell;

use onnx_model::Graph;
use onnx_operators::frame::{Deviation, Host, OpError, Reading, Readings};
use onnx_tensor::{DType, Value, footprint, footprint_bytes};

/// Maximum size of one value in bytes.
const VALUE: usize = 1 << 20;
/// Maximum number of operations on elements in one evaluation.
const WORK: u64 = 1 << 21;
/// Maximum number of steps in one evaluation.
const STEPS: u32 = 100;

/// The budgets of one evaluation. A body returns its inputs.
#[derive(Default)]
pub struct Tight {
    work: Cell<u64>,
    steps: Cell<u32>,
    readings: Readings,
}

impl Tight {
    /// A host with these readings.
    pub fn with(readings: Readings) -> Tight {
        Tight {
            readings,
            ..Tight::default()
        }
    }
}

impl Host for Tight {
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Vec<Option<Value>>, OpError> {
        self.step()?;
        let mut outputs = inputs;
        outputs.resize(body.outputs.len(), None);
        Ok(outputs)
    }

    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        match footprint_bytes(shape, dtype) {
            Ok(bytes) if bytes <= VALUE => self.work(footprint(shape)? as u64),
            _ => Err(OpError::TooLarge {
                shape: shape.to_vec(),
                dtype,
                budget: VALUE,
            }),
        }
    }

    fn step(&self) -> Result<(), OpError> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() <= STEPS {
            Ok(())
        } else {
            Err(OpError::TooManySteps { budget: STEPS.into() })
        }
    }

    fn work(&self, operations: u64) -> Result<(), OpError> {
        self.work.set(self.work.get().saturating_add(operations));
        if self.work.get() <= WORK {
            Ok(())
        } else {
            Err(OpError::TooMuchWork {
                wanted: operations,
                budget: WORK,
            })
        }
    }

    fn tolerates(&self, _: Deviation) -> bool {
        true
    }

    fn takes(&self, reading: Reading) -> bool {
        self.readings.has(reading)
    }

    fn draw_seed(&self) -> u64 {
        0
    }
}
