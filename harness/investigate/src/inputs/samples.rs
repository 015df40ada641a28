//! Folders of samples: each file of a folder is the value of an input in one sample.

use std::fs;
use std::path::{Path, PathBuf};

use super::Request;
use super::given::is_readable;
use crate::error::InputProblem;

/// The maximum number of samples of a model: the values of all are in memory.
const MAX_SAMPLES: usize = 10_000;

/// One sample of a request.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The name of its file in the first folder; empty if the request names no folder.
    pub name: String,
    /// The request for this sample; it names no folder.
    pub request: Request,
}

/// A folder in a request.
struct FolderOfSamples<'r> {
    /// The position of its argument in the request.
    position: usize,
    /// The name of the input; `None` for a folder of `.npz` files with arrays named after inputs.
    input: Option<&'r str>,
    path: &'r str,
    files: Vec<PathBuf>,
}

/// The samples of a request. `NAME=FOLDER` means the files of the folder in the order of their
/// names, one for each sample; a file is the same value in every sample. One sample if no argument names
/// a folder.
///
/// # Errors
/// A folder cannot be read or has no file with values, two folders have different numbers of files, or
/// there are more than 10,000 samples.
pub fn samples(request: &Request) -> Result<Vec<Sample>, InputProblem> {
    let folders = folders(request)?;
    let Some(first) = folders.first() else {
        return Ok(vec![Sample {
            name: String::new(),
            request: request.clone(),
        }]);
    };
    if let Some(other) = folders
        .iter()
        .find(|other| other.files.len() != first.files.len())
    {
        return Err(InputProblem::SampleCounts {
            one: format!("`{}` has {}", first.path, first.files.len()),
            other: format!("`{}` has {}", other.path, other.files.len()),
        });
    }
    if first.files.len() > MAX_SAMPLES {
        return Err(InputProblem::File {
            file: first.path.to_owned(),
            reason: format!("it has {} files, more than {MAX_SAMPLES}", first.files.len()),
        });
    }
    Ok((0..first.files.len())
        .map(|number| sample(request, &folders, number))
        .collect())
}

fn sample(request: &Request, folders: &[FolderOfSamples<'_>], number: usize) -> Sample {
    let mut sample = Sample {
        name: String::new(),
        request: request.clone(),
    };
    for folder in folders {
        let Some(file) = folder.files.get(number) else {
            continue;
        };
        if sample.name.is_empty() {
            sample.name = file_name(file);
        }
        if let Some(text) = sample.request.inputs.get_mut(folder.position) {
            *text = match folder.input {
                Some(input) => format!("{input}={}", file.display()),
                None => file.display().to_string(),
            };
        }
    }
    sample
}

fn file_name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn folders(request: &Request) -> Result<Vec<FolderOfSamples<'_>>, InputProblem> {
    let mut found = Vec::new();
    for (position, text) in request.inputs.iter().enumerate() {
        let (input, path) = match text.split_once('=') {
            Some((input, path)) => (Some(input), path),
            None => (None, text.as_str()),
        };
        if Path::new(path).is_dir() {
            found.push(FolderOfSamples {
                position,
                input,
                path,
                files: files(path)?,
            });
        }
    }
    Ok(found)
}

/// The files with values in a folder, in the order of their names.
fn files(path: &str) -> Result<Vec<PathBuf>, InputProblem> {
    let wrong = |reason: String| InputProblem::File {
        file: path.to_owned(),
        reason,
    };
    let entries = fs::read_dir(path).map_err(|error| wrong(error.to_string()))?;
    let mut files = Vec::new();
    for entry in entries {
        let file = entry.map_err(|error| wrong(error.to_string()))?.path();
        // A path that is not text cannot be an argument.
        if file.is_file() && is_readable(&file) && file.to_str().is_some() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        Err(wrong(
            "the folder has no file with values (.npy, .npz, .pb, .json, or an image)".to_owned(),
        ))
    } else {
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inputs of each sample, with the folder written as `F`.
    fn samples_of(folder: &Path, inputs: &[&str]) -> Result<Vec<(String, Vec<String>)>, InputProblem> {
        let root = folder.display().to_string();
        let request = Request {
            inputs: inputs.iter().map(|text| text.replace('F', &root)).collect(),
            ..Request::default()
        };
        let shown = |sample: Sample| {
            let inputs = sample.request.inputs.iter().map(|text| text.replace(&root, "F"));
            (sample.name, inputs.collect())
        };
        Ok(samples(&request)?.into_iter().map(shown).collect())
    }

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        folder
    }

    #[test]
    fn a_folder_gives_one_sample_for_each_file_with_values() {
        let folder = folder(&[
            "a/2.png",
            "a/1.png",
            "a/labels.txt",
            "b/x.npy",
            "b/y.npy",
            "c.npy",
        ]);
        let found = samples_of(folder.path(), &["image=F/a", "scale=F/c.npy", "F/b"]).expect("samples");
        let expected = [
            ("1.png", ["image=F/a/1.png", "scale=F/c.npy", "F/b/x.npy"]),
            ("2.png", ["image=F/a/2.png", "scale=F/c.npy", "F/b/y.npy"]),
        ];
        let expected = expected.map(|(name, inputs)| (name.to_owned(), inputs.map(str::to_owned).to_vec()));
        assert_eq!(found, expected);
        let plain = samples_of(folder.path(), &["x=F/c.npy"]).expect("one sample");
        assert_eq!(plain, [(String::new(), vec!["x=F/c.npy".to_owned()])]);
    }

    #[test]
    fn folders_that_do_not_fit_are_errors() {
        let folder = folder(&["a/1.png", "a/2.png", "b/1.npy", "c/readme.txt"]);
        for (inputs, said) in [
            (&["x=F/a", "y=F/b"][..], "/a` has 2 files, `"),
            (&["x=F/c"], "the folder has no file with values"),
        ] {
            let error = samples_of(folder.path(), inputs)
                .expect_err("an error")
                .to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
