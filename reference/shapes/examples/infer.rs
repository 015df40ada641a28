//! The shapes of models, inputs that fit, and the time that inference takes:
//! `cargo run -p onnx-shapes --example infer -- [--open] MODEL…`, or without models on chains of 20,000
//! nodes. `--open` leaves out every declared extent.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use std::error::Error;
use std::time::{Duration, Instant};

use onnx_model::{Graph, Limits, Model, Node, ValueInfo};
use onnx_shapes::{Wishes, infer, opened, solve};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, paths): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument == "--open");
    if paths.is_empty() {
        for (name, model) in [("fixed extents", chain(false)), ("named extents", chain(true))] {
            timed(name, &model);
        }
    }
    for path in paths {
        match Model::decode_file(&path, &Limits::default()) {
            Ok(model) if options.is_empty() => timed(&path, &model),
            Ok(model) => timed(&path, &opened(&model)),
            Err(error) => println!("{path}: {error}"),
        }
    }
    Ok(())
}

/// Prints the time, the findings, and the shapes of the outputs.
fn timed(name: &str, model: &Model) {
    let (start, used) = (Instant::now(), processor_time());
    let mut inference = infer(model);
    let (time, used) = (start.elapsed(), processor_time().saturating_sub(used));
    println!(
        "{name}: {} nodes in {:.3} s ({:.3} s of the processor), {} symbols, {} conditions, {} findings",
        model.graph.nodes.len(),
        time.as_secs_f64(),
        used.as_secs_f64(),
        inference.symbols.len(),
        inference.constraints.len(),
        inference.findings.len()
    );
    for finding in &inference.findings {
        println!("  {finding}");
    }
    for output in &model.graph.outputs {
        let shape = inference.shape(&output.name).map(|shape| {
            let extents: Vec<String> = shape
                .iter()
                .map(|extent| inference.symbols.text(extent))
                .collect();
            extents.join(", ")
        });
        println!("  {}: [{}]", output.name, shape.unwrap_or_else(|| "?".to_owned()));
    }
    match solve(model, &inference, &Wishes::default()) {
        Ok(solution) => println!("  fits: {:?}, indices {:?}", solution.extents, solution.indices),
        Err(error) => println!("  {error}"),
    }
}

/// What this thread had of a processor, as Linux counts it; other programs do not change it.
fn processor_time() -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = counted.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// 20,000 nodes: convolutions, sums, and reshapes whose shapes are computed.
fn chain(open: bool) -> Model {
    let dim = |name: &str, extent| {
        if open {
            Dim::Named(name.to_owned())
        } else {
            Dim::Fixed(extent)
        }
    };
    let dims = vec![dim("N", 1), Dim::Fixed(8), dim("H", 64), dim("W", 64)];
    let node = |operator: &str, inputs: &[&str], output: String| Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
        outputs: vec![output],
        ..Node::default()
    };
    let mut nodes = Vec::new();
    let mut last = "x".to_owned();
    for at in 0..4000 {
        let name = |what: &str| format!("{what}{at}");
        nodes.push(node("Conv", &[&last, "w"], name("conv")));
        nodes.push(node("Shape", &[&last], name("shape")));
        nodes.push(node("Add", &[&name("conv"), &last], name("sum")));
        nodes.push(node("Reshape", &[&name("sum"), &name("shape")], name("back")));
        nodes.push(node("Relu", &[&name("back")], name("relu")));
        last = name("relu");
    }
    let info = |name: &str, dims: Vec<Dim>| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(dims),
        }),
    };
    let weights = Tensor::new(&[8, 8, 1, 1], vec![0.5_f32; 64]).map(Value::Tensor);
    Model::new(
        21,
        Graph {
            name: "chain".to_owned(),
            inputs: vec![info("x", dims)],
            outputs: vec![info(&last, vec![Dim::Unknown; 4])],
            initializers: weights
                .into_iter()
                .map(|weights| ("w".to_owned(), weights))
                .collect(),
            nodes,
            ..Graph::default()
        },
    )
}
