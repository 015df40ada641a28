//! A test case, selected by its id, as the model of an investigation.

use backend_api::protocol::External;
use std::path::Path;

use harness_conformance::case::Case;
use harness_corpus::{Corpus, CorpusError, Filter, own};
use harness_fetch::Lockfile;
use harness_investigate::subject::{StoredSet, Subject};

use super::CliError;
use super::selection::fetcher;

/// The corpora whose cases have ids: the pinned releases, the own cases, and the generated cases.
const OWN: &str = "own";
const GENERATED: &str = "generated";
const RELEASE: &str = "onnx-";

/// The case with this id; `None` if the text is an existing path or not an id. Generated cases of operators
/// have seed 0.
///
/// # Errors
/// A corpus is not available, or has no such case.
pub(super) fn case_subject(text: &Path) -> Result<Option<Subject>, CliError> {
    let Some(id) = text.to_str().filter(|_| !text.exists()) else {
        return Ok(None);
    };
    let [corpus, suite, name] = id.split('/').collect::<Vec<_>>()[..] else {
        return Ok(None);
    };
    match corpus {
        GENERATED => generated(id, suite, name).map(Some),
        OWN => of_corpus(&own::corpus()?, id).map(Some),
        release if release.starts_with(RELEASE) => {
            let corpus = harness_fetch::pinned(release, &Lockfile::embedded()?, &fetcher()?)?;
            of_corpus(&corpus, id).map(Some)
        }
        _ => Ok(None),
    }
}

fn of_corpus(corpus: &Corpus, id: &str) -> Result<Subject, CliError> {
    let filter = Filter::new([id]).map_err(CorpusError::from)?;
    let found = filter.select(std::slice::from_ref(corpus))?.cases;
    let case = found.into_iter().find(|files| files.id.to_string() == id);
    let files = case.ok_or_else(|| CliError::Usage(format!("there is no case `{id}`")))?;
    let (case, model) = Case::decode_plain(&files).map_err(|error| CliError::Usage(error.to_string()))?;
    let stored = case.data_sets.into_iter().map(|set| StoredSet {
        name: set.name,
        inputs: set.inputs,
        outputs: set.expected,
    });
    Ok(Subject {
        path: id.into(),
        name: files.id.name().to_owned(),
        bytes: case.model,
        model,
        external: case.external,
        stored: stored.collect(),
        unfit: None,
    })
}

/// A generated case: by the version of its operator and its name, or a graph by its seed and number.
fn generated(id: &str, suite: &str, name: &str) -> Result<Subject, CliError> {
    let missing = || CliError::Usage(format!("there is no generated case `{id}` of seed 0"));
    let case = if suite == onnx_generator::GRAPHS {
        let (seed, number) = name.split_once('-').ok_or_else(missing)?;
        let seed_and_number = seed.parse().ok().zip(number.parse().ok());
        seed_and_number.and_then(|(seed, number)| onnx_generator::graphs::graph(seed, number))
    } else {
        let schema = onnx_schema::all().find(|schema| schema.to_string() == suite);
        schema.and_then(|schema| harness_conformance::generated::case(schema, name))
    };
    let case = case.ok_or_else(missing)?;
    let set = StoredSet {
        name: "test_data_set_0".to_owned(),
        inputs: case.inputs,
        outputs: Vec::new(),
    };
    Ok(Subject {
        path: id.into(),
        name: name.to_owned(),
        bytes: case.model.encode().into(),
        model: case.model,
        external: External::default(),
        stored: vec![set],
        unfit: None,
    })
}
