//! Counts the nodes of a model after function expansion, without expanding: functions of which each calls the
//! next twice, twenty deep, are a million nodes in a small file.

use std::collections::HashMap;
use std::ptr;

use onnx_model::{Function, Graph, Node};

use super::function::MAX_DEPTH;
use super::node::MAX_NODES;
use super::{ImportError, Importer};

/// Refuses a model whose functions expand to too many nodes.
pub fn check(importer: &Importer<'_>, graph: &Graph) -> Result<(), ImportError> {
    let mut known = HashMap::new();
    if nodes(importer, &graph.nodes, 0, &mut known) > MAX_NODES {
        return Err(ImportError::TooManyNodes(MAX_NODES));
    }
    Ok(())
}

/// The number of nodes that these become, or fewer: an operator with an ONNX function body is one here, and
/// so is what the import refuses as nested too deep. `known` are the numbers of functions, each counted once.
fn nodes(
    importer: &Importer<'_>,
    nodes: &[Node],
    depth: u32,
    known: &mut HashMap<*const Function, usize>,
) -> usize {
    let mut count = nodes.len();
    for node in nodes.iter().filter(|_| depth < MAX_DEPTH) {
        let Some(function) = importer.local_function(node) else {
            for body in node.bodies() {
                count = count.saturating_add(self::nodes(importer, &body.nodes, depth + 1, known));
            }
            continue;
        };
        let key = ptr::from_ref(&*function);
        let inside = match known.get(&key) {
            Some(inside) => *inside,
            None => {
                // A call of itself adds nothing: the import refuses it.
                known.insert(key, 0);
                let inside = self::nodes(importer, &function.nodes, depth + 1, known);
                known.insert(key, inside);
                inside
            }
        };
        count = count.saturating_add(inside);
    }
    count
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use onnx_model::{Function, Graph, Model, Node, ValueInfo};

    use super::super::{ImportError, Importer, import};
    use super::check;
    use crate::fixture;

    /// Functions f0, f1 … of which each calls the next twice; the last one has two Neg.
    fn nested(levels: usize) -> Model {
        let node = |level: usize, from: &str, to: &str| {
            if level == levels {
                return fixture::node("Neg", from, to, &[]);
            }
            Node {
                domain: "local".to_owned(),
                operator: format!("f{level}"),
                inputs: vec![from.to_owned()],
                outputs: vec![to.to_owned()],
                ..Node::default()
            }
        };
        let imports = [(String::new(), 20), ("local".to_owned(), 1)];
        let function = |level: usize| Function {
            domain: "local".to_owned(),
            name: format!("f{level}"),
            inputs: vec!["x".to_owned()],
            outputs: vec!["y".to_owned()],
            nodes: vec![node(level + 1, "x", "h"), node(level + 1, "h", "y")],
            opset_imports: imports.clone().into(),
            ..Function::default()
        };
        let value = |name: &str| ValueInfo {
            name: name.to_owned(),
            value_type: None,
        };
        let graph = Graph {
            inputs: vec![value("x")],
            outputs: vec![value("y")],
            nodes: vec![node(0, "x", "y")],
            ..Graph::default()
        };
        let mut model = Model::new(20, graph);
        model.opset_imports = imports.clone().into();
        model.functions = (0..levels).map(|level| Arc::new(function(level))).collect();
        model
    }

    #[test]
    fn nodes_are_counted_before_functions_are_expanded() {
        let refused = |levels| {
            let model = nested(levels);
            let counted = check(&Importer::new(&model), &model.graph).is_err();
            let imported = match import(&model) {
                Ok(_) => false,
                Err(ImportError::TooManyNodes(_)) => true,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(counted, imported, "{levels}");
            counted
        };
        // 1 + 2 + 4 … + 2^18 are 524,287 nodes.
        assert!(!refused(3) && !refused(18) && refused(19) && refused(60));
    }
}
