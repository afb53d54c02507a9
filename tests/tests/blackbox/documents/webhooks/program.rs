//! Running the code of a document.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use tempfile::TempDir;
use vintem_tests::client::Request;
use vintem_tests::guard::Watchdog;
use vintem_tests::receiver::Delivery;

/// A program of a document in a file of its own.
pub(super) struct Script {
    interpreter: &'static str,
    file: &'static str,
    folder: TempDir,
}

impl Script {
    pub(super) fn new(interpreter: &'static str, file: &'static str, code: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), code).unwrap();
        Self {
            interpreter,
            file,
            folder,
        }
    }

    /// Writes a file beside the program and returns its path.
    pub(super) fn beside(&self, file: &str, bytes: &[u8]) -> String {
        let path = self.folder.path().join(file);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    fn command(&self, secret: &str) -> Command {
        let mut command = Command::new(self.interpreter);
        command
            .arg(self.folder.path().join(self.file))
            .env("SECRET", secret);
        command
    }

    /// Runs it to its end and says whether it succeeded.
    pub(super) fn run(&self, secret: &str, arguments: &[&str]) -> bool {
        let output = self.command(secret).args(arguments).output().unwrap();
        output.status.success()
    }
}

/// Runs a compiled example with a body on its standard input and says whether it succeeded.
#[track_caller]
pub(super) fn example(name: &str, secret: &str, signature: &str, body: &[u8]) -> bool {
    let own = std::env::current_exe().unwrap();
    // target/<profile>/deps/<test>-<hash> → target/<profile>/examples/<name>
    let program = own.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        program.exists(),
        "{} is missing: build it with `cargo build -p vintem-tests --examples`, or run `make test`",
        program.display()
    );
    let mut child = Command::new(program)
        .arg(signature)
        .env("SECRET", secret)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body).unwrap();
    child.wait().unwrap().success()
}

/// A receiver of a document, running. It is killed with the value.
pub(super) struct Program {
    child: Child,
    lines: Mutex<BufReader<ChildStdout>>,
    address: SocketAddr,
    watchdog: Watchdog,
}

impl Program {
    /// Starts it on a free port.
    #[track_caller]
    pub(super) fn start(script: &Script, secret: &str) -> Self {
        let mut child = script
            .command(secret)
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", script.interpreter));
        let watchdog = Watchdog::new("kill -KILL \"$1\"", &[child.id().to_string()]).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let ready = line(&mut lines);
        let address = ready.strip_prefix("listening on http://").unwrap();
        Self {
            address: address.parse().unwrap(),
            child,
            lines: Mutex::new(lines),
            watchdog,
        }
    }

    /// Where it listens.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Sends it the same delivery once more and returns the status of its answer.
    pub(super) fn post(&self, delivery: &Delivery) -> u16 {
        let ours = ["host", "content-length"];
        let mut request = Request::new(self.address, "POST", &delivery.path);
        for (name, value) in &delivery.headers {
            if !ours.contains(&name.as_str()) {
                request = request.header(name, value);
            }
        }
        request.body(delivery.body.clone()).send().status
    }

    /// Waits for so many lines that it prints, and makes sure that it has printed no more.
    pub(super) fn said(mut self, count: usize) -> Vec<String> {
        let mut lines = self.lines.lock().unwrap();
        let mut said: Vec<String> = (0..count).map(|_| line(&mut lines)).collect();
        drop(lines);
        self.end();
        let mut rest = self.lines.lock().unwrap();
        said.extend(std::iter::from_fn(|| {
            Some(line(&mut rest)).filter(|line| !line.is_empty())
        }));
        said
    }

    fn end(&mut self) {
        self.watchdog.dismiss();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}

fn line(reader: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}
