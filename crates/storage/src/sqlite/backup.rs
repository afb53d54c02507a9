//! A consistent copy of an SQLite database that is in use.

use std::fs::{File, OpenOptions};
use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, sql_query};

use super::settings::{address, beside, establish};
use crate::failure::{Failure, Kind};

/// Copies the database at `from` into the new file `to`: one moment of it, whatever is written meanwhile.
///
/// Refuses to overwrite. The copy is on the disk when this returns; a failed attempt leaves nothing behind.
pub(super) fn backup(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::new(Kind::Exhausted, format!("{}: {error}", to.display()));
    create_new(to).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::setting(format!(
            "{} exists already; a backup never overwrites a file",
            to.display()
        )),
        _ => failed(error),
    })?;
    let partial = beside(to, ".partial");
    let copied = copy(from, &partial).and_then(|()| {
        File::open(&partial)
            .and_then(|file| file.sync_all())
            .and_then(|()| std::fs::rename(&partial, to))
            .and_then(|()| sync_folder(to))
            .map_err(failed)
    });
    if copied.is_err() {
        std::fs::remove_file(&partial).ok();
        std::fs::remove_file(to).ok();
    }
    copied
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    create_new(to)
        .map_err(|error| Failure::new(Kind::Exhausted, format!("{}: {error}", to.display())))?;
    let mut connection = establish(from)?;
    connection.batch_execute("PRAGMA busy_timeout = 5000")?;
    sql_query("VACUUM INTO $1")
        .bind::<Text, _>(address(to)?)
        .execute(&mut connection)?;
    Ok(())
}

fn create_new(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a new name last: without it the file's data, but not its entry, would survive a power cut.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
