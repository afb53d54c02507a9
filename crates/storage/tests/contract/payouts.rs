use std::sync::Barrier;
use std::thread;

use vintem_domain::account::Origin;
use vintem_domain::document::Document;
use vintem_domain::error::Refusal;
use vintem_domain::ledger::{EntryId, EntryKind, LedgerAccount, Movement, PostingSet};
use vintem_domain::payout::{Backlog, Payout, PayoutId, Phase, Purpose, Step, Withdrawal};
use vintem_domain::ports::{Store, Transact};
use vintem_domain::provider::KeyOwner;
use vintem_domain::text::Description;
use vintem_domain::{Centavos, Error, Owner, Time};

use crate::fixtures::{
    at, bill_payment, failed, kept_head, movement, name, other_environment, owner, settled, ulid,
    withdrawal,
};
use crate::scene::{Scene, promises};

promises!(
    a_payout_reads_back_as_it_was_written,
    a_payout_of_another_owner_is_not_there,
    saving_a_payout_changes_its_status_and_step_and_nothing_else,
    withdrawals_of_a_day_are_counted_unless_they_failed,
    the_same_withdrawal_is_found_unless_it_failed_or_is_older,
    of_debits_at_the_same_time_as_many_succeed_as_there_is_money,
);
promises!(alone:
    payouts_fall_due_until_they_end,
    workers_at_the_same_time_take_each_due_payout_once,
    the_backlog_counts_what_is_under_way,
);

fn insert(store: &dyn Store, payout: &Payout) {
    store.transact(|tx| tx.insert_payout(payout)).unwrap();
}

fn read(store: &dyn Store, payout: &Payout) -> Option<Payout> {
    store
        .read(|read| read.payout(payout.owner, payout.id))
        .unwrap()
}

fn to(key: &str, kind: &'static str) -> Purpose {
    Purpose::Withdrawal(Withdrawal {
        pix_key: key.to_owned(),
        pix_key_kind: kind,
        beneficiary_name: Some(name("Zé; DROP TABLE payouts")),
        description: Description::parse("Repasse nº 7\tção 🎉").unwrap(),
        payee: KeyOwner {
            document: Document::parse("12ABC34501DE35").unwrap(),
            name: Some("Zé's Comércio".to_owned()),
        },
    })
}

fn a_payout_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let keys = [
        ("52998224725", "CPF"),
        ("12ABC34501DE35", "CNPJ"),
        ("+5511912345678", "PHONE"),
        ("ana@example.com", "EMAIL"),
        ("123e4567-e89b-12d3-a456-426655440000", "EVP"),
    ];
    let mut payouts = vec![
        withdrawal(owner),
        bill_payment(other_environment(owner)),
        settled(withdrawal(owner)),
        settled(bill_payment(owner)),
        failed(withdrawal(owner)),
        failed(bill_payment(owner)),
    ];
    for (key, kind) in keys {
        payouts.push(Payout {
            purpose: to(key, kind),
            origin: Origin::Agent,
            ..withdrawal(owner)
        });
    }
    for phase in [Phase::Unsent, Phase::Sending, Phase::Sent] {
        payouts.push(with_step(bill_payment(owner), phase, 7, at(123)));
    }
    for payout in payouts {
        insert(store, &payout);
        assert_eq!(read(store, &payout).as_ref(), Some(&payout));
        let locked = store.transact(|tx| tx.payout_for_update(payout.owner, payout.id));
        assert_eq!(locked.unwrap().as_ref(), Some(&payout));
        let by_id = store.read(|read| read.payout_of_anyone(payout.id));
        assert_eq!(by_id.unwrap().as_ref(), Some(&payout));
        assert!(store.transact(|tx| tx.insert_payout(&payout)).is_err());
    }
    let unknown = store.read(|read| read.payout_of_anyone(PayoutId(ulid())));
    assert_eq!(unknown.unwrap(), None);
}

fn with_step(payout: Payout, phase: Phase, tries: i64, due_at: Time) -> Payout {
    Payout {
        step: Step {
            phase,
            tries,
            due_at,
        },
        ..payout
    }
}

fn a_payout_of_another_owner_is_not_there(scene: &Scene) {
    let store = scene.store();
    let payout = withdrawal(owner());
    insert(store, &payout);
    for stranger in [owner(), other_environment(payout.owner)] {
        let stolen = Payout {
            owner: stranger,
            ..payout.clone()
        };
        assert_eq!(read(store, &stolen), None);
        let locked = store.transact(|tx| tx.payout_for_update(stranger, payout.id));
        assert_eq!(locked.unwrap(), None);
        let stolen = settled(stolen);
        assert!(store.transact(|tx| tx.save_payout(&stolen)).is_err());
    }
    assert_eq!(read(store, &payout), Some(payout));
}

fn saving_a_payout_changes_its_status_and_step_and_nothing_else(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    for before in [withdrawal(owner), bill_payment(owner)] {
        let other = with_step(before.clone(), Phase::Sent, 2, at(9_000));
        for after in [other, settled(before.clone()), failed(before.clone())] {
            let before = Payout {
                id: PayoutId(ulid()),
                ..before.clone()
            };
            insert(store, &before);
            let saved = Payout {
                id: before.id,
                amount: Centavos::new(5),
                purpose: to("ze@example.com", "EMAIL"),
                ..after.clone()
            };
            store.transact(|tx| tx.save_payout(&saved)).unwrap();
            let expected = Payout {
                status: after.status,
                step: after.step,
                ..before
            };
            assert_eq!(read(store, &expected), Some(expected));
        }
    }
}

fn withdrawals_of_a_day_are_counted_unless_they_failed(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let made = |millis, amount, payout: Payout| Payout {
        created_at: at(millis),
        amount: Centavos::new(amount),
        ..payout
    };
    let withdrawn = || {
        store
            .read(|read| read.withdrawn(owner, at(1_000), at(2_000)))
            .unwrap()
    };
    assert_eq!(withdrawn(), Centavos::ZERO);
    for payout in [
        made(999, 1_000_000, withdrawal(owner)),
        made(1_000, 1_000, withdrawal(owner)),
        made(1_500, 20_000, settled(withdrawal(owner))),
        made(1_600, 2_000_000, failed(withdrawal(owner))),
        made(1_700, 3_000_000, bill_payment(owner)),
        made(1_999, 300_000, withdrawal(owner)),
        made(2_000, 4_000_000, withdrawal(owner)),
        made(1_500, 5_000_000, withdrawal(other_environment(owner))),
    ] {
        insert(store, &payout);
    }
    assert_eq!(withdrawn(), Centavos::new(321_000));
}

fn the_same_withdrawal_is_found_unless_it_failed_or_is_older(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let made = |millis, payout: Payout| Payout {
        created_at: at(millis),
        ..payout
    };
    let twin = |since| {
        let amount = Centavos::new(1_000);
        store
            .read(|read| read.same_withdrawal(owner, "ana@example.com", amount, since))
            .unwrap()
    };
    assert_eq!(twin(at(0)), None);
    let first = made(100, withdrawal(owner));
    let latest = made(200, settled(withdrawal(owner)));
    let others = [
        made(300, failed(withdrawal(owner))),
        made(300, bill_payment(owner)),
        made(300, withdrawal(other_environment(owner))),
        Payout {
            amount: Centavos::new(1_001),
            ..made(300, withdrawal(owner))
        },
        Payout {
            purpose: to("ze@example.com", "EMAIL"),
            ..made(300, withdrawal(owner))
        },
    ];
    for payout in others.iter().chain([&first]) {
        insert(store, payout);
    }
    assert_eq!(twin(at(100)), Some(first.id));
    assert_eq!(twin(at(101)), None);
    insert(store, &latest);
    assert_eq!(twin(at(0)), Some(latest.id));
}

fn payouts_fall_due_until_they_end(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let payouts: Vec<Payout> = [300, 100, 200, 900]
        .map(|due| with_step(withdrawal(owner), Phase::Unsent, 0, at(due)))
        .into();
    for payout in &payouts {
        insert(store, payout);
    }
    let due = |limit| -> Vec<PayoutId> {
        let due = store.transact(|tx| tx.due_payouts_for_update(at(300), limit));
        due.unwrap().into_iter().map(|payout| payout.id).collect()
    };
    assert_eq!(due(9), [payouts[1].id, payouts[2].id, payouts[0].id]);
    assert_eq!(due(2), [payouts[1].id, payouts[2].id]);
    let leased = with_step(payouts[2].clone(), Phase::Sending, 1, at(301));
    let settled = settled(payouts[1].clone());
    store
        .transact(|tx| {
            tx.save_payout(&leased)?;
            tx.save_payout(&settled)
        })
        .unwrap();
    assert_eq!(due(9), [payouts[0].id]);
}

fn workers_at_the_same_time_take_each_due_payout_once(scene: &Scene) {
    const WORKERS: usize = 6;
    let store = scene.store();
    let owner = owner();
    let mut payouts: Vec<PayoutId> = Vec::new();
    for due in 0..40 {
        let payout = with_step(bill_payment(owner), Phase::Unsent, 0, at(due));
        insert(store, &payout);
        payouts.push(payout.id);
    }
    let start = Barrier::new(WORKERS);
    let lease = || {
        store.transact(|tx| {
            let due = tx.due_payouts_for_update(at(100), 3)?;
            for payout in &due {
                let leased = with_step(payout.clone(), Phase::Sending, 1, at(60_000));
                tx.save_payout(&leased)?;
            }
            Ok(due.into_iter().map(|payout| payout.id).collect::<Vec<_>>())
        })
    };
    let mut taken: Vec<PayoutId> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    let mut mine = Vec::new();
                    loop {
                        let more = lease().unwrap();
                        if more.is_empty() {
                            break mine;
                        }
                        mine.extend(more);
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    // What another worker had locked when the last one looked is left: nothing, once all are back.
    taken.extend(lease().unwrap());
    taken.sort_unstable();
    payouts.sort_unstable();
    assert_eq!(taken, payouts);
}

fn the_backlog_counts_what_is_under_way(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let backlog = || store.read(|read| read.payout_backlog(at(300))).unwrap();
    assert_eq!(backlog(), Backlog::default());
    let stuck = Backlog::STUCK_TRIES;
    for payout in [
        with_step(withdrawal(owner), Phase::Sent, stuck, at(900)),
        with_step(withdrawal(owner), Phase::Sent, stuck - 1, at(300)),
        with_step(bill_payment(owner), Phase::Sending, stuck + 1, at(200)),
        settled(with_step(withdrawal(owner), Phase::Sent, stuck, at(1))),
    ] {
        insert(store, &payout);
    }
    let expected = Backlog {
        pending: 3,
        due: 2,
        stuck: 2,
        oldest_due_at: Some(at(200)),
    };
    assert_eq!(backlog(), expected);
}

/// What a withdrawal does to the ledger.
fn debit(payout: &Payout) -> Movement {
    let postings = PostingSet::balanced(&[
        (LedgerAccount::Available, Centavos::new(-1_000)),
        (LedgerAccount::Outgoing, payout.net_amount),
        (LedgerAccount::Fees, payout.fee),
    ]);
    Movement {
        id: EntryId(ulid()),
        kind: EntryKind::PayoutDebited,
        reference: payout.id.0,
        postings: postings.unwrap(),
        at: at(7),
    }
}

fn of_debits_at_the_same_time_as_many_succeed_as_there_is_money(scene: &Scene) {
    const CALLERS: usize = 50;
    let store = scene.store();
    let owner = owner();
    kept_head(store, owner);
    let withdraw = |payout: &Payout| {
        let movement = debit(payout);
        store.transact(|tx| {
            tx.insert_payout(payout)?;
            let mut head = tx.head_for_update(owner)?.unwrap();
            tx.insert_entry(&head.post(movement)?)?;
            tx.save_head(&head)
        })
    };
    fund(store, owner, 10_999);
    let start = Barrier::new(CALLERS);
    let (done, refused): (Vec<_>, Vec<_>) = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                scope.spawn(|| {
                    let payout = withdrawal(owner);
                    start.wait();
                    (withdraw(&payout), payout)
                })
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .partition(|(answer, _)| answer.is_ok())
    });
    assert_eq!((done.len(), refused.len()), (10, 40));
    for (answer, payout) in refused {
        let short = Err(Error::Refused(Refusal::InsufficientBalance));
        assert_eq!(
            format!("{answer:?}"),
            format!("{:?}", short as Result<(), _>)
        );
        assert_eq!(read(store, &payout), None);
    }
    for (_, payout) in done {
        assert_eq!(read(store, &payout), Some(payout));
    }
    let head = store.read(|read| read.head(owner)).unwrap().unwrap();
    assert_eq!(head.available, Centavos::new(999));
    assert_eq!(head.ledger_sequence, 11);
}

fn fund(store: &dyn Store, owner: Owner, available: i64) {
    let movement = movement(available, ulid());
    store
        .transact(|tx| {
            let mut head = tx.head_for_update(owner)?.unwrap();
            tx.insert_entry(&head.post(movement)?)?;
            tx.save_head(&head)
        })
        .unwrap();
}
