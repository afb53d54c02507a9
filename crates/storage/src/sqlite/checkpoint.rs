//! Copying the write-ahead log back into the database file, beside the writer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use diesel::connection::SimpleConnection;
use diesel::sqlite::SqliteConnection;

use super::settings::establish;
use crate::commit::lock;
use crate::failure::{Failure, Kind};

/// After how many units of work the log is copied back: not so many that it grows long, nor so few that a page they all touch is
/// written again and again.
const EVERY: u64 = 1_000;

/// A thread that copies the log back now and then, so that the writer has less of that to do. While the writer goes on the copy never
/// reaches the log's end; the writer copies the rest, flushes the database file and begins the log anew when it has grown long
/// (`wal_autocheckpoint`).
pub(super) struct Checkpoints {
    bell: Arc<Bell>,
    units: u64,
    thread: Option<JoinHandle<()>>,
}

/// How the thread is told.
#[derive(Default)]
struct Bell {
    order: Mutex<Order>,
    rung: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Wait,
    Copy,
    Stop,
}

impl Checkpoints {
    /// Starts the thread for the database at `path`.
    pub(super) fn start(path: PathBuf) -> Result<Self, Failure> {
        let bell = Arc::new(Bell::default());
        let thread = Builder::new()
            .name("vintem-log".to_owned())
            .spawn({
                let bell = Arc::clone(&bell);
                move || copy_when_told(&path, &bell)
            })
            .map_err(|error| Failure::new(Kind::Setting, format!("the log's thread: {error}")))?;
        Ok(Self {
            bell,
            units: 0,
            thread: Some(thread),
        })
    }

    /// So many units of work were committed.
    pub(super) fn committed(&mut self, units: u64) {
        self.units += units;
        if self.units >= EVERY {
            self.units = 0;
            self.bell.ring(Order::Copy);
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.bell.ring(Order::Stop);
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell: what it leaves undone is done when the last connection closes.
            thread.join().ok();
        }
    }
}

impl Bell {
    fn ring(&self, order: Order) {
        *lock(&self.order) = order;
        self.rung.notify_one();
    }

    /// Waits for an order.
    fn wait(&self) -> Order {
        let waited = self
            .rung
            .wait_while(lock(&self.order), |order| *order == Order::Wait);
        let mut order = waited.unwrap_or_else(PoisonError::into_inner);
        let told = *order;
        if told == Order::Copy {
            *order = Order::Wait;
        }
        told
    }
}

fn copy_when_told(path: &Path, bell: &Bell) {
    let mut connection: Option<SqliteConnection> = None;
    let mut failing = false;
    while bell.wait() == Order::Copy {
        let copied = copy(path, &mut connection);
        if let Err(failure) = &copied {
            connection = None;
            if !failing {
                tracing::warn!(%failure, "the log cannot be copied back into the database");
            }
        }
        failing = copied.is_err();
    }
}

/// Copies what it can without making anybody wait.
fn copy(path: &Path, connection: &mut Option<SqliteConnection>) -> Result<(), Failure> {
    let connection = match connection {
        Some(connection) => connection,
        closed @ None => closed.insert(establish(path)?),
    };
    Ok(connection.batch_execute("PRAGMA wal_checkpoint(PASSIVE)")?)
}
