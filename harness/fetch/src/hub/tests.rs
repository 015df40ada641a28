//! A zoo made here: a manifest, a mirror with an archive, and mirrors that lie.

use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::*;

/// A gzipped tar of these files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        // Written as it is: `append_data` refuses the names that are tried here.
        let name = header.as_old_mut();
        name.name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn entry(model: &str, bytes: &[u8], data: Option<(&str, &[u8])>) -> serde_json::Value {
    let mut metadata =
        serde_json::json!({"model_sha": Sha256::of(bytes).to_string(), "model_bytes": bytes.len()});
    if let Some((path, bytes)) = data {
        metadata["model_with_data_path"] = path.into();
        metadata["model_with_data_sha"] = Sha256::of(bytes).to_string().into();
    }
    serde_json::json!({"model": "M", "model_path": model, "onnx_version": "1.2", "opset_version": 7, "metadata": metadata})
}

/// A mirror with `a-7` as an archive and `b-8` as a model alone; `c-9` is not there.
struct Zoo {
    folder: TempDir,
    cache: TempDir,
}

const FOLDER: &str = "validated/vision/classification/a/model";

impl Zoo {
    fn new() -> Zoo {
        let zoo = Zoo {
            folder: tempfile::tempdir().unwrap(),
            cache: tempfile::tempdir().unwrap(),
        };
        let files: [(&str, &[u8]); 4] = [
            ("a/a-7.onnx", b"model a"),
            ("a/test_data_set_0/input_0.pb", b"in"),
            ("a/test_data_set_0/output_0.pb", b"out"),
            ("a/test_data_set_0/._output_0.pb", b"of another system"),
        ];
        let data = archive(&files);
        zoo.put(&format!("{FOLDER}/a-7.tar.gz"), &data);
        zoo.put("b-8.onnx", b"model b");
        let path = |name: &str| format!("{FOLDER}/{name}");
        zoo.manifest(&[
            entry(&path("a-7.onnx"), b"model a", Some((&path("a-7.tar.gz"), &data))),
            entry(
                &path("b-8.onnx"),
                b"model b",
                Some((&path("b-8.tar.gz"), b"not there")),
            ),
            entry(&path("c-9.onnx"), b"model c", None),
        ]);
        zoo
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn manifest(&self, entries: &[serde_json::Value]) {
        self.put(MANIFEST, &serde_json::to_vec(entries).unwrap());
    }

    fn read(&self) -> Result<Manifest, HubError> {
        Manifest::read(&self.folder.path().join(MANIFEST))
    }

    fn cache(&self) -> Cache {
        Cache::at(self.cache.path())
    }

    fn fetch(&self, name: &str, source: &Source) -> Result<Fetched, String> {
        let manifest = self.read().unwrap();
        let model = manifest.models.iter().find(|model| model.name == name).unwrap();
        fetch(model, source, &self.cache()).map_err(|error| error.to_string())
    }

    fn mirror(&self) -> Source {
        Source::Folder(self.folder.path().to_owned())
    }
}

fn check_mirror(zoo: &Zoo, source: &Source) {
    assert!(
        models(&zoo.cache())
            .unwrap_err()
            .to_string()
            .contains("fetch --zoo hub")
    );
    for _ in 0..2 {
        assert_eq!(zoo.fetch("a-7", source), Ok(Fetched::Case));
    }
    assert!(
        zoo.fetch("c-9", source)
            .unwrap_err()
            .contains("model `c-9` is not in `")
    );
    let corpus = super::corpus(&zoo.cache()).unwrap();
    let ids: Vec<String> = corpus.cases().iter().map(|case| case.id.to_string()).collect();
    assert_eq!(ids, ["hub/classification/a-7"]);
    assert_eq!(corpus.cases()[0].model.read().unwrap().as_ref(), b"model a");
    assert_eq!(corpus.cases()[0].data_sets[0].inputs.len(), 1);
}

#[test]
fn a_model_with_data_sets_becomes_a_case() {
    let zoo = Zoo::new();
    check_mirror(&zoo, &zoo.mirror());
    assert_eq!(zoo.fetch("b-8", &zoo.mirror()), Ok(Fetched::Model));
    let found: Vec<String> = models(&zoo.cache())
        .unwrap()
        .iter()
        .map(|(id, _)| id.to_string())
        .collect();
    assert_eq!(found, ["hub/classification/a-7", "hub/classification/b-8"]);
    // A model without data sets is no case.
    assert_eq!(super::corpus(&zoo.cache()).unwrap().cases().len(), 1);
}

#[test]
fn an_address_is_a_mirror_too() {
    let zoo = Zoo::new();
    let source = Source::parse(&format!("file://{}/", zoo.folder.path().display()));
    assert!(matches!(source, Source::Url(_)));
    check_mirror(&zoo, &source);
}

#[test]
fn other_bytes_are_not_used() {
    let zoo = Zoo::new();
    zoo.put("b-8.onnx", b"model B");
    let said = zoo.fetch("b-8", &zoo.mirror()).unwrap_err();
    assert!(
        said.contains("b-8.onnx` has SHA-256") && said.contains("it is not used"),
        "{said}"
    );
    zoo.put(
        &format!("{FOLDER}/a-7.tar.gz"),
        &archive(&[("a/a-7.onnx", b"model a")]),
    );
    assert!(
        zoo.fetch("a-7", &zoo.mirror())
            .unwrap_err()
            .contains("a-7.tar.gz` has SHA-256")
    );
    assert!(models(&zoo.cache()).is_err());
}

/// What is said of an archive with the SHA-256 of the manifest.
#[track_caller]
fn check_archive(data: &[u8], part: &str) {
    let zoo = Zoo::new();
    let path = format!("{FOLDER}/a-7.tar.gz");
    zoo.put(&path, data);
    zoo.manifest(&[entry(&format!("{FOLDER}/a-7.onnx"), b"", Some((&path, data)))]);
    match zoo.fetch("a-7", &zoo.mirror()) {
        Ok(fetched) => assert!(part.is_empty(), "{fetched:?}"),
        Err(said) => assert!(!part.is_empty() && said.contains(part), "{said}"),
    }
    let outside: Vec<_> = fs::read_dir(zoo.cache.path()).unwrap().flatten().collect();
    assert_eq!(outside.len(), 1, "{outside:?}");
}

#[test]
fn an_archive_writes_nothing_but_a_case() {
    check_archive(b"no archive", "archive `");
    check_archive(&archive(&[]), "expected 1 model, got 0");
    check_archive(
        &archive(&[("a.onnx", b"1"), ("b.onnx", b"2")]),
        "expected 1 model, got 2",
    );
    let hostile: [(&str, &[u8]); 5] = [
        ("a.onnx", b"1"),
        ("../../evil/test_data_set_0/input_0.pb", b"x"),
        ("/tmp/evil.onnx", b"x"),
        ("a/test_data_set_../output_0.pb", b"x"),
        ("a/evil.sh", b"x"),
    ];
    check_archive(&archive(&hostile), "");
}

#[track_caller]
fn check_manifest(text: &str, part: &str) {
    let zoo = Zoo::new();
    zoo.put(MANIFEST, text.as_bytes());
    let said = zoo.read().unwrap_err().to_string();
    assert!(said.contains(part), "{text}: {said}");
}

#[test]
fn a_manifest_of_another_form_is_refused() {
    check_manifest("{}", "is no manifest of the ONNX model zoo");
    check_manifest(
        "[{\"model\": 1}]",
        "is no manifest of the ONNX model zoo: missing field `model_path`",
    );
    let one = |path: &str| serde_json::json!([entry(path, b"", None)]).to_string();
    check_manifest(
        &one("../../etc/x.onnx"),
        "its path \"../../etc/x.onnx\" is not plain",
    );
    check_manifest(&one("/etc/x.onnx"), "is not plain");
    check_manifest(&one("a/x.pb"), "its file is not `*.onnx`");
    let same = [entry("a/x.onnx", b"", None), entry("b/x.onnx", b"", None)];
    check_manifest(
        &serde_json::json!(same).to_string(),
        "model `b/x.onnx`: another model has the same name",
    );
    let sha = one("a/x.onnx").replace("\"model_sha\":\"", "\"model_sha\":\"xyz");
    check_manifest(&sha, "is not a SHA-256");
    let missing = Manifest::read(Path::new("/nowhere/manifest.json"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("cannot read the manifest"), "{missing}");
}
