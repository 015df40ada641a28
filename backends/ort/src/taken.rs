//! Whether the requested provider takes a model whole.

use backend_api::Placement;

/// The most nodes that a message names.
const MAX_NAMED: usize = 3;

/// What of a model is not on `provider`, from the assignment of its nodes; `None` if all is.
///
/// An assignment without nodes is not on it either: the runtime computed the outputs when it loaded the
/// model, on its own provider.
pub(crate) fn elsewhere(provider: &str, placement: &[Placement]) -> Option<String> {
    if placement.is_empty() {
        return Some(format!(
            "no node is left for {provider}: the runtime itself computes the outputs when it loads the model"
        ));
    }
    let others: Vec<&Placement> = placement
        .iter()
        .filter(|placed| placed.provider != provider)
        .collect();
    if others.is_empty() {
        return None;
    }
    let named: Vec<String> = others
        .iter()
        .take(MAX_NAMED)
        .map(|placed| words(placed))
        .collect();
    let more = if others.len() > MAX_NAMED { ", …" } else { "" };
    Some(format!(
        "{} of {} nodes are not on {provider}: {}{more}",
        others.len(),
        placement.len(),
        named.join(", ")
    ))
}

fn words(placed: &Placement) -> String {
    match &placed.operator {
        Some(operator) if *operator != placed.node => {
            format!("{} ({operator}) on {}", placed.node, placed.provider)
        }
        _ => format!("{} on {}", placed.node, placed.provider),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nodes: &[(&str, &str, &str)], expected: Option<&str>) {
        let placed = nodes.iter().map(|(node, operator, provider)| Placement {
            node: (*node).to_owned(),
            operator: Some((*operator).to_owned()),
            provider: (*provider).to_owned(),
        });
        let placed: Vec<Placement> = placed.collect();
        assert_eq!(elsewhere("gpu", &placed).as_deref(), expected, "{nodes:?}");
    }

    #[test]
    fn a_model_is_taken_only_if_every_node_is() {
        check(&[("a", "Abs", "gpu")], None);
        check(&[("a", "Abs", "gpu"), ("b", "Add", "gpu")], None);
        check(
            &[],
            Some("no node is left for gpu: the runtime itself computes the outputs when it loads the model"),
        );
        check(
            &[("Det", "Det", "cpu")],
            Some("1 of 1 nodes are not on gpu: Det on cpu"),
        );
        check(
            &[("a", "Abs", "gpu"), ("d", "Det", "cpu")],
            Some("1 of 2 nodes are not on gpu: d (Det) on cpu"),
        );
        check(
            &[("a", "Abs", "GPU")],
            Some("1 of 1 nodes are not on gpu: a (Abs) on GPU"),
        );
        check(
            &[
                ("a", "Abs", "c"),
                ("b", "Abs", "c"),
                ("d", "Abs", "c"),
                ("e", "Abs", "c"),
            ],
            Some("4 of 4 nodes are not on gpu: a (Abs) on c, b (Abs) on c, d (Abs) on c, …"),
        );
    }

    /// Whatever part of a model is elsewhere, in whatever order: it is never taken whole.
    #[test]
    fn no_assignment_with_a_node_elsewhere_is_taken() {
        for bits in 0..1024_u32 {
            let provider = |node: u32| match bits >> node & 1 {
                0 => "gpu",
                _ => "cpu",
            };
            let placed: Vec<Placement> = (0..10)
                .map(|node| Placement {
                    node: format!("n{node}"),
                    operator: None,
                    provider: provider(node).to_owned(),
                })
                .collect();
            assert_eq!(elsewhere("gpu", &placed).is_none(), bits == 0, "{bits:b}");
        }
    }
}
