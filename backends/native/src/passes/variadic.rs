//! Writes Sum, Max and Min of more than two operands as operators of two, which have kernels and can be
//! merged into the convolution or product before them.

use super::Report;
use super::chain::{Chain, replace};
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Graph, Node, ValueId};

/// Replaces every such node. The operands are combined from the first to the last, as the operators do it.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    replace(graph, "combines two operands at a time", |graph, node| {
        let (operator, since) = of_two(node)?;
        let result = node.only_output()?;
        let operands: Vec<ValueId> = node.inputs.iter().copied().collect::<Option<_>>()?;
        let (&first, others) = operands.split_first().filter(|(_, others)| others.len() > 1)?;
        let mut chain = Chain::new(graph, &node.name);
        let last = others.iter().fold(first, |last, &other| {
            chain.add(operator, since, None, vec![Some(last), Some(other)])
        });
        Some(chain.ending(last, result))
    })
}

/// Returns the operator of two operands with its version. Before since 8, operands do not broadcast.
fn of_two(node: &Node) -> Option<(&'static str, u32)> {
    let schema = operator(node).filter(|found| found.schema.since >= 8)?.schema;
    match schema.name {
        "Sum" => Some(("Add", 14)),
        "Max" => Some(("Max", 13)),
        "Min" => Some(("Min", 13)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(operator: &str, operands: &str, expected: &[&str]) {
        Fixture::new(&[2, 3, 4], vec![node(operator, operands, "y", &[])])
            .opset(13)
            .varied("a", &[3, 1])
            .varied("b", &[2, 1, 4])
            .check(&[run], expected);
    }

    #[test]
    fn operands_are_combined_one_after_the_other() {
        check("Sum", "x a", &["Sum-13"]);
        check("Max", "x", &["Max-13"]);
        check("Sum", "a x b", &["Add-14"; 2]);
        check("Min", "x b a x", &["Min-13"; 3]);
        check("Max", "x a b", &["Max-13"; 2]);
    }
}
