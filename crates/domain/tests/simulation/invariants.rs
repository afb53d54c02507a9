//! What must hold after every step, whatever happened: the invariants of docs/architecture.md, and the money of the
//! whole world.

mod charges;
mod events;
mod ledgers;
mod money;
mod payouts;
mod refunds;

use std::collections::BTreeMap;

use vintem_domain::account::{Environment, Owner};
use vintem_domain::charge::{Charge, ChargeId, Receipt, Return, ReturnState};
use vintem_domain::id::Ulid;
use vintem_domain::ledger::Head;
use vintem_domain::payout::{Payout, PayoutId, PayoutStatus};
use vintem_domain::ports::{Read, Transact};
use vintem_domain::refund::Refund;
use vintem_domain::transaction::{Page, TransactionKind};
use vintem_domain::{Centavos, Error};

use crate::actors::is_told;
use crate::world::{World, locked};

/// How far a check goes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All objects, and what was appended since the last check.
    News,
    /// Also every entry and event of the past again.
    Full,
}

/// What earlier checks saw.
#[derive(Default)]
pub(crate) struct Seen {
    charges: BTreeMap<Ulid, Charge>,
    payouts: BTreeMap<Ulid, Payout>,
    refunds: BTreeMap<Ulid, Refund>,
    returns: BTreeMap<Ulid, Return>,
    ledgers: BTreeMap<Owner, ledgers::Book>,
}

/// Everything that is stored for one owner.
pub(crate) struct Estate {
    owner: Owner,
    head: Head,
    charges: Vec<Charge>,
    receipts: BTreeMap<ChargeId, Vec<Receipt>>,
    returns: BTreeMap<ChargeId, Vec<Return>>,
    payouts: Vec<Payout>,
    refunds: Vec<Refund>,
}

impl Estate {
    fn read(read: &mut dyn Read, owner: Owner) -> Result<Self, Error> {
        let all = Page {
            before: None,
            limit: usize::MAX,
        };
        let mut estate = Self {
            owner,
            head: read
                .head(owner)?
                .ok_or(Error::Bug("a head is missing".into()))?,
            charges: Vec::new(),
            receipts: BTreeMap::new(),
            returns: BTreeMap::new(),
            payouts: Vec::new(),
            refunds: read
                .refunds_found(owner, None, usize::MAX)?
                .into_iter()
                .filter_map(|(_, found)| found.ok())
                .collect(),
        };
        for item in read.transactions(owner, all)? {
            match item.kind {
                TransactionKind::PixQrCode | TransactionKind::Boleto => {
                    let id = ChargeId(item.id);
                    estate.charges.extend(read.charge(owner, id)?);
                    estate.receipts.insert(id, read.receipts(owner, id)?);
                    estate.returns.insert(id, read.returns(owner, id)?);
                }
                TransactionKind::Withdraw | TransactionKind::BoletoPayment => {
                    estate
                        .payouts
                        .extend(read.payout(owner, PayoutId(item.id))?);
                }
            }
        }
        Ok(estate)
    }

    fn receipts(&self, charge: &Charge) -> &[Receipt] {
        self.receipts.get(&charge.id).map_or(&[], Vec::as_slice)
    }

    fn returns(&self, charge: &Charge) -> &[Return] {
        self.returns.get(&charge.id).map_or(&[], Vec::as_slice)
    }

    fn all_returns(&self) -> impl Iterator<Item = &Return> {
        self.returns.values().flatten()
    }
}

/// Checks everything; what is wrong becomes a fault of the world.
pub(crate) fn check(world: &World, depth: Depth) {
    let owners: Vec<Owner> = world.owners().collect();
    let estates = world.store.read_at_one_moment(|read| {
        let each = owners.iter().map(|owner| Estate::read(read, *owner));
        each.collect::<Result<Vec<_>, _>>()
    });
    let estates = match estates {
        Ok(estates) => estates,
        Err(error) => return world.fault(format!("the store cannot be read: {error}")),
    };
    let mut seen = locked(&world.seen);
    for estate in &estates {
        charges::check(world, &mut seen, estate);
        payouts::check(world, &mut seen, estate);
        refunds::check(world, &mut seen, estate);
        let book = seen.ledgers.entry(estate.owner).or_default();
        ledgers::check(world, book, estate, depth);
        events::check(world, book, estate);
    }
    drop(seen);
    if depth == Depth::Full {
        ledgers::verify(world);
    }
    acknowledged_is_kept(world, &estates);
    nothing_is_known_to_the_bank_alone(world, &estates);
    money::check(world, &estates);
}

/// What was acknowledged is there for ever.
fn acknowledged_is_kept(world: &World, estates: &[Estate]) {
    for (owner, id) in &locked(&world.memory).acknowledged {
        let estate = estates.iter().find(|estate| estate.owner == *owner);
        let is_there = estate.is_some_and(|estate| {
            estate.charges.iter().any(|charge| charge.id.0 == *id)
                || estate.payouts.iter().any(|payout| payout.id.0 == *id)
                || estate.refunds.iter().any(|refund| refund.id.0 == *id)
        });
        if !is_there {
            world.fault(format!("{id} was acknowledged and is gone"));
        }
    }
}

/// The bank never sends or gives back what we know nothing of.
fn nothing_is_known_to_the_bank_alone(world: &World, estates: &[Estate]) {
    let bank = locked(&world.bank);
    for (id, sent) in &bank.sent {
        let known = |estate: &Estate| estate.payouts.iter().any(|payout| payout.id == *id);
        if !estates.iter().any(known) {
            world.fault(format!(
                "the bank sent {} for {id:?}, which is not there",
                sent.amount
            ));
        }
    }
    for (id, sent) in &bank.refunds {
        let known = |estate: &Estate| {
            let same = |refund: &Refund| refund.id == *id && refund.amount.get() == sent.amount;
            estate.refunds.iter().any(same)
        };
        if !estates.iter().any(known) {
            world.fault(format!("the bank refunded {id}, which is not there"));
        }
    }
    for (name, back) in &bank.given_back {
        let known = |estate: &Estate| {
            estate.all_returns().any(|returned| {
                charges::name_at_the_bank(returned) == *name
                    && returned.end_to_end_id == back.payment
                    && returned.amount.get() == back.amount
            })
        };
        if !estates.iter().any(known) {
            world.fault(format!(
                "the bank gave {} of {} back unasked",
                back.amount, back.payment
            ));
        }
    }
}

/// What must hold when everything had its time: nothing is under way any more.
pub(crate) fn check_rest(world: &World) {
    let owners: Vec<Owner> = world.owners().collect();
    for owner in owners {
        let estate = world
            .store
            .read_at_one_moment(|read| Estate::read(read, owner));
        let Ok(estate) = estate else {
            world.fault("the store cannot be read".to_owned());
            continue;
        };
        for payout in &estate.payouts {
            if payout.status == PayoutStatus::Pending {
                world.fault(format!("{} is PENDING for ever", payout.public_id()));
            }
        }
        for refund in &estate.refunds {
            if refund.status == PayoutStatus::Pending {
                world.fault(format!("{} is PENDING for ever", refund.id));
            }
        }
        for returned in estate.all_returns() {
            if returned.state == ReturnState::Open {
                world.fault(format!("{} never goes back", returned.end_to_end_id));
            }
        }
        events::check_rest(world, owner);
    }
    let untold: Vec<_> = locked(&world.bank)
        .paid
        .iter()
        .filter(|paid| paid.owner.environment == Environment::Live)
        .map(|paid| paid.notice.payment_id.clone())
        .filter(|payment| !is_told(world, payment))
        .collect();
    for payment in untold {
        world.fault(format!("{payment} was told and is not known"));
    }
}

/// Sums without a float, without a wrap.
fn sum(amounts: impl Iterator<Item = Centavos>) -> i64 {
    amounts.map(Centavos::get).sum()
}
