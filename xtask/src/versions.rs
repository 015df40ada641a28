//! `cargo xtask generate versions`: the list of operator versions that official cases exercise.

use std::error::Error;
use std::path::{Path, PathBuf};

use harness_console::note;
use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_tests::versions::{OFFICIAL, list};

const LIST: &str = "onnx-tests/official-versions.txt";

/// Makes the list from the cases of all pinned releases; returns its path if the checked-in list
/// differs. With `check` nothing is written.
pub fn generate(check: bool) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let (lock, fetcher) = (
        Lockfile::embedded()?,
        Fetcher::new(Cache::from_env()?, |event| note(format_args!("{event}"))),
    );
    let releases = lock.releases().into_iter();
    let corpora = releases.map(|release| harness_fetch::pinned(&release.corpus(), &lock, &fetcher));
    let fresh = list(&corpora.collect::<Result<Vec<_>, _>>()?);
    if fresh == OFFICIAL {
        return Ok(Vec::new());
    }
    if !check {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(LIST);
        run_record::replace(&path, fresh.as_bytes())?;
    }
    Ok(vec![PathBuf::from(LIST)])
}
