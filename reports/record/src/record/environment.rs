//! The machine and the settings on which results depend.

use std::collections::BTreeMap;
use std::{env, fs, thread};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The environment of a run. Unknown strings are empty, unknown numbers are 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Operating system and architecture: `linux x86_64`.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// Processor model.
    pub cpu: String,
    /// Hardware threads that the run may use.
    pub cores: u32,
    /// Memory of the machine in bytes.
    pub memory_bytes: u64,
    /// Version of the harness.
    pub harness: String,
    /// The locale variables that are set; string operators depend on them.
    pub locale: BTreeMap<String, String>,
}

const LOCALE_VARIABLES: [&str; 4] = ["LANG", "LC_ALL", "LC_CTYPE", "LOCPATH"];

impl Environment {
    /// Collects the environment of this machine. `harness` is the caller's version.
    pub fn collect(harness: &str) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let set = |name: &&str| env::var(name).ok().map(|value| (String::from(*name), value));
        Self {
            os: format!("{} {}", env::consts::OS, env::consts::ARCH),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            cpu: field(&read("/proc/cpuinfo"), "model name").unwrap_or_default(),
            cores: thread::available_parallelism().map_or(0, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
            memory_bytes: field(&read("/proc/meminfo"), "MemTotal")
                .and_then(|v| kibibytes(&v))
                .unwrap_or(0),
            harness: harness.to_owned(),
            locale: LOCALE_VARIABLES.iter().filter_map(set).collect(),
        }
    }
}

/// The value of the first `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// The bytes of `/proc/meminfo`'s `16318480 kB`.
fn kibibytes(value: &str) -> Option<u64> {
    value
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{field, kibibytes};

    #[test]
    fn proc_files_are_parsed() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nmodel name\t: other\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Some CPU @ 2.00GHz"));
        assert_eq!(field("", "model name"), None);
        assert_eq!(kibibytes("16318480 kB"), Some(16_710_123_520));
        assert_eq!(kibibytes("18446744073709551615 kB"), None);
    }
}
