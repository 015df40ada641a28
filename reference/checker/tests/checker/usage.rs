//! Tests of `usage`.

use onnx_checker::{NodeUse, ParameterUse, usage};

use onnx_rejections::model;

/// One line for each node: `Cast-13(input T1:tensor(float)) -> output T2:tensor(int64) | to=7 | -`. Absent
/// parameters are omitted, an unknown type is `?`.
fn line(node: &NodeUse) -> String {
    let parameter = |parameter: &ParameterUse| {
        let kind = parameter
            .value_type
            .as_ref()
            .map_or("?".to_owned(), ToString::to_string);
        format!("{} {}:{kind}", parameter.name, parameter.parameter.unwrap_or("-"))
    };
    let list = |list: &[ParameterUse]| {
        let given: Vec<String> = list
            .iter()
            .filter(|parameter| parameter.given)
            .map(parameter)
            .collect();
        given.join(", ")
    };
    let attributes: Vec<String> = node
        .attributes
        .iter()
        .map(|a| format!("{}={}", a.name, a.value))
        .collect();
    let since = node.since.map_or_else(String::new, |since| format!("-{since}"));
    format!(
        "{}: {}{since}({}) -> {} | {} | {}",
        node.graph,
        node.operator,
        list(&node.inputs),
        list(&node.outputs),
        attributes.join(" "),
        node.absent.join(" ")
    )
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let lines: Vec<String> = usage(&model(text)).iter().map(line).collect();
    assert_eq!(lines, expected);
}

#[test]
fn every_node_has_its_version_types_and_attributes() {
    check(
        "graph x:float -> y:int64
         r = Clip(x, -, m)
         init m float 1
         y = Cast(r) to=7
         v = ArgMax(x) axis=0",
        &[
            "main graph: Clip-13(input T:tensor(float), max T:tensor(float)) -> output T:tensor(float) |  | ",
            "main graph: Cast-13(input T1:tensor(float)) -> output T2:tensor(int64) | to=7 | ",
            "main graph: ArgMax-13(data T:tensor(float)) -> reduced -:tensor(int64) | axis=0 | keepdims select_last_index",
        ],
    );
}

#[test]
fn bodies_and_calls_are_listed_at_their_use() {
    check(
        r#"model 9 ""=13 d=1
        graph c:bool x:float -> z:float
        function d.f(a) defaults(to=7) ""=13 -> b
        b = Cast(a) to=@to
        end
        body then -> t
        t = Identity(x)
        end
        body else -> e
        e = Neg(x)
        end
        y = d::f(x) to=11
        w = d::f(x)
        z = If(c) then_branch={then} else_branch={else}"#,
        &[
            "function d.f: Cast-13(input T1:tensor(float)) -> output T2:tensor(double) | to=11 | ",
            "main graph: f( -:tensor(float)) ->  -:tensor(double) | to=11 | ",
            "function d.f: Cast-13(input T1:tensor(float)) -> output T2:tensor(int64) | to=7 | ",
            "main graph: f( -:tensor(float)) ->  -:tensor(int64) |  | ",
            "main graph, `then_branch` of node `z`: Identity-13(input T:tensor(float)) -> output T:tensor(float) |  | ",
            "main graph, `else_branch` of node `z`: Neg-13(X T:tensor(float)) -> Y T:tensor(float) |  | ",
            "main graph: If-13(cond B:tensor(bool)) -> outputs V:tensor(float) | then_branch=graph else_branch=graph | ",
        ],
    );
}
