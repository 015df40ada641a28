//! The own cases, on the reference and in this process; and the ways in which their files can be wrong.

use std::error::Error;
use std::path::Path;

use harness::compare::{Tolerance, compare};
use harness::own::{OwnCase, cases, parse};
use onnx_interpreter::Limits;
use onnx_model::{Model, Source};
use onnx_randomness::{Contract, reproducible};
use onnx_tensor::Value;

/// Every case gives what it says, through the bytes of its model, as a backend would get it.
#[test]
fn the_reference_gives_what_the_own_cases_say() {
    let cases = cases().expect("own cases are well formed");
    let failures: Vec<String> = cases.iter().filter_map(failure).collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn failure(case: &OwnCase) -> Option<String> {
    let problem = match run(case) {
        Err(error) => error.to_string(),
        Ok(outputs) if case.random => contract(case, &outputs).err()?.to_string(),
        Ok(outputs) => {
            let tolerance = Tolerance {
                relative: case.rtol,
                absolute: case.atol,
            };
            compare(&case.outputs, &outputs, tolerance).mismatch?.reason
        }
    };
    Some(format!("{}: {problem} ({})", case.id, case.derivation))
}

fn run(case: &OwnCase) -> Result<Vec<(String, Value)>, Box<dyn Error>> {
    let model = Model::decode(
        &case.model.encode(),
        &Source::named(&case.id.to_string()),
        &onnx_model::Limits::default(),
    )?;
    Ok(onnx_interpreter::run(&model, &case.inputs, Limits::default())?)
}

/// What is drawn at random has the types and shapes that the case says, keeps the operator's contract, and is the same
/// again where the node sets a seed.
fn contract(case: &OwnCase, outputs: &[(String, Value)]) -> Result<(), Box<dyn Error>> {
    let anything = Tolerance {
        relative: 0.0,
        absolute: f64::MAX,
    };
    let kinds = compare(&case.outputs, outputs, anything).outputs;
    if kinds.len() != case.outputs.len() {
        return Err("the outputs have other types or shapes".into());
    }
    let node = case.model.graph.nodes.first().ok_or("there is no node")?;
    let schema = onnx_schema::resolve(&case.model.opset_imports, &node.domain, &node.operator)
        .map_err(|_| "no schema")?;
    let value = |name: &String| {
        let mut fed = case.inputs.iter();
        fed.find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    };
    let inputs: Vec<Option<Value>> = node.inputs.iter().map(value).collect();
    let contract = Contract::of_node(schema, &node.attributes, &inputs).ok_or("the node draws nothing")?;
    let first = outputs
        .first()
        .and_then(|(_, value)| value.as_tensor())
        .ok_or("there is no tensor")?;
    contract.judge(first)?;
    if node.attribute("seed").is_some() {
        let again = run(case)?;
        let again = again
            .first()
            .and_then(|(_, value)| value.as_tensor())
            .ok_or("there is no tensor")?;
        reproducible(first, again)?;
    }
    Ok(())
}

#[test]
fn malformed_files_are_refused() {
    let check = |text: &str, part: &str| {
        let error = parse(Path::new("own/ai.onnx/abs.toml"), text)
            .expect_err("malformed")
            .to_string();
        assert!(
            error.contains(part) && error.contains("abs.toml"),
            "`{error}` is not about `{part}`"
        );
    };
    let case = |since: &str, input: &str, output: &str| {
        format!(
            "operator = \"Abs\"\ndomain = \"ai.onnx\"\n[[case]]\nname = \"a\"\nsince = {since}\nderivation = \"by hand\"\n\
             inputs = [{input}]\noutputs = [{output}]\n"
        )
    };
    let one =
        |dtype: &str, value: &str| format!("{{ dtype = \"{dtype}\", shape = [1], values = [{value}] }}");
    let float = one("float", "1.0");
    check("operator = 1", "invalid type");
    check(
        &case("[2]", &float, &float),
        "opset 2 does not give version 2 of Abs",
    );
    check(&case("[]", &float, &float), "`since` must not be empty");
    check(&case("[13]", &float, ""), "`outputs` must not be empty");
    check(
        &case("[13]", &one("flot", "1.0"), &float),
        "input 0: `flot` is not the type",
    );
    check(
        &case("[13]", &one("uint8", "256"), &float),
        "element 0, 256, is not of type uint8",
    );
    check(
        &case("[13]", &one("float16", "\"0x12345\""), &float),
        "is not of type float16",
    );
    check(
        &case("[13]", &one("float4e2m1", "5.0"), &float),
        "is not of type float4e2m1",
    );
    check(
        &case("[13]", &one("int8", "1, 2"), &float),
        "asks for 1 elements, 2 are given",
    );
    check(&case("[13]", "{ sequence = [] }", &float), "must be a tensor");
    check(
        &case("[13]", "{ none = \"tensor(float)\" }", &float),
        "input 0: `tensor(float)`",
    );
    check(
        &case("[13]", "{ dtype = \"float\", values = [1.0] }", &float),
        "must be a tensor",
    );
}
