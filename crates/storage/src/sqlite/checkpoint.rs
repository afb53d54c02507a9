//! Copying the write-ahead log back into the database file, beside the writer.

use std::path::PathBuf;
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

/// A thread that copies the log back now and then, so that the writer need not stop for it. The writer still does when the log grows too
/// long all the same (`wal_autocheckpoint`), and then has little left to copy.
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
            // It has nothing to tell: what it leaves undone is done when the file is next opened.
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

fn copy_when_told(path: &std::path::Path, bell: &Bell) {
    let mut connection: Option<SqliteConnection> = None;
    while bell.wait() == Order::Copy {
        if connection.is_none() {
            connection = establish(path).ok();
        }
        // Passive: it takes what it can without making anybody wait, and what fails is taken the next time.
        let copied = connection
            .as_mut()
            .map(|connection| connection.batch_execute("PRAGMA wal_checkpoint(PASSIVE)"));
        if let Some(Err(error)) = copied {
            tracing::debug!(%error, "the log was not copied back");
            connection = None;
        }
    }
}
