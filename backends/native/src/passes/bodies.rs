//! Runs the passes in bodies. A captured constant is also a constant in the body.

use std::sync::Arc;

use crate::dump::Dump;
use crate::error::NodeError;
use crate::ir::{Graph, Op, ValueId};
use crate::kernels::Device;

/// Runs the passes in every body, after adding the types and constants of captured values.
pub fn run(graph: &mut Graph, device: &Device) -> Result<(), NodeError> {
    for position in 0..graph.nodes.len() {
        let inputs = graph.nodes[position].inputs.clone();
        let mut op = graph.nodes[position].op.clone();
        match &mut op {
            Op::If { branches, .. } => {
                for branch in branches {
                    rewrite(graph, branch, inputs.get(1..).unwrap_or_default(), 0, device)?;
                }
            }
            Op::Repeat { own_inputs, body, .. } => {
                let captured = inputs.get(*own_inputs..).unwrap_or_default();
                let first = body.inputs.len().saturating_sub(captured.len());
                rewrite(graph, body, captured, first, device)?;
            }
            _ => continue,
        }
        graph.nodes[position].op = op;
    }
    Ok(())
}

fn rewrite(
    outer: &Graph,
    body: &mut Arc<Graph>,
    captured: &[Option<ValueId>],
    first: usize,
    device: &Device,
) -> Result<(), NodeError> {
    let mut inner = Graph::clone(body);
    for (&outside, &inside) in captured.iter().zip(&inner.inputs[first..]) {
        let Some(value) = outside.map(|id| outer.value(id)) else {
            continue;
        };
        let slot = &mut inner.values[inside.index()];
        if slot.known.is_none() || value.constant.is_some() {
            slot.known = value.known.clone();
            slot.constant = value.constant.clone();
        }
    }
    run(&mut inner, device)?;
    super::run_all(&mut inner, device, &Dump::default())?;
    *body = Arc::new(inner);
    Ok(())
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use super::super::{Report, infer};
    use crate::fixture::{Fixture, body, device, node};

    #[test]
    fn captured_constants_are_folded_in_the_body() {
        let then_nodes = vec![
            node("Neg", "two", "minus", &[]),
            node("Mul", "x minus", "out", &[]),
        ];
        let else_nodes = vec![node("Shape", "x", "s", &[]), node("Reshape", "x s", "out", &[])];
        let (then_branch, else_branch) = (body("", then_nodes, "out"), body("", else_nodes, "out"));
        let branches = [("then_branch", then_branch), ("else_branch", else_branch)];
        let nodes = vec![
            node("ReduceMax", "x", "most", &[("keepdims", AttributeValue::Int(0))]),
            node("Greater", "most two", "c", &[]),
            node("If", "c", "y", &branches),
        ];
        let text = Fixture::new(&[2, 3], nodes)
            .constant("two", Tensor::scalar(2.0_f32))
            .text(&[
                |graph| infer::run(graph),
                |graph| super::run(graph, &device(1)).map(|()| Report::new()),
            ])
            .expect("types fit");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
        let expected = [
            "  then:",
            "  input %2 x: float[2, 3]",
            "  %3 out: float[2, 3] = Mul-14(%2, const float[] [-2.0])",
            "  return %3",
            "  else:",
            "  input %0 x: float[2, 3]",
            "  return %0",
        ];
        assert_eq!(found, expected, "{text}");
    }
}
