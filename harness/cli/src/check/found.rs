//! What a model breaks: findings of the checker, and of the inference of shapes.

use std::path::Path;

use backend_api::protocol::resident_bytes;
use onnx_checker::{NodePlace, Rule, checked_file};
use onnx_model::{Limits, Model, ModelError};
use onnx_shapes::{Inference, infer};

/// A violation of a rule.
pub(super) struct Found {
    /// The graph or function; empty for the whole model.
    pub graph: String,
    /// The node, if the violation concerns one.
    pub node: Option<NodePlace>,
    /// The stable name of the rule.
    pub rule: &'static str,
    /// The section of the specification.
    pub section: &'static str,
    /// What breaks the rule.
    pub message: String,
}

/// The violations of a model.
pub(super) struct Findings {
    /// Those of the checker before those of shapes.
    pub list: Vec<Found>,
    /// The number of further ones.
    pub omitted: usize,
    /// The model with its shapes; `None` if it cannot be decoded, for example without its external data.
    pub shapes: Option<(Model, Inference)>,
}

impl Findings {
    /// The violations of the model in a file.
    pub fn of(path: &Path, limits: &Limits) -> Result<Findings, ModelError> {
        let (checked, model) = checked_file(path, limits, resident_bytes())?;
        let mut list: Vec<Found> = checked.list.iter().map(Found::from).collect();
        let shapes = model.map(|model| {
            let inference = infer(&model);
            (model, inference)
        });
        if let Some((_, inference)) = &shapes {
            let found: Vec<Found> = inference.findings.iter().map(Found::from).collect();
            let is_told = |found: &Found| list.iter().any(|known| known.tells(found));
            let further: Vec<Found> = found.into_iter().filter(|found| !is_told(found)).collect();
            list.extend(further);
        }
        Ok(Findings {
            list,
            omitted: checked.omitted,
            shapes,
        })
    }

    /// Whether the model breaks nothing.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Found {
    /// Whether this value of an attribute is what another finding of the same node is about.
    fn tells(&self, other: &Found) -> bool {
        self.rule == Rule::AttributeValue.name() && (&self.graph, &self.node) == (&other.graph, &other.node)
    }

    /// `Softmax-13`; without a version for a function and if it is unknown.
    pub fn operator(&self) -> String {
        let Some(place) = &self.node else {
            return String::new();
        };
        match place.since {
            Some(since) => format!("{}-{since}", place.operator),
            None => place.operator.clone(),
        }
    }
}

impl From<&onnx_checker::Finding> for Found {
    fn from(finding: &onnx_checker::Finding) -> Found {
        Found {
            graph: finding.graph.clone(),
            node: finding.node.clone(),
            rule: finding.rule().name(),
            section: finding.rule().section(),
            message: finding.problem.to_string(),
        }
    }
}

impl From<&onnx_shapes::Finding> for Found {
    fn from(finding: &onnx_shapes::Finding) -> Found {
        Found {
            graph: finding.graph.clone(),
            node: finding.node.clone(),
            rule: finding.rule.name(),
            section: finding.rule.section(),
            message: finding.message.clone(),
        }
    }
}
