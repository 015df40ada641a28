//! Writes an Einsum of two operands as a product of matrices.
//!
//! Each index of the equation is one of four: it is in both operands and the result (a stack of matrices),
//! in both operands only (summed), or in the result and one operand (rows, columns). Both operands are
//! transposed to `[stack, rows, summed]` and `[stack, summed, columns]`, several rows, columns or summed
//! indices are one axis of the product, and its result is transposed to the order of the equation.

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::Report;
use super::chain::{Chain, replace};
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Graph, Node, ValueId, dtype};
use crate::ops::equation::{Equation, Label};

/// Replaces every Einsum over two f32 operands of known extents that is a product.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    replace(graph, "is a product of matrices", product)
}

/// Returns the nodes of an Einsum over two f32 operands of known extents that is a product.
pub fn product(graph: &mut Graph, node: &Node) -> Option<Vec<Node>> {
    let found = Product::find(graph, node)?;
    Some(found.write(graph, node))
}

/// An index and its extent.
type Index = (Label, usize);

/// An equation that is a product of matrices.
struct Product {
    operands: [ValueId; 2],
    result: ValueId,
    terms: [Vec<Label>; 2],
    output: Vec<Label>,
    stack: Vec<Index>,
    rows: Vec<Index>,
    columns: Vec<Index>,
    summed: Vec<Index>,
}

impl Product {
    fn find(graph: &Graph, node: &Node) -> Option<Product> {
        let found = operator(node).filter(|found| found.schema.name == "Einsum" && node.inputs.len() == 2)?;
        let operands = [node.input(0)?, node.input(1)?];
        let floats = |id: &ValueId| dtype(graph.known(*id)) == Some(DType::Float);
        let shapes = [graph.shape_of(operands[0])?, graph.shape_of(operands[1])?];
        let ranks = [shapes[0].len(), shapes[1].len()];
        let Equation { terms, output } =
            Equation::read(found.attributes.text("equation").ok()?, &ranks).ok()?;
        let terms: [Vec<Label>; 2] = terms.try_into().ok()?;
        let extent_in = |term: usize, label: &Label| {
            let at = terms[term].iter().position(|own| own == label)?;
            shapes[term].get(at).copied()
        };
        let mut product = Product {
            operands,
            result: node.only_output()?,
            terms: terms.clone(),
            output: output.clone(),
            stack: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            summed: Vec::new(),
        };
        let more = terms.iter().flatten().filter(|label| !output.contains(label));
        for label in output.iter().chain(more) {
            let extents = [0, 1].map(|term| extent_in(term, label));
            let (group, extent) = match (extents, output.contains(label)) {
                ([Some(a), Some(b)], true) if a == b => (&mut product.stack, a),
                ([Some(a), Some(b)], false) if a == b => (&mut product.summed, a),
                ([Some(a), None], true) => (&mut product.rows, a),
                ([None, Some(b)], true) => (&mut product.columns, b),
                _ => return None,
            };
            if !group.contains(&(*label, extent)) {
                group.push((*label, extent));
            }
        }
        let repeats = |term: &Vec<Label>| (1..term.len()).any(|at| term[at..].contains(&term[at - 1]));
        let plain = operands.iter().all(floats) && !shapes.concat().contains(&0);
        (plain && !terms.iter().chain([&output]).any(repeats)).then_some(product)
    }

    /// Returns the nodes in order.
    fn write(self, graph: &mut Graph, node: &Node) -> Vec<Node> {
        let mut chain = Chain::new(graph, &node.name);
        let [a, b] = &self.terms;
        let left = [&self.stack[..], &self.rows, &self.summed].concat();
        let right = [&self.stack[..], &self.summed, &self.columns].concat();
        let left = chain.ordered(self.operands[0], a, &labels(&left));
        let right = chain.ordered(self.operands[1], b, &labels(&right));
        let left = chain.merged(left, &self.stack, [&self.rows, &self.summed]);
        let right = chain.merged(right, &self.stack, [&self.summed, &self.columns]);
        let product = chain.add("MatMul", 13, None, vec![Some(left), Some(right)]);
        let full = [&self.stack[..], &self.rows, &self.columns].concat();
        let parts = if self.rows.len() == 1 && self.columns.len() == 1 {
            product
        } else {
            let extents: Vec<usize> = full.iter().map(|(_, extent)| *extent).collect();
            chain.reshaped(product, &extents)
        };
        let ordered = chain.ordered(parts, &labels(&full), &self.output);
        chain.ending(ordered, self.result)
    }
}

fn labels(indices: &[Index]) -> Vec<Label> {
    indices.iter().map(|(label, _)| *label).collect()
}

impl Chain<'_> {
    /// Transposes a value whose axes have these indices to another order.
    fn ordered(&mut self, value: ValueId, from: &[Label], to: &[Label]) -> ValueId {
        if from == to {
            return value;
        }
        let axis = |label| from.iter().position(|own| own == label).unwrap_or(0) as i64;
        let order = AttributeValue::Ints(to.iter().map(axis).collect());
        self.add("Transpose", 13, Some(("perm", order)), vec![Some(value)])
    }

    /// Makes a matrix of each element of the stack, if it is none.
    fn merged(&mut self, value: ValueId, stack: &[Index], axes: [&[Index]; 2]) -> ValueId {
        if axes.iter().all(|indices| indices.len() == 1) {
            return value;
        }
        let matrix = axes.map(|indices| indices.iter().map(|(_, extent)| extent).product());
        let stack = stack.iter().map(|(_, extent)| *extent);
        self.reshaped(value, &stack.chain(matrix).collect::<Vec<usize>>())
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;

    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(equation: &str, x: &[usize], b: &[usize], expected: &[&str]) {
        let equation = ("equation", AttributeValue::String(equation.as_bytes().to_vec()));
        Fixture::new(x, vec![node("Einsum", "x b", "y", &[equation])])
            .varied("b", b)
            .check(&[run], expected);
    }

    const PRODUCT: &str = "MatMul-13";
    const TURN: &str = "Transpose-13";
    const SHAPE: &str = "Reshape-14";

    #[test]
    fn products_are_matrix_products() {
        check("ij,jk->ik", &[2, 3], &[3, 4], &[PRODUCT]);
        check("bij,bjk->bik", &[5, 2, 3], &[5, 3, 4], &[PRODUCT]);
        check("...ij,...jk", &[5, 6, 2, 3], &[5, 6, 3, 4], &[PRODUCT]);
        check("ij,kj->ik", &[2, 3], &[4, 3], &[TURN, PRODUCT]);
        check("ij,jk->ki", &[2, 3], &[3, 4], &[PRODUCT, TURN]);
        check(
            "bqhd,bkhd->bhqk",
            &[2, 3, 4, 5],
            &[2, 6, 4, 5],
            &[TURN, TURN, PRODUCT],
        );
        check(
            "bhqk,bkhd->bqhd",
            &[2, 4, 3, 6],
            &[2, 6, 4, 5],
            &[TURN, PRODUCT, TURN],
        );
    }

    #[test]
    fn several_indices_are_one_axis() {
        check("abc,cd->abd", &[2, 3, 4], &[4, 5], &[SHAPE, PRODUCT, SHAPE]);
        check("abc,bcd->ad", &[2, 3, 4], &[3, 4, 5], &[SHAPE, SHAPE, PRODUCT]);
        check("i,j->ij", &[2], &[3], &[SHAPE, SHAPE, PRODUCT]);
        check("ij,j->i", &[2, 3], &[3], &[SHAPE, PRODUCT, SHAPE]);
        check("ij,ij->", &[2, 3], &[2, 3], &[SHAPE, SHAPE, PRODUCT, SHAPE]);
        check(
            "abc,dcb->da",
            &[2, 3, 4],
            &[5, 4, 3],
            &[TURN, SHAPE, SHAPE, PRODUCT, TURN],
        );
    }

    #[test]
    fn other_equations_are_unchanged() {
        let same = ["Einsum-12"];
        check("ii,ij->ij", &[3, 3], &[3, 4], &same);
        check("ij,k->k", &[2, 3], &[4], &same);
        check("ij,jk->ik", &[2, 1], &[3, 4], &same);
        check("ij,jk->ik", &[0, 3], &[3, 4], &same);
    }
}
