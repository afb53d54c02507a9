//! The list of everything an account made.

use vintem_domain::account::Origin;
use vintem_domain::charge::{Charge, FailedBy, Failure, Status, StatusName};
use vintem_domain::id::Ulid;
use vintem_domain::payout::Payout;
use vintem_domain::ports::{Store, Transact};
use vintem_domain::transaction::{Page, Transaction, TransactionKind};
use vintem_domain::{Owner, Time};

use crate::fixtures::{
    at, bill_payment, boleto, charge, failed, other_environment, owner, payment, settled, slip,
    withdrawal,
};
use crate::scene::{Scene, promises};

promises!(
    a_list_holds_every_kind_newest_first,
    a_list_continues_where_a_page_ended,
    a_list_shows_what_was_made_through_the_api_or_the_agent_endpoint,
    a_list_knows_what_became_of_a_charge,
    a_list_knows_what_became_of_a_payout,
);

fn insert_charge(store: &dyn Store, charge: &Charge) {
    store.transact(|tx| tx.insert_charge(charge)).unwrap();
}

fn insert_payout(store: &dyn Store, payout: &Payout) {
    store.transact(|tx| tx.insert_payout(payout)).unwrap();
}

fn page(store: &dyn Store, owner: Owner, before: Option<Ulid>, limit: usize) -> Vec<Transaction> {
    let page = Page { before, limit };
    store.read(|read| read.transactions(owner, page)).unwrap()
}

/// Two of each kind, in turn, of which the store hears out of order.
fn kept_mix(store: &dyn Store, owner: Owner) -> Vec<(Ulid, TransactionKind)> {
    let mut all = Vec::new();
    let (mut charges, mut payouts) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let withdrawal = withdrawal(owner);
        let pix = charge(owner);
        let bill = bill_payment(owner);
        let boleto = boleto(owner, slip());
        all.extend([
            (withdrawal.id.0, TransactionKind::Withdraw),
            (pix.id.0, TransactionKind::PixQrCode),
            (bill.id.0, TransactionKind::BoletoPayment),
            (boleto.id.0, TransactionKind::Boleto),
        ]);
        charges.extend([boleto, pix]);
        payouts.extend([bill, withdrawal]);
    }
    for charge in charges.iter().rev() {
        insert_charge(store, charge);
    }
    for payout in &payouts {
        insert_payout(store, payout);
    }
    // The order is that of the ids.
    all.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    all
}

fn a_list_holds_every_kind_newest_first(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let expected = kept_mix(store, owner);
    let kinds = |owner, limit| -> Vec<_> {
        page(store, owner, None, limit)
            .into_iter()
            .map(|item| (item.id, item.kind))
            .collect()
    };
    assert_eq!(kinds(owner, 100), expected);
    assert_eq!(kinds(owner, 5), expected[..5]);
    assert_eq!(kinds(other_environment(owner), 100), []);
}

fn a_list_continues_where_a_page_ended(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let expected: Vec<_> = kept_mix(store, owner)
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    for limit in 1..=9 {
        let mut seen: Vec<Ulid> = Vec::new();
        loop {
            let items = page(store, owner, seen.last().copied(), limit);
            assert!(items.len() <= limit);
            if items.is_empty() {
                break;
            }
            seen.extend(items.into_iter().map(|item| item.id));
        }
        assert_eq!(seen, expected, "{limit} at a time");
    }
}

fn a_list_shows_what_was_made_through_the_api_or_the_agent_endpoint(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let mut shown = Vec::new();
    for origin in [Origin::Api, Origin::Page, Origin::Agent, Origin::Dashboard] {
        let charge = Charge {
            origin,
            ..charge(owner)
        };
        let payout = Payout {
            origin,
            ..withdrawal(owner)
        };
        insert_charge(store, &charge);
        insert_payout(store, &payout);
        if matches!(origin, Origin::Api | Origin::Agent) {
            shown.extend([charge.id.0, payout.id.0]);
        }
    }
    let items = page(store, owner, None, 100);
    let mut ids: Vec<_> = items.iter().map(|item| item.id).collect();
    ids.reverse();
    assert_eq!(ids, shown);
}

/// The line of what was made last.
fn newest(store: &dyn Store, owner: Owner) -> Transaction {
    page(store, owner, None, 1).remove(0)
}

fn a_list_knows_what_became_of_a_charge(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let payment = payment();
    let failure = Failure {
        failed_at: at(70_000),
        by: FailedBy::Merchant,
        reason: "cancelada".to_owned(),
    };
    let statuses = [
        (Status::Pending, StatusName::Pending, None),
        (
            Status::Paid(payment.clone()),
            StatusName::Paid,
            Some(payment.paid_at),
        ),
        (Status::Failed(failure), StatusName::Failed, None),
    ];
    for (status, name, paid_at) in statuses {
        let charge = Charge {
            status,
            ..charge(owner)
        };
        insert_charge(store, &charge);
        let expected = Transaction {
            id: charge.id.0,
            kind: TransactionKind::PixQrCode,
            status: name,
            amount: charge.amount,
            paid_at,
            expires_at: Some(charge.expires_at),
        };
        assert_eq!(newest(store, owner), expected);
    }
}

fn a_list_knows_what_became_of_a_payout(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let never: Option<Time> = None;
    let payouts = [
        (withdrawal(owner), StatusName::Pending, never),
        (
            settled(withdrawal(owner)),
            StatusName::Paid,
            Some(at(2_000)),
        ),
        (failed(withdrawal(owner)), StatusName::Failed, never),
    ];
    for (payout, status, paid_at) in payouts {
        insert_payout(store, &payout);
        let expected = Transaction {
            id: payout.id.0,
            kind: TransactionKind::Withdraw,
            status,
            amount: payout.amount,
            paid_at,
            expires_at: None,
        };
        assert_eq!(newest(store, owner), expected);
    }
}
