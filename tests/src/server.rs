//! A running `vintem serve`.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::client::Client;
use crate::guard::Watchdog;
use crate::wait;

/// How long a server may take until it listens, with everything else that runs on the machine.
const START: Duration = Duration::from_mins(1);

/// The line that says that a server is ready.
const READY: &str = "listening on http://";

/// What a stream of the process has said so far.
type Said = Arc<Mutex<String>>;

/// A server process. It is killed with the value, and when the test process ends.
#[derive(Debug)]
pub struct Server {
    child: Child,
    watchdog: Watchdog,
    address: SocketAddr,
    stdout: Said,
    stderr: Said,
}

/// A server that ended before it listened.
#[derive(Debug)]
pub struct Refusal {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it logged.
    pub stderr: String,
}

impl Server {
    /// Starts the process and waits until it listens or ends.
    pub(crate) fn start(mut command: Command) -> Result<Self, Refusal> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let watchdog =
            Watchdog::new("kill -KILL \"$1\"", &[child.id().to_string()]).expect("sh starts");
        let stdout = listen(child.stdout.take().expect("a piped output"));
        let stderr = listen(child.stderr.take().expect("a piped output"));
        let mut ended = None;
        let address = wait::attempt(START, || {
            if let Some(address) = address_in(&read(&stdout)) {
                return Some(Some(address));
            }
            ended = child.try_wait().expect("a child can be asked");
            ended.map(|_| None)
        });
        let mut server = Self {
            child,
            watchdog,
            address: SocketAddr::from(([0, 0, 0, 0], 0)),
            stdout,
            stderr,
        };
        match address {
            Some(Some(address)) => {
                server.address = address;
                Ok(server)
            }
            Some(None) => {
                let status = ended.expect("it has ended");
                // The pipes are read by threads of their own: what was said last may still be on its way.
                let stderr = wait::attempt(Duration::from_secs(1), || {
                    Some(server.stderr()).filter(|said| !said.is_empty())
                });
                Err(Refusal {
                    status,
                    stdout: server.stdout(),
                    stderr: stderr.unwrap_or_default(),
                })
            }
            None => panic!("the server neither listens nor ends: {}", server.stderr()),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has printed so far.
    pub fn stdout(&self) -> String {
        read(&self.stdout)
    }

    /// What it has logged so far.
    pub fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// A client with this key.
    pub fn client(&self, key: &str) -> Client {
        Client::new(self.address, key)
    }

    /// A client without a key.
    pub fn anonymous(&self) -> Client {
        Client::anonymous(self.address)
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at this very instruction.
    pub fn kill(&mut self) {
        self.watchdog.dismiss();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to stop, as an operator's `kill` or a terminal's Ctrl-C does.
    pub fn signal(&self, name: &str) {
        // The shell's own `kill`: the program is not installed everywhere.
        let pid = self.child.id();
        let status = Command::new("sh")
            .args(["-c", &format!("kill -s {name} {pid}")])
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "kill -s {name} {pid}"
        );
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(&mut self, deadline: Duration) -> ExitStatus {
        let status = wait::until("the server ends", deadline, || {
            self.child.try_wait().expect("a child can be asked")
        });
        self.watchdog.dismiss();
        status
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!(
                "--- stdout of vintem ---\n{}--- stderr of vintem ---\n{}---",
                tail(&self.stdout()),
                tail(&self.stderr())
            );
        }
    }
}

/// The last lines of a long log.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(60);
    lines[from..].join("\n") + "\n"
}

fn address_in(stdout: &str) -> Option<SocketAddr> {
    let complete = stdout.get(..=stdout.rfind('\n')?)?;
    let rest = &complete[complete.find(READY)? + READY.len()..];
    rest.split_whitespace().next()?.parse().ok()
}

fn read(said: &Said) -> String {
    said.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn listen(stream: impl Read + Send + 'static) -> Said {
    let said = Said::default();
    let of_thread = Arc::clone(&said);
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let text = String::from_utf8_lossy(&line).into_owned();
            of_thread
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_str(&text);
            line.clear();
        }
    });
    said
}
