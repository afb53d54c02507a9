//! One installation: a data folder, a database, settings, and the binary that works on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::Backend;
use crate::guard::Watchdog;
use crate::merchant::Merchant;
use crate::postgres::{Cluster, Database};
use crate::server::{Refusal, Server};

/// Names the binary under test; without it, the one beside the test executable is used.
pub const BINARY: &str = "VINTEM_TEST_BINARY";

/// The secret of the play bank in every installation made here.
pub const STUB_SECRET: &str = "stub-secret-of-the-tests-0123456789";

/// A key that several servers on one PostgreSQL share.
const MASTER_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// One installation of Vintém, removed with the value.
#[derive(Debug)]
pub struct Site {
    folder: TempDir,
    database: Option<Database>,
    settings: Vec<(String, String)>,
}

impl Site {
    /// An installation with an empty database and settings that suit most tests.
    pub fn new(on: Backend) -> Self {
        let site = Self::bare();
        match on {
            Backend::Sqlite => {
                let url = format!("sqlite://{}/data/vintem.db", site.folder().display());
                site.with("VINTEM_DATABASE_URL", &url)
            }
            Backend::Postgres => {
                let database = Database::create().unwrap_or_else(|error| panic!("{error:#}"));
                site.on_database(database)
            }
        }
    }

    fn on_database(self, database: Database) -> Self {
        let mut site = self
            .with("VINTEM_DATABASE_URL", database.url())
            .with("VINTEM_MASTER_KEY", MASTER_KEY);
        site.database = Some(database);
        site
    }

    fn bare() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("vintem-site-")
            .tempdir()
            .expect("a temporary folder");
        let data = folder.path().join("data").display().to_string();
        Self {
            folder,
            database: None,
            settings: Vec::new(),
        }
        .with("VINTEM_LISTEN", "127.0.0.1:0")
        .with("VINTEM_DATA_DIR", &data)
        .with("VINTEM_BOOTSTRAP", "false")
        .with("VINTEM_WEBHOOK_ALLOW_PRIVATE", "true")
        .with("VINTEM_STUB_SECRET", STUB_SECRET)
    }

    /// An installation on a database of a cluster that the test may stop and start.
    pub fn on_cluster(cluster: &Cluster) -> Self {
        let database = cluster
            .create_database()
            .unwrap_or_else(|error| panic!("{error:#}"));
        Self::bare().on_database(database)
    }

    /// The same installation with a setting more, or another value of it.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same installation without this setting.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.settings.retain(|(known, _)| known != name);
        self
    }

    /// The working folder of every process; `data` lies in it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The PostgreSQL database, where it is one.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// A command of the binary with this installation's settings and nothing else of the environment that matters.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        self.prepare(&mut command);
        command.args(arguments);
        command
    }

    /// Gives any command this installation's folder and settings.
    pub fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .env_clear();
        for name in [
            "PATH",
            "HOME",
            "TMPDIR",
            "LD_LIBRARY_PATH",
            "LLVM_PROFILE_FILE",
        ] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
    }

    /// Starts a server and waits until it listens.
    #[track_caller]
    pub fn serve(&self) -> Server {
        self.try_serve().unwrap_or_else(|refusal| {
            panic!(
                "the server ended with {}: {}",
                refusal.status, refusal.stderr
            )
        })
    }

    /// Starts a server that may refuse.
    pub fn try_serve(&self) -> Result<Server, Refusal> {
        Server::start(self.command(&["serve"]))
    }

    /// Starts a server from a prepared command.
    pub fn serve_command(command: Command) -> Result<Server, Refusal> {
        Server::start(command)
    }

    /// Starts a server through a command that ends in the binary, such as a shell with limits.
    pub fn serve_through(&self, mut wrapper: Command) -> Result<Server, Refusal> {
        self.prepare(&mut wrapper);
        wrapper.arg(binary()).arg("serve");
        Server::start(wrapper)
    }

    /// Runs an operator's command to its end, whatever that is.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary starts")
    }

    /// Runs an operator's command that must succeed and returns what it prints.
    #[track_caller]
    pub fn print(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "vintem {}: {}: {stderr}",
            arguments.join(" "),
            output.status
        );
        String::from_utf8(output.stdout).expect("stdout is UTF-8")
    }

    /// Runs an operator's command that must print one JSON value.
    #[track_caller]
    pub fn operate(&self, arguments: &[&str]) -> Value {
        let printed = self.print(arguments);
        serde_json::from_str(&printed)
            .unwrap_or_else(|error| panic!("vintem {}: {error}: {printed}", arguments.join(" ")))
    }

    /// Makes an account with one all-scopes key for each environment.
    #[track_caller]
    pub fn merchant<'a>(&'a self, server: &Server) -> Merchant<'a> {
        Merchant::new(self, server.address())
    }

    /// The ledger's invariants hold; panics with the report otherwise.
    #[track_caller]
    pub fn verify_ledger(&self) {
        let output = self.run(&["ledger", "verify"]);
        assert!(
            output.status.success(),
            "ledger verify: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A server that all tests of a process share, each with accounts of its own.
#[derive(Debug)]
pub struct SharedSite {
    /// The installation.
    pub site: Site,
    /// Its only server.
    pub server: Server,
    _tidy: Vec<Watchdog>,
}

/// The shared server on this database, started by whoever needs it first.
pub fn shared(on: Backend) -> &'static SharedSite {
    static SQLITE: OnceLock<SharedSite> = OnceLock::new();
    static POSTGRES: OnceLock<SharedSite> = OnceLock::new();
    let cell = match on {
        Backend::Sqlite => &SQLITE,
        Backend::Postgres => &POSTGRES,
    };
    cell.get_or_init(|| {
        let site = Site::new(on);
        // Statics are never dropped: what they own is removed from outside when the process has ended.
        let mut tidy = vec![Watchdog::new("rm -rf \"$1\"", &[site.folder()]).expect("sh starts")];
        if let Some(database) = site.database() {
            tidy.push(database.drop_at_exit().expect("sh starts"));
        }
        let server = site.serve();
        SharedSite {
            site,
            server,
            _tidy: tidy,
        }
    })
}

/// A new account on the shared server.
#[track_caller]
pub fn merchant(on: Backend) -> Merchant<'static> {
    let shared = shared(on);
    shared.site.merchant(&shared.server)
}

/// The binary under test.
pub fn binary() -> &'static Path {
    static BINARY_PATH: OnceLock<PathBuf> = OnceLock::new();
    BINARY_PATH.get_or_init(|| {
        if let Some(named) = std::env::var_os(BINARY) {
            return fs::canonicalize(&named)
                .unwrap_or_else(|error| panic!("{BINARY}={}: {error}", named.display()));
        }
        // target/<profile>/deps/<test>-<hash> or target/<profile>/<tool> → target/<profile>/vintem
        let own = std::env::current_exe().expect("a program knows its executable");
        let folder = own.parent().expect("an executable lies in a folder");
        let folder = folder
            .parent()
            .filter(|_| folder.ends_with("deps"))
            .unwrap_or(folder);
        let beside = folder.join("vintem");
        assert!(
            beside.exists(),
            "{} is missing: build it with `cargo build -p vintem-server`, or run `make test`",
            beside.display()
        );
        beside
    })
}
