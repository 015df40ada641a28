//! The growth of the propagated error along a model, for a chart.

use super::search::Search;
use super::{Growth, Team};
use crate::InvestigateError;
use crate::cut::Values;

impl Search<'_> {
    /// Measures the propagated error at up to `count` evenly spaced cuts, in addition to those that the
    /// search probed. Stops at the first cut on which the backend or the reference does not answer.
    pub(super) fn sample_growth(
        &mut self,
        count: usize,
        team: &mut Team<'_>,
    ) -> Result<(), InvestigateError> {
        let length = self.prepared.len();
        let (mut low, mut before) = (0, Values::new());
        // The end of the model is known.
        let cuts = (1..=count).map(|number| number * length / (count + 1));
        for cut in cuts {
            if cut == low {
                continue;
            }
            let Some(values) = self.values_at(cut, low, &before, team)? else {
                return Ok(());
            };
            (low, before) = (cut, values);
            if self.growth.iter().any(|known| known.index + 1 == cut) {
                continue;
            }
            if self.apart_at(cut, &before, team)?.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Adds the error of the outputs as the last point.
    pub(super) fn end_of_growth(&mut self, outputs: f64) {
        let Some(last) = self.prepared.len().checked_sub(1) else {
            return;
        };
        let (node, operator) = self.label(last);
        self.growth.push(Growth {
            index: last,
            node,
            operator,
            deviation: outputs,
        });
    }
}
