//! What the figures were taken on.

use std::fs;
use std::process::Command;

/// One line: processor, memory, kernel, compiler.
pub(crate) fn describe() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory_kib: u64 = memory
        .lines()
        .find_map(|line| {
            line.strip_prefix("MemTotal:")?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or(0);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{model}, {cores} cores, {} GiB, Linux {}, {}",
        memory_kib.div_ceil(1024 * 1024),
        kernel.trim(),
        printed("rustc", &["--version"]),
    )
}

/// Today, as UTC.
pub(crate) fn date() -> String {
    printed("date", &["--utc", "+%Y-%m-%d"])
}

fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(
        |_missing| format!("{program} unknown"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
