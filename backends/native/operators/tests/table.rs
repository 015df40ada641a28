//! The table of rows against the schemas.

#[test]
fn every_row_starts_at_an_existing_version() {
    for row in native_operators::rows() {
        let found = onnx_schema::lookup(row.domain, row.name, row.from);
        let exists = found.is_some_and(|version| version.since == row.from);
        assert!(exists, "{} has no since {}", row.name, row.from);
    }
}
