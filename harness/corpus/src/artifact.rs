//! One pinned file, and how it is had.

use super::Sha256;

/// One pinned file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its exact name.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a wheel, downloaded from the Python package index.
    Wheel(WheelTags),
    /// A script of ours makes it, with these packages (`name==version`).
    Materialised {
        /// Every package that is installed, pinned; none of their dependencies is added.
        packages: Vec<String>,
    },
}

/// What the name of a wheel says: `onnx-1.5.0-cp37-cp37m-manylinux1_x86_64.whl`. It is all that pip has to be told to
/// bring this very file, whatever machine and Python it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelTags {
    /// The distribution's name in the index.
    pub distribution: String,
    /// Its version.
    pub version: String,
    /// The version of CPython, without the dot: `37`.
    pub python: String,
    /// The binary interface: `cp37m`.
    pub abi: String,
    /// The platforms.
    pub platforms: Vec<String>,
}

impl Artifact {
    /// The file of this name: a wheel, or else made with `packages`.
    ///
    /// # Errors
    /// What is wrong with one of the values. They end up on a command line and in a path: neither an option nor a folder
    /// can hide in them.
    pub(super) fn new(file: &str, sha256: Sha256, packages: &[String]) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+=".contains(c);
        for text in packages.iter().map(String::as_str).chain([file]) {
            if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(plain) {
                return Err(format!("`{text}` has characters that do not belong there"));
            }
        }
        if let Some(loose) = packages.iter().find(|package| !package.contains("==")) {
            return Err(format!("package `{loose}` is not pinned: wanted `name==version`"));
        }
        let origin = match (WheelTags::parse(file), packages) {
            (Some(tags), []) => Origin::Wheel(tags),
            (None, [_, ..]) if file.ends_with(".zip") => Origin::Materialised {
                packages: packages.to_vec(),
            },
            _ => {
                return Err(format!(
                    "`{file}` must be the name of a CPython wheel, or a `.zip` with its `packages`"
                ));
            }
        };
        Ok(Self {
            file: file.to_owned(),
            sha256,
            origin,
        })
    }

    /// The folder of the cache that it is kept in.
    pub(super) fn folder(&self) -> &'static str {
        match self.origin {
            Origin::Wheel(_) => "wheels",
            Origin::Materialised { .. } => "materialised",
        }
    }
}

impl WheelTags {
    /// The tags in a wheel's name; none where it is not the name of a wheel for CPython.
    fn parse(file: &str) -> Option<Self> {
        let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
        let [distribution, version, python, abi, platforms] = parts.try_into().ok()?;
        Some(Self {
            distribution: distribution.to_owned(),
            version: version.to_owned(),
            python: python.strip_prefix("cp")?.to_owned(),
            abi: abi.to_owned(),
            platforms: platforms.split('.').map(str::to_owned).collect(),
        })
    }
}
