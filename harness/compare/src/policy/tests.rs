use std::path::Path;

use super::edit::with_rule;
use super::*;
use crate::Tolerance;

const TEXT: &str = "# by hand\nformat = 1\nversion = 4 # raise it\n\n[policies.official]\nreason = \"r\"\nallow = \"official\"\n\n\
    [policies.bound]\nreason = \"r\"\nallow = \"bound\"\nunbounded = \"official\"\n\n\
    # upstream issue 7\n[[policies.bound.rules]]\noperator = \"DFT\"\nallow = { ulp = 64 }\nreason = \"r\"\n\n\
    [[policies.bound.rules]]\noperator = \"DFT-17\"\nallow = { ulp = 32 }\nreason = \"r\"\n\n\
    [[policies.bound.rules]]\ncase = \"c/node/test_q*\"\ndtype = \"uint8\"\nallow = { rtol = 0, atol = 1.0 }\nreason = \"r\"\n\n\
    [[policies.bound.rules]]\ncase = \"c/node/test_q_*\"\nallow = { rtol = 0.5, atol = 0.0 }\nreason = \"r\"\n\n\
    [[policies.bound.rules]]\ncase = \"c/node/test_q_one\"\noutput = \"y\"\nallow = \"exact\"\nreason = \"r\"\n";

fn parse(text: &str) -> Result<Policies, PolicyError> {
    Policies::parse(text, Path::new("t.toml"))
}

#[test]
fn the_most_specific_rule_wins_and_integers_have_only_their_own() {
    let policy = parse(TEXT).unwrap().get("bound").unwrap();
    let check = |case: &str, operator: &str, output: &str, dtype: DType, expected: Allowance| {
        let (case, operators) = (format!("c/node/{case}"), [operator.to_owned()]);
        let scope = Scope {
            case: &case,
            operators: &operators,
        };
        assert_eq!(
            policy.allowance(scope, output, dtype),
            expected,
            "{case} {operator} {output} {dtype}"
        );
    };
    let tolerance = |relative, absolute| Allowance::Tolerance(Tolerance { relative, absolute });
    let bound = Allowance::Bound {
        unbounded: Box::new(Allowance::Official),
    };
    check("test_a", "Abs-13", "y", DType::Float, bound.clone());
    check("test_a", "DFT-20", "y", DType::Float, Allowance::Ulp(64.0));
    check("test_a", "DFT-17", "y", DType::Float, Allowance::Ulp(32.0));
    check("test_a", "DFT-17", "y", DType::Int64, bound.clone());
    check("test_q", "Abs-13", "y", DType::Uint8, tolerance(0.0, 1.0));
    check("test_q", "Abs-13", "y", DType::Float, bound);
    check("test_q_two", "DFT-17", "y", DType::Float, tolerance(0.5, 0.0));
    check("test_q_one", "DFT-17", "z", DType::Float, tolerance(0.5, 0.0));
    check("test_q_one", "DFT-17", "y", DType::Float, Allowance::Exact);
}

#[test]
fn errors_name_file_and_line() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(TEXT.contains(from), "{from}");
        let error = parse(&TEXT.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("format = 1", "format = 2", "t.toml:2: format is 2");
    check("version = 4", "version = -4", "t.toml:3: ");
    check(
        "allow = \"official\"",
        "allow = \"exact\"",
        "t.toml:5: the policy `official` must be that",
    );
    check(
        "unbounded = \"official\"\n",
        "",
        "t.toml:11: allow = \"bound\" requires `unbounded`",
    );
    check(
        "allow = { ulp = 64 }",
        "allow = { ulp = -1.0 }",
        "t.toml:17: ulp must be a non-negative number",
    );
    check(
        "allow = { ulp = 64 }",
        "allow = { ups = 64 }",
        "t.toml:17: expected \"official\"",
    );
    check(
        "operator = \"DFT-17\"",
        "operator = \"DFT\"",
        "t.toml:20: a second rule for operator DFT",
    );
    check(
        "dtype = \"uint8\"",
        "dtype = \"uint9\"",
        "t.toml:27: unknown element type `uint9`",
    );
    check("\"c/node/test_q*\"", "\"c/node/test_q[\"", "t.toml:26: ");
    check(
        "operator = \"DFT\"\n",
        "",
        "t.toml:15: a rule must set at least one of",
    );
    check(
        "reason = \"r\"",
        "reason = \" \"",
        "t.toml:6: the reason is empty",
    );
    check(
        "reason = \"r\"",
        "rationale = \"r\"",
        "t.toml:6: unknown field `rationale`",
    );
    let error = parse(TEXT).unwrap().get("loose").unwrap_err().to_string();
    assert_eq!(error, "there is no policy `loose`; t.toml has bound, official");
}

#[test]
fn a_rule_is_added_and_comments_survive() {
    let rule = NewRule {
        dtype: Some("float16".to_owned()),
        allow: Some(read_allowance("ulp=2").unwrap()),
        reason: "why".to_owned(),
        ..NewRule::default()
    };
    let text = with_rule(TEXT, "bound", rule).unwrap();
    let (before, after) = TEXT.split_once("version = 4").unwrap();
    let added = "\n[[policies.bound.rules]]\ndtype = \"float16\"\nallow = { ulp = 2.0 }\nreason = \"why\"\n";
    assert_eq!(text, format!("{before}version = 5{after}{added}"));
    assert_eq!(parse(&text).unwrap().get("bound").unwrap().rules.len(), 6);
    assert!(read_allowance("ulp=x").is_err() && read_allowance("rtol=1").is_err());
}

#[test]
fn the_built_in_file_has_the_three_policies() {
    let policies = Policies::embedded().unwrap();
    for name in [OFFICIAL, "strict", "bound"] {
        assert_eq!(policies.get(name).unwrap().used.name, name);
    }
}
