//! Ledgers: every entry balanced and sealed, and what they say equal to what the objects say.

use std::collections::{BTreeMap, BTreeSet};

use vintem_domain::account::{Environment, PLAY_MONEY};
use vintem_domain::charge::{ReturnState, Status};
use vintem_domain::event::Event;
use vintem_domain::id::Ulid;
use vintem_domain::ledger::{self, Entry, EntryKind, FIRST_HASH, LedgerAccount};
use vintem_domain::payout::PayoutStatus;
use vintem_domain::ports::Transact;

use super::{Depth, Estate, payouts};
use crate::world::World;

/// What an owner's ledger and events were when they were last checked.
#[derive(Default)]
pub(crate) struct Book {
    entries: Vec<Entry>,
    /// Charges, payouts and returns are booked once for each kind of entry.
    columns: BTreeMap<&'static str, i64>,
    booked: BTreeSet<(Ulid, &'static str)>,
    pub(super) events: Vec<Event>,
    /// Whether a webhook endpoint was set.
    pub(super) had_endpoint: bool,
    /// What was told of each object.
    pub(super) told: BTreeMap<Ulid, Vec<(&'static str, String)>>,
}

impl Book {
    /// What all entries together post to an account.
    pub(super) fn on(&self, account: LedgerAccount) -> i64 {
        self.columns.get(account.as_str()).copied().unwrap_or(0)
    }
}

pub(super) fn check(world: &World, book: &mut Book, estate: &Estate, depth: Depth) {
    if depth == Depth::Full {
        past_is_unchanged(world, book, estate);
    }
    new_entries(world, book, estate);
    let head = &estate.head;
    let last = book.entries.last();
    let hash = last.map_or(FIRST_HASH, |entry| entry.hash);
    let sequence = last.map_or(0, |entry| entry.sequence);
    let available = book.on(LedgerAccount::Available);
    let agrees = head.ledger_hash == hash
        && head.ledger_sequence == sequence
        && head.balance.get() == available
        && head.available.get() == available;
    let name = world.name(estate.owner);
    if !agrees {
        world.fault(format!(
            "{name}: the head {head:?} is not what {sequence} entries make"
        ));
    }
    if head.available.get() < 0 {
        world.fault(format!("{name}: available is {}", head.available));
    }
    let expected = expected(estate);
    for account in LedgerAccount::ALL {
        let should = expected.get(account.as_str()).copied().unwrap_or(0);
        if book.on(account) != should {
            let is = book.on(account);
            world.fault(format!(
                "{name}: the ledger has {is} on {}, charges and payouts make {should}",
                account.as_str()
            ));
        }
    }
}

fn new_entries(world: &World, book: &mut Book, estate: &Estate) {
    let after = book.entries.last().map_or(0, |entry| entry.sequence);
    let entries = world
        .store
        .read(|read| read.entries(estate.owner, after, usize::MAX));
    for entry in entries.unwrap_or_default() {
        let (place, previous) = book
            .entries
            .last()
            .map_or((1, FIRST_HASH), |last| (last.sequence + 1, last.hash));
        if entry.sequence != place || entry.hash != entry.seal(&previous) {
            world.fault(format!(
                "entry {} has sequence {} for {place}, or a wrong seal",
                entry.id, entry.sequence
            ));
        }
        let mut sum = 0;
        for account in LedgerAccount::ALL {
            let posted = entry.postings.on(account).get();
            sum += posted;
            *book.columns.entry(account.as_str()).or_default() += posted;
        }
        if sum != 0 {
            world.fault(format!("entry {} sums to {sum}", entry.id));
        }
        let may_repeat = matches!(
            entry.kind,
            EntryKind::PaymentHeld | EntryKind::PaymentReturned
        );
        if !may_repeat && !book.booked.insert((entry.reference, entry.kind.as_str())) {
            world.fault(format!(
                "{} of {} is booked twice",
                entry.kind.as_str(),
                entry.reference
            ));
        }
        book.entries.push(entry);
    }
}

/// Append-only: no entry that was seen is another one now. And the product's own proof agrees.
fn past_is_unchanged(world: &World, book: &Book, estate: &Estate) {
    let entries = world
        .store
        .read(|read| read.entries(estate.owner, 0, book.entries.len()));
    if entries.unwrap_or_default() != book.entries {
        world.fault(format!(
            "{}: past entries changed",
            world.name(estate.owner)
        ));
    }
    let events = world
        .store
        .read(|read| read.events(estate.owner, 0, book.events.len()));
    if events.unwrap_or_default() != book.events {
        world.fault(format!("{}: past events changed", world.name(estate.owner)));
    }
}

/// The product's own proof, `vintem ledger verify`, finds nothing.
pub(super) fn verify(world: &World) {
    let mut ports = world.ports();
    ports.store = &world.store;
    match ledger::verify(&ports) {
        Ok(report) => {
            for fault in report.faults {
                world.fault(format!("ledger verify: {fault}"));
            }
        }
        Err(error) => world.fault(format!("ledger verify: {error}")),
    }
}

type Columns = BTreeMap<&'static str, i64>;

/// What the objects say that the ledger must hold.
fn expected(estate: &Estate) -> Columns {
    let mut columns = Columns::new();
    let mut post = |account: LedgerAccount, amount: i64| {
        *columns.entry(account.as_str()).or_default() += amount;
    };
    let live = estate.owner.environment == Environment::Live;
    if live {
        for charge in &estate.charges {
            if let Status::Paid(_) = charge.status {
                post(LedgerAccount::Clearing, -charge.amount.get());
                post(LedgerAccount::Available, charge.net_amount.get());
                post(
                    LedgerAccount::Fees,
                    charge.amount.get() - charge.net_amount.get(),
                );
            }
        }
        for returned in estate.all_returns() {
            if !matches!(returned.state, ReturnState::Done { .. }) {
                post(LedgerAccount::Clearing, -returned.amount.get());
                post(LedgerAccount::Returns, returned.amount.get());
            }
        }
    } else {
        post(LedgerAccount::PlayMoney, -PLAY_MONEY.get());
        post(LedgerAccount::Available, PLAY_MONEY.get());
    }
    let outside = if live {
        LedgerAccount::Clearing
    } else {
        LedgerAccount::PlayMoney
    };
    for payout in estate
        .payouts
        .iter()
        .filter(|payout| !payouts::is_simulated(payout))
    {
        let (net, fee) = (payout.net_amount.get(), payout.fee.get());
        let place = match payout.status {
            PayoutStatus::Pending => LedgerAccount::Outgoing,
            PayoutStatus::Paid { .. } => outside,
            PayoutStatus::Failed { .. } => continue,
        };
        post(LedgerAccount::Available, -net - fee);
        post(place, net);
        post(LedgerAccount::Fees, fee);
    }
    for refund in estate
        .refunds
        .iter()
        .filter(|refund| live && refund.counts())
    {
        let amount = refund.amount.get();
        let is_paid = matches!(refund.status, PayoutStatus::Paid { .. });
        let place = if is_paid {
            LedgerAccount::Clearing
        } else {
            LedgerAccount::Outgoing
        };
        post(LedgerAccount::Available, -amount);
        post(place, amount);
    }
    columns
}
