//! The memory of this process.

/// Returns the greatest resident memory so far, as the kernel states it.
pub fn greatest() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or("memory unknown");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
