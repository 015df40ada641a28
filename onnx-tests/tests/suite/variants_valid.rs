//! Every variant of every official and own case is a valid model, and each kind of variant applies
//! to many cases.

use std::collections::BTreeMap;

use harness_conformance::forms::{NotApplicable, Subject, forms, make};
use harness_conformance::variants::plain;
use harness_corpus::form::Form;
use harness_corpus::own;
use harness_corpus::{CaseFiles, Filter};
use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_checker::check;
use onnx_model::{Limits, Model, Source};
use run_record::VariantKind;

/// The suite of whole networks. Their variants differ from those of single operators in size only.
const LIGHT: &str = "light";

/// The cases of the newest release and the own ones, without the networks.
fn cases() -> Vec<CaseFiles> {
    let fetcher = Fetcher::new(Cache::from_env().expect("a cache"), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().expect("a lock file");
    let newest: Vec<_> = lock.newest_wheel().into_iter().collect();
    let mut corpora =
        harness_fetch::releases(&newest, &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    corpora.push(own::corpus().expect("own cases are well formed"));
    let mut cases = Filter::default().select(&corpora).expect("cases").cases;
    cases.retain(|case| case.id.suite() != LIGHT);
    cases
}

/// The findings of the checker in the encoded model; empty if the plain model itself is not valid.
fn findings(model: &Model, name: &str) -> Vec<String> {
    let bytes = model.encode();
    match Model::decode(bytes, &Source::named(name), &Limits::default()) {
        Ok(model) => check(&model).list.iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn variants_are_valid_and_every_kind_applies_to_many_cases() {
    let (mut wrong, mut applied) = (Vec::new(), BTreeMap::<VariantKind, usize>::new());
    for files in cases() {
        let (model, sets) = plain(&files).unwrap_or_else(|error| panic!("{error}"));
        if !check(&model).list.is_empty() {
            continue;
        }
        let subject = Subject {
            model: &model,
            sets: &sets,
        };
        for form in forms(&subject) {
            let name = format!("{}~{form}", files.id);
            assert_eq!(form.to_string().parse(), Ok(form), "{name}");
            match make(form, &subject) {
                Ok(changed) => {
                    *applied.entry(form.kind()).or_default() += 1;
                    assert!(!changed.sets.is_empty(), "{name} has no data set");
                    wrong.extend(
                        findings(&changed.model, &name)
                            .into_iter()
                            .map(|finding| format!("{name}: {finding}")),
                    );
                }
                Err(NotApplicable::Drawn) => assert!(sets.iter().any(|set| set.drawn)),
                Err(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} invalid:\n{}", wrong.len(), wrong.join("\n"));
    for kind in VariantKind::ALL {
        let count = applied.get(&kind).copied().unwrap_or_default();
        assert!(count >= 100, "{} applies to {count} cases only", kind.key());
    }
}

/// The key of a form starts with that of its kind, by which reports group it.
#[test]
fn the_key_of_a_form_starts_with_its_kind() {
    for form in [
        Form::OneInitializer(3),
        Form::Function,
        Form::FedBranch,
        Form::Unsqueeze,
        Form::UndeclaredInner,
    ] {
        assert!(form.to_string().starts_with(form.kind().key()), "{form}");
    }
}
