use std::thread;

use vintem_domain::charge::{Receipt, Return, ReturnKey, ReturnReason, ReturnState};
use vintem_domain::idempotency::{Attempt, IdempotencyKey, Record, Route};
use vintem_domain::ports::Transact;
use vintem_domain::{Centavos, Owner};

use crate::fixtures::{
    at, charge, digest, end_to_end_id, number, other_environment, owner, receipt, returned, ulid,
};
use crate::scene::{Scene, promises};

promises!(
    a_notice_counts_once_and_reads_back_as_it_was_written,
    notices_about_a_charge_come_in_the_order_they_came,
    a_return_reads_back_as_it_was_saved,
    an_idempotency_key_remembers_the_first_request,
    of_racing_requests_with_one_key_one_makes_an_object,
);
promises!(alone: returns_fall_due_until_they_are_done);

fn a_notice_counts_once_and_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let charge = charge(owner());
    let first = receipt(&charge);
    let other = Receipt {
        end_to_end_id: first.end_to_end_id.clone(),
        amount: Centavos::new(1),
        returned: Some(ReturnReason::WrongAmount),
        ..receipt(&charge)
    };
    assert!(store.transact(|tx| tx.insert_receipt(&first)).unwrap());
    assert!(!store.transact(|tx| tx.insert_receipt(&other)).unwrap());
    let read = store.read(|read| read.receipt(&first.end_to_end_id));
    assert_eq!(read.unwrap(), Some(first));
    let unknown = store.read(|read| read.receipt(&end_to_end_id()));
    assert_eq!(unknown.unwrap(), None);
}

fn notices_about_a_charge_come_in_the_order_they_came(scene: &Scene) {
    let store = scene.store();
    let charge = charge(owner());
    // The time of a sandbox may be set back: neither it nor the id says which came first.
    let receipts: Vec<Receipt> = [
        (50, None),
        (40, Some(ReturnReason::SecondPayment)),
        (60, Some(ReturnReason::Late)),
    ]
    .map(|(millis, returned)| Receipt {
        received_at: at(millis),
        returned,
        ..receipt(&charge)
    })
    .into();
    for receipt in &receipts {
        store.transact(|tx| tx.insert_receipt(receipt)).unwrap();
    }
    let read = store.read(|read| read.receipts(charge.owner, charge.id));
    assert_eq!(read.unwrap(), receipts);
    let stranger = other_environment(charge.owner);
    let read = store.read(|read| read.receipts(stranger, charge.id));
    assert_eq!(read.unwrap(), []);
}

fn a_return_reads_back_as_it_was_saved(scene: &Scene) {
    let store = scene.store();
    let charge = charge(owner());
    let first = returned(&charge, at(1_000));
    let second = returned(&charge, at(500));
    store
        .transact(|tx| {
            tx.insert_return(&first)?;
            tx.insert_return(&second)
        })
        .unwrap();
    let states = [
        ReturnState::Done {
            at: at(9),
            provider_id: "D123".to_owned(),
        },
        ReturnState::Refused { at: at(8) },
        ReturnState::Open,
    ];
    for state in states {
        let saved = Return {
            state,
            tries: 3,
            due_at: at(2_000),
            ..first.clone()
        };
        store.transact(|tx| tx.save_return(&saved)).unwrap();
        let locked = store.transact(|tx| tx.return_for_update(first.owner, first.id));
        assert_eq!(locked.unwrap().as_ref(), Some(&saved));
        let all = store.read(|read| read.returns(charge.owner, charge.id));
        assert_eq!(all.unwrap(), [saved, second.clone()]);
    }
    let strangers = [(owner(), first.id), (first.owner, ReturnKey(ulid()))];
    for (owner, id) in strangers {
        let locked = store.transact(|tx| tx.return_for_update(owner, id));
        assert_eq!(locked.unwrap(), None);
    }
}

fn returns_fall_due_until_they_are_done(scene: &Scene) {
    let store = scene.store();
    let charge = charge(owner());
    let returns: Vec<Return> = [300, 100, 200, 900]
        .map(|due| returned(&charge, at(due)))
        .into();
    for returned in &returns {
        store.transact(|tx| tx.insert_return(returned)).unwrap();
    }
    let due = |limit| -> Vec<ReturnKey> {
        let due = store.transact(|tx| tx.due_returns_for_update(at(300), limit));
        due.unwrap()
            .into_iter()
            .map(|returned| returned.id)
            .collect()
    };
    assert_eq!(due(9), [returns[1].id, returns[2].id, returns[0].id]);
    assert_eq!(due(2), [returns[1].id, returns[2].id]);
    let done = Return {
        state: ReturnState::Refused { at: at(301) },
        ..returns[1].clone()
    };
    let later = Return {
        due_at: at(301),
        ..returns[2].clone()
    };
    store
        .transact(|tx| {
            tx.save_return(&done)?;
            tx.save_return(&later)
        })
        .unwrap();
    assert_eq!(due(9), [returns[0].id]);
}

fn record(owner: Owner, key: &IdempotencyKey) -> Record {
    Record {
        owner,
        route: Route::PixCreate,
        attempt: Attempt {
            key: key.clone(),
            body_digest: digest(),
        },
        object: ulid(),
        created_at: at(4),
    }
}

fn an_idempotency_key_remembers_the_first_request(scene: &Scene) {
    let store = scene.store();
    let key = IdempotencyKey::parse(" pedido 'nº' 7~".replace('º', "o").as_str()).unwrap();
    let mine = owner();
    let find = |owner| store.read(|read| read.idempotency_record(owner, Route::PixCreate, &key));
    assert_eq!(find(mine).unwrap(), None);
    let first = record(mine, &key);
    let repeat = record(mine, &key);
    let insert = |record: &Record| store.transact(|tx| tx.insert_idempotency_record(record));
    assert!(insert(&first).unwrap());
    assert!(!insert(&repeat).unwrap());
    assert_eq!(find(mine).unwrap(), Some(first));
    // The same key of somebody else is another key.
    for other in [owner(), other_environment(mine)] {
        assert!(insert(&record(other, &key)).unwrap());
    }
}

fn of_racing_requests_with_one_key_one_makes_an_object(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let key = IdempotencyKey::parse(&format!("race {}", number())).unwrap();
    let made: Vec<bool> = thread::scope(|scope| {
        let racers: Vec<_> = (0..20)
            .map(|_| {
                let charge = charge(owner);
                let record = Record {
                    object: charge.id.0,
                    ..record(owner, &key)
                };
                scope.spawn(move || {
                    let first = store.transact(|tx| {
                        let first = tx.insert_idempotency_record(&record)?;
                        if first {
                            tx.insert_charge(&charge)?;
                        } else {
                            let known =
                                tx.idempotency_record(owner, record.route, &record.attempt.key)?;
                            let known = vintem_domain::charge::ChargeId(known.unwrap().object);
                            assert!(tx.charge(owner, known)?.is_some());
                        }
                        Ok(first)
                    });
                    first.unwrap()
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().unwrap())
            .collect()
    });
    assert_eq!(made.iter().filter(|first| **first).count(), 1);
    let page = vintem_domain::transaction::Page::parse(None, None).unwrap();
    let charges = store.read(|read| read.transactions(owner, page)).unwrap();
    assert_eq!(charges.len(), 1);
}
