//! Recurrent layers and Scan.

use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Node, ValueInfo};

use crate::site::{Reason, Site};

/// The default of version 1 is misspelt.
pub(super) fn direction(site: &mut Site) -> Result<(), Reason> {
    if site.string("direction")?.as_deref() == Some("foward") {
        site.set_string("direction", "forward");
    }
    site.keep();
    Ok(())
}

/// The attribute only allows to omit the output `Y`, which every later version allows.
pub(super) fn output_sequence(site: &mut Site) -> Result<(), Reason> {
    site.take("output_sequence");
    site.keep();
    Ok(())
}

/// Version 8 has a batch axis before the axis that it scans. In version 9 an outer Scan without
/// states scans the batch, and an inner one the sequence: initial states, sequences and outputs all
/// have the batch as axis 0.
pub(super) fn scan_9(site: &mut Site) -> Result<(), Reason> {
    if site.input(0).is_some() {
        return Err("`sequence_lens` has no counterpart in version 9".to_owned());
    }
    let scanned = site
        .take_int("num_scan_inputs")?
        .ok_or("attribute `num_scan_inputs` is missing")?;
    let body = site.take("body").ok_or("attribute `body` is missing")?;
    let directions = site.take("directions");
    let given: Vec<String> = site.node.inputs.drain(..).skip(1).collect();
    let inner_inputs: Vec<String> = given.iter().map(|_| site.fresh()).collect();
    let inner_outputs: Vec<String> = (0..site.node.outputs.len()).map(|_| site.fresh()).collect();
    let attribute = |name: &str, value: AttributeValue| Attribute {
        name: name.to_owned(),
        value,
    };
    let mut attributes = vec![
        attribute("body", body),
        attribute("num_scan_inputs", AttributeValue::Int(scanned)),
    ];
    attributes.extend(directions.map(|list| attribute("scan_input_directions", list)));
    let inner = Node {
        operator: "Scan".to_owned(),
        inputs: inner_inputs.clone(),
        outputs: inner_outputs.clone(),
        attributes,
        ..Node::default()
    };
    let info = |name: &String| ValueInfo {
        name: name.clone(),
        value_type: None,
    };
    let batch = Graph {
        name: "batch".to_owned(),
        inputs: inner_inputs.iter().map(info).collect(),
        outputs: inner_outputs.iter().map(info).collect(),
        nodes: vec![inner],
        ..Graph::default()
    };
    site.set("num_scan_inputs", AttributeValue::Int(given.len() as i64));
    site.set("body", AttributeValue::Graph(Arc::new(batch)));
    site.node.inputs = given;
    site.keep();
    Ok(())
}
