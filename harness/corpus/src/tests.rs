//! Corpora built by hand, in archives and on disk: the cases, their order, and rejected items.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::archive::tests::zip_of;
use super::*;

const DATA: &str = "onnx/backend/test/data/";

/// A corpus from a wheel with these files (each contains its own name) below the data folder.
fn wheel(files: &[&str]) -> Corpus {
    let names: Vec<_> = files.iter().map(|file| format!("{DATA}{file}")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), content(&name[DATA.len()..])))
        .collect();
    let bytes = zip_of(&entries);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onnx.whl");
    fs::write(&path, &bytes).unwrap();
    Corpus::from_wheel("test", &VerifiedFile::open(&path, Sha256::of(&bytes)).unwrap()).unwrap()
}

/// The same files on disk.
fn disk(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content(file)).unwrap();
    }
    folder
}

fn content(file: &str) -> &[u8] {
    match file {
        "real/test_tiny/data.json" => {
            br#"{"rtol": 0.002, "url": "onnx/backend/test/data/light/light_tiny.onnx"}"#
        }
        "real/test_far/data.json" => br#"{"url": "somewhere/far.tar.gz"}"#,
        "node/test_bad_json/data.json" => br#"{"rtol": -1}"#,
        _ => file.as_bytes(),
    }
}

fn ids<'a>(cases: impl IntoIterator<Item = &'a CaseFiles>) -> Vec<String> {
    cases.into_iter().map(|case| case.id.to_string()).collect()
}

fn text(file: &FileRef) -> String {
    String::from_utf8(file.read().unwrap().to_vec()).unwrap()
}

#[test]
fn data_sets_and_values_are_sorted_by_number_with_gaps() {
    let corpus = wheel(&[
        "node/test_a/model.onnx",
        "node/test_a/weights/w.bin",
        "node/test_a/test_data_set_10/output_0.pb",
        "node/test_a/test_data_set_2/input_10.pb",
        "node/test_a/test_data_set_2/input_9.pb",
        "node/test_a/test_data_set_2/input_0.pb",
        "node/test_a/test_data_set_2/output_1.pb",
        "node/test_a/test_data_set_2/output_0.pb",
        "node/test_a/test_data_set_2/notes.txt",
    ]);
    let [case] = corpus.cases() else {
        panic!("{:?}", corpus.defects())
    };
    assert_eq!(text(&case.model), "node/test_a/model.onnx");
    assert_eq!(
        text(&case.sibling("weights/w.bin").unwrap().unwrap()),
        "node/test_a/weights/w.bin"
    );
    let [second, tenth] = &case.data_sets[..] else {
        panic!("{:?}", case.data_sets)
    };
    assert_eq!(
        (second.name.as_str(), tenth.name.as_str()),
        ("test_data_set_2", "test_data_set_10")
    );
    let inputs: Vec<_> = second
        .inputs
        .iter()
        .map(|input| input.as_ref().map(text))
        .collect();
    assert_eq!(inputs.len(), 11);
    for (number, input) in inputs.into_iter().enumerate() {
        let expected = format!("node/test_a/test_data_set_2/input_{number}.pb");
        assert_eq!(
            input,
            [0, 9, 10].contains(&number).then_some(expected),
            "input {number}"
        );
    }
    let outputs: Vec<_> = second.outputs.iter().map(text).collect();
    assert_eq!(
        outputs,
        [0, 1].map(|k| format!("node/test_a/test_data_set_2/output_{k}.pb"))
    );
    assert_eq!(case.tolerance, OfficialTolerance::default());
}

#[test]
fn light_models_have_generated_inputs_and_described_tolerances() {
    let corpus = wheel(&[
        "light/light_tiny.onnx",
        "light/light_tiny_output_0.pb",
        "light/light_other.onnx",
        "light/light_other_output_0.pb",
        "real/test_tiny/data.json",
    ]);
    assert_eq!(
        ids(corpus.cases()),
        ["test/light/test_other", "test/light/test_tiny"]
    );
    assert!(corpus.defects().is_empty(), "{:?}", corpus.defects());
    let tiny = &corpus.cases()[1];
    assert_eq!(
        tiny.tolerance,
        OfficialTolerance {
            rtol: 0.002,
            atol: 1e-7
        }
    );
    assert!(tiny.data_sets[0].generated_inputs && tiny.data_sets[0].inputs.is_empty());
    assert_eq!(
        text(&tiny.data_sets[0].outputs[0]),
        "light/light_tiny_output_0.pb"
    );
}

#[test]
fn items_that_cannot_be_run_are_reported() {
    fn check(name: &str, files: &[&str], expected: &DefectKind) {
        let files: Vec<_> = files.iter().map(|file| format!("node/{name}/{file}")).collect();
        let mut files: Vec<_> = files.iter().map(String::as_str).collect();
        files.extend([
            "node/test_whole/model.onnx",
            "node/test_whole/test_data_set_0/output_0.pb",
        ]);
        let corpus = wheel(&files);
        let defects: Vec<_> = corpus
            .defects()
            .iter()
            .map(|defect| (defect.id.name(), &defect.kind))
            .collect();
        assert_eq!(defects, [(name, expected)]);
        assert_eq!(ids(corpus.cases()), ["test/node/test_whole"]);
    }
    let data_set = || "test_data_set_0".to_owned();
    let unknown = |file: &str| DefectKind::UnknownFile {
        data_set: data_set(),
        file: file.to_owned(),
    };
    check("a", &["model.onnx"], &DefectKind::NoDataSet);
    check("b", &["test_data_set_0/output_0.pb"], &DefectKind::NoModel);
    check("c", &["readme.txt"], &DefectKind::NoModel);
    let only_input = ["model.onnx", "test_data_set_0/input_0.pb"];
    check(
        "d",
        &only_input,
        &DefectKind::NoExpectedOutput { data_set: data_set() },
    );
    let gap = ["model.onnx", "test_data_set_0/output_1.pb"];
    check(
        "e",
        &gap,
        &DefectKind::OutputGap {
            data_set: data_set(),
            number: 0,
        },
    );
    for file in ["input_01.pb", "input_4000000000.pb", "result_0.pb"] {
        let set = format!("test_data_set_0/{file}");
        check(
            "f",
            &["model.onnx", "test_data_set_0/output_0.pb", &set],
            &unknown(file),
        );
    }
    let bad_json = ["model.onnx", "data.json", "test_data_set_0/output_0.pb"];
    check(
        "test_bad_json",
        &bad_json,
        &DefectKind::Description {
            reason: "`rtol` is not a tolerance".to_owned(),
        },
    );
}

#[test]
fn a_description_without_its_model_is_a_defect() {
    let corpus = wheel(&["real/test_far/data.json", "real/test_tiny/data.json"]);
    let urls = [
        "somewhere/far.tar.gz",
        "onnx/backend/test/data/light/light_tiny.onnx",
    ];
    let expected = urls.map(|url| DefectKind::RemoteModel { url: url.to_owned() });
    assert_eq!(
        corpus
            .defects()
            .iter()
            .map(|defect| defect.kind.clone())
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_suite_with_missing_cases_is_below_its_floor() {
    let corpus = wheel(&[
        "node/test_a/model.onnx",
        "node/test_a/test_data_set_0/output_0.pb",
        "node/test_b/model.onnx",
    ]);
    let floors = |node: usize| BTreeMap::from([("node".to_owned(), node)]);
    corpus.check_floors(&floors(1)).unwrap();
    let error = corpus.check_floors(&floors(2)).unwrap_err();
    assert!(
        matches!(
            error,
            CorpusError::BelowFloor {
                found: 1,
                pinned: 2,
                ..
            }
        ),
        "{error}"
    );
    let missing = BTreeMap::from([("simple".to_owned(), 1)]);
    assert!(matches!(
        corpus.check_floors(&missing),
        Err(CorpusError::BelowFloor { found: 0, .. })
    ));
}

/// The cases of `--cases PATH`, for each kind of path.
#[test]
fn local_cases_are_found_from_each_level() {
    let folder = disk(&[
        "data/node/test_a/model.onnx",
        "data/node/test_a/test_data_set_0/output_0.pb",
        "data/node/test_b/model.onnx",
        "data/node/test_b/test_data_set_0/output_0.pb",
        "data/light/light_tiny.onnx",
        "data/light/light_tiny_output_0.pb",
        "data/docs/pictures/x.txt",
        "own/first.onnx",
        "own/second.onnx",
        "own/second/test_data_set_0/output_0.pb",
        "own/second/test_data_set_1/output_0.pb",
        "own/test_data_set_0/output_0.pb",
        "bare/model.onnx",
    ]);
    let check = |path: &str, expected: &[&str]| {
        let corpus = Corpus::local(&folder.path().join(path)).unwrap();
        assert_eq!(ids(corpus.cases()), expected, "{path}");
        corpus
    };
    let node = ["local/node/test_a", "local/node/test_b"];
    check("data", &["local/light/test_tiny", node[0], node[1]]);
    check("data/node", &node);
    check("data/node/../node/test_a", &node[..1]);
    check("data/light", &["local/light/test_tiny"]);
    check("data/node/test_b/model.onnx", &["local/single/test_b"]);
    assert_eq!(
        check("own/first.onnx", &["local/single/first"]).cases()[0]
            .data_sets
            .len(),
        1
    );
    assert_eq!(
        check("own/second.onnx", &["local/single/second"]).cases()[0]
            .data_sets
            .len(),
        2
    );
    for bare in ["bare", "bare/model.onnx"] {
        assert_eq!(
            check(bare, &[]).defects()[0].kind,
            DefectKind::NoDataSet,
            "{bare}"
        );
    }
    // Different from the text of the folder whose name is `bad\u{7}`.
    let unusual = disk(&[
        "suite/bad\u{7}/model.onnx",
        "suite/good/model.onnx",
        "suite/good/test_data_set_0/output_0.pb",
        "suite/link/model.onnx",
    ]);
    fs::remove_file(unusual.path().join("suite/link/model.onnx")).unwrap();
    std::os::unix::fs::symlink("/no/such", unusual.path().join("suite/link/model.onnx")).unwrap();
    let not_utf8: &OsStr = OsStrExt::from_bytes(b"caf\xe9");
    fs::create_dir(unusual.path().join("suite").join(not_utf8)).unwrap();
    for path in ["", "suite"] {
        let corpus = Corpus::local(&unusual.path().join(path)).unwrap();
        assert_eq!(ids(corpus.cases()), ["local/suite/good"]);
        let defects = corpus.defects().iter();
        let defects: Vec<(String, &DefectKind)> = defects
            .map(|defect| (defect.id.to_string(), &defect.kind))
            .collect();
        let expected = [
            ("local/suite/bad\\u{7}".to_owned(), &DefectKind::InvalidName),
            ("local/suite/caf\\xe9".to_owned(), &DefectKind::InvalidName),
            ("local/suite/link".to_owned(), &DefectKind::NoModel),
        ];
        assert_eq!(defects, expected);
    }
    for nothing in ["data/docs", "data/docs/pictures/x.txt"] {
        let error = Corpus::local(&folder.path().join(nothing)).unwrap_err();
        assert!(matches!(error, CorpusError::NoCases { .. }), "{nothing}: {error}");
    }
    assert!(matches!(
        Corpus::local(Path::new("/no/such")),
        Err(CorpusError::Io { .. })
    ));
}

#[test]
fn a_filter_selects_defects_too_so_that_they_are_reported() {
    let corpus = wheel(&[
        "node/test_a/model.onnx",
        "node/test_b/model.onnx",
        "node/test_b/test_data_set_0/output_0.pb",
    ]);
    let selection = Filter::new(["test_a"])
        .unwrap()
        .select(std::slice::from_ref(&corpus))
        .unwrap();
    assert_eq!((selection.cases.len(), selection.defects.len()), (0, 1));
    let all = Filter::default().select(&[corpus.clone(), corpus]).unwrap();
    assert_eq!(ids(&all.cases), ["test/node/test_b", "test/node/test_b"]);
}

#[test]
fn selected_cases_can_be_read_after_their_corpora_are_dropped() {
    let corpora = [
        wheel(&[
            "light/light_tiny.onnx",
            "light/light_tiny_output_0.pb",
            "real/test_tiny/data.json",
        ]),
        wheel(&[
            "node/test_a/model.onnx",
            "node/test_a/weights.bin",
            "node/test_a/test_data_set_0/input_0.pb",
            "node/test_a/test_data_set_0/output_0.pb",
            "node/test_b/model.onnx",
            "node/test_b/test_data_set_0/output_0.pb",
        ]),
    ];
    let filter = Filter::new(["test_tiny", "test_a"]).unwrap();
    let Selection { cases, .. } = filter.select(&corpora).unwrap();
    drop(corpora);
    let read = |case: &CaseFiles| {
        let sets = case.data_sets.iter();
        let values = sets.flat_map(|set| set.inputs.iter().flatten().chain(&set.outputs));
        values.chain([&case.model]).map(text).collect::<Vec<_>>()
    };
    let mut texts: Vec<String> = cases.iter().flat_map(read).collect();
    texts.extend(
        cases
            .iter()
            .filter_map(|case| case.sibling("weights.bin").unwrap())
            .map(|file| text(&file)),
    );
    texts.sort();
    assert_eq!(
        texts,
        [
            "light/light_tiny.onnx",
            "light/light_tiny_output_0.pb",
            "node/test_a/model.onnx",
            "node/test_a/test_data_set_0/input_0.pb",
            "node/test_a/test_data_set_0/output_0.pb",
            "node/test_a/weights.bin",
        ]
    );
}
