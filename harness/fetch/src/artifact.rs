//! A pinned file and its origin.

use harness_corpus::Sha256;

/// One pinned file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its exact name.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    pub origin: Origin,
}

/// The origin of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A wheel from the Python package index.
    Wheel(WheelTags),
    /// A package of the npm registry.
    Npm {
        /// The package's name, without a scope.
        package: String,
        version: String,
    },
    /// A script of this project computes it with these packages (`name==version`).
    Materialised {
        /// Every installed package, pinned; dependencies are not added.
        packages: Vec<String>,
    },
}

/// The tags in the name of a wheel: `onnx-1.5.0-cp37-cp37m-manylinux1_x86_64.whl`. They let pip select
/// exactly this file on any machine and with any version of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelTags {
    /// The distribution's name in the index.
    pub distribution: String,
    pub version: String,
    /// The version of CPython, without the dot: `37`; `3` for a wheel for any Python 3.
    pub python: String,
    /// The binary interface: `cp37m`; `none` for a wheel for any Python 3.
    pub abi: String,
    pub platforms: Vec<String>,
}

impl Artifact {
    /// The file of this name: a wheel, or a file that is made with `packages`.
    ///
    /// # Errors
    /// One of the values is invalid. The values become part of a command line and a path, so they must not
    /// contain an option or a folder.
    pub(super) fn new(file: &str, sha256: Sha256, packages: &[String]) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+=".contains(c);
        for text in packages.iter().map(String::as_str).chain([file]) {
            if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(plain) {
                return Err(format!("`{text}` has invalid characters"));
            }
        }
        if let Some(loose) = packages.iter().find(|package| !package.contains("==")) {
            return Err(format!(
                "package `{loose}` is not pinned: expected `name==version`"
            ));
        }
        let origin = match (WheelTags::parse(file), packages) {
            (Some(tags), []) => Origin::Wheel(tags),
            (None, []) if file.ends_with(".tgz") => npm(file).ok_or_else(|| {
                format!("`{file}` is not the name of an npm package: expected `NAME-VERSION.tgz`")
            })?,
            (None, [_, ..]) if file.ends_with(".zip") => Origin::Materialised {
                packages: packages.to_vec(),
            },
            _ => {
                return Err(format!(
                    "`{file}` must be the name of a CPython wheel, that of an npm package, or a `.zip` with its `packages`"
                ));
            }
        };
        Ok(Self {
            file: file.to_owned(),
            sha256,
            origin,
        })
    }

    /// The cache folder of the file.
    pub(super) fn folder(&self) -> &'static str {
        match self.origin {
            Origin::Wheel(_) => "wheels",
            Origin::Npm { .. } => "npm",
            Origin::Materialised { .. } => "materialised",
        }
    }
}

/// The package and version in the name of a file of the npm registry: `onnxruntime-node-1.12.1.tgz`.
fn npm(file: &str) -> Option<Origin> {
    let (package, version) = file.strip_suffix(".tgz")?.rsplit_once('-')?;
    let plain = version.starts_with(|c: char| c.is_ascii_digit()) && !package.is_empty();
    plain.then(|| Origin::Npm {
        package: package.to_owned(),
        version: version.to_owned(),
    })
}

impl WheelTags {
    /// The tags in a wheel's name; `None` if it is not the name of a wheel for CPython or any Python 3.
    fn parse(file: &str) -> Option<Self> {
        let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
        let [distribution, version, python, abi, platforms] = parts.try_into().ok()?;
        Some(Self {
            distribution: distribution.to_owned(),
            version: version.to_owned(),
            python: match python {
                "py3" if abi == "none" => "3".to_owned(),
                _ => python.strip_prefix("cp")?.to_owned(),
            },
            abi: abi.to_owned(),
            platforms: platforms.split('.').map(str::to_owned).collect(),
        })
    }
}
