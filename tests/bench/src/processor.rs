//! Where processor time goes while a load runs.

use std::fs;
use std::time::Instant;

/// The kernel's unit of processor time in `/proc`, a second: 100 on every Linux of this architecture.
const TICKS: f64 = 100.0;

/// Processor time used so far: by the server, by this program, by everybody.
pub(crate) struct Usage {
    at: Instant,
    server: f64,
    own: f64,
    all: f64,
}

impl Usage {
    /// Up to now.
    pub(crate) fn now(server: u32) -> Self {
        Self {
            at: Instant::now(),
            server: of_process(&server.to_string()),
            own: of_process("self"),
            all: of_all(),
        }
    }

    /// Processors in use since then, by server, load and rest, and what one of so many operations cost the server:
    /// `1.20 + 0.50 + 0.25, 310 µs each`.
    pub(crate) fn since(&self, earlier: &Self, operations: usize) -> String {
        let seconds = (self.at - earlier.at).as_secs_f64();
        let server = (self.server - earlier.server) / seconds;
        let own = (self.own - earlier.own) / seconds;
        let rest = ((self.all - earlier.all) / seconds - server - own).max(0.0);
        let operations = f64::from(u32::try_from(operations).unwrap_or(u32::MAX)).max(1.0);
        let each = (self.server - earlier.server) * 1_000_000.0 / operations;
        format!("{server:.2} + {own:.2} + {rest:.2}, {each:.0} µs each")
    }
}

fn of_process(pid: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program may hold spaces; what follows its bracket begins with field 3.
    let fields = text.rsplit(") ").next().unwrap_or_default();
    let of = |index: usize| number(fields.split(' ').nth(index));
    (of(11) + of(12)) / TICKS
}

fn of_all() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let mut fields = text.lines().next().unwrap_or_default().split_whitespace();
    // cpu user nice system idle iowait irq softirq
    let of: Vec<f64> = fields
        .by_ref()
        .skip(1)
        .take(7)
        .map(|word| number(Some(word)))
        .collect();
    let busy = of
        .iter()
        .enumerate()
        .filter(|(index, _)| ![3, 4].contains(index));
    busy.map(|(_, ticks)| ticks).sum::<f64>() / TICKS
}

fn number(word: Option<&str>) -> f64 {
    word.and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// A line of `/proc/PID/status` in MiB: `VmRSS`, `VmHWM`.
pub(crate) fn memory_mib(pid: u32, line: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let found = text
        .lines()
        .find_map(|found| found.strip_prefix(line)?.strip_prefix(':'));
    number(found.and_then(|rest| rest.split_whitespace().next())) / 1024.0
}
