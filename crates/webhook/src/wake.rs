//! How the rest of the program tells the dispatcher that there is work.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use vintem_domain::Owner;
use vintem_domain::webhook::{Claimed, ServerId};

/// Places for first attempts that one owner may hold at the same time.
const PLACES_OF_ONE: usize = 32;

/// Wakes the dispatcher. Made before it, so that the ports that tell it of work can be made first.
///
/// Losing a wake costs at most the dispatcher's polling interval, so nothing here is kept on disk.
#[derive(Debug, Clone, Default)]
pub struct Wake {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    notify: Notify,
}

#[derive(Debug, Default)]
struct State {
    news: News,
    places: Places,
}

/// What the dispatcher has not heard yet.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Who has something due.
    pub(crate) due: HashSet<Owner>,
    /// Attempts that were begun by the units of work that made their events.
    pub(crate) begun: Vec<Claimed>,
}

impl News {
    fn is_empty(&self) -> bool {
        self.due.is_empty() && self.begun.is_empty()
    }
}

/// Who may begin first attempts.
#[derive(Debug, Default)]
struct Places {
    /// The server in whose name, while a dispatcher is at work.
    server: Option<ServerId>,
    /// The dispatcher has as much to do as it may.
    full: bool,
    /// Owners whose lanes have no room.
    crowded: HashSet<Owner>,
    /// Places taken and not filled or given back.
    taken: HashMap<Owner, usize>,
}

/// What changed of the dispatcher's room.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Whether it has as much to do as it may, when that changed.
    pub(crate) full: Option<bool>,
    /// Owners whose lanes became crowded, or are not any more.
    pub(crate) lanes: Vec<(Owner, bool)>,
}

impl Room {
    /// Whether nothing changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.full.is_none() && self.lanes.is_empty()
    }
}

impl Wake {
    /// A handle that nobody listens to yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Deliveries of this owner became due: to be called after the commit that made them. Cheap, never waits for the
    /// network or a database, and may be called from any thread.
    pub fn deliveries_due(&self, owner: Owner) {
        self.tell(|state| {
            state.news.due.insert(owner);
        });
    }

    /// A place for the first attempt of an event of this owner, if a dispatcher is at work and its lane has room: the unit of work that
    /// makes the event may then begin the attempt too, in the name of this server. As cheap as [`Self::deliveries_due`].
    pub fn take_place(&self, owner: Owner) -> Option<ServerId> {
        let places = &mut self.state().places;
        let server = places.server?;
        if places.full || places.crowded.contains(&owner) {
            return None;
        }
        let taken = places.taken.entry(owner).or_default();
        if *taken >= PLACES_OF_ONE {
            return None;
        }
        *taken += 1;
        Some(server)
    }

    /// Sends the attempt that was committed for a place, or gives the place back.
    pub fn fill_place(&self, owner: Owner, begun: Option<Claimed>) {
        self.tell(|state| {
            if let Some(taken) = state.places.taken.get_mut(&owner) {
                *taken -= 1;
                if *taken == 0 {
                    state.places.taken.remove(&owner);
                }
            }
            state.news.begun.extend(begun);
        });
        if self.state().places.server.is_none() {
            // A dispatcher that stops waits for this.
            self.shared.notify.notify_one();
        }
    }

    /// A dispatcher works in this server's name from now on.
    pub(crate) fn open(&self, server: ServerId) {
        let mut state = self.state();
        // What was begun in the name of another one is not this one's to record: it is due again when its lease ends.
        state.news.begun.clear();
        let places = &mut state.places;
        places.server = Some(server);
        places.full = false;
        places.crowded.clear();
    }

    /// Nobody may take a place any more.
    pub(crate) fn close(&self) {
        self.state().places.server = None;
    }

    /// Whether units of work are under way that may still begin an attempt.
    pub(crate) fn has_places_taken(&self) -> bool {
        let state = self.state();
        !state.places.taken.is_empty() || !state.news.begun.is_empty()
    }

    /// Waits until a place may have been filled or given back after [`Self::close`].
    pub(crate) async fn places_change(&self) {
        self.shared.notify.notified().await;
    }

    /// The dispatcher's room changed.
    pub(crate) fn show(&self, room: Room) {
        let places = &mut self.state().places;
        if let Some(full) = room.full {
            places.full = full;
        }
        for (owner, crowded) in room.lanes {
            if crowded {
                places.crowded.insert(owner);
            } else {
                places.crowded.remove(&owner);
            }
        }
    }

    /// Waits until there is news, and says what.
    pub(crate) async fn news(&self) -> News {
        loop {
            let news = self.take();
            if !news.is_empty() {
                return news;
            }
            self.shared.notify.notified().await;
        }
    }

    /// The news until now.
    pub(crate) fn take(&self) -> News {
        mem::take(&mut self.state().news)
    }

    fn tell(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let first = state.news.is_empty();
        change(&mut state);
        let first = first && !state.news.is_empty();
        drop(state);
        if first {
            self.shared.notify.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
