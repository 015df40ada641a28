//! The models of a bench: the user's files and folders, and light models by name.

use std::path::{Path, PathBuf};
use std::time::Duration;

use harness_bench::{Point, ToMeasure, sweep, user_model};
use harness_corpus::{CaseFiles, CaseId, CorpusError, Filter};
use harness_fetch::architectures::{self, FULL_SIZE};
use harness_fetch::hub;
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::InvestigateError;
use harness_investigate::inputs::Request;
use harness_investigate::runner::Runner;
use harness_investigate::subject::{self, Names, Subject};
use harness_worker::{Cancel, WorkerSpec};
use run_record::{Release, Weights};

use crate::CliError;

/// The light models by name. A test compares them with the corpus.
pub(crate) const LIGHT: [&str; 9] = [
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
];

/// The light models of a release that match `patterns`, at least one.
pub(crate) fn light_cases(
    release: &Release,
    patterns: &[String],
    lock: &Lockfile,
    fetcher: &Fetcher,
) -> Result<Vec<CaseFiles>, CliError> {
    let corpus = harness_fetch::pinned(&release.corpus(), lock, fetcher)?;
    let mut cases = Filter::new(patterns)
        .map_err(CorpusError::from)?
        .select(&[corpus])?
        .cases;
    cases.retain(|case| case.id.suite() == "light");
    if cases.is_empty() {
        let patterns = format!("{} among the light models", patterns.join(", "));
        return Err(CorpusError::NoCaseSelected { patterns }.into());
    }
    Ok(cases)
}

/// The files of the zoo's models in the cache that match `patterns`, at least one.
pub(super) fn hub_models(patterns: &[String], fetcher: &Fetcher) -> Result<Vec<PathBuf>, CliError> {
    let filter = Filter::new(patterns).map_err(CorpusError::from)?;
    let selected = filter.among(hub::models(fetcher.cache())?, "the models of the zoo")?;
    Ok(paths(selected))
}

/// The files of the exported networks in the cache that match `patterns`, at least one; without patterns
/// those of [`FULL_SIZE`].
pub(super) fn exported_models(patterns: &[String], fetcher: &Fetcher) -> Result<Vec<PathBuf>, CliError> {
    let full_size = [format!("*/{FULL_SIZE}/*")];
    let filter = if patterns.is_empty() {
        Filter::new(&full_size)
    } else {
        Filter::new(patterns)
    };
    let models = architectures::models(fetcher.cache())?;
    let filter = filter.map_err(CorpusError::from)?;
    Ok(paths(filter.among(models, "the exported networks in the cache")?))
}

fn paths(selected: Vec<(CaseId, PathBuf)>) -> Vec<PathBuf> {
    selected.into_iter().map(|(_, path)| path).collect()
}

/// Models, and why others cannot be measured.
#[derive(Default)]
pub(super) struct Opened {
    pub models: Vec<ToMeasure>,
    pub failed: Vec<CliError>,
}

/// Models as given on the command line.
pub(super) struct Named<'n> {
    pub paths: &'n [PathBuf],
    pub inputs: &'n [String],
    pub dims: &'n [String],
    pub shapes: &'n [String],
    pub seed: u64,
    pub weights: Weights,
}

impl Named<'_> {
    /// Opens the models and prepares their inputs; `light` finds light models by name.
    ///
    /// # Errors
    /// A name is not a model, extents have another form, there is no model, or the reference does not
    /// start.
    pub fn open(
        &self,
        reference: &WorkerSpec,
        timeout: Duration,
        cancel: &Cancel,
        light: impl Fn(&[String]) -> Result<Vec<CaseFiles>, CliError>,
    ) -> Result<Opened, CliError> {
        let points = sweep(self.dims)?;
        let (mut names, mut files, mut opened) = (Vec::new(), Vec::new(), Opened::default());
        for path in self.paths {
            match path.to_str().filter(|name| LIGHT.contains(name)) {
                _ if path.exists() => files.push(path.as_path()),
                // A pattern for this model only.
                Some(name) => names.push(format!("*/light/test_{name}")),
                None => return Err(unknown(path)),
            }
        }
        if !names.is_empty() {
            if !(self.inputs.is_empty() && self.dims.is_empty() && self.shapes.is_empty()) {
                return Err(CliError::Usage(
                    "the light models have fixed inputs: --input, --dim and --shape are for model files"
                        .to_owned(),
                ));
            }
            let weights = self.weights;
            let cases = light(&names)?.into_iter();
            opened
                .models
                .extend(cases.map(|files| ToMeasure::light(files, weights)));
        }
        if !files.is_empty() {
            let mut reference = Runner::start(reference.clone(), cancel.clone(), timeout)?;
            self.open_files(&files, &points, &mut reference, &mut opened)?;
        }
        if opened.models.is_empty() {
            Err(opened.failed.swap_remove(0))
        } else {
            Ok(opened)
        }
    }

    /// Opens the models of each path, one at a time, and prepares their inputs at each point.
    fn open_files(
        &self,
        paths: &[&Path],
        points: &[Point],
        reference: &mut Runner,
        opened: &mut Opened,
    ) -> Result<(), CliError> {
        let mut names = Names::default();
        for path in paths {
            let found = match subject::open(path) {
                Ok(found) => found,
                Err(error) => {
                    opened.failed.push(error.into());
                    continue;
                }
            };
            for one in found {
                match one {
                    Ok(mut subject) => {
                        names.make_unique(&mut subject);
                        self.draw(&subject, points, reference, opened)?;
                    }
                    Err(error) => opened.failed.push(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Prepares the inputs of a subject at each point.
    fn draw(
        &self,
        subject: &Subject,
        points: &[Point],
        reference: &mut Runner,
        opened: &mut Opened,
    ) -> Result<(), CliError> {
        for point in points {
            let request = Request {
                inputs: self.inputs.to_vec(),
                dims: point.dims.clone(),
                shapes: self.shapes.to_vec(),
                seed: self.seed,
                is_timed: true,
                ..Request::default()
            };
            match user_model(subject, &request, &point.swept, reference) {
                Ok(model) => opened.models.push(ToMeasure::User(Box::new(model))),
                Err(error @ InvestigateError::Input { .. }) => opened.failed.push(error.into()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn unknown(path: &Path) -> CliError {
    CliError::UnknownModel {
        name: path.display().to_string(),
        known: LIGHT.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_models_equal_those_of_the_release() {
        let fetcher = Fetcher::new(harness_fetch::Cache::from_env().unwrap(), |_| {});
        let lock = Lockfile::embedded().unwrap();
        let cases = light_cases(&"1.22.0".parse().unwrap(), &[], &lock, &fetcher).unwrap();
        let names: Vec<&str> = cases
            .iter()
            .map(|files| files.id.name().trim_start_matches("test_"))
            .collect();
        assert_eq!(names, LIGHT);
    }
}
