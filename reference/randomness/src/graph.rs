//! Maps a model to the distributions of its outputs.

use onnx_model::{Graph, Model, Node};
use onnx_tensor::Value;

use crate::node::OPERATORS;
use crate::{Contract, Violation, reproducible};

/// The distributions of the outputs of a model with random operators.
///
/// Supported are direct outputs of a random operator whose inputs are graph inputs and initializers, the
/// mask of Dropout, and the function body of Bernoulli (a uniform draw, compared with probabilities, cast).
/// An output that is computed from a draw by other nodes has no contract.
#[derive(Clone, PartialEq, Debug)]
pub struct Draws {
    /// For each graph output its distribution, if it is random.
    outputs: Vec<Option<Contract>>,
    /// The indices of a Dropout's output and of its mask, if both are outputs of the graph.
    masked: Option<(usize, usize)>,
    /// Whether every draw has a `seed`, so that a fresh load reproduces it.
    seeded: bool,
}

impl Draws {
    /// The draws of `model` for these inputs; `None` if no output is random.
    pub fn of_model(model: &Model, inputs: &[(String, Value)]) -> Option<Draws> {
        let view = View { model, inputs };
        let found: Vec<Option<Drawn>> = model
            .graph
            .outputs
            .iter()
            .map(|output| view.output(&output.name))
            .collect();
        let place = |dropout: Dropout| {
            let is =
                |drawn: &Option<Drawn>| drawn.as_ref().is_some_and(|drawn| drawn.dropout == Some(dropout));
            found.iter().position(is)
        };
        let masked = place(Dropout::Output).zip(place(Dropout::Mask));
        let seeded = found.iter().flatten().all(|drawn| drawn.seeded);
        let outputs: Vec<Option<Contract>> = found
            .into_iter()
            .map(|drawn| drawn.map(|drawn| drawn.contract))
            .collect();
        outputs.iter().any(Option::is_some).then_some(Draws {
            outputs,
            masked,
            seeded,
        })
    }

    /// Whether the graph output at `index` is random, so that its values must not be compared.
    pub fn covers(&self, index: usize) -> bool {
        matches!(self.outputs.get(index), Some(Some(_)))
    }

    /// Whether a fresh load must reproduce the outputs bit for bit: every draw sets `seed`.
    pub fn seeded(&self) -> bool {
        self.seeded
    }

    /// Tests the outputs of one run, in the order of the graph.
    ///
    /// # Errors
    /// The index of the first output with a violation, and the violation.
    pub fn judge(&self, outputs: &[(String, Value)]) -> Result<(), (usize, Violation)> {
        for (index, contract) in self.outputs.iter().enumerate() {
            let tensor = outputs.get(index).and_then(|(_, value)| value.as_tensor());
            if let (Some(contract), Some(tensor)) = (contract, tensor) {
                contract.judge(tensor).map_err(|violation| (index, violation))?;
            }
        }
        let Some((output, mask)) = self.masked else {
            return Ok(());
        };
        let numbers = |index: usize| {
            let tensor = outputs.get(index).and_then(|(_, value)| value.as_tensor());
            tensor.map_or(Ok(Vec::new()), crate::contract::reals)
        };
        let (kept, flags) = (
            numbers(output).map_err(|error| (output, error.into()))?,
            numbers(mask).map_err(|error| (mask, error.into()))?,
        );
        let torn = kept
            .iter()
            .zip(&flags)
            // The product of an infinite element and 0 is NaN.
            .position(|(kept, flag)| *flag == 0.0 && *kept != 0.0 && !kept.is_nan());
        torn.map_or(Ok(()), |index| Err((mask, Violation::Mask { index })))
    }

    /// Compares the outputs of a second, fresh load with those of the first.
    ///
    /// # Errors
    /// The index of the first output that differs.
    pub fn reproduced(
        &self,
        first: &[(String, Value)],
        second: &[(String, Value)],
    ) -> Result<(), (usize, Violation)> {
        for (index, ((_, first), (_, second))) in first.iter().zip(second).enumerate() {
            if let (true, Some(first), Some(second)) =
                (self.covers(index), first.as_tensor(), second.as_tensor())
            {
                reproducible(first, second).map_err(|violation| (index, violation))?;
            }
        }
        Ok(())
    }
}

/// Which output of a Dropout is random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dropout {
    Output,
    Mask,
}

struct Drawn {
    contract: Contract,
    seeded: bool,
    dropout: Option<Dropout>,
}

/// A model with its inputs.
struct View<'a> {
    model: &'a Model,
    inputs: &'a [(String, Value)],
}

impl View<'_> {
    fn graph(&self) -> &Graph {
        &self.model.graph
    }

    fn producer(&self, name: &str) -> Option<(&Node, usize)> {
        self.graph().nodes.iter().find_map(|node| {
            let position = node.outputs.iter().position(|output| output == name)?;
            Some((node, position))
        })
    }

    /// A value that is known before the model runs.
    fn known(&self, name: &str) -> Option<Value> {
        let fed = self
            .inputs
            .iter()
            .find(|(input, _)| input == name)
            .map(|(_, value)| value);
        fed.or_else(|| self.graph().initializer(name)).cloned()
    }

    fn output(&self, name: &str) -> Option<Drawn> {
        let (node, position) = self.producer(name)?;
        if node.operator == "Cast" {
            return self.bernoulli_body(node);
        }
        let contract = self.contract(node)?;
        let (contract, dropout) = match (contract, position) {
            (Contract::Dropout { data, ratio }, 1) => {
                let probabilities = vec![1.0 - ratio; data.len()];
                (Contract::Bernoulli { probabilities }, Some(Dropout::Mask))
            }
            (contract @ Contract::Dropout { .. }, 0) => (contract, Some(Dropout::Output)),
            (contract, 0) => (contract, None),
            _ => return None,
        };
        Some(Drawn {
            contract,
            seeded: node.attribute("seed").is_some(),
            dropout,
        })
    }

    fn contract(&self, node: &Node) -> Option<Contract> {
        // Inputs of other operators may be large and are not read.
        if !OPERATORS.contains(&node.operator.as_str()) {
            return None;
        }
        let schema = onnx_schema::resolve(&self.model.opset_imports, &node.domain, &node.operator).ok()?;
        let inputs: Vec<Option<Value>> = node.inputs.iter().map(|name| self.known(name)).collect();
        let omitted = |(name, value): (&String, &Option<Value>)| name.is_empty() || value.is_some();
        if !node.inputs.iter().zip(&inputs).all(omitted) {
            return None;
        }
        Contract::of_node(schema, &node.attributes, &inputs)
    }

    /// `Cast(Greater(draw, p))`, the function body of Bernoulli in ONNX (which returns 1 with the
    /// probability 1 − p: the graph is tested as it is), or `Cast(Greater(p, draw))`, with a uniform draw
    /// from 0 to 1.
    fn bernoulli_body(&self, cast: &Node) -> Option<Drawn> {
        let (greater, _) = self.producer(cast.inputs.first()?)?;
        let [left, right] = greater.inputs.as_slice() else {
            return None;
        };
        let draw = |name: &str| {
            let (node, _) = self.producer(name)?;
            match self.contract(node)? {
                Contract::Uniform {
                    low: 0.0, high: 1.0, ..
                } => Some(node.attribute("seed").is_some()),
                _ => None,
            }
        };
        let (seeded, held, draw_first) = match (draw(left), draw(right)) {
            (Some(seeded), None) => (seeded, right, true),
            (None, Some(seeded)) => (seeded, left, false),
            _ => return None,
        };
        let held = crate::contract::reals(self.known(held)?.as_tensor()?).ok()?;
        let proper = greater.operator == "Greater" && held.iter().all(|p| (0.0..=1.0).contains(p));
        let probability = |p: f64| if draw_first { 1.0 - p } else { p };
        proper.then(|| Drawn {
            contract: Contract::Bernoulli {
                probabilities: held.into_iter().map(probability).collect(),
            },
            seeded,
            dropout: None,
        })
    }
}
