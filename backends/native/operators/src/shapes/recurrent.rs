//! Shapes of RNN, GRU and LSTM.

use onnx_tensor::Dim;

use super::{Known, Shape};

impl Known<'_> {
    /// The states of all steps, the last hidden states and the last cells.
    pub fn recurrent(&self) -> Option<Vec<Option<Shape>>> {
        let [first, second, _] = self.shape(0)? else {
            return None;
        };
        let (first, second) = (first.clone(), second.clone());
        let hidden = match self.shape(2)? {
            [_, _, hidden] => hidden.clone(),
            _ => return None,
        };
        let directions = self.directions()?;
        let (all, last) = if self.attributes.flag("layout").ok()? {
            (
                vec![first.clone(), second, directions.clone(), hidden.clone()],
                vec![first, directions, hidden],
            )
        } else {
            (
                vec![first, directions.clone(), second.clone(), hidden.clone()],
                vec![directions, second, hidden],
            )
        };
        Some(vec![Some(all), Some(last.clone()), Some(last)])
    }

    /// The same of DynamicQuantizeLSTM, whose recurrent weights are directions × hidden × columns.
    pub fn dynamic_lstm(&self) -> Option<Vec<Option<Shape>>> {
        let ([steps, batch, _], [_, hidden, _]) = (self.shape(0)?, self.shape(2)?) else {
            return None;
        };
        let (batch, hidden, directions) = (batch.clone(), hidden.clone(), self.directions()?);
        let all = vec![steps.clone(), directions.clone(), batch.clone(), hidden.clone()];
        let last = vec![directions, batch, hidden];
        Some(vec![Some(all), Some(last.clone()), Some(last)])
    }

    fn directions(&self) -> Option<Dim> {
        let both = self.attributes.text("direction").ok()? == "bidirectional";
        Some(Dim::Fixed(1 + usize::from(both)))
    }
}
