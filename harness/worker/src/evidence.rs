//! Evidence that a process ended because of exhausted memory.
//!
//! Exhausted memory has no exit status of its own. Two kinds of evidence are accepted and cited in the
//! report: the runtime of the worker's language reports a failed allocation, or the kernel counts a kill by
//! its OOM killer.

use std::fs;
use std::path::{Path, PathBuf};

/// Messages of runtimes that end because an allocation failed: Rust; C++ (libstdc++, libc++, through
/// `terminate`); Python; Go; the Java virtual machine.
const ALLOCATION_FAILURES: [&str; 6] = [
    "memory allocation of ",
    "std::bad_alloc",
    "MemoryError",
    "fatal error: runtime: out of memory",
    "runtime: cannot allocate memory",
    "java.lang.OutOfMemoryError",
];

/// The first line of stderr that reports a failed allocation. Later ones may be failures to report it.
pub(super) fn allocation_failure(stderr: &str) -> Option<&str> {
    let fails = |line: &&str| ALLOCATION_FAILURES.iter().any(|text| line.contains(text));
    stderr.lines().map(str::trim).find(fails)
}

/// The count of the kernel's OOM killer in the control group of a process.
#[derive(Debug, Default)]
pub(super) struct OomKills {
    file: Option<PathBuf>,
}

impl OomKills {
    /// Finds the counter. Without a readable one, [`OomKills::count`] is `None`.
    pub(super) fn of_process(pid: u32) -> OomKills {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        let candidates = counter_files(&groups).into_iter();
        OomKills {
            file: candidates
                .map(PathBuf::from)
                .find(|file| read_count(file).is_some()),
        }
    }

    /// The number of processes killed so far.
    pub(super) fn count(&self) -> Option<u64> {
        self.file.as_deref().and_then(read_count)
    }
}

/// The possible files of the counter, from the lines `hierarchy:controllers:path` of `/proc/PID/cgroup`
/// (cgroups(7)): version 2 has it in `memory.events`, version 1 in `memory.oom_control`.
fn counter_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let path = path.trim_end_matches('/');
        if controllers.is_empty() {
            files.push(format!("/sys/fs/cgroup{path}/memory.events"));
        } else if controllers.split(',').any(|name| name == "memory") {
            files.push(format!("/sys/fs/cgroup/memory{path}/memory.oom_control"));
            // A container sees its own group as the root of the tree, but the file has its path on the
            // host.
            files.push("/sys/fs/cgroup/memory/memory.oom_control".to_owned());
        }
    }
    files
}

fn read_count(file: &Path) -> Option<u64> {
    parse_count(&fs::read_to_string(file).ok()?)
}

fn parse_count(text: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_allocations_are_recognised() {
        for (stderr, expected) in [
            (
                "a\nmemory allocation of 16777216 bytes failed\n",
                Some("memory allocation of 16777216 bytes failed"),
            ),
            (
                "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
                Some("terminate called after throwing an instance of 'std::bad_alloc'"),
            ),
            (
                "Traceback (most recent call last):\nMemoryError\n",
                Some("MemoryError"),
            ),
            ("thread 'main' panicked at a.rs:1:1:\ncapacity overflow\n", None),
            ("", None),
        ] {
            assert_eq!(allocation_failure(stderr), expected);
        }
    }

    #[test]
    fn the_counter_of_the_right_group_is_used() {
        assert_eq!(
            counter_files("0::/user.slice/a:b\n"),
            ["/sys/fs/cgroup/user.slice/a:b/memory.events"]
        );
        assert_eq!(
            counter_files("4:cpu,memory:/box\n3:cpuset:/\nnonsense"),
            [
                "/sys/fs/cgroup/memory/box/memory.oom_control",
                "/sys/fs/cgroup/memory/memory.oom_control"
            ]
        );
        assert_eq!(
            parse_count("low 0\noom 4\noom_kill 3\noom_group_kill 0\n"),
            Some(3)
        );
        assert_eq!(
            parse_count("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
            Some(2)
        );
        assert_eq!(parse_count("oom_kill_disable 0\n"), None);
    }
}
