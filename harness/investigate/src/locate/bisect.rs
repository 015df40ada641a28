//! Bisects the topological order by the propagated error.

use super::ask::Cut;
use super::search::Search;
use super::{Growth, Team, known, refer_plain};
use crate::InvestigateError;
use crate::cut::Values;
use crate::deviation::deviation;

/// The typical deviation due to rounding in a float32 network. The threshold is between this and the
/// deviation of the outputs, at the mean of their exponents.
const ROUNDING: f64 = 1e-7;

/// The value of a deviation that cannot be measured.
const LARGEST: f64 = 1e3;

/// The deviation above which a value counts as wrong, given the deviation of the outputs.
pub(super) fn threshold(outputs: f64) -> f64 {
    (ROUNDING * outputs.min(LARGEST)).sqrt()
}

impl Search<'_> {
    /// The first node after which the deviation is large, with the reference's values before it. `None`
    /// if the backend or the reference does not answer on a cut.
    pub(super) fn bisect(
        &mut self,
        outputs: f64,
        team: &mut Team<'_>,
    ) -> Result<Option<(usize, Values)>, InvestigateError> {
        let threshold = threshold(outputs);
        let (mut low, mut high) = (0, self.prepared.len());
        let mut before = Values::new();
        while high - low > 1 {
            if self.is_late() {
                return Ok(None);
            }
            let middle = low + (high - low) / 2;
            let Some(values) = self.values_at(middle, low, &before, team)? else {
                return Ok(None);
            };
            let Some(apart) = self.apart_at(middle, &values, team)? else {
                return Ok(None);
            };
            if apart > threshold {
                high = middle
            } else {
                (low, before) = (middle, values)
            }
        }
        Ok(Some((low, before)))
    }

    /// The reference's values that are live at `cut`, computed from those at the earlier cut `low`.
    pub(super) fn values_at(
        &mut self,
        cut: usize,
        low: usize,
        before: &Values,
        team: &mut Team<'_>,
    ) -> Result<Option<Values>, InvestigateError> {
        let live = self.prepared.live(cut);
        let (mut values, mut wanted) = (Values::new(), Vec::new());
        for name in live {
            match before.get(&name) {
                Some(value) => drop(values.insert(name, value.clone())),
                None => wanted.push(name),
            }
        }
        if wanted.is_empty() {
            return Ok(Some(values));
        }
        let nodes: Vec<usize> = (low..cut).collect();
        let part = self
            .prepared
            .cut(&nodes, &wanted, &known(&self.prepared.inputs, before));
        match refer_plain(team.reference, &part)? {
            Ok(outputs) => {
                values.extend(outputs);
                Ok(Some(values))
            }
            Err(judgement) => {
                self.notes.push(format!(
                    "the reference fails on a cut model: {}",
                    judgement.reason
                ));
                Ok(None)
            }
        }
    }

    /// The deviation of a backend that ran all nodes before `cut`.
    pub(super) fn apart_at(
        &mut self,
        cut: usize,
        values: &Values,
        team: &mut Team<'_>,
    ) -> Result<Option<f64>, InvestigateError> {
        if values.is_empty() {
            return Ok(Some(0.0));
        }
        let names: Vec<String> = values.keys().cloned().collect();
        let nodes: Vec<usize> = (0..cut).collect();
        let nothing = Values::new();
        let part = Cut {
            nodes: &nodes,
            outputs: &names,
            live: &nothing,
        };
        let (node, operator) = self.label(cut - 1);
        match self.ask(&part, team)?.1 {
            Ok(outputs) => {
                let expected: Vec<_> = values
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                let apart = deviation(&expected, &outputs.values);
                self.growth.push(Growth {
                    index: cut - 1,
                    node,
                    operator,
                    deviation: apart,
                });
                Ok(Some(apart))
            }
            Err(judgement) => {
                self.notes.push(format!(
                    "the backend fails on the model cut after `{node}` ({operator}), although it runs the complete model: {}",
                    judgement.reason
                ));
                Ok(None)
            }
        }
    }
}
