//! Where a backend goes wrong: the first node whose output leaves its bound.
//!
//! A backend can only run models, so every probe is a model. There are two kinds of error. The *propagated* error of a value is
//! that of a backend that ran all nodes before it; the *local* error of a node is that of a backend that ran this node alone,
//! on the inputs that the reference computed. The search:
//!
//! 1. `bisect`: halves the topological order by the propagated error at a cut, down to one node. The reference computes the
//!    values at a cut from those at the cut before it, so that all cuts together cost about two runs, and no more values are kept
//!    than live at two cuts.
//! 2. The local error of that node is held against its bound. If the node leaves it, it is found.
//! 3. Else `scan`: the local error of every node in order. It keeps the values that live at one place.
//! 4. If no node leaves its bound alone, several are wrong together: a backend fuses nodes, or rounding adds up.
//!
//! Of a call of a function and of a node with bodies, `inside` looks at the nodes in it. Where a backend gives no answer at
//! all, `failing` finds the node with which it begins to fail.

mod bisect;
mod failing;
mod inside;
mod scan;

use backend_api::Named;
use harness_conformance::judge::Judgement;
use onnx_model::Model;

pub use crate::trial::Local;

use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, operator};
use crate::deviation::deviation;
use crate::runner::Runner;
use crate::trial::{check, question, refer};

/// From this deviation of the outputs on the search halves; below, it could follow rounding.
const HALVED_FROM: f64 = 1e-4;

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
    /// No node leaves its bound alone, but the outputs of the model differ.
    Together {
        /// The node behind which the propagated error is first large, if the search came so far.
        near: Option<String>,
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

/// The backends of a search.
pub struct Team<'r> {
    /// Says what is right.
    pub reference: &'r mut Runner,
    /// The backend in question.
    pub backend: &'r mut Runner,
    /// Backends that are asked about the node that was found.
    pub others: &'r mut [Runner],
}

/// Finds the first node of `model` that is wrong on the backend.
///
/// With `scan`, every node is looked at, whatever the outputs of the model are.
///
/// # Errors
/// No answer of the reference where the backend has one, a worker that cannot be started again, an interruption.
pub fn locate(
    model: &Model,
    inputs: &[Named],
    scan: bool,
    team: &mut Team<'_>,
) -> Result<Location, InvestigateError> {
    let prepared = Prepared::new(model, inputs);
    let whole = whole(&prepared);
    let expected = refer_plain(team.reference, &whole)?;
    let observed = team.backend.run(&question(&whole))?;
    let mut search = Search {
        prepared: &prepared,
        growth: Vec::new(),
        notes: Vec::new(),
        probes: 1,
    };
    let (outputs, finding) = match (expected, observed) {
        (_, Err(judgement)) => (None, search.failing(judgement, team)?),
        (Err(judgement), Ok(_)) => {
            return Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "located",
            });
        }
        (Ok(expected), Ok(observed)) => {
            let apart = deviation(&expected, &observed.values);
            let finding = match apart > 0.0 || scan {
                false => Finding::Agrees,
                true => search.wrong(apart, scan, team)?,
            };
            (Some(apart), finding)
        }
    };
    search.growth.sort_by_key(|growth| growth.index);
    Ok(Location {
        outputs,
        finding,
        growth: search.growth,
        notes: search.notes,
        probes: search.probes,
    })
}

/// The whole model as a part.
pub(crate) fn whole(prepared: &Prepared) -> Part {
    let outputs: Vec<String> = prepared
        .model
        .graph
        .outputs
        .iter()
        .map(|info| info.name.clone())
        .collect();
    let all: Vec<usize> = (0..prepared.len()).collect();
    prepared.cut(&all, &outputs, &known(&prepared.inputs, &Values::new()))
}

/// Values by name: those that live, else those that are fed.
pub(crate) fn known<'v>(
    inputs: &'v [Named],
    live: &'v Values,
) -> impl Fn(&str) -> Option<onnx_tensor::Value> + 'v {
    move |name: &str| {
        let fed = || {
            inputs
                .iter()
                .find(|(input, _)| input == name)
                .map(|(_, value)| value)
        };
        live.get(name).or_else(fed).cloned()
    }
}

/// The outputs of the reference without their bounds, which cost more than the run.
pub(crate) fn refer_plain(
    reference: &mut Runner,
    part: &Part,
) -> Result<crate::runner::Answer<Vec<Named>>, InvestigateError> {
    Ok(reference.run(&question(part))?.map(|outputs| outputs.values))
}

/// A search that is under way.
struct Search<'p> {
    prepared: &'p Prepared,
    growth: Vec<Growth>,
    notes: Vec<String>,
    probes: usize,
}

impl Search<'_> {
    fn label(&self, index: usize) -> (String, String) {
        let node = self.prepared.node(index);
        let label = node.map_or(String::new(), |node| node.label().to_owned());
        (
            label,
            node.map_or(String::new(), |node| operator(&self.prepared.model, node)),
        )
    }

    /// The outputs differ by `apart`.
    fn wrong(&mut self, apart: f64, scan: bool, team: &mut Team<'_>) -> Result<Finding, InvestigateError> {
        let mut near = None;
        if apart >= HALVED_FROM
            && !scan
            && let Some((index, values)) = self.bisect(apart, team)?
        {
            near = Some(self.label(index).0);
            if let Some(fault) = self
                .alone(index, &values, team)?
                .filter(|fault| fault.local.leaves_bound)
            {
                return self.blamed(fault, team);
            }
            self.notes.push(format!(
                "the propagated error is first large behind `{}`, which is within its bound alone",
                self.label(index).0
            ));
        }
        let found = self.scan(team)?;
        match found.fault {
            Some(fault) => self.blamed(fault, team),
            None => Ok(Finding::Together {
                near,
                largest: found.largest,
            }),
        }
    }

    /// The local error of one node on these values; none where the reference does not answer on it, where the backend gives no
    /// answer, or where the node draws at random.
    fn alone(
        &mut self,
        index: usize,
        values: &Values,
        team: &mut Team<'_>,
    ) -> Result<Option<NodeFault>, InvestigateError> {
        let part = self.part(index, values);
        if crate::trial::is_random(&part) {
            return Ok(None);
        }
        let Ok(reference) = refer(team.reference, &part)? else {
            return Ok(None);
        };
        self.probes += 1;
        match check(team.backend, &part, &reference)? {
            Ok(local) => Ok(Some(self.fault(index, local, part))),
            Err(judgement) => {
                let (label, operator) = self.label(index);
                self.notes.push(format!(
                    "the backend fails on `{label}` ({operator}) alone: {}",
                    judgement.reason
                ));
                Ok(None)
            }
        }
    }

    /// The model of one node.
    fn part(&self, index: usize, values: &Values) -> Part {
        let outputs = self.prepared.wanted(index);
        self.prepared
            .cut(&[index], &outputs, &known(&self.prepared.inputs, values))
    }

    fn fault(&self, index: usize, local: Local, part: Part) -> NodeFault {
        let (label, operator) = self.label(index);
        NodeFault {
            index,
            path: vec![label],
            operator,
            local,
            part,
            blame: Vec::new(),
        }
    }

    /// The fault as far inside as it can be followed, with what other backends make of the node.
    fn blamed(&mut self, fault: NodeFault, team: &mut Team<'_>) -> Result<Finding, InvestigateError> {
        let mut fault = self.inside(fault, team)?;
        fault.blame = blame(&fault.part, team)?;
        Ok(Finding::Node(Box::new(fault)))
    }
}

/// What other backends make of a part.
fn blame(part: &Part, team: &mut Team<'_>) -> Result<Blame, InvestigateError> {
    let Ok(reference) = refer(team.reference, part)? else {
        return Ok(Vec::new());
    };
    let others = team.others.iter_mut();
    others
        .map(|other| Ok((other.name().to_owned(), check(other, part, &reference)?)))
        .collect()
}
