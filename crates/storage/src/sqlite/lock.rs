//! One server per SQLite file.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::settings::{beside, open_lock};
use crate::failure::Failure;

/// Held by a server as long as it serves a database file; the operating system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct ServeLock {
    _file: File,
}

impl ServeLock {
    /// Takes the lock, or fails when another process holds it.
    pub(crate) fn acquire(database: &Path) -> Result<Self, Failure> {
        let path = beside(database, ".serve.lock");
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::setting(format!(
                "{} is already being served by another process; use PostgreSQL to run several servers",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => {
                Err(Failure::unreachable(format!("{}: {error}", path.display())))
            }
        }
    }
}
