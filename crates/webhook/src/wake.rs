//! How the rest of the program tells the dispatcher that there is work.

use std::collections::HashSet;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use vintem_domain::Owner;

/// Wakes the dispatcher. Made before it, so that the ports that tell it of work can be made first.
///
/// Losing a wake costs at most the dispatcher's polling interval, so nothing here is kept on disk.
#[derive(Debug, Clone, Default)]
pub struct Wake {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    due: Mutex<HashSet<Owner>>,
    notify: Notify,
}

impl Wake {
    /// A handle that nobody listens to yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Deliveries of this owner became due: to be called after the commit that made them. Cheap, never waits for the
    /// network or a database, and may be called from any thread.
    pub fn deliveries_due(&self, owner: Owner) {
        let mut due = self
            .shared
            .due
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let first = due.is_empty();
        due.insert(owner);
        drop(due);
        if first {
            self.shared.notify.notify_one();
        }
    }

    /// Waits until somebody is due, and says who.
    pub(crate) async fn due(&self) -> HashSet<Owner> {
        loop {
            let due = self.take();
            if !due.is_empty() {
                return due;
            }
            self.shared.notify.notified().await;
        }
    }

    fn take(&self) -> HashSet<Owner> {
        let due = self.shared.due.lock();
        mem::take(&mut *due.unwrap_or_else(PoisonError::into_inner))
    }
}
