//! Checks the function bodies in ONNX's schemas against the rules.

use std::sync::Arc;

use onnx_checker::{Rule, check};
use onnx_model::{Function, Limits, Source};

use onnx_rejections::model;

#[test]
fn the_function_bodies_of_onnx_satisfy_the_rules() {
    let mut wrong = Vec::new();
    for body in onnx_schema::function_bodies() {
        let name = format!("{}-{} at opset {}", body.name, body.since, body.opset);
        let function =
            Function::decode(body.proto, &Source::named(&name), &Limits::default()).expect("a body");
        let mut holder = model("graph x:float -> y:float\ny = Relu(x)");
        holder.opset_imports.clone_from(&function.opset_imports);
        holder.functions.push(Arc::new(function));
        holder.ir_version = 10;
        let found = check(&holder);
        wrong.extend(
            found
                .list
                .iter()
                .map(|finding| format!("{name}: {} {finding}", finding.rule().name())),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        Rule::ALL.len(),
        Rule::ALL
            .iter()
            .map(|rule| rule.section())
            .filter(|text| !text.is_empty())
            .count()
    );
}
