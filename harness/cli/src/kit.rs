//! `kit make`: an archive with which another machine runs the suite without a checkout and without network.

mod archive;
mod cases;
mod parts;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use harness_console::outln;
use harness_fetch::Lockfile;
use harness_worker::BackendArg;

use super::files::write_error;
use super::selection::{Cases, Selected, fetcher};
use super::{CliError, Exit};
use archive::pack;
use parts::Parts;
use run_record::text::counted;

/// Make an archive that runs the suite on another machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask kit make --out onnx-conformance-kit.tar.gz\n  \
    cargo xtask kit make --filter '*/node/*' --backend ort --provider onnxruntime-ep-webgpu==0.4.0 --profile webgpu.toml --out kit.tar.gz\n\n\
    The archive has the program and the workers of this build (make a release build for a small one), the pinned files of the cache that \
    they need, the cases in the official layout for other programs, schemas and profiles, VERSION and SHA256SUMS. On the other \
    machine (same system, no network):\n  \
    tar -xf kit.tar.gz && cd onnx-conformance-kit && sha256sum --check --quiet SHA256SUMS && ./run conformance --backend ort\n\n\
    Exit codes: 0 done; 2 usage; 4 no case, or a case that cannot be read; 6 a worker or a package is missing; 73 a file cannot be \
    written.")]
pub struct Kit {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Write the archive.
    Make(Make),
}

#[derive(Args, Debug)]
struct Make {
    #[command(flatten)]
    cases: Cases,
    /// The name of a backend of this build whose worker is in the kit (repeatable), beside the reference.
    /// Default: every worker beside this program.
    #[arg(long = "backend", value_name = "NAME")]
    backends: Vec<BackendArg>,
    /// A pinned Python package with a plug-in execution provider that is in the kit, `NAME==VERSION`
    /// (repeatable).
    #[arg(long = "provider", value_name = "PACKAGE")]
    providers: Vec<String>,
    /// A provider profile that is in the kit (repeatable).
    #[arg(long = "profile", value_name = "FILE")]
    profiles: Vec<PathBuf>,
    /// The archive, `….tar.gz`. The folder in it has its name.
    #[arg(long, value_name = "FILE", default_value = "onnx-conformance-kit.tar.gz")]
    out: PathBuf,
}

impl Kit {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let Task::Make(make) = self.task;
        make.execute()
    }
}

impl Make {
    fn execute(self) -> Result<Exit, CliError> {
        let name = self.folder_name()?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let Selected {
            selection, release, ..
        } = self.cases.select(&lock, &fetcher)?;
        let staging = tempfile::tempdir_in(self.parent()).map_err(write_error(&self.out))?;
        let root = staging.path().join(&name);
        fs::create_dir_all(&root).map_err(write_error(&root))?;
        let written = cases::write(&selection, &root.join("cases"))?;
        let parts = Parts {
            root: &root,
            lock: &lock,
            fetcher: &fetcher,
        };
        parts.programs(&self.backends)?;
        parts.corpora(&selection)?;
        parts.runtime()?;
        parts.providers(&self.providers)?;
        parts.documents(&self.profiles, &release, written.cases)?;
        let files = pack(&root, &name, &self.out)?;
        outln(format_args!(
            "{}: {}, {}",
            self.out.display(),
            counted(written.cases, "case"),
            counted(files, "file")
        ))?;
        Ok(if written.complete && written.cases > 0 {
            Exit::Passed
        } else {
            Exit::NoCases
        })
    }

    /// The name of the folder in the archive.
    fn folder_name(&self) -> Result<String, CliError> {
        let name = self.out.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".tar.gz").or_else(|| name.strip_suffix(".tgz"));
        let stem = stem.filter(|stem| !stem.is_empty());
        stem.map(str::to_owned).ok_or_else(|| {
            CliError::Usage(format!(
                "--out `{}` does not end with .tar.gz",
                self.out.display()
            ))
        })
    }

    /// The folder of the archive.
    fn parent(&self) -> &Path {
        let parent = self.out.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or_else(|| Path::new("."))
    }
}
