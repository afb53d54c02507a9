//! The money of the whole world, counted from outside and from inside.

use vintem_domain::account::{Environment, Owner};
use vintem_domain::charge::ReturnState;
use vintem_domain::ledger::LedgerAccount;
use vintem_domain::payout::PayoutStatus;

use super::{Estate, Seen, charges};
use crate::actors::is_told;
use crate::bank::Bank;
use crate::narration::reais;
use crate::world::{World, locked};

/// Real money, in centavos.
#[derive(Default)]
struct Money {
    /// What payers sent.
    paid: i64,
    /// What of it nobody told us of yet.
    untold: i64,
    /// What merchants can spend, what fees took, what is owed to payers, what is on its way out.
    available: i64,
    fees: i64,
    owed: i64,
    outgoing: i64,
    /// What left the bank for payees, and what of it is not recorded yet.
    out: i64,
    out_unrecorded: i64,
    /// What went back to payers, and what of it is not recorded yet.
    back: i64,
    back_unrecorded: i64,
}

fn is_live(owner: Owner) -> bool {
    owner.environment == Environment::Live
}

impl Money {
    /// What the bank knows.
    fn outside(&mut self, world: &World, bank: &Bank) {
        for paid in bank.paid.iter().filter(|paid| is_live(paid.owner)) {
            let amount = paid.notice.amount.get();
            self.paid += amount;
            if !is_told(world, &paid.notice.payment_id) {
                self.untold += amount;
            }
        }
        let gone = |sent: &&crate::bank::Outgoing| is_live(sent.owner) && sent.arrives;
        self.out += bank
            .sent
            .values()
            .filter(gone)
            .map(|sent| sent.amount)
            .sum::<i64>();
        self.back += bank
            .refunds
            .values()
            .filter(gone)
            .map(|sent| sent.amount)
            .sum::<i64>();
        let given_back = bank.given_back.values().filter(|back| is_live(back.owner));
        self.back += given_back.map(|back| back.amount).sum::<i64>();
    }

    /// What one merchant's books say.
    fn inside(&mut self, seen: &Seen, bank: &Bank, estate: &Estate) {
        let book = &seen.ledgers[&estate.owner];
        self.available += book.on(LedgerAccount::Available);
        self.fees += book.on(LedgerAccount::Fees);
        self.owed += book.on(LedgerAccount::Returns);
        self.outgoing += book.on(LedgerAccount::Outgoing);
        for payout in &estate.payouts {
            let sent = bank.sent.get(&payout.id).filter(|sent| sent.arrives);
            if payout.status == PayoutStatus::Pending {
                self.out_unrecorded += sent.map_or(0, |sent| sent.amount);
            }
        }
        for refund in &estate.refunds {
            let sent = bank.refunds.get(&refund.id).filter(|sent| sent.arrives);
            if refund.status == PayoutStatus::Pending {
                self.back_unrecorded += sent.map_or(0, |sent| sent.amount);
            }
        }
        for returned in estate.all_returns() {
            let done = bank.given_back.get(&charges::name_at_the_bank(returned));
            if returned.state == ReturnState::Open {
                self.back_unrecorded += done.map_or(0, |done| done.amount);
            }
        }
    }

    /// What payers sent = what merchants have + fees + what is owed to payers + what is on its way out + what went out
    /// and back; what is not told or not recorded yet is in one of these by its name.
    fn adds_up(&self) -> bool {
        let inside = self.available + self.fees + self.owed + self.outgoing;
        let gone = self.out - self.out_unrecorded + self.back - self.back_unrecorded;
        self.paid == self.untold + inside + gone
    }

    fn words(&self) -> String {
        format!(
            "payers sent {}, of which {} are not told yet; merchants have {}, fees took {}, {} are owed to payers, {} are \
             on their way out; {} went out ({} of it not recorded yet), {} went back ({} of it not recorded yet)",
            reais(self.paid),
            reais(self.untold),
            reais(self.available),
            reais(self.fees),
            reais(self.owed),
            reais(self.outgoing),
            reais(self.out),
            reais(self.out_unrecorded),
            reais(self.back),
            reais(self.back_unrecorded),
        )
    }
}

/// The money of the whole world adds up.
pub(super) fn check(world: &World, estates: &[Estate]) {
    let seen = locked(&world.seen);
    let bank = locked(&world.bank);
    let mut money = Money::default();
    money.outside(world, &bank);
    for estate in estates.iter().filter(|estate| is_live(estate.owner)) {
        money.inside(&seen, &bank, estate);
    }
    if !money.adds_up() {
        world.fault(format!(
            "the money of the world does not add up: {}",
            money.words()
        ));
    }
}
