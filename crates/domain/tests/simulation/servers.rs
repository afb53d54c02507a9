//! The servers: how they start and end, and what of their webhooks they keep in memory alone.

use vintem_domain::account::Owner;
use vintem_domain::id::Ulid;
use vintem_domain::ports::{Signals, Transact};
use vintem_domain::webhook::{self, Attempt, AttemptOutcome, Claimed, Delivery, ServerId};

use crate::dice::Dice;
use crate::world::{World, locked};

/// Every server there is.
pub(crate) struct Servers {
    /// Whether it is one alone, which knows that there is no other.
    is_one: bool,
    /// The one that works, and the one that works meanwhile.
    all: [Server; 2],
    /// Places in lanes that were taken and not filled or given back.
    places: Vec<Place>,
}

/// What a server forgets when it dies.
#[derive(Default)]
struct Server {
    /// How often it died before.
    deaths: u64,
    /// Whether it has to end the leases of the one before first. Asked of one that is alone.
    is_new: bool,
    /// First attempts that were committed and are not sent yet.
    begun: Vec<Claimed>,
}

#[derive(PartialEq, Eq)]
struct Place {
    /// Which process took it.
    process: usize,
    owner: Owner,
}

impl Servers {
    pub(crate) fn draw(dice: &mut Dice) -> Self {
        Self {
            is_one: dice.below(4) == 0,
            all: Default::default(),
            places: Vec::new(),
        }
    }

    /// The server on which this process runs.
    fn number(&self, process: usize) -> usize {
        if self.is_one {
            0
        } else {
            usize::from(process > 1)
        }
    }

    fn of(&mut self, process: usize) -> &mut Server {
        let number = self.number(process);
        &mut self.all[number]
    }

    fn id(&self, process: usize) -> ServerId {
        let number = self.number(process);
        let name = u128::from(self.all[number].deaths) * 2 + number as u128;
        ServerId(Ulid::from_parts(1, name))
    }
}

impl World {
    /// The server that works now. After a death another one takes its place.
    pub(crate) fn server(&self) -> ServerId {
        locked(&self.servers).id(self.process_number())
    }

    /// Whether all processes run on one server, and die with it.
    pub(crate) fn has_one_server(&self) -> bool {
        locked(&self.servers).is_one
    }

    /// Whether somebody may be served meanwhile: by another server, or by this one when it is up.
    pub(crate) fn can_serve_another(&self) -> bool {
        let servers = locked(&self.servers);
        !servers.is_one || !servers.all[0].is_new
    }

    /// A server that is alone takes over from the one before ere it does anything else; says whether it serves now.
    pub(crate) fn server_is_up(&self) -> bool {
        if self.can_serve_another() {
            return true;
        }
        self.tell(|| "a server starts, and is alone".to_owned());
        let left = self.leases();
        let taken = webhook::take_over(&self.ports());
        if self.answered("take over", taken).is_none() {
            return false;
        }
        if !left.is_empty() {
            self.tell(|| format!("  -> it ends {} leases", left.len()));
            self.count("a server that is alone took over");
        }
        for delivery in &left {
            self.was_interrupted(delivery);
        }
        if !self.leases().is_empty() {
            self.fault("a server took over and left a lease".to_owned());
        }
        locked(&self.servers).all[0].is_new = false;
        true
    }

    fn leases(&self) -> Vec<Delivery> {
        let leased = self
            .store
            .transact(|tx| tx.leased_deliveries_for_update(usize::MAX));
        leased.unwrap_or_default()
    }

    /// What the server before was sending is in the log, and due.
    fn was_interrupted(&self, before: &Delivery) {
        let (owner, event) = (before.owner, before.event);
        let found = self
            .store
            .read(|read| Ok((read.delivery(owner, event)?, read.attempts(owner, event)?)));
        let is_due = |delivery: &Delivery| {
            delivery.attempts == before.attempts && delivery.due_at <= self.now()
        };
        let is_logged = |attempt: &Attempt| {
            attempt.number == before.attempts && attempt.outcome == AttemptOutcome::Interrupted
        };
        let right = found.is_ok_and(|(delivery, attempts)| {
            delivery.as_ref().is_some_and(is_due) && attempts.iter().any(is_logged)
        });
        if !right {
            self.fault(format!(
                "attempt {} of {event} was taken over, and is not logged or not due",
                before.attempts
            ));
        }
    }

    /// The server dies: the next one knows nothing of its memory.
    pub(crate) fn server_died(&self) {
        let mut servers = locked(&self.servers);
        let server = servers.of(self.process_number());
        let unsent = std::mem::take(&mut server.begun).len();
        server.deaths += 1;
        server.is_new = true;
        drop(servers);
        if unsent > 0 {
            self.tell(|| format!("  it takes {unsent} begun attempts with it"));
            self.count("a server died before it sent what it had begun");
        }
    }

    /// First attempts this server may send now: some of them, as it gets to it.
    pub(crate) fn take_begun(&self, per_mille: u64) -> Vec<Claimed> {
        let process = self.process_number();
        let begun = std::mem::take(&mut locked(&self.servers).of(process).begun);
        let (now, later) = begun.into_iter().partition(|_| self.chance(per_mille));
        locked(&self.servers).of(process).begun = later;
        now
    }

    /// A process is over: it holds no place any more.
    pub(crate) fn gave_its_places_back(&self) {
        let process = self.process_number();
        let mut servers = locked(&self.servers);
        let before = servers.places.len();
        servers.places.retain(|place| place.process != process);
        let kept = before - servers.places.len();
        drop(servers);
        if kept > 0 {
            self.fault(format!("{kept} places in lanes are never given back"));
        }
    }

    /// Only what was committed may ever be sent.
    fn was_committed(&self, begun: &Claimed) {
        let delivery = self
            .store
            .read(|read| read.delivery(begun.owner, begun.event));
        let known = delivery.is_ok_and(|delivery| {
            delivery.is_some_and(|delivery| delivery.attempts >= begun.number)
        });
        if !known {
            self.fault(format!(
                "attempt {} of {} was begun and is not stored",
                begun.number, begun.event
            ));
        }
    }
}

/// Hints get lost: only places, which are promises, are heard of.
impl Signals for World {
    fn deliveries_due(&self, _owner: Owner) {}

    fn take_place(&self, owner: Owner) -> Option<ServerId> {
        if !self.chance(self.temper.room) {
            return None;
        }
        let process = self.process_number();
        locked(&self.servers).places.push(Place { process, owner });
        Some(self.server())
    }

    fn fill_place(&self, owner: Owner, begun: Option<Claimed>) {
        let process = self.process_number();
        let place = Place { process, owner };
        let mut servers = locked(&self.servers);
        match servers.places.iter().position(|taken| *taken == place) {
            Some(at) => drop(servers.places.swap_remove(at)),
            None => self.fault("a place in a lane is filled that nobody has".to_owned()),
        }
        drop(servers);
        let Some(begun) = begun else {
            return self.count("a place in a lane was given back");
        };
        self.was_committed(&begun);
        self.tell(|| format!("the first attempt of {} is begun", begun.event));
        self.count("a first attempt was begun");
        locked(&self.servers).of(process).begun.push(begun);
    }

    fn returns_due(&self) {}

    fn payouts_waiting(&self) {}
}
