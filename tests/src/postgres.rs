//! Throw-away PostgreSQL: one cluster per test process, one database per test.
//!
//! The cluster lives in a temporary folder and runs as a non-root user; a [`Watchdog`] stops and removes it when the
//! test process ends, however it ends.
//! With `VINTEM_TEST_DATABASE_URL` set, databases are made on that server instead and no cluster is started.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail, ensure};

use crate::guard::Watchdog;

/// Names an existing server to use instead of a throw-away cluster: `postgres://user:password@host:port/database`.
pub const EXISTING_SERVER: &str = "VINTEM_TEST_DATABASE_URL";

/// How many starts are tried when another process takes the port that was just found free.
const START_ATTEMPTS: u32 = 5;

/// A running throw-away cluster. Dropping it (or the death of this process) stops and removes it.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    owner: Option<Owner>,
    port: u16,
    settings: &'static str,
    watchdog: Watchdog,
}

/// The user a cluster runs as when the tests run as root, which PostgreSQL refuses.
#[derive(Debug)]
struct Owner {
    user: u32,
    group: u32,
}

/// How a cluster is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Connections are cut, open transactions rolled back, everything is written.
    Fast,
    /// As in a crash: the next start recovers from the log.
    Immediate,
}

/// The tests kill servers, not the machine: what the kernel holds is safe, so nothing needs an fsync.
const FOR_TESTS: &str =
    "-c fsync=off -c full_page_writes=off -c max_connections=400 -c shared_buffers=64MB";

/// As in production: what was committed survives the machine too.
const DURABLE: &str = "-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c max_connections=100 -c shared_buffers=256MB -c max_wal_size=4GB";

impl Cluster {
    /// Starts a cluster in a new temporary folder and waits until it answers.
    pub fn start() -> Result<Self> {
        Self::start_with(FOR_TESTS)
    }

    /// Starts a cluster that keeps its promises as in production; for figures, not for tests.
    pub fn start_durable() -> Result<Self> {
        Self::start_with(DURABLE)
    }

    fn start_with(settings: &'static str) -> Result<Self> {
        let programs = programs()?;
        let owner = owner()?;
        let folder = tempfile::Builder::new()
            .prefix("vintem-postgres-")
            .tempdir()
            .context("no temporary folder for PostgreSQL")?
            .keep();
        if let Some(owner) = &owner {
            chown(&folder, Some(owner.user), Some(owner.group))?;
        }
        let watchdog = Watchdog::new(REMOVE, &[&folder])?;
        let mut cluster = Self {
            folder,
            programs,
            owner,
            port: 0,
            settings,
            watchdog,
        };
        let data = cluster.data();
        run(cluster.program("initdb").arg("--pgdata").arg(&data).args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--no-instructions",
        ]))?;
        for attempt in 1.. {
            cluster.port = free_port()?;
            match cluster.launch() {
                Ok(()) => break,
                Err(_) if attempt < START_ATTEMPTS => {}
                Err(error) => return Err(error),
            }
        }
        Ok(cluster)
    }

    /// The URL of a database of this cluster.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Stops the cluster; its files stay, [`Cluster::launch`] starts it again on the same port.
    pub fn stop(&self, how: Shutdown) -> Result<()> {
        let mode = match how {
            Shutdown::Fast => "fast",
            Shutdown::Immediate => "immediate",
        };
        run(self
            .program("pg_ctl")
            .arg("--pgdata")
            .arg(self.data())
            .args(["--wait", "--timeout=60", "--mode", mode, "stop"]))
    }

    /// Starts a stopped cluster and waits until it answers.
    pub fn launch(&self) -> Result<()> {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories={} {}",
            self.port,
            self.folder.display(),
            self.settings,
        );
        run(self
            .program("pg_ctl")
            .arg("--pgdata")
            .arg(self.data())
            .arg("--log")
            .arg(self.folder.join("log"))
            .args(["--wait", "--timeout=60", "--options", &options, "start"]))
        .with_context(|| self.log())
    }

    /// Makes every process of the cluster silent: connections stay open, and nothing is answered.
    pub fn freeze(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// Lets a silent cluster go on where it was.
    pub fn thaw(&self) -> Result<()> {
        self.signal("CONT")
    }

    /// Signals the first process, which makes no others while it is stopped, and then those it made.
    fn signal(&self, name: &str) -> Result<()> {
        let file = fs::read_to_string(self.data().join("postmaster.pid"))?;
        let first = file.lines().next().context("an empty postmaster.pid")?;
        let kill =
            |pid: &str| run(Command::new("sh").args(["-c", &format!("kill -s {name} {pid}")]));
        kill(first)?;
        for process in fs::read_dir("/proc")?.flatten() {
            let status = fs::read_to_string(process.path().join("status")).unwrap_or_default();
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
            if parent.map(str::trim) == Some(first)
                && let Some(pid) = process.file_name().to_str()
            {
                kill(pid)?;
            }
        }
        Ok(())
    }

    /// What the cluster has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Makes an empty database with a name of its own.
    pub fn create_database(&self) -> Result<Database> {
        create_database_on(&self.url("postgres"))
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A command that runs one of PostgreSQL's programs as the cluster's owner.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder).stdin(Stdio::null());
        if let Some(owner) = &self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.watchdog.bite();
    }
}

/// A database of its own for one test, dropped with the value.
#[derive(Debug)]
pub struct Database {
    server: String,
    name: String,
    url: String,
}

impl Database {
    /// An empty database on the server of this test run.
    pub fn create() -> Result<Self> {
        match std::env::var(EXISTING_SERVER) {
            Ok(server) if !server.is_empty() => create_database_on(&server),
            _ => shared()?.create_database(),
        }
    }

    /// The URL a server is given.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the database when the process ends, for one that lives as long as the process.
    pub fn drop_at_exit(&self) -> Result<Watchdog> {
        let script =
            "psql --no-psqlrc --quiet --command \"DROP DATABASE IF EXISTS $1 WITH (FORCE)\" \"$2\"";
        Ok(Watchdog::new(script, &[&self.name, &self.server])?)
    }

    /// Runs SQL and returns what `psql` prints: rows as lines, columns separated by `|`.
    pub fn sql(&self, statement: &str) -> Result<String> {
        psql(&self.url, statement)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = psql(
            &self.server,
            &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name),
        );
    }
}

/// The one cluster of this test process, started by whoever needs it first.
pub fn shared() -> Result<&'static Cluster> {
    static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();
    SHARED
        .get_or_init(|| Cluster::start().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(|error| anyhow::anyhow!("PostgreSQL does not start: {error}"))
}

fn create_database_on(server: &str) -> Result<Database> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("vintem_test_{}_{count}", std::process::id());
    psql(
        server,
        &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
    )?;
    psql(
        server,
        &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"),
    )?;
    let url = with_database(server, &name)?;
    Ok(Database {
        server: server.to_owned(),
        name,
        url,
    })
}

/// The same server URL, naming another database.
fn with_database(server: &str, name: &str) -> Result<String> {
    let (base, query) = server
        .split_once('?')
        .map_or((server, None), |(base, query)| (base, Some(query)));
    let (scheme, rest) = base
        .split_once("://")
        .with_context(|| format!("{EXISTING_SERVER} is not a postgres:// URL"))?;
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{scheme}://{host}/{name}{query}"))
}

fn psql(url: &str, statement: &str) -> Result<String> {
    let program = programs().map_or_else(|_| PathBuf::from("psql"), |folder| folder.join("psql"));
    let output = Command::new(program)
        .args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
        ])
        .args(["--command", statement, url])
        .env("PGOPTIONS", "-c client_min_messages=warning")
        .stdin(Stdio::null())
        .output()
        .context("psql does not start")?;
    ensure!(
        output.status.success(),
        "psql: {statement}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

/// The folder of `initdb` and `pg_ctl`: the newest Debian installation, else where `PATH` finds them.
fn programs() -> Result<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut versions: Vec<(u32, PathBuf)> = debian
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    versions.sort();
    if let Some((_, folder)) = versions.pop() {
        return Ok(folder);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .find(|folder| folder.join("initdb").exists())
        .context("PostgreSQL is not installed: no initdb under /usr/lib/postgresql nor in PATH")
}

/// Whom the cluster runs as: nobody else, unless this process is root.
fn owner() -> Result<Option<Owner>> {
    if identity(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ["postgres", "nobody"] {
        if let (Ok(user), Ok(group)) = (identity(&["-u", name]), identity(&["-g", name])) {
            return Ok(Some(Owner { user, group }));
        }
    }
    bail!("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`")
}

fn identity(arguments: &[&str]) -> Result<u32> {
    let output = Command::new("id")
        .args(arguments)
        .output()
        .context("id does not start")?;
    ensure!(output.status.success(), "id {} failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Stops whatever serves the folder `$1` and removes it.
const REMOVE: &str = r#"
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) &&
        kill -QUIT "$pid" 2>/dev/null && kill -CONT "$pid" 2>/dev/null &&
        for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    rm -rf "$1"
"#;

/// A TCP port nobody listens on at this moment.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn run(command: &mut Command) -> Result<()> {
    // pg_ctl leaves the server behind with its own outputs, so they must not be pipes that are read to their end.
    let errors = tempfile::tempfile()?;
    let status = command
        .stdout(errors.try_clone()?)
        .stderr(errors.try_clone()?)
        .status()
        .with_context(|| format!("{} does not start", command.get_program().display()))?;
    if status.success() {
        return Ok(());
    }
    let mut said = String::new();
    let mut errors = errors;
    std::io::Seek::rewind(&mut errors)?;
    std::io::Read::read_to_string(&mut errors, &mut said)?;
    bail!(
        "{}: {status}: {}",
        command.get_program().display(),
        said.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_gets_a_database_of_its_own() {
        let one = Database::create().unwrap();
        let other = Database::create().unwrap();
        one.sql("CREATE TABLE t (n int); INSERT INTO t VALUES (7)")
            .unwrap();
        assert_eq!(one.sql("SELECT n FROM t").unwrap(), "7");
        assert!(other.sql("SELECT n FROM t").is_err());
    }

    #[test]
    fn a_cluster_survives_a_crash_and_is_gone_after_its_drop() {
        let cluster = Cluster::start().unwrap();
        let database = cluster.create_database().unwrap();
        database
            .sql("CREATE TABLE t (n int); INSERT INTO t VALUES (7)")
            .unwrap();
        cluster.stop(Shutdown::Immediate).unwrap();
        assert!(database.sql("SELECT 1").is_err());
        cluster.launch().unwrap();
        assert_eq!(database.sql("SELECT n FROM t").unwrap(), "7");
        let folder = cluster.folder.clone();
        drop(cluster);
        assert!(!folder.exists());
    }

    #[test]
    fn a_server_url_can_name_another_database() {
        let url = with_database("postgres://u:p@h:5432/postgres?sslmode=disable", "x").unwrap();
        assert_eq!(url, "postgres://u:p@h:5432/x?sslmode=disable");
    }
}
