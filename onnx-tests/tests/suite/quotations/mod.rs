//! Every sentence that the ledgers and docs/upstream.md quote stands where they say, in the pinned `onnx`
//! package.
//!
//! A text quotes in double quotes, and the places that it names since the last quotation are those of the
//! next one: `Pad-13, mode: "…"`. An operator version is looked up in the sources of the wheel
//! ([`texts`]), `onnx.proto` in the wheel. The pages `*.md` are not in it: the test says how many
//! quotations it could not look up.

mod texts;

use std::sync::LazyLock;

use harness_conformance::rulings::Rulings;
use harness_corpus::Archive;
use harness_corpus::errata::Errata;
use harness_corpus::readings::Readings;
use harness_fetch::{Cache, Fetcher, Lockfile};

use texts::{Texts, squeezed};

static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let lock = Lockfile::embedded().unwrap();
    let newest = lock.releases().into_iter().next_back().unwrap();
    let wheel = lock.corpus(&newest.corpus()).unwrap().wheel().clone();
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let wheel = fetcher.fetch(&wheel).unwrap_or_else(|error| panic!("{error}"));
    Texts::of(&Archive::open(&wheel).unwrap())
});

/// A quoted sentence.
#[derive(PartialEq, Debug)]
struct Quotation<'t> {
    /// Where it stands: all of these.
    places: Vec<&'t str>,
    /// Its words; `…` stands for words that are left out.
    words: &'t str,
}

/// The quotations of a text, each with the places named since the one before it, or else with its places.
fn quotations(text: &str) -> Vec<Quotation<'_>> {
    let mut quotations: Vec<Quotation<'_>> = Vec::new();
    let mut parts = text.split('"');
    while let (Some(between), Some(words)) = (parts.next(), parts.next()) {
        let named: Vec<&str> = between.split_whitespace().filter_map(place).collect();
        let places = match quotations.last() {
            Some(last) if named.is_empty() => last.places.clone(),
            _ => named,
        };
        quotations.push(Quotation { places, words });
    }
    quotations
}

/// `Pad-13`, `ai.onnx.ml.Scaler-1`, `IR.md` or `onnx.proto` in a word.
fn place(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let version = |(operator, since): (&str, &str)| {
        let name = operator.rsplit('.').next()?;
        let starts = name.starts_with(|c: char| c.is_ascii_uppercase());
        (starts && since.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
    };
    let page = word.ends_with(".md") || word.ends_with(".proto");
    (page || word.rsplit_once('-').and_then(version).is_some()).then_some(word)
}

/// The rows of the tables of docs/upstream.md whose last column is the sentence.
fn upstream() -> Vec<(String, String)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/upstream.md");
    let page = std::fs::read_to_string(file).unwrap();
    let (mut sentences, mut rows) = (false, Vec::new());
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        match cells.last() {
            Some(last) if line.starts_with('|') => match last.trim() {
                "sentence" => sentences = true,
                sentence if sentences => {
                    rows.push((format!("docs/upstream.md: {}", cells[1]), sentence.to_owned()))
                }
                _ => {}
            },
            _ => sentences = false,
        }
    }
    rows
}

/// Every text that may quote, with the entry that it stands in.
fn all() -> Vec<(String, String)> {
    let (rulings, readings) = (Rulings::embedded().unwrap(), Readings::embedded().unwrap());
    let errata = Errata::embedded().unwrap();
    let rulings = rulings.all().iter().map(|ruling| {
        (
            format!("ruling {} {}", ruling.title(), ruling.case),
            ruling.sentence.clone(),
        )
    });
    let readings = readings.questions().iter().flat_map(|question| {
        let texts = question.text.iter();
        texts.map(|text| (format!("question {}", question.name), text.clone()))
    });
    let errata = errata.entries().iter().map(|entry| {
        let text = format!("{}: {}", entry.evidence.source, entry.evidence.rule);
        (format!("erratum {}", entry.case), text)
    });
    rulings.chain(readings).chain(errata).chain(upstream()).collect()
}

/// Why a quotation is not literal; `None` if it is, or if the package does not have the page.
fn fault(quotation: &Quotation<'_>, texts: &Texts) -> Option<String> {
    if quotation.places.is_empty() {
        return Some(format!("\"{}\" has no place", quotation.words));
    }
    quotation.places.iter().find_map(|place| {
        if place.ends_with(".md") {
            return None;
        }
        let Some(text) = texts.at(place) else {
            return Some(format!("the package has no {place}"));
        };
        let mut from = 0;
        let missing = quotation.words.split('…').find(|part| {
            let part = squeezed(part);
            match text[from..].find(&part) {
                Some(at) => {
                    from += at + part.len();
                    false
                }
                None => true,
            }
        });
        missing.map(|part| format!("{place} does not say \"{part}\""))
    })
}

#[test]
fn every_quotation_is_literal() {
    let all = all();
    let (mut literal, mut pages, mut faults) = (0, 0, Vec::new());
    for (entry, text) in &all {
        for quotation in quotations(text) {
            match fault(&quotation, &TEXTS) {
                Some(fault) => faults.push(format!("{entry}: {fault}")),
                None if quotation.places.iter().any(|place| place.ends_with(".md")) => pages += 1,
                None => literal += 1,
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new(), "{}", faults.join("\n"));
    assert!(literal >= 100, "{literal} quotations");
    println!("{literal} quotations are literal; {pages} stand in pages that the package does not have");
}

/// The sources are read as the package reads them: each version of the table has a text.
#[test]
fn every_operator_version_has_a_text() {
    let without = onnx_schema::all().filter(|schema| TEXTS.at(&schema.to_string()).is_none_or(str::is_empty));
    assert_eq!(
        without.map(ToString::to_string).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

/// A sentence of another version, other words, and an unknown version are found out.
#[test]
fn a_quotation_that_is_not_literal_is_found_out() {
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let quotations = quotations(text);
        let found = quotations.iter().find_map(|quotation| fault(quotation, &TEXTS));
        assert_eq!(found.as_deref(), expected);
    }
    check("Sign-9: \"If input > 0, output 1.\"", None);
    check("Sign-9 and Sign-13: \"If input … output 1.\"", None);
    check(
        "Scaler-1, scale: \"The shape is\"; \"no\"",
        Some("Scaler-1 does not say \"The shape is\""),
    );
    check(
        "MaxPool-11: \"Sliding windows that would start in the right padded region are ignored.\"",
        Some(
            "MaxPool-11 does not say \"Sliding windows that would start in the right padded region are ignored.\"",
        ),
    );
    check("Sign-10: \"If input > 0\"", Some("the package has no Sign-10"));
    check("as \"said\"", Some("\"said\" has no place"));
    check("IR.md: \"what the package does not have\"", None);
}

#[test]
fn places_belong_to_the_next_quotation() {
    let quotation = |places: &[&'static str], words| Quotation {
        places: places.to_vec(),
        words,
    };
    assert_eq!(
        quotations("GRU-7, clip: \"a\"; \"b\" and (ai.onnx.ml.Scaler-1, docs/IR.md): \"c\" here, X-ray"),
        [
            quotation(&["GRU-7"], "a"),
            quotation(&["GRU-7"], "b"),
            quotation(&["ai.onnx.ml.Scaler-1", "docs/IR.md"], "c"),
        ]
    );
}
