//! `fetch --zoo hub`: models of the ONNX model zoo.

use std::path::{Path, PathBuf};

use harness_console::{note, outln};
use harness_corpus::{CaseId, CorpusError, Filter};
use harness_fetch::hub::{self, Fetched, HubError, HubModel, MANIFEST, Manifest, Source};
use harness_fetch::{FetchError, Fetcher};

use super::{CliError, Exit};

/// The requested models of the zoo.
pub(super) struct HubZoo<'z> {
    /// The mirror; without one, the models are listed.
    pub from: Option<&'z str>,
    /// The manifest.
    pub manifest: Option<&'z Path>,
    /// The patterns of the models.
    pub patterns: &'z [String],
}

impl HubZoo<'_> {
    /// Lists the models, or downloads them to the cache.
    pub fn execute(&self, fetcher: &Fetcher) -> Result<Exit, CliError> {
        let source = self.from.map(Source::parse);
        let manifest = Manifest::read(&self.path(source.as_ref())?).map_err(FetchError::from)?;
        let filter = Filter::new(self.patterns).map_err(CorpusError::from)?;
        let models = manifest
            .models
            .iter()
            .map(|model| Ok((CaseId::new("hub", &model.category, &model.name)?, model)));
        let models = models.collect::<Result<Vec<_>, CorpusError>>()?;
        let selected = filter.among(models, "the models of the zoo")?;
        match source {
            Some(source) => bring(&selected, &source, fetcher),
            None => list(&selected),
        }
    }

    fn path(&self, source: Option<&Source>) -> Result<PathBuf, CliError> {
        match (self.manifest, source) {
            (Some(path), _) => Ok(path.to_owned()),
            (None, Some(Source::Folder(folder))) => Ok(folder.join(MANIFEST)),
            (None, _) => Err(CliError::Usage(format!(
                "--zoo hub needs the zoo's manifest: --manifest {MANIFEST}, or --from with a folder that contains it"
            ))),
        }
    }
}

/// A line for each model: its id, its opset, its size, and whether it has data sets.
fn list(models: &[(CaseId, &HubModel)]) -> Result<Exit, CliError> {
    for (id, model) in models {
        let data = if model.has_data() {
            "with data sets"
        } else {
            "without data sets"
        };
        outln(format_args!(
            "{id}: opset {}, {}, {data}",
            model.opset,
            size(model.bytes())
        ))?;
    }
    Ok(Exit::Passed)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..=1_048_575 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// Downloads the models of the mirror to the cache. A missing model does not affect the others.
fn bring(models: &[(CaseId, &HubModel)], source: &Source, fetcher: &Fetcher) -> Result<Exit, CliError> {
    let (mut missing, mut failed): (usize, Option<FetchError>) = (0, None);
    for (id, model) in models {
        match hub::fetch(model, source, fetcher.cache()) {
            Ok(Fetched::Case) => outln(format_args!("{id}: a case"))?,
            Ok(Fetched::Model) => outln(format_args!("{id}: a model without data sets"))?,
            Err(FetchError::Hub(HubError::Missing { .. })) => missing += 1,
            Err(error) => {
                note(format_args!("error: {error}"));
                failed.get_or_insert(error);
            }
        }
    }
    if missing > 0 {
        note(format_args!(
            "{missing} of {} models are not in `{source}`",
            models.len()
        ));
    }
    match failed {
        Some(error) => Err(error.into()),
        None if missing == models.len() => Err(FetchError::from(HubError::Missing {
            model: models
                .iter()
                .map(|(id, _)| id.name())
                .take(3)
                .collect::<Vec<_>>()
                .join(", "),
            mirror: source.to_string(),
        })
        .into()),
        None => Ok(Exit::Passed),
    }
}
