//! Checks the official corpus, with the fetcher of the program.

use harness_fetch::{Cache, Fetcher, Lockfile};

#[test]
fn the_official_corpus_has_its_1914_cases_and_every_file_can_be_read() {
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().unwrap();
    let corpus =
        harness_fetch::pinned("onnx-1.22.0", &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));

    // Exactly, not at least: with an additional case the pinned count would not detect a lost one.
    let counts: Vec<_> = corpus.counts().into_iter().collect();
    let expected = [
        ("light", 9),
        ("node", 1765),
        ("pytorch-converted", 82),
        ("pytorch-operator", 35),
        ("simple", 23),
    ];
    assert_eq!(counts, expected);
    assert!(corpus.defects().is_empty(), "{:?}", corpus.defects());

    // The number of files in `test_data_set_0`, counted with `unzip -l`; the light models have 9 outputs
    // and no inputs.
    let data_sets = || corpus.cases().iter().flat_map(|case| &case.data_sets);
    let inputs: usize = data_sets()
        .flat_map(|set| &set.inputs)
        .flatten()
        .map(|file| file.read().iter().len())
        .sum();
    let outputs: usize = data_sets()
        .flat_map(|set| &set.outputs)
        .map(|file| file.read().iter().len())
        .sum();
    assert_eq!((inputs, outputs), (4021, 2326 + 9));
    assert!(
        corpus
            .cases()
            .iter()
            .all(|case| case.model.read().is_ok_and(|bytes| !bytes.is_empty()))
    );

    let densenet = corpus
        .cases()
        .iter()
        .find(|case| case.id.name() == "test_densenet121")
        .unwrap();
    assert_eq!(densenet.tolerance.rtol, 0.002);
}
