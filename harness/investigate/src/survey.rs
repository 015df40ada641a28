//! Every node of a model alone: which backends run it, and how far their answers are from the reference's.

use std::ops::ControlFlow;

use backend_api::Named;
use harness_conformance::judge::Judgement;
use onnx_model::Model;

use crate::InvestigateError;
use crate::cut::Prepared;
use crate::locate::Local;
use crate::locate::walk::each_node;
use crate::runner::Runner;
use crate::trial::{check, is_random};

/// A node of the main graph alone.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The names of its outputs.
    pub outputs: Vec<String>,
    /// The result of each backend.
    pub results: Vec<Outcome>,
}

/// The result of a backend on a single node.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It answered; the difference from the reference.
    Answered(Local),
    /// It answered, but the node is random, so that its answer cannot be compared.
    Random,
    /// It gave no answer.
    Failed(Judgement),
}

/// The nodes in the order in which they run, up to the first on which the reference gives no answer.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub nodes: Vec<Alone>,
    /// Why the nodes after them were not checked; empty if all were.
    pub stopped: String,
}

/// Runs each node alone on the reference and on every backend, with the inputs that the reference computed.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn survey(
    model: &Model,
    inputs: &[Named],
    reference: &mut Runner,
    backends: &mut [Runner],
) -> Result<Survey, InvestigateError> {
    let prepared = Prepared::new(model, inputs);
    let mut nodes = Vec::new();
    let refused = each_node(&prepared, reference, &mut |node, reference| {
        let random = is_random(node.part);
        let mut results = Vec::with_capacity(backends.len());
        for backend in backends.iter_mut() {
            results.push(match check(backend, node.part, node.expected, reference)? {
                Ok(_) if random => Outcome::Random,
                Ok(local) => Outcome::Answered(local),
                Err(judgement) => Outcome::Failed(judgement),
            });
        }
        let outputs = node.cut.outputs.to_vec();
        nodes.push(Alone { outputs, results });
        Ok(ControlFlow::Continue(()))
    })?;
    let stopped = refused.map(|(_, judgement)| judgement.reason);
    Ok(Survey {
        nodes,
        stopped: stopped.unwrap_or_default(),
    })
}
