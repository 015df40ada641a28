//! The values that the reference computes.

use std::cell::RefCell;
use std::rc::Rc;

use onnx_interpreter::{Limits, NodeRun, Observer, Program};
use onnx_model::Model;
use onnx_tensor::Value;

/// Names and values of the nodes that ran.
#[derive(Default)]
struct Values(Vec<(String, Value)>);

impl Observer for Values {
    fn ran(&mut self, run: &NodeRun<'_>) {
        let named = run.node.outputs.iter().zip(run.outputs);
        self.0
            .extend(named.filter_map(|(name, value)| Some((name.clone(), value.clone()?))));
    }
}

/// The values of the main graph that the reference computes; `None` if it refuses.
pub fn run(model: &Model, inputs: &[(String, Value)]) -> Option<Vec<(String, Value)>> {
    let values = Rc::new(RefCell::new(Values::default()));
    let observer: Rc<RefCell<dyn Observer>> = values.clone();
    let program = Program::load(model.clone()).ok()?;
    let outputs = program.run_observed(inputs, Limits::default(), observer).ok()?;
    let main: Vec<&str> = model
        .graph
        .nodes
        .iter()
        .flat_map(|node| &node.outputs)
        .map(String::as_str)
        .collect();
    let mut values = std::mem::take(&mut values.borrow_mut().0);
    values.retain(|(name, _)| main.contains(&name.as_str()));
    values.extend(outputs);
    Some(values)
}
