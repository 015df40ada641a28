//! Coverage of a small catalogue by a few cases, counted by hand.

use std::collections::{BTreeMap, BTreeSet};

use reports::render;
use run_record::coverage::*;
use run_record::*;

/// `Blur-1` with two types and three attributes, and `Blur-7`, which no case uses.
fn catalogue() -> Vec<OperatorVersion> {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let attribute = |name: &str, kind: &str, default: &[&str], values: &[&str]| AttributeDomain {
        name: name.to_owned(),
        kind: kind.to_owned(),
        default: (!default.is_empty()).then(|| texts(default)),
        values: texts(values),
    };
    let version = |since| OperatorVersion {
        domain: "ai.onnx".to_owned(),
        name: "Blur".to_owned(),
        since,
        deprecated: false,
        added: false,
        parameters: vec![TypeParameter {
            name: "T".to_owned(),
            types: texts(&["float", "double", "float16"]),
        }],
        attributes: vec![
            attribute("mode", "string", &["edge"], &["edge", "wrap", "zero"]),
            attribute("radius", "int", &[], &[]),
            attribute("sigma", "float", &["1.0"], &[]),
        ],
        optional: Vec::new(),
    };
    vec![version(1), version(7)]
}

/// A case with nodes of `Blur-1`: type, and attributes.
fn case(id: &str, nodes: &[(&str, &[(&str, &str)])]) -> CaseExercises {
    let exercises = nodes.iter().map(|(of, attributes)| Exercise {
        operator: "Blur-1".to_owned(),
        types: BTreeMap::from([("T".to_owned(), vec![(*of).to_owned()])]),
        attributes: attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]))
            .collect(),
        optional: Vec::new(),
    });
    CaseExercises {
        case: id.to_owned(),
        exercises: exercises.collect(),
    }
}

fn cases() -> Vec<CaseExercises> {
    vec![
        case("onnx-1.9.0/node/plain", &[("float", &[("radius", "1")])]),
        case(
            "onnx-1.10.0/node/both",
            &[
                ("float", &[("mode", "wrap"), ("radius", "1")]),
                ("double", &[("radius", "2")]),
            ],
        ),
        case("own/Blur/plain", &[("float", &[("radius", "1")])]),
    ]
}

#[test]
fn a_case_counts_once_for_each_type_and_value() {
    let (catalogue, cases) = (catalogue(), cases());
    let coverage = Coverage::of(&catalogue, &cases);
    let [blur, unused] = coverage.versions.as_slice() else {
        panic!("{coverage:?}")
    };
    assert_eq!(
        (coverage.exercised(), unused.uses.len(), blur.uses.len()),
        (1, 0, 3)
    );
    assert_eq!(blur.official_and_own(), (2, 1));
    let attribute = |name: &str| {
        blur.version
            .attributes
            .iter()
            .find(|known| known.name == name)
            .expect("declared")
    };
    assert_eq!(
        blur.types(&blur.version.parameters[0]),
        Seen::from([("double", 1), ("float", 3)])
    );
    assert_eq!(
        blur.values(attribute("mode")),
        Seen::from([("edge", 3), ("wrap", 1)])
    );
    assert_eq!(blur.values(attribute("radius")), Seen::from([("1", 3), ("2", 1)]));
    let given = ["mode", "radius", "sigma"].map(|name| blur.given(attribute(name)));
    assert_eq!(given, [1, 3, 0]);
}

#[test]
fn gaps_are_allowed_and_in_no_case() {
    let (catalogue, cases) = (catalogue(), cases());
    let coverage = Coverage::of(&catalogue, &cases);
    let gaps: Vec<Gap> = coverage.versions.iter().flat_map(VersionCoverage::gaps).collect();
    let expected = [
        Gap::Type {
            parameter: "T",
            of: "float16",
        },
        Gap::Attribute { name: "sigma" },
        Gap::Value {
            attribute: "mode",
            value: "zero",
        },
        Gap::Combination {
            parameter: "T",
            of: "double",
            attribute: "mode",
            value: "wrap",
        },
        Gap::Version,
    ];
    assert_eq!(gaps, expected);
    let text = render::gaps_text(&coverage);
    for line in [
        "Blur-7",
        "T: float16",
        "mode: zero",
        "mode=wrap with T: double",
        "1 without a case",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    let rows = render::gaps_csv(&coverage).expect("a table");
    assert_eq!(
        rows,
        "domain,operator,since,gap,parameter,type,attribute,value\n\
         ai.onnx,Blur,1,type,T,float16,,\n\
         ai.onnx,Blur,1,attribute,,,sigma,\n\
         ai.onnx,Blur,1,value,,,mode,zero\n\
         ai.onnx,Blur,1,combination,T,double,mode,wrap\n\
         ai.onnx,Blur,7,version,,,,\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&render::gaps_json(&coverage).expect("JSON")).expect("JSON");
    assert_eq!(json["totals"]["untouched"], 1);
    assert_eq!(
        json["operators"][0]["values"]["mode"],
        serde_json::json!(["zero"])
    );
    assert_eq!(json["operators"][1]["untouched"], true);
}

#[test]
fn the_formats_for_programs_are_stable() {
    let (catalogue, cases) = (catalogue(), cases());
    let coverage = Coverage::of(&catalogue, &cases);
    let implemented = BTreeSet::from(["Blur-7".to_owned()]);
    let json = render::coverage_json(&coverage, &implemented).expect("JSON");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["version"], 1);
    assert_eq!(
        json["totals"],
        serde_json::json!({"versions": 2, "implemented": 1, "exercised": 1})
    );
    let blur = &json["operators"][0];
    assert_eq!(
        (&blur["operator"], &blur["implemented"]),
        (&"Blur-1".into(), &false.into())
    );
    assert_eq!(
        (&blur["official_cases"], &blur["own_cases"]),
        (&2.into(), &1.into())
    );
    let mode = serde_json::json!({
        "name": "mode", "kind": "string", "default": ["edge"], "allowed": ["edge", "wrap", "zero"],
        "given": 1, "seen": {"edge": 3, "wrap": 1},
    });
    assert_eq!(blur["attributes"][0], mode);
    let table = render::coverage_csv(&coverage, &implemented).expect("a table");
    let rows = [
        "domain,operator,since,deprecated,implemented,official_cases,own_cases,types_seen,types_allowed,\
         attributes_given,attributes_declared,types,attributes",
        "ai.onnx,Blur,1,false,false,2,1,2,3,2,3,T=double:1;T=float:3,\
         mode=edge:3;mode=wrap:1;radius=1:3;radius=2:1;sigma=1.0:3",
        "ai.onnx,Blur,7,false,true,0,0,0,3,0,3,,",
    ];
    assert_eq!(table.lines().collect::<Vec<_>>(), rows);
}

/// A run in which `both` fails on one of two backends.
fn report() -> Report {
    let record = |case: &CaseExercises, backend: &str, passes: bool| {
        Event::CaseFinished(Box::new(CaseRecord {
            case: case.case.clone(),
            also_in: if case.case.starts_with("onnx-1.9.0") {
                vec!["onnx-1.2.1".to_owned()]
            } else {
                Vec::new()
            },
            backend: backend.to_owned(),
            verdict: if passes {
                Verdict::Pass
            } else {
                Verdict::Unsupported
            },
            attempts: 1,
            ..CaseRecord::default()
        }))
    };
    let mut events = vec![Event::Catalogue {
        versions: catalogue(),
    }];
    for case in cases() {
        events.push(record(&case, "good", true));
        events.push(record(&case, "weak", !case.case.ends_with("both")));
        events.push(Event::CaseExercises(case));
    }
    Report::fold(events)
}

#[test]
fn the_matrix_counts_passes_in_each_corpus() {
    let report = report();
    let table = render::matrix_csv(&report).expect("a table");
    let check = |row: &str| {
        assert!(
            table.lines().any(|line| line == row),
            "`{row}` is not in\n{table}"
        )
    };
    check("corpus,domain,operator,since,types,attributes,optional,backend,cases,passes");
    check("all,ai.onnx,Blur,1,T=float,radius=1,,weak,2,2");
    check("onnx-1.10.0,ai.onnx,Blur,1,T=float,mode=wrap radius=1,,good,1,1");
    check("onnx-1.10.0,ai.onnx,Blur,1,T=float,mode=wrap radius=1,,weak,1,0");
    check("onnx-1.2.1,ai.onnx,Blur,1,T=float,radius=1,,good,1,1");
    check("own,ai.onnx,Blur,1,T=float,radius=1,,good,1,1");
    check("all,ai.onnx,Blur,1,T=float16,,,,0,0");
    check("all,ai.onnx,Blur,7,,,,,0,0");
    let json: serde_json::Value =
        serde_json::from_str(&render::matrix_json(&report).expect("JSON")).expect("JSON");
    assert_eq!(
        json["corpora"],
        serde_json::json!(["all", "own", "onnx-1.2.1", "onnx-1.9.0", "onnx-1.10.0"])
    );
    let blur = &json["operators"][0];
    assert_eq!(blur["cases"], serde_json::json!([3, 1, 1, 1, 1]));
    assert_eq!(
        blur["passes"],
        serde_json::json!({"good": [3, 1, 1, 1, 1], "weak": [2, 1, 1, 1, 0]})
    );
    assert_eq!(blur["missing"]["types"]["T"], serde_json::json!(["float16"]));
}

/// The data of the operator in the blocks of the page.
fn blocks(page: &str) -> serde_json::Value {
    use base64::Engine;
    let encoded = page
        .split_once("class=\"block\">")
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .expect("a block")
        .0;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .expect("base64");
    serde_json::from_reader(flate2::read::DeflateDecoder::new(&*bytes)).expect("JSON")
}

#[test]
fn the_page_shows_exercised_versions_and_gaps() {
    let page = render::operators_html(&report()).expect("a page");
    for part in ["1 of 2 operator versions exercised", "#operator=Blur"] {
        assert!(page.contains(part), "`{part}` is not in the page");
    }
    let data = blocks(&page);
    let blur = &data[0];
    let version = &blur["versions"][0];
    assert_eq!(version["id"], "Blur-1");
    assert!(
        version["missing"].to_string().contains("no case with mode"),
        "{version}"
    );
    let uses: Vec<_> = version["uses"]
        .as_array()
        .expect("uses")
        .iter()
        .map(|one| (&one[0], &one[2]))
        .collect();
    assert!(uses.iter().any(|(types, _)| *types == "T=float"), "{uses:?}");
    // Corpora, letters, and the version that the case is about.
    let cases: Vec<_> = blur["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|one| (&one[1], &one[2], &one[3]))
        .collect();
    let expected = [(8, "pu", -1), (6, "pp", -1), (1, "pp", -1)];
    let expected: Vec<_> = expected
        .iter()
        .map(|&(corpora, letters, about)| {
            (
                serde_json::json!(corpora),
                serde_json::json!(letters),
                serde_json::json!(about),
            )
        })
        .collect();
    let expected: Vec<_> = expected.iter().map(|(a, b, c)| (a, b, c)).collect();
    assert_eq!(cases, expected);
}

#[test]
fn the_page_escapes_texts_from_files() {
    let hostile = "</script><script>alert(1)</script>";
    let mut report = report();
    report.exercises.push(case(
        &format!("local/{hostile}/a"),
        &[("float", &[("mode", hostile)])],
    ));
    let page = render::operators_html(&report).expect("a page");
    assert!(!page.contains("<script>alert"), "a value became part of the page");
    assert!(
        blocks(&page).to_string().contains("alert(1)"),
        "the value is shown"
    );
}
