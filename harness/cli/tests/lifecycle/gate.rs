//! A gate accepts what it is told by name, and only what says something of the backend.

use crate::program::{self, Place};

#[test]
fn an_id_is_accepted_and_its_neighbours_are_not() {
    let wrong = "run:wrong-shape";
    let place = Place::with_cases(&[("test_add", wrong), ("test_add_bcast", wrong), ("other", wrong)]);
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml";
    for (pattern, code, accepted) in [
        ("test_add", 1, 0),
        ("local/cases/test_add", 1, 1),
        ("local/cases/test_a*_bcast", 1, 2),
        ("*", 0, 3),
    ] {
        let ended = place.run(&format!("{gate} --accept '{pattern}'"));
        assert_eq!(ended.code, Some(code), "{pattern}: {}", ended.stderr);
        assert_eq!(
            place.read("b.toml").matches("mismatch").count(),
            accepted,
            "{pattern}"
        );
        let unnamed = ended.stderr.contains("names no case that differs");
        assert_eq!(unnamed, accepted == 0, "{pattern}: {}", ended.stderr);
    }
    assert_eq!(place.run(gate).code, Some(0));
}

#[test]
fn what_cannot_be_read_is_never_accepted() {
    let place = Place::with_cases(&[("good", "healthy"), ("torn", "healthy")]);
    place.write("cases/torn/model.onnx", "no model");
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml --accept '*'";
    for _ in 0..2 {
        let ended = place.run(gate);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended.stdout.contains("local/cases/torn was pass, is skipped"),
            "{}",
            ended.stdout
        );
        assert!(!place.read("b.toml").contains("torn"), "{}", place.read("b.toml"));
    }
    program::write_case(&place.at("cases/torn"), "healthy");
    assert_eq!(place.run(gate).code, Some(0));
}
