//! External data: only regular files inside of the model's folder, within their length.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use onnx_model::proto::{GraphProto, ModelProto, StringStringEntryProto, TensorProto};
use onnx_model::{ExternalData, Folder, Limits, Model, Source};
use onnx_tensor::{DType, Tensor, Value};
use prost::Message;

/// A model with one initializer: two int16 in another file.
fn model(entries: &[(&str, &str)]) -> Vec<u8> {
    let entry = |&(key, value): &(&str, &str)| StringStringEntryProto {
        key: Some(key.as_bytes().to_vec()),
        value: Some(value.as_bytes().to_vec()),
    };
    let weights = TensorProto {
        name: Some(b"w".to_vec()),
        dims: vec![2],
        data_type: Some(5),
        data_location: Some(1),
        external_data: entries.iter().map(entry).collect(),
        ..TensorProto::default()
    };
    let graph = GraphProto {
        initializer: vec![weights],
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: Some(3),
        graph: Some(graph),
        ..ModelProto::default()
    }
    .encode_to_vec()
}

/// A folder `model` with weights and with files and links that must not be read, next to a secret file.
fn folder() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let inside = root.path().join("model");
    let lay = |result: std::io::Result<()>| result.expect("a prepared folder");
    lay(fs::create_dir_all(inside.join("sub")));
    lay(fs::write(root.path().join("secret"), [9; 8]));
    lay(fs::write(inside.join("w.bin"), [0xFF, 1, 0, 0xFE, 0xFF]));
    lay(symlink("w.bin", inside.join("alias")));
    lay(symlink("../secret", inside.join("escape")));
    lay(symlink("..", inside.join("up")));
    lay(fs::hard_link(root.path().join("secret"), inside.join("hard")));
    root
}

/// Decodes the model in the folder.
fn decode(root: &Path, entries: &[(&str, &str)]) -> Result<Tensor, String> {
    let path = root.join("model/m.onnx");
    fs::write(&path, model(entries)).expect("a model file");
    let model = Model::decode_file(&path, &Limits::default()).map_err(|error| error.to_string())?;
    match model.graph.initializer("w") {
        Some(Value::Tensor(tensor)) => Ok(tensor.clone()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn data_in_the_folder_is_read() {
    let root = folder();
    let expected = Tensor::vector(vec![1_i16, -2]);
    let good: [&[(&str, &str)]; 3] = [
        &[
            ("location", "w.bin"),
            ("offset", "1"),
            ("length", "4"),
            ("checksum", "ignored"),
        ],
        &[("location", "./w.bin"), ("offset", "1")],
        &[("location", "alias"), ("offset", "1")],
    ];
    for entries in good {
        let tensor = decode(root.path(), entries).expect("external data");
        assert!(tensor.same_bits(&expected), "{entries:?}: {tensor:?}");
    }
}

#[test]
fn data_outside_of_the_folder_is_not_read() {
    let root = folder();
    let check = |entries: &[(&str, &str)], problem: &str| {
        let error = decode(root.path(), entries).expect_err(problem);
        let (_, told) = error
            .split_once("graph.initializer[0] \"w\": ")
            .expect("where it is");
        assert!(told.starts_with(problem), "{told}");
    };
    let secret = root.path().join("secret").display().to_string();
    for location in ["../secret", "sub/../../secret", &secret, ""] {
        let problem = format!("external data \"{location}\" is outside of the model's folder");
        check(&[("location", location)], &problem);
    }
    for location in ["escape", "up/secret"] {
        let problem =
            format!("external data \"{location}\" is a link to a file outside of the model's folder");
        check(&[("location", location)], &problem);
    }
    for location in ["hard", "sub", "."] {
        let problem = format!("external data \"{location}\" is not a regular file with a single name");
        check(&[("location", location)], &problem);
    }
    check(&[("location", "none")], "external data \"none\" cannot be read: ");
    let w = ("location", "w.bin");
    check(
        &[w, ("offset", "2")],
        "external data \"w.bin\" has 5 bytes, expected 4 bytes at offset 2",
    );
    check(
        &[w, ("offset", "18446744073709551615")],
        "external data \"w.bin\" has 5 bytes, expected 4 bytes at offset 18446744073709551615",
    );
    check(
        &[w, ("offset", "-1")],
        "external_data: `offset` is \"-1\", expected a number of bytes",
    );
    check(
        &[w, ("length", "5")],
        "external_data has 5 bytes, expected 4 for shape [2] of int16",
    );
    check(&[("offset", "0")], "field `external_data.location` is missing");
    check(
        &[("location", "w.bin"), ("length", "4"), ("length", "4")],
        "external_data: two entries have the key `length`",
    );
}

#[test]
fn missing_data_is_named_in_the_error() {
    let bytes = model(&[("location", "w.bin")]);
    let error = Model::decode(bytes, &Source::named("m"), &Limits::default()).expect_err("no data");
    let told = "m: graph.initializer[0] \"w\": external data \"w.bin\" was not provided with the model";
    assert_eq!(error.to_string(), told);
}

/// A pipe in place of the model or of its data is refused without waiting for a writer.
#[test]
fn pipes_are_not_opened() {
    let root = folder();
    let pipe = root.path().join("model/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .expect("a pipe");
    let refusal = |error: onnx_model::ModelError| error.to_string();
    let told = Model::decode_file(&pipe, &Limits::default())
        .map_err(refusal)
        .expect_err("a pipe");
    assert!(told.contains("not a regular file"), "{told}");
    let told = decode(root.path(), &[("location", "pipe")]).expect_err("a pipe");
    assert!(
        told.contains("external data \"pipe\" is not a regular file"),
        "{told}"
    );
}

/// A large initializer stays in its file on request, is read later, and keeps its place in an encoded model.
#[test]
fn a_large_initializer_stays_in_its_file() {
    let root = folder();
    let path = root.path().join("model/m.onnx");
    let elements: Vec<i16> = (0..40_000).map(|i| i as i16).collect();
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(root.path().join("model/w.bin"), [&[9_u8, 9][..], &bytes].concat()).expect("a file");
    let mut proto =
        ModelProto::decode(&model(&[("location", "w.bin"), ("offset", "2")])[..]).expect("a model");
    proto.graph.as_mut().expect("a graph").initializer[0].dims = vec![40_000];
    let mut encoded = proto.encode_to_vec();
    for _ in 0..2 {
        fs::write(&path, &encoded).expect("a model file");
        let model = Model::decode_file_resident(&path, &Limits::default(), 79_999).expect("a model");
        let stored = model.stored();
        let read = onnx_model::read_stored(stored[0]).expect("elements");
        assert_eq!(read, Tensor::vector(elements.clone()));
        let whole = Model::decode_file_resident(&path, &Limits::default(), 80_000).expect("a model");
        assert_eq!(whole.graph.initializer("w"), Some(&Value::Tensor(read)));
        encoded = model.encode();
    }
    let model = Model::decode_file_resident(&path, &Limits::default(), 0).expect("a model");
    fs::write(root.path().join("model/w.bin"), [0; 8]).expect("a short file");
    let told = onnx_model::read_stored(model.stored()[0]).expect_err("a short file");
    assert!(told.to_string().contains("has 8 bytes"), "{told}");
}

/// Decoding without contents takes no memory for external data of any size. Reading it is checked against the
/// limit first.
#[test]
fn large_data_is_measured_and_counted() {
    let root = folder();
    let path = root.path().join("model/m.onnx");
    let sparse = fs::File::create(root.path().join("model/w.bin")).expect("a file");
    sparse.set_len(1 << 32).expect("a hole");
    let large = |count: i64| {
        let mut proto = ModelProto::decode(&model(&[("location", "w.bin")])[..]).expect("a model");
        proto.graph.as_mut().expect("a graph").initializer[0].dims = vec![count];
        proto.encode_to_vec()
    };
    fs::write(&path, large(1 << 30)).expect("a model file");
    let declared = Model::decode_file_resident(&path, &Limits::default(), 0).expect("a model");
    assert!(matches!(
        declared.graph.initializer("w"),
        Some(Value::Stored(stored)) if stored.shape == [1 << 30] && stored.dtype == DType::Int16
    ));
    let limits = Limits {
        external_bytes: 1 << 20,
        ..Limits::default()
    };
    let told = Model::decode_file(&path, &limits)
        .expect_err("too much")
        .to_string();
    assert!(
        told.contains("2147483648 bytes of external data, the limit is 1048576"),
        "{told}"
    );
    fs::File::create(root.path().join("model/w.bin"))
        .expect("a file")
        .set_len(8)
        .expect("a short file");
    let told = Model::decode_file_resident(&path, &Limits::default(), 0).expect_err("a short file");
    assert!(
        told.to_string()
            .contains("has 8 bytes, expected 2147483648 bytes at offset 0"),
        "{told}"
    );
}

/// A snapshot of Hugging Face's hub is a folder of links to files beside it.
#[test]
fn the_files_of_a_snapshot_are_read_where_its_links_point() {
    let root = tempfile::tempdir().expect("a folder");
    let snapshot = root.path().join("model/snapshots/1f2e/onnx");
    let check = |blobs: &str, is_read: bool| {
        let blobs = root.path().join(blobs);
        fs::create_dir_all(&blobs).expect("a folder");
        fs::create_dir_all(&snapshot).expect("a folder");
        fs::write(blobs.join("77"), [1, 0, 2, 0]).expect("a file");
        let link = snapshot.join("w.bin");
        let _ = fs::remove_file(&link);
        symlink(blobs.join("77"), link).expect("a link");
        let read = Folder::new(&snapshot).read("w.bin", 0, 4);
        assert_eq!(read.is_ok(), is_read, "{}: {read:?}", blobs.display());
    };
    check("model/blobs", true);
    check("other/blobs", false);
    check("model/snapshots/blobs", false);
}
