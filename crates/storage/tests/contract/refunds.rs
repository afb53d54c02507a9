use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

use vintem_domain::account::Policy;
use vintem_domain::calendar::BankCalendar;
use vintem_domain::charge::{Charge, ChargeId, Outcome, receive};
use vintem_domain::error::Refusal;
use vintem_domain::id::Ulid;
use vintem_domain::idempotency::IdempotencyKey;
use vintem_domain::memory::doubles::{
    NoProvider, NoSignals, OpenCipher, OpenPasswords, StillClock,
};
use vintem_domain::payout::{Backlog, PayoutStatus, Phase, Step};
use vintem_domain::ports::{Ids, Store, Transact};
use vintem_domain::provider::{PixNotice, Providers};
use vintem_domain::refund::{self, NewRefund, Refund, RefundId};
use vintem_domain::text::Description;
use vintem_domain::{Centavos, Environment, Error, Owner, Ports, Time};

use crate::fixtures::{
    at, charge, digest, end_to_end_id, kept_account, kept_head, number, other_environment, owner,
    payer, refund_of, ulid,
};
use crate::scene::{Scene, promises};

promises!(
    a_refund_reads_back_as_it_was_written,
    a_refund_of_another_owner_is_not_there,
    saving_a_refund_changes_its_status_and_step_and_nothing_else,
    the_refunds_of_a_charge_come_in_the_order_of_their_ids,
    parts_refunded_at_the_same_time_never_exceed_what_was_received,
);
promises!(alone:
    refunds_fall_due_until_they_end,
    workers_at_the_same_time_take_each_due_refund_once,
    the_backlog_counts_the_refunds_under_way,
);

fn insert(store: &dyn Store, refund: &Refund) {
    store.transact(|tx| tx.insert_refund(refund)).unwrap();
}

fn read(store: &dyn Store, refund: &Refund) -> Option<Refund> {
    store
        .read(|read| read.refund(refund.owner, refund.id))
        .unwrap()
}

fn with_step(refund: Refund, phase: Phase, tries: i64, due_at: Time) -> Refund {
    let step = Step {
        phase,
        tries,
        due_at,
    };
    Refund { step, ..refund }
}

fn ended(refund: Refund, status: PayoutStatus) -> Refund {
    let refund = with_step(refund, Phase::Over, 3, at(9));
    Refund { status, ..refund }
}

fn paid(refund: Refund) -> Refund {
    let status = PayoutStatus::Paid {
        at: at(2_000),
        authentication: "D00000000202609211413abcdefghijk".to_owned(),
    };
    ended(refund, status)
}

fn failed(refund: Refund) -> Refund {
    let status = PayoutStatus::Failed {
        at: at(2_000),
        reason: "conta encerrada – ção".to_owned(),
    };
    ended(refund, status)
}

fn a_refund_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let mut refunds = vec![
        refund_of(owner),
        paid(refund_of(owner)),
        failed(refund_of(other_environment(owner))),
        Refund {
            reason: Description::parse("Troca nº 7'; DROP TABLE refunds 🎉").unwrap(),
            ..refund_of(owner)
        },
    ];
    for phase in [Phase::Unsent, Phase::Sending, Phase::Sent] {
        refunds.push(with_step(refund_of(owner), phase, 7, at(123)));
    }
    for refund in refunds {
        insert(store, &refund);
        assert_eq!(read(store, &refund).as_ref(), Some(&refund));
        let locked = store.transact(|tx| tx.refund_for_update(refund.owner, refund.id));
        assert_eq!(locked.unwrap().as_ref(), Some(&refund));
        let by_id = store.read(|read| read.refund_of_anyone(refund.id));
        assert_eq!(by_id.unwrap().as_ref(), Some(&refund));
        assert!(store.transact(|tx| tx.insert_refund(&refund)).is_err());
    }
    let unknown = store.read(|read| read.refund_of_anyone(RefundId(ulid())));
    assert_eq!(unknown.unwrap(), None);
}

fn a_refund_of_another_owner_is_not_there(scene: &Scene) {
    let store = scene.store();
    let refund = refund_of(owner());
    insert(store, &refund);
    for stranger in [owner(), other_environment(refund.owner)] {
        let stolen = Refund {
            owner: stranger,
            ..refund.clone()
        };
        assert_eq!(read(store, &stolen), None);
        let locked = store.transact(|tx| tx.refund_for_update(stranger, refund.id));
        assert_eq!(locked.unwrap(), None);
        let of_charge = store.read(|read| read.refunds(stranger, refund.charge));
        assert_eq!(of_charge.unwrap(), []);
        let stolen = paid(stolen);
        assert!(store.transact(|tx| tx.save_refund(&stolen)).is_err());
    }
    assert_eq!(read(store, &refund), Some(refund));
}

fn saving_a_refund_changes_its_status_and_step_and_nothing_else(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let other = with_step(refund_of(owner), Phase::Sent, 2, at(9_000));
    for after in [other, paid(refund_of(owner)), failed(refund_of(owner))] {
        let before = refund_of(owner);
        insert(store, &before);
        let saved = Refund {
            id: before.id,
            amount: Centavos::new(5),
            charge: ChargeId(ulid()),
            reason: Description::parse("other").unwrap(),
            ..after.clone()
        };
        store.transact(|tx| tx.save_refund(&saved)).unwrap();
        let expected = Refund {
            status: after.status,
            step: after.step,
            ..before
        };
        assert_eq!(read(store, &expected), Some(expected));
    }
}

fn the_refunds_of_a_charge_come_in_the_order_of_their_ids(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let charge = ChargeId(ulid());
    let mine: Vec<Refund> = (0..5)
        .map(|nth| Refund {
            charge: if nth % 2 == 0 {
                charge
            } else {
                ChargeId(ulid())
            },
            ..refund_of(owner)
        })
        .collect();
    for refund in mine.iter().rev() {
        insert(store, refund);
    }
    insert(store, &refund_of(other_environment(owner)));
    let of_charge = store.read(|read| read.refunds(owner, charge)).unwrap();
    assert_eq!(
        of_charge,
        [mine[0].clone(), mine[2].clone(), mine[4].clone()]
    );
}

fn refunds_fall_due_until_they_end(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let refunds: Vec<Refund> = [300, 100, 200, 900]
        .map(|due| with_step(refund_of(owner), Phase::Unsent, 0, at(due)))
        .into();
    for refund in &refunds {
        insert(store, refund);
    }
    let due = |limit| -> Vec<RefundId> {
        let due = store.transact(|tx| tx.due_refunds_for_update(at(300), limit));
        due.unwrap().into_iter().map(|refund| refund.id).collect()
    };
    assert_eq!(due(9), [refunds[1].id, refunds[2].id, refunds[0].id]);
    assert_eq!(due(2), [refunds[1].id, refunds[2].id]);
    let leased = with_step(refunds[2].clone(), Phase::Sending, 1, at(301));
    let paid = paid(refunds[1].clone());
    store
        .transact(|tx| {
            tx.save_refund(&leased)?;
            tx.save_refund(&paid)
        })
        .unwrap();
    assert_eq!(due(9), [refunds[0].id]);
}

fn workers_at_the_same_time_take_each_due_refund_once(scene: &Scene) {
    const WORKERS: usize = 6;
    let store = scene.store();
    let owner = owner();
    let mut refunds: Vec<RefundId> = Vec::new();
    for due in 0..40 {
        let refund = with_step(refund_of(owner), Phase::Unsent, 0, at(due));
        insert(store, &refund);
        refunds.push(refund.id);
    }
    let start = Barrier::new(WORKERS);
    let lease = || {
        store.transact(|tx| {
            let due = tx.due_refunds_for_update(at(100), 3)?;
            for refund in &due {
                let leased = with_step(refund.clone(), Phase::Sending, 1, at(60_000));
                tx.save_refund(&leased)?;
            }
            Ok(due.into_iter().map(|refund| refund.id).collect::<Vec<_>>())
        })
    };
    let mut taken: Vec<RefundId> = thread::scope(|scope| {
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
    assert_eq!(taken, refunds);
}

fn the_backlog_counts_the_refunds_under_way(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let backlog = || store.read(|read| read.refund_backlog(at(300))).unwrap();
    assert_eq!(backlog(), Backlog::default());
    let stuck = Backlog::STUCK_TRIES;
    for refund in [
        with_step(refund_of(owner), Phase::Sent, stuck, at(900)),
        with_step(refund_of(owner), Phase::Sent, stuck - 1, at(300)),
        with_step(refund_of(owner), Phase::Sending, stuck + 1, at(200)),
        paid(with_step(refund_of(owner), Phase::Sent, stuck, at(1))),
    ] {
        insert(store, &refund);
    }
    let expected = Backlog {
        pending: 3,
        due: 2,
        stuck: 2,
        oldest_due_at: Some(at(200)),
    };
    assert_eq!(backlog(), expected);
}

/// Identifiers nobody had before.
struct NewIds;

impl Ids for NewIds {
    fn ulid(&self) -> Ulid {
        ulid()
    }

    fn random(&self) -> [u8; 32] {
        digest()
    }
}

/// A charge of R$ 50,00 that was paid, of an owner with R$ 100,00 to spend.
fn paid_charge(ports: &Ports<'_>) -> Charge {
    let owner = Owner {
        account: kept_account(ports.store).id,
        environment: Environment::Live,
    };
    kept_head(ports.store, owner);
    let other = Charge {
        amount: Centavos::new(5_160),
        net_amount: Centavos::new(5_080),
        ..charge(owner)
    };
    let wanted = charge(owner);
    for charge in [&other, &wanted] {
        let notice = PixNotice {
            txid: charge.txid.clone(),
            payment_id: end_to_end_id(),
            amount: charge.amount,
            paid_at: at(60_000),
            payer: payer(),
        };
        let kept = ports.store.transact(|tx| tx.insert_charge(charge));
        kept.unwrap();
        let outcome = receive(ports, &notice).unwrap();
        assert_eq!(outcome, Outcome::Paid);
    }
    wanted
}

fn parts_refunded_at_the_same_time_never_exceed_what_was_received(scene: &Scene) {
    const CALLERS: usize = 30;
    let store = scene.store();
    let clock = StillClock::at(at(100_000));
    let calendar = BankCalendar::national();
    let providers = Providers {
        sandbox: &NoProvider,
        live: &NoProvider,
    };
    let ports = Ports {
        store,
        clock: &clock,
        ids: &NewIds,
        cipher: &OpenCipher,
        passwords: &OpenPasswords,
        providers,
        signals: &NoSignals,
        policy: &Policy::DEFAULT,
        calendar: &calendar,
    };
    let charge = paid_charge(&ports);
    let new = NewRefund {
        amount: Some(Centavos::new(700)),
        reason: None,
    };
    let round = number();
    let start = Barrier::new(CALLERS);
    let answers: Vec<(usize, Result<RefundId, Error>)> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                // Each key is used by two.
                let nth = caller / 2;
                let (start, ports, charge, new) = (&start, &ports, &charge, &new);
                scope.spawn(move || {
                    let key = IdempotencyKey::parse(&format!("{round} {nth}")).unwrap();
                    start.wait();
                    let made = refund::create(ports, charge.owner, charge.id, new, Some(&key));
                    (nth, made.map(|made| made.object.id))
                })
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    let mut made: BTreeMap<usize, Vec<RefundId>> = BTreeMap::new();
    for (nth, answer) in answers {
        match answer {
            Ok(id) => made.entry(nth).or_default().push(id),
            Err(Error::Refused(Refusal::AboveRefundable { left: 100 })) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(made.len(), 7, "{made:?}");
    for ids in made.values() {
        assert_eq!(ids.len(), 2, "a key is one refund");
        assert_eq!(ids[0], ids[1]);
    }
    let refunds = store
        .read(|read| read.refunds(charge.owner, charge.id))
        .unwrap();
    assert_eq!(refunds.len(), 7);
    let head = store.read(|read| read.head(charge.owner)).unwrap().unwrap();
    assert_eq!(head.available, Centavos::new(10_000 - 4_900));
    let report = vintem_domain::ledger::verify(&ports).unwrap();
    let mine = report
        .faults
        .iter()
        .filter(|fault| fault.owner == charge.owner);
    assert_eq!(mine.count(), 0);
}
