//! Where models of the zoo come from: a folder, or an address.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::HubError;
use crate::FetchError;
use crate::python::stderr_tail;

/// The status of curl when a file is not there: the server answered with an error, or a folder has
/// no such file.
const NOT_THERE: [i32; 2] = [22, 37];

/// A mirror of the zoo.
#[derive(Clone, Debug)]
pub enum Source {
    /// A folder, with the paths of the manifest or with all files side by side.
    Folder(PathBuf),
    /// An address below which the paths of the manifest lie.
    Url(String),
}

impl Source {
    /// A mirror as it is typed: an address if it has a scheme, else a folder.
    pub fn parse(text: &str) -> Source {
        let has_scheme = ["http://", "https://", "file://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        if has_scheme {
            Source::Url(text.trim_end_matches('/').to_owned())
        } else {
            Source::Folder(text.into())
        }
    }

    /// Copies a file of the mirror; false where the mirror does not have it.
    pub(super) fn copy(&self, path: &str, to: &Path) -> Result<bool, FetchError> {
        match self {
            Source::Folder(root) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let found = [root.join(path), root.join(name)]
                    .into_iter()
                    .find(|file| file.is_file());
                let Some(file) = found else { return Ok(false) };
                fs::copy(&file, to).map_err(FetchError::io("copy", &file))?;
                // A mirror may be read-only, and its copy has to be removed some day.
                run_record::make_replaceable(to).map_err(FetchError::write("change", to))?;
                Ok(true)
            }
            Source::Url(root) => Ok(download(&format!("{root}/{path}"), to)?),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Folder(root) => write!(f, "{}", root.display()),
            Source::Url(root) => f.write_str(root),
        }
    }
}

/// Downloads with curl, which follows the proxy settings of the environment; false where there is
/// no such file.
fn download(url: &str, to: &Path) -> Result<bool, HubError> {
    let fail = |reason: String| HubError::Download {
        url: url.to_owned(),
        reason,
    };
    let mut curl = Command::new("curl");
    curl.args([
        "--fail",
        "--silent",
        "--show-error",
        "--location",
        "--proto",
        "=http,https,file",
        "--output",
    ])
    .arg(to)
    .arg("--")
    .arg(url)
    .stdin(Stdio::null());
    let output = curl
        .output()
        .map_err(|error| fail(format!("curl does not start: {error}")))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(code) if NOT_THERE.contains(&code) => Ok(false),
        _ => Err(fail(stderr_tail(&output.stderr))),
    }
}
