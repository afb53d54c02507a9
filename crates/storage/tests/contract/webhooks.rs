use std::collections::BTreeSet;
use std::slice::from_ref;
use std::thread;

use vintem_domain::event::EventId;
use vintem_domain::ports::{Store, Transact};
use vintem_domain::webhook::{
    Attempt, AttemptOutcome, Delivery, DeliveryState, DisabledBecause, Endpoint, Lease, ServerId,
    WebhookUrl,
};
use vintem_domain::{Owner, Time};

use crate::fixtures::{at, endpoint, kept_delivery, other_environment, owner, ulid};
use crate::scene::{Scene, promises};

promises!(
    an_endpoint_reads_back_as_it_was_saved_last,
    a_delivery_reads_back_as_it_was_saved,
    due_deliveries_come_with_their_bodies_the_longest_due_first,
    a_lease_keeps_a_delivery_until_it_ends,
    two_claims_at_the_same_time_never_get_the_same_delivery,
    failed_deliveries_are_found_page_by_page,
    attempts_read_back_as_they_were_written,
);
promises!(alone: old_attempts_are_forgotten_a_few_at_a_time);

fn an_endpoint_reads_back_as_it_was_saved_last(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    assert_eq!(store.read(|read| read.endpoint(owner)).unwrap(), None);
    let changed = |because| Endpoint {
        url: WebhookUrl::parse("http://127.0.0.1:9/x").unwrap(),
        sealed_secret: vec![9],
        previous: Some((vec![0, 255], at(4))),
        disabled: Some((at(5), because)),
        failing_since: Some(at(6)),
        ..endpoint(owner)
    };
    let versions = [
        endpoint(owner),
        changed(DisabledBecause::Gone),
        changed(DisabledBecause::Failing),
        changed(DisabledBecause::Asked),
        endpoint(owner),
    ];
    for version in versions {
        store.transact(|tx| tx.save_endpoint(&version)).unwrap();
        let read = store.read(|read| read.endpoint(owner));
        assert_eq!(read.unwrap().as_ref(), Some(&version));
        let locked = store.transact(|tx| tx.endpoint_for_update(owner));
        assert_eq!(locked.unwrap(), Some(version));
    }
    let other = store.read(|read| read.endpoint(other_environment(owner)));
    assert_eq!(other.unwrap(), None);
}

fn a_delivery_reads_back_as_it_was_saved(scene: &Scene) {
    let store = scene.store();
    let first = kept_delivery(store, owner(), 1, at(1));
    let read = || {
        store
            .read(|read| read.delivery(first.owner, first.event))
            .unwrap()
    };
    assert_eq!(read(), Some(first.clone()));
    let states = [
        DeliveryState::Delivered,
        DeliveryState::Failed,
        DeliveryState::Pending,
    ];
    for state in states {
        let lease = Lease {
            by: ServerId(ulid()),
            until: at(30),
        };
        let saved = Delivery {
            state,
            attempts: 7,
            tries: 3,
            due_at: at(8),
            lease: Some(lease),
            ..first.clone()
        };
        store
            .transact(|tx| tx.save_deliveries(from_ref(&saved)))
            .unwrap();
        assert_eq!(read(), Some(saved.clone()));
        let locked = store.transact(|tx| tx.delivery_for_update(first.owner, first.event));
        assert_eq!(locked.unwrap(), Some(saved));
    }
    let nobody = Delivery::new(first.owner, EventId(ulid()), at(1));
    let saved = store.transact(|tx| tx.save_deliveries(from_ref(&nobody)));
    assert!(saved.is_err());
    assert!(store.transact(|tx| tx.insert_delivery(&first)).is_err());
    store.transact(|tx| tx.save_deliveries(&[])).unwrap();
}

fn due(store: &dyn Store, owner: Owner, now: Time, limit: usize) -> Vec<(Delivery, String)> {
    store
        .transact(|tx| tx.due_deliveries_for_update(owner, now, limit))
        .unwrap()
}

fn due_deliveries_come_with_their_bodies_the_longest_due_first(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let deliveries: Vec<Delivery> = (1..)
        .zip([40, 10, 10, 99, 20])
        .map(|(sequence, due)| kept_delivery(store, owner, sequence, at(due)))
        .collect();
    kept_delivery(store, other_environment(owner), 1, at(1));
    let delivered = Delivery {
        state: DeliveryState::Delivered,
        ..kept_delivery(store, owner, 6, at(5))
    };
    store
        .transact(|tx| tx.save_deliveries(from_ref(&delivered)))
        .unwrap();
    let found = due(store, owner, at(40), 9);
    let order: Vec<EventId> = found.iter().map(|(delivery, _)| delivery.event).collect();
    let expected = [1, 2, 4, 0].map(|position: usize| deliveries[position].event);
    assert_eq!(order, expected);
    for (delivery, body) in &found {
        let event = store.read(|read| read.event(owner, delivery.event));
        assert_eq!(*body, event.unwrap().unwrap().body);
    }
    assert_eq!(due(store, owner, at(40), 2).len(), 2);
    assert_eq!(due(store, owner, at(9), 9).len(), 0);
}

fn a_lease_keeps_a_delivery_until_it_ends(scene: &Scene) {
    let store = scene.store();
    let delivery = kept_delivery(store, owner(), 1, at(1));
    let leased = Delivery {
        lease: Some(Lease {
            by: ServerId(ulid()),
            until: at(30),
        }),
        ..delivery
    };
    store
        .transact(|tx| tx.save_deliveries(from_ref(&leased)))
        .unwrap();
    assert_eq!(due(store, leased.owner, at(29), 9), []);
    let found = due(store, leased.owner, at(30), 9);
    assert_eq!(
        found
            .into_iter()
            .map(|(delivery, _)| delivery)
            .collect::<Vec<_>>(),
        [leased]
    );
}

fn two_claims_at_the_same_time_never_get_the_same_delivery(scene: &Scene) {
    const DELIVERIES: i64 = 60;
    let store = scene.store();
    let owner = owner();
    for sequence in 1..=DELIVERIES {
        kept_delivery(store, owner, sequence, at(1));
    }
    let claim = || {
        let lease = Lease {
            by: ServerId(ulid()),
            until: at(99),
        };
        store.transact(|tx| {
            let mut taken: Vec<Delivery> = Vec::new();
            for (delivery, _) in tx.due_deliveries_for_update(owner, at(2), 4)? {
                taken.push(Delivery {
                    lease: Some(lease),
                    attempts: delivery.attempts + 1,
                    ..delivery
                });
            }
            tx.save_deliveries(&taken)?;
            Ok(taken)
        })
    };
    let left = || {
        let all = store.transact(|tx| tx.due_deliveries_for_update(owner, at(2), 1_000));
        all.unwrap().len()
    };
    let taken: Vec<Delivery> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    // A claim that finds all rows locked by others takes none and comes again.
                    while left() > 0 {
                        mine.extend(claim().unwrap());
                    }
                    mine
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert_eq!(taken.len(), 60);
    assert!(taken.iter().all(|delivery| delivery.attempts == 1));
    let different: BTreeSet<EventId> = taken.iter().map(|delivery| delivery.event).collect();
    assert_eq!(different.len(), 60);
}

fn failed_deliveries_are_found_page_by_page(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let deliveries: Vec<Delivery> = (1..=6)
        .map(|sequence| Delivery {
            state: DeliveryState::Failed,
            ..kept_delivery(store, owner, sequence, at(1))
        })
        .collect();
    let pending = kept_delivery(store, owner, 7, at(1));
    store
        .transact(|tx| tx.save_deliveries(&deliveries))
        .unwrap();
    let found = |since, after, limit| {
        store
            .read(|read| read.failed_deliveries(owner, since, after, limit))
            .unwrap()
    };
    // Event n was recorded n milliseconds after the beginning.
    assert_eq!(found(at(0), None, 99), deliveries);
    assert_eq!(found(at(3), None, 99), deliveries[2..]);
    assert_eq!(found(at(3), None, 2), deliveries[2..4]);
    assert_eq!(found(at(3), Some(deliveries[3].event), 2), deliveries[4..]);
    assert_eq!(found(at(7), None, 99), []);
    assert_eq!(found(at(0), Some(pending.event), 99), []);
}

fn attempt(delivery: &Delivery, number: i64, started_at: Time) -> Attempt {
    Attempt {
        owner: delivery.owner,
        event: delivery.event,
        number,
        started_at,
        duration_ms: 12,
        outcome: AttemptOutcome::Delivered,
        status: Some(204),
        error: None,
        answer: String::new(),
    }
}

fn attempts_read_back_as_they_were_written(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let first = kept_delivery(store, owner, 1, at(1));
    let second = kept_delivery(store, owner, 2, at(1));
    let failed = Attempt {
        outcome: AttemptOutcome::Failed,
        status: Some(599),
        answer: "não\n\u{1}".to_owned(),
        ..attempt(&first, 1, at(10))
    };
    let interrupted = Attempt {
        outcome: AttemptOutcome::Interrupted,
        status: None,
        error: Some("the server stopped before the answer".to_owned()),
        ..attempt(&first, 2, at(30))
    };
    let delivered = attempt(&second, 1, at(20));
    let all = [failed.clone(), delivered.clone(), interrupted.clone()];
    store.transact(|tx| tx.insert_attempts(&all)).unwrap();
    let of_first = store.read(|read| read.attempts(owner, first.event));
    assert_eq!(of_first.unwrap(), [failed.clone(), interrupted.clone()]);
    let latest = |limit| {
        store
            .read(|read| read.latest_attempts(owner, limit))
            .unwrap()
    };
    assert_eq!(latest(9), [interrupted.clone(), delivered.clone(), failed]);
    assert_eq!(latest(2), [interrupted, delivered.clone()]);
    let again = store.transact(|tx| tx.insert_attempts(from_ref(&delivered)));
    assert!(again.is_err());
}

fn old_attempts_are_forgotten_a_few_at_a_time(scene: &Scene) {
    let store = scene.store();
    let delivery = kept_delivery(store, owner(), 1, at(1));
    let attempts: Vec<Attempt> = (1..=7)
        .map(|number| attempt(&delivery, number, at(number)))
        .collect();
    store.transact(|tx| tx.insert_attempts(&attempts)).unwrap();
    let forget = |limit| {
        store
            .transact(|tx| tx.forget_attempts(at(6), limit))
            .unwrap()
    };
    assert_eq!(forget(3), 3);
    assert_eq!(forget(3), 2);
    assert_eq!(forget(3), 0);
    let left = store.read(|read| read.attempts(delivery.owner, delivery.event));
    assert_eq!(left.unwrap(), attempts[5..]);
}
