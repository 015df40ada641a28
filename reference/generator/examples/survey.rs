//! Prints the cells without a generated case, with the reason, and the coverage.
//!
//! `cargo run -p onnx-generator --example survey`

use onnx_generator::{Case, Phase, plan, survey};

/// Enough for every type, option and combination of types.
const MOST: usize = 3000;

#[allow(clippy::print_stdout, reason = "the result of the program")]
fn main() {
    let (mut cells, mut decided, mut values, mut given, mut count) = (0, 0, 0, 0, 0);
    for schema in onnx_schema::all() {
        let (cases, reason): (Vec<Case>, String) = match plan(schema, 0) {
            Ok(mut plan) => {
                plan.extend(Phase::Combination, MOST);
                let reasons = plan.reasons();
                (
                    plan.into_cases().into_iter().map(|(_, case)| case).collect(),
                    reasons,
                )
            }
            Err(absent) => (Vec::new(), absent.to_string()),
        };
        let survey = survey(schema, &cases, &reason);
        count += cases.len();
        values += survey.values;
        given += survey.given;
        // A version that withdraws its operator has no cells.
        if !schema.deprecated {
            cells += survey.cells;
            decided += survey.decided;
        }
        for (what, why) in survey.missing {
            println!("missing {what}: {why}");
        }
    }
    println!("{count} cases; {decided} of {cells} cells, {given} of {values} enumerated values");
}
