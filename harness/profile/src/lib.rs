//! Profiles: how long backends take for the nodes of a model, and how far each node is from the
//! peak of the machine.
//!
//! # Purpose
//! A worker measures the steps that its backend runs ([`backend_api::Profile`]); the names of steps
//! are those that the backend chooses. This crate finds the nodes of the model in them:
//!
//! - `naming`: gives every node of the model a name that occurs only once.
//! - `assign`: assigns the nodes to the steps, by these names, by the values that a step defines,
//!   and by the position of a node between others.
//! - `shapes`: types and shapes of the values of a run. `cost`: the operations and bytes of a node,
//!   from its shapes, one rule for each family of operators. `steps`: both for whole steps.
//! - [`peak`](fn@peak): measures the machine.
//! - [`graph`](fn@graph): the model as a graph, coloured by these times.
//! - [`profile`](fn@profile): all of it, as a [`run_record::profile::Profile`].
//!
//! # Scope
//! A profile is no latency: measuring steps costs time, outputs are not judged, and a worker that knows the
//! inputs at load may compute nodes then, which the report says. `harness-bench` measures latencies.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod assign;
mod cost;
mod graph;
mod naming;
mod peak;
mod shapes;
mod steps;
#[cfg(test)]
mod tests;

use backend_api::Named;
use harness_investigate::runner::{RunRequest, Runner, RunnerError};
use harness_investigate::subject::Subject;
use run_record::profile::{BackendProfile, Peak, Profile};

pub use graph::{add_survey, graph};
pub use naming::{NamedModel, NamingError, name_nodes};
pub use peak::peak;

use shapes::Shapes;

/// What is profiled.
#[derive(Debug)]
pub struct Request<'r> {
    /// The model.
    pub subject: &'r Subject,
    pub inputs: Vec<Named>,
    /// The number of profiled runs of each backend.
    pub runs: u32,
    /// The number of threads, for the report.
    pub threads: u32,
    /// The peak of the machine with these threads, if it was measured.
    pub peak: Option<Peak>,
}

/// Why a model cannot be profiled.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// A worker cannot be started again, or the command is interrupted.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The nodes of the model cannot be named.
    #[error(transparent)]
    Naming(#[from] NamingError),
}

/// Profiles the model on each of `backends`. Where their steps do not tell the shapes of all
/// values, `oracles` are asked in order; they are not part of the report.
///
/// # Errors
/// A worker cannot be started again, the command is interrupted, or the file is not a model. A
/// backend without a profile is no error.
pub fn profile(
    request: &Request,
    backends: &mut [Runner],
    oracles: &mut [Runner],
) -> Result<Profile, ProfileError> {
    let named = name_nodes(&request.subject.bytes)?;
    let run = RunRequest {
        model: named.bytes.clone(),
        external: request.subject.external.clone(),
        inputs: request.inputs.clone(),
    };
    let mut shapes = Shapes::of_model(&request.subject.model, &request.inputs);
    let mut answers = Vec::new();
    for backend in backends.iter_mut() {
        let answer = backend.profile(&run, request.runs)?;
        answer.iter().for_each(|answer| shapes.learn(answer));
        answers.push(answer);
    }
    for oracle in oracles {
        if shapes.know(&named.nodes) {
            break;
        }
        if let Ok(answer) = oracle.profile(&run, 1)? {
            shapes.learn(&answer);
        }
    }
    let costs = cost::of_nodes(&named, &shapes);
    let mut profile = Profile {
        model: request.subject.name.clone(),
        threads: request.threads,
        nodes: named.nodes,
        peak: request.peak.clone(),
        backends: Vec::new(),
    };
    for (node, cost) in profile.nodes.iter_mut().zip(costs) {
        node.cost = cost;
        node.result = node
            .outputs
            .first()
            .map_or_else(String::new, |name| shapes.text(name));
    }
    let outputs = request.subject.model.graph.outputs.iter();
    let outputs = outputs.map(|info| info.name.as_str()).collect();
    for (backend, answer) in backends.iter().zip(answers) {
        let described = BackendProfile {
            name: backend.name().to_owned(),
            version: backend.description().version.clone(),
            inputs_at_load: backend.description().wants_inputs_at_load,
            ..BackendProfile::default()
        };
        profile.backends.push(match answer {
            Ok(answer) => steps::measured(described, &answer, &profile.nodes, &shapes, &outputs),
            Err(judgement) => BackendProfile {
                problem: judgement.reason,
                ..described
            },
        });
    }
    Ok(profile)
}
