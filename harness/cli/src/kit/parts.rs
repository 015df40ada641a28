//! The parts of a kit beside its cases.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harness_corpus::Selection;
use harness_fetch::{Fetcher, Lockfile, RuntimePin};
use harness_worker::backend::BackendTextError;
use harness_worker::{BackendArg, SpecError, WorkerSpec, discover};
use run_record::Release;

use crate::CliError;
use crate::files::{put, write_error};
use crate::inputs::REFERENCE;

/// The schemas that programs need which read what the kit writes.
const SCHEMAS: [(&str, &str); 2] = [
    (
        "provider-profile.json",
        include_str!("../../../../docs/schemas/provider-profile.json"),
    ),
    (
        "provider-results.json",
        include_str!("../../../../docs/schemas/provider-results.json"),
    ),
];

/// Runs the program with the files of the kit.
const RUN: &str = r#"#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
ONNX_CONFORMANCE_CACHE=$here/cache
export ONNX_CONFORMANCE_CACHE
exec "$here/bin/onnx-conformance" "$@"
"#;

/// The folder of the kit, and the origins of its files.
pub(super) struct Parts<'a> {
    pub root: &'a Path,
    pub lock: &'a Lockfile,
    pub fetcher: &'a Fetcher,
}

impl Parts<'_> {
    /// Copies this program and the workers of `backends`, or of all backends, and of the reference.
    pub fn programs(&self, backends: &[BackendArg]) -> Result<(), CliError> {
        let program =
            std::env::current_exe().map_err(|error| BackendTextError::from(SpecError::CurrentExe(error)))?;
        let installed = discover::installed();
        let beside = |path: &Path| path.parent() == program.parent();
        let chosen: BTreeSet<&str> = if backends.is_empty() {
            installed
                .iter()
                .filter(|(_, path)| beside(path))
                .map(|(name, _)| name.as_str())
                .collect()
        } else {
            let named = backends.iter().map(|backend| {
                let name = backend.worker().filter(|name| *name == backend.text());
                name.ok_or_else(|| {
                    CliError::Usage(format!("a kit has workers of this build, not `{backend}`"))
                })
            });
            named.chain([Ok(REFERENCE)]).collect::<Result<_, _>>()?
        };
        let folder = self.root.join("bin");
        copy(&program, &folder.join("onnx-conformance"))?;
        for name in chosen {
            // Without a worker of this name, this is the error that says so.
            let spec = WorkerSpec::parse(name).map_err(BackendTextError::from)?;
            let path = installed.get(name).unwrap_or(&spec.command);
            copy(path, &folder.join(path.file_name().unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Copies the pinned files of the releases of these cases.
    pub fn corpora(&self, selection: &Selection) -> Result<(), CliError> {
        let ids = selection.cases.iter().flat_map(|case| case.ids());
        let corpora: BTreeSet<String> = ids
            .map(|id| id.corpus().to_owned())
            .filter(|corpus| Release::of_corpus(corpus).is_some())
            .collect();
        for corpus in corpora {
            let pin = self.lock.corpus(&corpus)?;
            self.cached(self.fetcher.fetch(&pin.artifact)?.path())?;
        }
        Ok(())
    }

    /// Copies the library of ONNX Runtime.
    pub fn runtime(&self) -> Result<(), CliError> {
        self.cached(&self.fetcher.runtime_library(self.lock.runtime()?)?)
    }

    /// Copies packages with plug-in providers.
    pub fn providers(&self, packages: &[String]) -> Result<(), CliError> {
        for package in packages {
            self.provider(&self.lock.provider_package(package)?.package)?;
        }
        Ok(())
    }

    fn provider(&self, pin: &RuntimePin) -> Result<(), CliError> {
        let library = self.fetcher.provider_library(pin)?;
        let depth = pin.library.split('/').count();
        match library.ancestors().nth(depth) {
            Some(package) => self.cached(package),
            None => self.cached(&library),
        }
    }

    /// Copies a file or a folder of the cache to the same place in that of the kit.
    fn cached(&self, path: &Path) -> Result<(), CliError> {
        let below = path.strip_prefix(self.fetcher.cache().root());
        let target = self.root.join("cache").join(below.unwrap_or(path));
        if path.is_dir() {
            copy_all(path, &target)
        } else {
            copy(path, &target)
        }
    }

    /// Writes the schemas, the profiles, VERSION and the script that runs the program.
    pub fn documents(&self, profiles: &[PathBuf], release: &str, cases: usize) -> Result<(), CliError> {
        for (name, text) in SCHEMAS {
            put(&self.root.join("schemas").join(name), text.as_bytes())?;
        }
        for profile in profiles {
            let name = profile.file_name().unwrap_or_default();
            copy(profile, &self.root.join("profiles").join(name))?;
        }
        let runtime = &self.lock.runtime()?.artifact.file;
        let version = format!(
            "program onnx-conformance {}\nsystem {}-{}\nonnx {release}\ncases {cases}\nruntime {runtime}\n",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
        );
        put(&self.root.join("VERSION"), version.as_bytes())?;
        let run = self.root.join("run");
        put(&run, RUN.as_bytes())?;
        run_record::make_executable(&run).map_err(write_error(&run))
    }
}

/// Copies a file with its permissions.
fn copy(from: &Path, to: &Path) -> Result<(), CliError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(write_error(parent))?;
    }
    fs::copy(from, to).map(drop).map_err(write_error(to))
}

/// Copies a folder; hidden files are locks of the cache.
fn copy_all(from: &Path, to: &Path) -> Result<(), CliError> {
    for entry in fs::read_dir(from).map_err(write_error(to))? {
        let path = entry.map_err(write_error(to))?.path();
        let name = path.file_name().unwrap_or_default();
        match path.is_dir() {
            _ if name.as_encoded_bytes().starts_with(b".") => {}
            true => copy_all(&path, &to.join(name))?,
            false => copy(&path, &to.join(name))?,
        }
    }
    Ok(())
}
