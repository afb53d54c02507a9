//! Tidying up after a test process, however it ends.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A shell that holds a pipe from this process and runs its script when that pipe closes: at [`Watchdog::bite`], at
/// the end of the process, also by a signal that cannot be caught.
#[derive(Debug)]
pub struct Watchdog {
    shell: Child,
}

impl Watchdog {
    /// Gets ready to run the script; `$1`, `$2`, ... are the arguments.
    pub fn new<A: AsRef<OsStr>>(script: &str, arguments: &[A]) -> io::Result<Self> {
        // A group of its own: Ctrl-C must reach the tests first, not the one who tidies up after them.
        let shell = Command::new("sh")
            .args(["-c", &format!("read -r word && exit\n{script}"), "watchdog"])
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { shell })
    }

    /// Runs the script now and waits for its end.
    pub fn bite(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }

    /// Ends the watch: the script will not run.
    pub fn dismiss(&mut self) {
        if let Some(mut pipe) = self.shell.stdin.take() {
            let _ = io::Write::write_all(&mut pipe, b"done\n");
        }
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watchdog_bites_unless_it_was_dismissed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (bitten, spared) = (folder.path().join("bitten"), folder.path().join("spared"));
        Watchdog::new("touch \"$1\"", &[&bitten])
            .expect("sh")
            .bite();
        Watchdog::new("touch \"$1\"", &[&spared])
            .expect("sh")
            .dismiss();
        assert!(bitten.exists() && !spared.exists());
    }
}
