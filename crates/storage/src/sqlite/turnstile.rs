//! Orderly queueing between processes that write to one SQLite file.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::settings::{beside, open_lock};
use crate::failure::Failure;

/// A lock file every process passes before it begins to write.
///
/// SQLite lets a waiting process poll, so a busy server that begins its next batch at once would starve an operator's command. Who
/// waits holds the turnstile, and the other one queues up behind it. It only orders the waiting: the exclusion is SQLite's own, and a
/// turnstile that stays shut is passed by after a while.
pub(super) struct Turnstile {
    file: File,
    patience: Duration,
}

/// A place in the turnstile, given up when dropped.
pub(super) struct Turn<'a>(Option<&'a File>);

impl Turnstile {
    /// Opens the lock file beside the database.
    pub(super) fn open(database: &Path, patience: Duration) -> Result<Self, Failure> {
        let file = open_lock(&beside(database, ".write.lock"))?;
        Ok(Self { file, patience })
    }

    /// Waits for the turnstile, at most as long as its patience.
    pub(super) fn enter(&self) -> Turn<'_> {
        const POLL: Duration = Duration::from_micros(200);
        let start = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Turn(Some(&self.file)),
                Err(TryLockError::WouldBlock) if start.elapsed() < self.patience => {
                    std::thread::sleep(POLL);
                }
                Err(_) => return Turn(None),
            }
        }
    }

    /// Waits for the turnstile as long as it takes: for migrations, which must never run twice at once.
    pub(super) fn enter_alone(&self) -> Result<Turn<'_>, Failure> {
        self.file
            .lock()
            .map_err(|error| Failure::unreachable(format!("write lock: {error}")))?;
        Ok(Turn(Some(&self.file)))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A lock that cannot be given up ends with the process; nothing better can be done here.
        if let Some(file) = self.0 {
            file.unlock().ok();
        }
    }
}
