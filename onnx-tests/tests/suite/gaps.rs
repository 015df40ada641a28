//! The list of what operator versions lack.

use onnx_schema::OperatorSchema;
use onnx_tests::gaps::{Gap, exercised, gaps};

#[test]
fn nothing_is_lacking_for_the_versions_of_the_table() {
    let exercised = exercised().expect("own cases are well formed");
    let found = onnx_schema::all().flat_map(|schema| {
        let gaps = gaps(schema, &exercised).into_iter();
        gaps.map(move |gap| (schema.to_string(), gap))
    });
    assert_eq!(found.collect::<Vec<_>>(), []);
}

#[test]
fn a_version_of_a_new_release_lacks_everything() {
    let known = onnx_schema::lookup("", "Relu", 14).expect("it is in the table");
    let of = |name, since| -> &'static OperatorSchema {
        Box::leak(Box::new(OperatorSchema {
            name,
            since,
            ..*known
        }))
    };
    let exercised = exercised().expect("own cases are well formed");
    let all = [Gap::Implementation, Gap::Declaration, Gap::Bound, Gap::Case];
    assert_eq!(gaps(of("Novel", 99), &exercised), all);
    assert_eq!(gaps(of("Relu", 99), &exercised), [Gap::Implementation, Gap::Case]);
    assert_eq!(gaps(known, &exercised), []);
}
