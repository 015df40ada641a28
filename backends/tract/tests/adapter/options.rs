//! Options, and the description of the backend.

use backend_api::Backend;
use backend_tract::{Settings, TRACT_VERSION};

use crate::models::tract;

#[test]
fn errors_describe_invalid_options() {
    for (option, value, expected) in [
        (
            "threads",
            "0",
            "option `threads`: `0` is not a number of threads: ",
        ),
        (
            "threads",
            "5000",
            "option `threads`: `5000` is not a number of threads: the maximum is 1024",
        ),
        (
            "optimize",
            "yes",
            "option `optimize`: `yes` is not a switch: use on or off",
        ),
        (
            "constants",
            "shapes",
            "option `constants`: `shapes` is not a choice of inputs: use none, integers or all",
        ),
        (
            "fast",
            "on",
            "option `fast`: unknown option; known: constants, optimize, threads",
        ),
    ] {
        let error = Settings::from_options([(option, value)].into_iter().collect()).expect_err(expected);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[test]
fn every_option_is_described() {
    for (tract, expected) in [
        (
            tract([]),
            [("constants", "integers"), ("optimize", "on"), ("threads", "1")],
        ),
        (
            tract([("constants", "none"), ("optimize", "off"), ("threads", "2")]),
            [("constants", "none"), ("optimize", "off"), ("threads", "2")],
        ),
    ] {
        let description = tract.describe();
        let found = description
            .options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(description.wants_inputs_at_load, expected[0].1 != "none");
        assert!(tract.capabilities().options.keys().eq(description.options.keys()));
    }
}

#[test]
fn the_version_is_the_linked_one() {
    let lock = include_str!("../../../../Cargo.lock");
    let entry = format!("name = \"tract-onnx\"\nversion = \"{TRACT_VERSION}\"\n");
    assert!(
        lock.contains(&entry),
        "Cargo.lock has another version of tract-onnx than {TRACT_VERSION}"
    );
}
