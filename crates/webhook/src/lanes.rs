//! Which deliveries are claimed and sent next: one lane for each endpoint, so that a dead one delays nobody else.
//!
//! Pure bookkeeping, without clock, network or database: the dispatcher tells it what happened and asks what to do.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use vintem_domain::Owner;

use crate::wake::Room;

/// Attempts under way to one endpoint at the same time.
pub(crate) const AT_ONCE: usize = 8;
/// What is claimed ahead for an endpoint that answers quickly, so that its lane does not stand still during each claim.
/// At the slowest pace that counts as quick, this is sent within a second: far from the end of a lease.
const AHEAD: usize = 24;
const QUICK: Duration = Duration::from_millis(200);
const SLOW: Duration = Duration::from_secs(1);
/// Lanes served by one claim.
const LANES_PER_CLAIM: usize = 64;

/// How an endpoint took its last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Pace {
    /// Nothing is known that would change anything.
    #[default]
    Usual,
    /// Accepted at once.
    Quick,
    /// Failed, or took long.
    Slow,
}

/// `T` is a claimed attempt that waits for its turn.
#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<T>,
    in_flight: usize,
    /// How many a running claim may bring.
    asked: usize,
    /// Whether more may be due than was claimed.
    more: bool,
    /// Whether it stands in the queue of those that want a claim.
    queued: bool,
    /// Whether everybody was told that it has no room.
    crowded: bool,
    pace: Pace,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            in_flight: 0,
            asked: 0,
            more: false,
            queued: false,
            crowded: false,
            pace: Pace::default(),
        }
    }
}

impl<T> Lane<T> {
    fn taken(&self) -> usize {
        self.asked + self.waiting.len() + self.in_flight
    }

    fn room(&self) -> usize {
        let depth = match self.pace {
            Pace::Quick => AT_ONCE + AHEAD,
            Pace::Usual | Pace::Slow => AT_ONCE,
        };
        depth.saturating_sub(self.taken())
    }

    /// One claim at a time: a second would only find the first one's rows locked.
    fn wants_claim(&self) -> bool {
        self.more && self.asked == 0 && self.room() > 0
    }

    /// Whether events had better wait in the outbox.
    fn is_crowded(&self) -> bool {
        self.pace == Pace::Slow || self.room() == 0
    }

    /// A slow lane is remembered even when it is idle; the others begin anew as well as they were.
    fn forgettable(&self) -> bool {
        self.taken() == 0 && !self.more && self.pace != Pace::Slow
    }
}

/// All lanes, and how much is under way in all of them together.
#[derive(Debug)]
pub(crate) struct Lanes<T> {
    all: HashMap<Owner, Lane<T>>,
    /// Who wants a claim, first come, first served.
    queue: VecDeque<Owner>,
    limit: usize,
    taken: usize,
    /// The part of `taken` in slow lanes. It may be half of the limit, so that the dead never crowd out the living.
    taken_slow: usize,
    /// Whether everybody was told that there is no room at all.
    full: bool,
    /// What nobody was told yet.
    room: Room,
}

impl<T> Lanes<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            all: HashMap::new(),
            queue: VecDeque::new(),
            limit: limit.max(2),
            taken: 0,
            taken_slow: 0,
            full: false,
            room: Room::default(),
        }
    }

    /// Something of this owner may be due.
    pub(crate) fn due(&mut self, owner: Owner) {
        self.change(owner, |lane| lane.more = true);
    }

    /// Whom to claim for now, and how much for each.
    pub(crate) fn next_claim(&mut self) -> Vec<(Owner, usize)> {
        let mut asked = Vec::new();
        let mut crowded_out = Vec::new();
        while asked.len() < LANES_PER_CLAIM && self.taken < self.limit {
            let Some(owner) = self.queue.pop_front() else {
                break;
            };
            let Some(lane) = self.all.get_mut(&owner) else {
                continue;
            };
            lane.queued = false;
            if !lane.wants_claim() {
                self.change(owner, |_lane| {});
                continue;
            }
            let mut room = lane.room().min(self.limit - self.taken);
            if lane.pace == Pace::Slow {
                room = room.min((self.limit / 2).saturating_sub(self.taken_slow));
            }
            if room == 0 {
                crowded_out.push(owner);
                continue;
            }
            self.change(owner, |lane| {
                lane.asked = room;
                lane.more = false;
            });
            asked.push((owner, room));
        }
        for owner in crowded_out {
            self.change(owner, |_lane| {});
        }
        asked
    }

    /// A claim ended for this owner with these attempts. As many as were asked for means that there may be more.
    pub(crate) fn claimed(&mut self, owner: Owner, attempts: Vec<T>) {
        self.change(owner, |lane| {
            lane.more |= attempts.len() >= lane.asked && lane.asked > 0;
            lane.asked = 0;
            lane.waiting.extend(attempts);
        });
    }

    /// The claim could not be made: what was due still is.
    pub(crate) fn claim_failed(&mut self, owner: Owner) {
        self.change(owner, |lane| {
            lane.asked = 0;
            lane.more = true;
        });
    }

    /// An attempt of this owner was begun without a claim.
    pub(crate) fn begun(&mut self, owner: Owner, attempt: T) {
        self.change(owner, |lane| lane.waiting.push_back(attempt));
    }

    /// What changed of the room since this was last asked.
    pub(crate) fn room(&mut self) -> Room {
        std::mem::take(&mut self.room)
    }

    /// The next attempt of this owner that may be sent now, if one waits and fewer than eight are under way.
    pub(crate) fn start_next(&mut self, owner: Owner) -> Option<T> {
        let mut next = None;
        self.change(owner, |lane| {
            if lane.in_flight < AT_ONCE {
                next = lane.waiting.pop_front();
            }
            lane.in_flight += usize::from(next.is_some());
        });
        next
    }

    /// An attempt that was started is over, without having been sent.
    pub(crate) fn skipped(&mut self, owner: Owner) {
        self.change(owner, |lane| {
            lane.in_flight = lane.in_flight.saturating_sub(1);
        });
    }

    /// An attempt that was started is over.
    pub(crate) fn ended(&mut self, owner: Owner, accepted: bool, duration: Duration) {
        self.change(owner, |lane| {
            lane.in_flight = lane.in_flight.saturating_sub(1);
            lane.pace = if !accepted || duration > SLOW {
                Pace::Slow
            } else if duration < QUICK {
                Pace::Quick
            } else {
                Pace::Usual
            };
        });
    }

    /// Everything claimed that was not started. Nothing of it will be.
    pub(crate) fn take_waiting(&mut self) -> Vec<T> {
        let owners: Vec<_> = self.all.keys().copied().collect();
        let mut waiting = Vec::new();
        for owner in owners {
            self.change(owner, |lane| waiting.extend(lane.waiting.drain(..)));
        }
        waiting
    }

    /// Changes a lane and keeps the sums and the queue true.
    fn change(&mut self, owner: Owner, change: impl FnOnce(&mut Lane<T>)) {
        let lane = self.all.entry(owner).or_default();
        self.taken -= lane.taken();
        if lane.pace == Pace::Slow {
            self.taken_slow -= lane.taken();
        }
        change(lane);
        self.taken += lane.taken();
        if lane.pace == Pace::Slow {
            self.taken_slow += lane.taken();
        }
        if lane.is_crowded() != lane.crowded {
            lane.crowded = !lane.crowded;
            self.room.lanes.push((owner, lane.crowded));
        }
        if lane.wants_claim() && !lane.queued {
            lane.queued = true;
            self.queue.push_back(owner);
        }
        if lane.forgettable() && !lane.queued {
            self.all.remove(&owner);
        }
        let full = self.taken >= self.limit;
        if full != self.full {
            self.full = full;
            self.room.full = Some(full);
        }
    }
}

#[cfg(test)]
mod tests;
