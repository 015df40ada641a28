//! Tests of `fetch --zoo hub` with a local mirror.

use std::fs;

use crate::program::Place;

/// A manifest of one model with this SHA-256.
fn manifest(sha256: &str) -> String {
    format!(
        r#"[{{"model": "A", "model_path": "validated/vision/classification/a/model/a-7.onnx", "onnx_version": "1.2",
            "opset_version": 7, "metadata": {{"model_sha": "{sha256}", "model_bytes": 3}}}}]"#
    )
}

/// FIPS 180-2, appendix B.1.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[track_caller]
fn check(place: &Place, line: &str, code: i32, part: &str) {
    let mut command = place.command(line);
    let ended = crate::program::ended(command.env("ONNX_CONFORMANCE_CACHE", place.at("cache")));
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(code), "{line}\n{said}");
    assert!(said.contains(part), "{line}: wanted `{part}` in\n{said}");
}

#[test]
fn models_of_the_zoo_are_listed_verified_and_kept() {
    let place = Place::new();
    fs::create_dir(place.at("mirror")).unwrap();
    place.write("mirror/ONNX_HUB_MANIFEST.json", &manifest(ABC));
    place.write("other.json", &manifest(&ABC.replace('b', "c")));
    place.write("torn.json", "{");
    place.write("mirror/a-7.onnx", "abc");
    for (line, code, part) in [
        ("fetch --zoo hub", 2, "--zoo hub needs the zoo's manifest"),
        (
            "fetch --zoo hub --manifest torn.json",
            2,
            "`torn.json` is no manifest of the ONNX model zoo",
        ),
        (
            "fetch --zoo hub --manifest nowhere.json",
            2,
            "cannot read the manifest `nowhere.json`",
        ),
        ("fetch --zoo hub --from cache", 2, "cannot read the manifest"),
        (
            "fetch --zoo hub --manifest other.json",
            0,
            "hub/classification/a-7: opset 7, 0.0 KiB, without data sets",
        ),
        (
            "fetch --zoo hub --manifest other.json --model b-9",
            4,
            "no case matches `b-9` among the models of the zoo",
        ),
        (
            "fetch --zoo hub --manifest other.json --from mirror",
            2,
            "has SHA-256",
        ),
        ("bench --zoo hub", 4, "bring some with `fetch --zoo hub"),
        ("conformance --corpus hub", 4, "bring some with `fetch --zoo hub"),
        (
            "fetch --zoo hub --from nowhere --manifest other.json",
            4,
            "is not in `nowhere`",
        ),
        (
            "fetch --zoo hub --from mirror",
            0,
            "hub/classification/a-7: a model without data sets",
        ),
        (
            "fetch --zoo hub --from mirror",
            0,
            "hub/classification/a-7: a model without data sets",
        ),
        ("fetch --from mirror", 2, "--zoo"),
    ] {
        check(&place, line, code, part);
    }
    let kept = place.at("cache/hub/models/classification/a-7/model.onnx");
    assert_eq!(fs::read_to_string(kept).unwrap(), "abc");
}
