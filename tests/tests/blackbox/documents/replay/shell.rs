//! The one shell in which a page's commands run.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use vintem_tests::guard::Watchdog;
use vintem_tests::site::{Site, binary};

/// What the shell prints after a block of commands, with their exit code.
const END: &str = "--- the block ended with";

/// A shell that keeps its variables from one block to the next. It ends with the value.
pub(super) struct Shell {
    child: Child,
    commands: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    headers: PathBuf,
    watchdog: Watchdog,
}

impl Shell {
    /// Starts it where the operator of this installation sits; `vintem` is the binary under test.
    pub(super) fn start(site: &Site, server: SocketAddr) -> Self {
        let headers = site.folder().join("headers");
        let mut path = OsString::from(binary().parent().unwrap());
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        site.prepare(&mut command);
        let mut child = command
            .env("PATH", path)
            .env("VINTEM_PUBLIC_URL", format!("http://{server}"))
            .env("HEADERS", &headers)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let watchdog = Watchdog::new("kill -KILL \"$1\"", &[child.id().to_string()]).unwrap();
        let mut shell = Self {
            commands: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            headers,
            watchdog,
        };
        // The answer's headers are looked at beside its body; the commands of the page stay as they are.
        shell.run("set -e\ncurl() { command curl --dump-header \"$HEADERS\" \"$@\"; }");
        shell
    }

    /// Runs commands that must succeed and returns what they print.
    #[track_caller]
    pub(super) fn run(&mut self, code: &str) -> String {
        let commands = self.commands.as_mut().unwrap();
        // The commands must not read the shell's own input.
        write!(
            commands,
            "{{\n{code}\n}} </dev/null\necho; echo '{END}' $?\n"
        )
        .unwrap();
        let mut printed = String::new();
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).unwrap();
            assert!(length > 0, "the shell is gone: {code}{printed}");
            if let Some(exit) = line.strip_prefix(END) {
                assert_eq!(exit.trim(), "0", "{code}{printed}");
                return printed;
            }
            printed.push_str(&line);
        }
    }

    /// The status of the latest answer, and its error's code.
    pub(super) fn status(&self) -> (u16, String) {
        let head = fs::read_to_string(&self.headers).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let code = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case("x-error-code"))
            .map(|(_, code)| code.trim().to_owned());
        (status, code.unwrap_or_default())
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.commands.take();
        let _ = self.child.wait();
        self.watchdog.dismiss();
    }
}
