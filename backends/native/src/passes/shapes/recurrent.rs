//! Shapes of RNN, GRU and LSTM.

use onnx_tensor::Dim;

use super::{Context, Shape};

impl Context<'_> {
    /// The states of all steps, the last hidden states and the last cells.
    pub(super) fn recurrent(&self) -> Option<Vec<Option<Shape>>> {
        let [first, second, _] = self.shape(0)? else {
            return None;
        };
        let (first, second) = (first.clone(), second.clone());
        let hidden = match self.shape(2)? {
            [_, _, hidden] => hidden.clone(),
            _ => return None,
        };
        let both = self.operator.attributes.text("direction").ok()? == "bidirectional";
        let directions = Dim::Fixed(1 + usize::from(both));
        let (all, last) = match self.operator.attributes.flag("layout").ok()? {
            true => (
                vec![first.clone(), second, directions.clone(), hidden.clone()],
                vec![first, directions, hidden],
            ),
            false => (
                vec![first, directions.clone(), second.clone(), hidden.clone()],
                vec![directions, second, hidden],
            ),
        };
        Some(vec![Some(all), Some(last.clone()), Some(last)])
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Int, Ints, String};
    use onnx_tensor::{DType, Dim, ValueType};

    use super::super::super::infer;
    use crate::fixture::{Fixture, node};

    /// Checks the known type of the result of an operator over an input whose first two extents are named.
    #[track_caller]
    fn check(operator: &str, w: &[usize], attributes: &[(&str, AttributeValue)], expected: &str) {
        let inputs = if operator == "ConvTranspose" {
            "x w"
        } else {
            "x w w"
        };
        let fixture = Fixture::new(&[2, 3, 4, 5], vec![node(operator, inputs, "y", attributes)]);
        let fixture = fixture.varied("w", w);
        let named = |graph: &mut crate::ir::Graph| {
            let name = |name: &str| Dim::Named(name.to_owned());
            let mut shape = vec![name("first"), name("second"), Dim::Fixed(5)];
            if graph.nodes[0].op.plain("ConvTranspose").is_some() {
                shape = vec![name("first"), Dim::Fixed(4), Dim::Fixed(7), Dim::Fixed(6)];
            }
            let input = graph.inputs[0].index();
            graph.values[input].known = Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(shape),
            });
            infer::run(graph)
        };
        let text = fixture.text(&[named]).expect("types fit");
        assert!(text.contains(expected), "{operator}: {text}");
    }

    #[test]
    fn named_extents_pass_through() {
        let both = ("direction", String(b"bidirectional".to_vec()));
        let batch_first = ("layout", Int(1));
        check("LSTM", &[1, 20, 5], &[], "y: float[first, 1, second, 5]");
        check(
            "GRU",
            &[2, 15, 5],
            std::slice::from_ref(&both),
            "y: float[first, 2, second, 5]",
        );
        check(
            "RNN",
            &[2, 5, 5],
            &[both, batch_first],
            "y: float[first, second, 2, 5]",
        );
        let strides = ("strides", Ints(vec![2, 3]));
        check(
            "ConvTranspose",
            &[4, 6, 3, 2],
            &[strides],
            "y: float[first, 6, 15, 17]",
        );
    }
}
