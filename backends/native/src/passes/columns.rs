//! Merges a scale and a shift of columns (a BatchNormalization of rows, the LayerScale of a transformer) into
//! the product of matrices before it: a MatMul, a MatMul with an Add, or a Gemm, each with constant weights.
//!
//! In between, the axes may be permuted, and the rows may be listed along other axes: a Reshape that keeps
//! the last axis.

use onnx_tensor::{Dim, Tensor, Value};

use super::pattern::{Links, operator};
use super::scales::Factors;
use crate::ir::{Graph, Node, Op, Operator, ValueId, shape};
use crate::ops::numbers::slice;
use native_kernels::elementwise::scale_rows;

/// A product with the nodes between it and a scale of its columns.
struct Product {
    at: usize,
    weights: ValueId,
    /// Whether the weights have a row, not a column, for each column of the product.
    transposed: bool,
    /// The summand of the columns.
    bias: Vec<f32>,
    /// The position of the Add that has the summand.
    sum: Option<usize>,
    /// The positions of the nodes that move columns: Transpose and Reshape, in the order of the graph.
    moves: Vec<usize>,
}

/// Returns the axis in the input of a Transpose or Reshape that has the columns on an axis of its result.
/// `last` is whether that axis is the last one.
fn before_move(graph: &Graph, node: &Node, axis: usize, last: bool) -> Option<usize> {
    if let Some(turn) = node.op.plain("Transpose") {
        let order = turn.attributes.ints("perm").ok()??;
        return usize::try_from(*order.get(axis)?).ok();
    }
    let reshape = last && node.op.plain("Reshape").is_some();
    let input = shape(graph.known(node.input(0)?)).filter(|_| reshape)?;
    input.len().checked_sub(1)
}

/// Merges the factors of the node at a position; returns the name of the product, or `None` if there is none.
pub fn merge(graph: &mut Graph, links: &mut Links, at: usize, factors: &Factors) -> Option<String> {
    let found = Product::find(graph, links, factors)?;
    Some(found.write(graph, links, at, factors))
}

impl Product {
    fn find(graph: &Graph, links: &Links, factors: &Factors) -> Option<Product> {
        let around = links.around(graph);
        let columns = factors.scale.len();
        let mut moves = Vec::new();
        let mut columns_of = (factors.input, factors.axis);
        let (mut at, mut node) = loop {
            let (id, axis) = columns_of;
            let extents = shape(graph.known(id))?;
            if extents.get(axis) != Some(&Dim::Fixed(columns)) {
                return None;
            }
            let (at, node) = around.sole_producer(id)?;
            let last = axis + 1 == extents.len();
            let Some(before) = before_move(graph, node, axis, last) else {
                if !last {
                    return None;
                }
                break (at, node);
            };
            columns_of = (node.input(0)?, before);
            moves.insert(0, at);
        };
        let (mut sum, mut bias) = (None, vec![0.0; columns]);
        if node.op.plain("Add").is_some_and(|add| add.schema.since >= 7) {
            let (a, b) = (node.input(0)?, node.input(1)?);
            let (value, constant) = if graph.constant(b).is_some() {
                (a, b)
            } else {
                (b, a)
            };
            bias = for_each_column(graph.constant(constant)?, columns)?;
            // The summand must not have more axes than the product.
            let ranks = [value, constant].map(|id| shape(graph.known(id)).map(<[Dim]>::len));
            (ranks[0]? >= ranks[1]?).then_some(())?;
            sum = Some(at);
            (at, node) = around.sole_producer(value)?;
        }
        let product = operator(node)?;
        let weights = node.input(1)?;
        let &[rows, others] = graph.constant(weights)?.shape() else {
            return None;
        };
        slice::<f32>(graph.constant(weights)?).ok()?;
        let transposed = match product.schema.name {
            "MatMul" => false,
            // The bias of a Gemm is the summand.
            "Gemm" if sum.is_none() && product.attributes.float("beta").ok()? == 1.0 => {
                if let Some(id) = node.input(2) {
                    bias = for_each_column(graph.constant(id)?, columns)?;
                }
                product.attributes.flag("transB").ok()?
            }
            _ => return None,
        };
        let fits = columns > 0 && columns == if transposed { rows } else { others };
        fits.then_some(Product {
            at,
            weights,
            transposed,
            bias,
            sum,
            moves,
        })
    }

    /// Replaces the product, and the nodes after it up to `last`, which has the factors.
    fn write(self, graph: &mut Graph, links: &mut Links, last: usize, factors: &Factors) -> String {
        let mut product = graph.nodes[self.at].clone();
        let name = product.name.clone();
        let result = graph.nodes[last].outputs.clone();
        let moved = |(&old, (scale, shift)): (&f32, (&f64, &f64))| (f64::from(old) * scale + shift) as f32;
        let both = factors.scale.iter().zip(&factors.shift);
        let bias: Vec<f32> = self.bias.iter().zip(both).map(moved).collect();
        let has_summand = bias.iter().any(|&summand| summand != 0.0);
        let bias = graph.add_constant(format!("{name}.bias"), Tensor::vector(bias));
        product.inputs[1] = self.scaled(graph, links, &name, &factors.scale);
        let mut after = Vec::new();
        if product.op.plain("Gemm").is_some() {
            product.inputs.resize(3, None);
            product.inputs[2] = Some(bias);
        } else if self.sum.is_some() || has_summand {
            let add = Operator::make("Add", 14, []).map(Op::Plain);
            after.extend(add.map(|op| Node {
                name: name.clone(),
                op,
                inputs: vec![product.outputs[0], Some(bias)],
                outputs: product.outputs.clone(),
            }));
        }
        after.extend(self.moves.iter().map(|&at| graph.nodes[at].clone()));
        // Each node between the product and the last one reads the result of the one before it.
        let mut before = &mut product;
        for node in &mut after {
            let known = before.outputs[0].and_then(|id| graph.known(id).cloned());
            before.outputs = vec![Some(graph.add(&name, known, None))];
            node.inputs[0] = before.outputs[0];
            before = node;
        }
        before.outputs = result;
        links.replace(graph, self.at, product);
        let mut after = after.into_iter();
        for place in self.sum.into_iter().chain(self.moves).chain([last]) {
            let husk = Node {
                inputs: Vec::new(),
                outputs: vec![None],
                ..graph.nodes[place].clone()
            };
            links.replace(graph, place, after.next().unwrap_or(husk));
        }
        name
    }

    /// Returns the weights with scaled columns. They are scaled in place if no other node reads them.
    fn scaled(&self, graph: &mut Graph, links: &Links, name: &str, scale: &[f64]) -> Option<ValueId> {
        let slot = &mut graph.values[self.weights.index()].constant;
        let alone = links.uses(self.weights) == 1;
        let held = if alone { slot.take() } else { slot.clone() };
        let Some(Value::Tensor(Tensor::Float(mut array))) = held else {
            return None;
        };
        let elements = array.as_slice_mut()?;
        if self.transposed {
            scale_rows(scale, elements).ok()?
        } else {
            for row in elements.chunks_exact_mut(scale.len()) {
                for (weight, factor) in row.iter_mut().zip(scale) {
                    *weight = (f64::from(*weight) * factor) as f32;
                }
            }
        }
        Some(graph.add_constant(format!("{name}.weights"), Tensor::Float(array)))
    }
}

/// Returns the values of a constant along its last axis, if it has one for each column, or one for all.
fn for_each_column(tensor: &Tensor, columns: usize) -> Option<Vec<f32>> {
    let values = slice::<f32>(tensor).ok()?;
    match values {
        [value] => Some(vec![*value; columns]),
        values if values.len() == columns && tensor.shape().last() == Some(&columns) => Some(values.to_vec()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};
    use onnx_model::Node;
    use onnx_tensor::Tensor;

    use super::super::scales::run;
    use crate::fixture::{Fixture, node};

    /// Checks the nodes that are left of these with a BatchNormalization of `n` with five columns.
    #[track_caller]
    fn check(shape: &[usize], mut nodes: Vec<Node>, expected: &[&str]) {
        nodes.push(node("BatchNormalization", "n scale bias mean variance", "y", &[]));
        let fixture = Fixture::new(shape, nodes)
            .constant("rows", Tensor::vector(vec![-1_i64, 5]))
            .constant("pairs", Tensor::vector(vec![-1_i64, 5, 2]))
            .varied("b", &[5])
            .varied("one", &[1, 1])
            .varied("column", &[6, 1])
            .varied("t", &[5, 4])
            .varied("w", &[4, 5]);
        ["scale", "bias", "mean", "variance"]
            .into_iter()
            .fold(fixture, |fixture, name| fixture.varied(name, &[5]))
            .check(&[run], expected);
    }

    #[test]
    fn statistics_of_columns_are_merged_into_a_product() {
        let product = || node("MatMul", "x w", "m", &[]);
        check(
            &[6, 4],
            vec![node("MatMul", "x w", "n", &[])],
            &["MatMul-13", "Add-14"],
        );
        check(
            &[2, 3, 4],
            vec![product(), node("Reshape", "m rows", "n", &[])],
            &["MatMul-13", "Add-14", "Reshape-19"],
        );
        for sum in ["m b", "b m", "m one"] {
            check(
                &[6, 4],
                vec![product(), node("Add", sum, "n", &[])],
                &["MatMul-13", "Add-14"],
            );
            check(
                &[2, 3, 4],
                vec![
                    product(),
                    node("Add", sum, "s", &[]),
                    node("Reshape", "s rows", "n", &[]),
                ],
                &["MatMul-13", "Add-14", "Reshape-19"],
            );
        }
        check(&[6, 4], vec![node("Gemm", "x w", "n", &[])], &["Gemm-13"]);
        check(
            &[6, 4],
            vec![node("Gemm", "x t b", "n", &[("transB", Int(1))])],
            &["Gemm-13"],
        );
    }

    /// Checks the nodes that are left of these, whose last one multiplies `m` by `scale` of this shape.
    #[track_caller]
    fn check_scale(mut nodes: Vec<Node>, scale: &[usize], expected: &[&str]) {
        nodes.push(node("Mul", "m scale", "y", &[]));
        Fixture::new(&[2, 3, 4], nodes)
            .constant("planes", Tensor::vector(vec![1_i64, 2, 3, 5]))
            .varied("scale", scale)
            .varied("b", &[5])
            .varied("w", &[4, 5])
            .check(&[run], expected);
    }

    #[test]
    fn scales_along_the_axis_of_the_columns_are_merged_into_a_product() {
        let sum = || vec![node("MatMul", "x w", "p", &[]), node("Add", "p b", "s", &[])];
        let turn = |from, order: &[i64]| node("Transpose", from, "m", &[("perm", Ints(order.to_vec()))]);
        check_scale(vec![node("MatMul", "x w", "m", &[])], &[5], &["MatMul-13"]);
        let add = vec![node("MatMul", "x w", "p", &[]), node("Add", "p b", "m", &[])];
        check_scale(add.clone(), &[1, 5], &["MatMul-13", "Add-14"]);
        check_scale(add, &[3, 1], &["MatMul-13", "Add-14", "Mul-14"]);
        let turned = |order: &[i64]| [sum(), vec![turn("s", order)]].concat();
        let merged = ["MatMul-13", "Add-14", "Transpose-13"];
        check_scale(turned(&[0, 2, 1]), &[5, 1], &merged);
        check_scale(turned(&[2, 0, 1]), &[5, 1, 1], &merged);
        check_scale(turned(&[0, 2, 1]), &[3], &[&merged[..], &["Mul-14"]].concat());
        let planes = [
            sum(),
            vec![node("Reshape", "s planes", "r", &[]), turn("r", &[0, 3, 1, 2])],
        ];
        let merged = ["MatMul-13", "Add-14", "Reshape-19", "Transpose-13"];
        check_scale(planes.concat(), &[5, 1, 1], &merged);
    }

    #[test]
    fn other_axes_and_other_readers_prevent_it() {
        let product = || node("MatMul", "x w", "m", &[]);
        let affine = "Affine then Identity";
        check(
            &[4, 4],
            vec![product(), node("Reshape", "m pairs", "n", &[])],
            &["MatMul-13", "Reshape-19", affine],
        );
        check(
            &[6, 4],
            vec![product(), node("Add", "m column", "n", &[])],
            &["MatMul-13", "Add-14", affine],
        );
        check(
            &[5, 4],
            vec![product(), node("Transpose", "m", "n", &[])],
            &["MatMul-13", "Transpose-13", affine],
        );
        check(
            &[6, 4],
            vec![
                product(),
                node("Neg", "m", "k", &[]),
                node("Sub", "m k", "n", &[]),
            ],
            &["MatMul-13", "Neg-13", "Sub-14", affine],
        );
    }

    #[test]
    fn weights_that_another_product_reads_are_kept() {
        let nodes = vec![
            node("MatMul", "x w", "m", &[]),
            node("BatchNormalization", "m scale bias mean variance", "a", &[]),
            node("MatMul", "x w", "b", &[]),
            node("Sub", "a b", "y", &[]),
        ];
        let fixture = Fixture::new(&[6, 4], nodes).varied("w", &[4, 5]);
        ["scale", "bias", "mean", "variance"]
            .into_iter()
            .fold(fixture, |fixture, name| fixture.varied(name, &[5]))
            .check(&[run], &["MatMul-13", "Add-14", "MatMul-13", "Sub-14"]);
    }
}
