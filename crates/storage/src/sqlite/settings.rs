//! Opening SQLite connections: the file and the pragmas.

use std::fs::{DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::sqlite::SqliteConnection;
use diesel::{Connection, QueryResult};

use crate::failure::{Failure, Kind};

/// Opens a connection that may write.
///
/// `busy_timeout` comes first because switching to WAL can itself meet a lock. `synchronous=FULL` makes every commit survive a power
/// cut: with `NORMAL` the last commits of a WAL database can be lost. A thread of its own copies most of the log back; when the log has
/// 16,000 pages, about 64 MiB, the writer copies the rest, flushes the database file and begins the log anew.
pub(super) fn open_writer(path: &Path, busy: Duration) -> Result<SqliteConnection, Failure> {
    create_private(path)?;
    let mut connection = establish(path)?;
    connection.batch_execute(&format!(
        "PRAGMA busy_timeout = {}; \
         PRAGMA journal_mode = WAL; \
         PRAGMA synchronous = FULL; \
         PRAGMA foreign_keys = ON; \
         PRAGMA wal_autocheckpoint = 16000; \
         PRAGMA journal_size_limit = 67108864; \
         PRAGMA cache_size = -8192; \
         PRAGMA temp_store = MEMORY;",
        busy.as_millis()
    ))?;
    Ok(connection)
}

/// Makes `connection` refuse every write.
pub(super) fn make_reader(connection: &mut SqliteConnection, busy: Duration) -> QueryResult<()> {
    connection.batch_execute(&format!(
        "PRAGMA busy_timeout = {}; \
         PRAGMA query_only = ON; \
         PRAGMA cache_size = -1024; \
         PRAGMA temp_store = MEMORY;",
        busy.as_millis()
    ))
}

/// Opens a plain connection.
pub(super) fn establish(path: &Path) -> Result<SqliteConnection, Failure> {
    Ok(SqliteConnection::establish(&address(path)?)?)
}

/// The path as SQLite is told it: absolute, so that no name is mistaken for a URI or a special database.
pub(super) fn address(path: &Path) -> Result<String, Failure> {
    let absolute = std::path::absolute(path)
        .map_err(|error| Failure::setting(format!("{}: {error}", path.display())))?;
    absolute
        .into_os_string()
        .into_string()
        .map_err(|_unreadable| Failure::setting("the database's path must be UTF-8"))
}

/// The file that `path` means once all links are followed, also when it is not there yet; its folder is made where it is missing.
///
/// Whoever opens one database under two names must find the same locks beside it.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, Failure> {
    const MOST_LINKS: usize = 32;
    let failed = |path: &Path, error: std::io::Error| {
        Failure::unreachable(format!("{}: {error}", path.display()))
    };
    let mut real = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Some(name) = real.file_name() else {
            break;
        };
        let folder = match real.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        make_private_folder(folder).map_err(|error| failed(&real, error))?;
        let folder = folder
            .canonicalize()
            .map_err(|error| failed(&real, error))?;
        let file = folder.join(name);
        match file.read_link() {
            Ok(target) => real = folder.join(target),
            Err(_no_link) => return Ok(file),
        }
    }
    Err(Failure::setting(format!(
        "{} does not lead to a file",
        path.display()
    )))
}

/// Makes `folder`, for its owner alone, where it is missing.
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only carries a lock, for its owner alone.
pub(super) fn open_lock(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map_err(|error| Failure::unreachable(format!("{}: {error}", path.display())))
}

/// `path` with `suffix` added to its file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates the file, readable by its owner alone, where it is missing. SQLite gives its companions (`-wal`, `-shm`) the same mode.
///
/// A file that is there must not be opened here: closing it again would drop the locks that this process's connections hold on it
/// (POSIX locks belong to the process), and another process could take itself for the last one and remove the log under a server.
fn create_private(path: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Unreachable, format!("{}: {error}", path.display()))
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    /// How many locks anybody holds on the file itself.
    fn locks_on(path: &Path) -> usize {
        let inode = format!(":{} ", path.metadata().unwrap().ino());
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().filter(|line| line.contains(&inode)).count()
    }

    #[test]
    fn opening_the_file_again_leaves_the_locks_of_its_connections_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vintem.db");
        let busy = Duration::from_secs(1);
        let mut first = open_writer(&path, busy).unwrap();
        first.batch_execute("CREATE TABLE t (a)").unwrap();
        assert_eq!(locks_on(&path), 1);
        let _second = open_writer(&path, busy).unwrap();
        assert_eq!(
            locks_on(&path),
            1,
            "the log could be removed under the first"
        );
    }
}
