//! Runs the own cases on the reference in this process, and checks the errors of malformed files.

use std::error::Error;
use std::path::Path;

use harness_compare::{Comparison, Tolerance, compare, compare_drawn};
use harness_corpus::own::{OwnCase, cases, parse};
use onnx_interpreter::Limits;
use onnx_model::{Model, Source};
use onnx_randomness::Draws;

/// Every case has its expected outputs, with the encoded model that a backend would get.
#[test]
fn the_reference_passes_the_own_cases() {
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
    let problem = match judge(case) {
        Err(error) => error.to_string(),
        Ok(comparison) => comparison.mismatch?.reason,
    };
    Some(format!("{}: {problem} ({})", case.id, case.derivation))
}

/// Random outputs satisfy their contract, and are reproducible with a seed; all other outputs have the
/// expected values.
fn judge(case: &OwnCase) -> Result<Comparison, Box<dyn Error>> {
    let model = Model::decode(
        case.model.encode(),
        &Source::named(&case.id.to_string()),
        &onnx_model::Limits::default(),
    )?;
    let run = || onnx_interpreter::run(&model, &case.inputs, Limits::default());
    let (outputs, draws) = (run()?, Draws::of_model(&model, &case.inputs));
    let tolerance = Tolerance {
        relative: case.rtol,
        absolute: case.atol,
    };
    match draws {
        Some(_) if !case.random => Err("the outputs are random: expected = \"statistical contract\"".into()),
        None if case.random => Err("no output is random".into()),
        None => Ok(compare(&case.outputs, &outputs, tolerance)),
        Some(draws) => {
            let comparison = compare_drawn(&case.outputs, &outputs, tolerance, &draws);
            Ok(if draws.seeded() {
                comparison.reproduced(&draws, &outputs, &run()?)
            } else {
                comparison
            })
        }
    }
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
        "opset 2 does not select version 2 of Abs",
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
        "shape [1] has 1 elements, got 2",
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
    let omitted = "{ omitted = true, initializer = true }";
    check(
        &case("[13]", omitted, &float),
        "input 0: an initializer must be a tensor",
    );
    let constant = "{ dtype = \"float\", shape = [1], values = [1.0], initializer = true }";
    check(
        &case("[13]", &float, constant),
        "output 0: an initializer must be a tensor",
    );
    let drawn = format!(
        "{}expected = \"statistical contract\"\n",
        case("[13]", &float, &float)
    );
    check(&drawn, "output 0: a random output has");
    let body = "attributes = { f = { graph = { outputs = [\"y: tensr(float)\"], nodes = [] } } }\n";
    check(
        &format!("{}{body}", case("[13]", &float, &float)),
        "attribute `f`: `tensr(float)` is not the type",
    );
    let inner = "attributes = { f = { graph = { outputs = [\"y\"], nodes = [{ operator = \"Neg\", outputs = [\"y\"], \
                 attributes = { a = [] } }] } } }\n";
    check(
        &format!("{}{inner}", case("[13]", &float, &float)),
        "`a` of Neg: a list must hold",
    );
}
