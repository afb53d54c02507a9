use vintem_domain::event::{Event, EventId};
use vintem_domain::ports::Transact;
use vintem_domain::webhook::{
    Delivery, DeliveryState, DisabledBecause, Endpoint, Lease, Outbox, ServerId,
};

use crate::fixtures::{at, endpoint, event, kept_delivery, other_environment, owner, ulid};
use crate::scene::{Scene, promises};

promises!(
    an_event_reads_back_as_it_was_written,
    events_read_back_in_order_from_any_place,
    events_about_an_object_are_found,
);
promises!(alone:
    owners_with_something_due_are_found,
    the_outbox_counts_what_waits,
    an_attempt_under_way_is_accepted_once,
    what_is_leased_is_found_whoever_has_it,
);

fn an_event_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let event = event(owner(), 1);
    store.transact(|tx| tx.insert_event(&event)).unwrap();
    let read = store.read(|read| read.event(event.owner, event.id));
    assert_eq!(read.unwrap(), Some(event.clone()));
    for (owner, id) in [
        (owner(), event.id),
        (other_environment(event.owner), event.id),
        (event.owner, EventId(ulid())),
    ] {
        let read = store.read(|read| read.event(owner, id));
        assert_eq!(read.unwrap(), None);
    }
    assert!(store.transact(|tx| tx.insert_event(&event)).is_err());
}

fn events_read_back_in_order_from_any_place(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let events: Vec<Event> = (1..=11).map(|sequence| event(owner, sequence)).collect();
    for event in events.iter().rev() {
        store.transact(|tx| tx.insert_event(event)).unwrap();
    }
    let read = |after, limit| store.read(|read| read.events(owner, after, limit)).unwrap();
    assert_eq!(read(0, 100), events);
    assert_eq!(read(8, 2), events[8..10]);
    let sequences = store.read(|read| read.event_sequences(owner, 8, 2));
    assert_eq!(sequences.unwrap(), [9, 10]);
    assert_eq!(read(11, 5), []);
}

fn events_about_an_object_are_found(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let object = ulid();
    let about = |sequence| Event {
        object,
        ..event(owner, sequence)
    };
    let events = [about(1), event(owner, 2), about(3)];
    for event in &events {
        store.transact(|tx| tx.insert_event(event)).unwrap();
    }
    let found = store.read(|read| read.events_about(owner, object));
    assert_eq!(found.unwrap(), [events[0].clone(), events[2].clone()]);
}

fn leased(delivery: &Delivery, by: ServerId, until: i64) -> Delivery {
    Delivery {
        attempts: 1,
        tries: 1,
        lease: Some(Lease {
            by,
            until: at(until),
        }),
        ..delivery.clone()
    }
}

fn an_attempt_under_way_is_accepted_once(scene: &Scene) {
    let store = scene.store();
    let (server, other) = (ServerId(ulid()), ServerId(ulid()));
    let delivery = leased(&kept_delivery(store, owner(), 1, at(5)), server, 100);
    let (owner, event) = (delivery.owner, delivery.event);
    store
        .transact(|tx| tx.save_deliveries(std::slice::from_ref(&delivery)))
        .unwrap();
    let accept = |number, by| {
        store
            .transact(|tx| tx.accept_delivery(owner, event, number, by))
            .unwrap()
    };
    assert!(!accept(2, server), "another attempt");
    assert!(!accept(1, other), "another server");
    assert!(accept(1, server));
    assert!(!accept(1, server), "twice");
    let delivered = Delivery {
        state: DeliveryState::Delivered,
        lease: None,
        ..delivery
    };
    let read = store.read(|read| read.delivery(owner, event));
    assert_eq!(read.unwrap(), Some(delivered));
}

fn what_is_leased_is_found_whoever_has_it(scene: &Scene) {
    let store = scene.store();
    let free = kept_delivery(store, owner(), 1, at(5));
    let running = leased(
        &kept_delivery(store, owner(), 1, at(5)),
        ServerId(ulid()),
        100,
    );
    let ended = leased(
        &kept_delivery(store, owner(), 1, at(5)),
        ServerId(ulid()),
        1,
    );
    let over = Delivery {
        state: DeliveryState::Delivered,
        ..kept_delivery(store, owner(), 1, at(5))
    };
    let changed = [free, running.clone(), ended.clone(), over];
    store.transact(|tx| tx.save_deliveries(&changed)).unwrap();
    let find = |limit| {
        let found = store.transact(|tx| tx.leased_deliveries_for_update(limit));
        let mut found = found.unwrap();
        found.sort_by_key(|delivery| delivery.event);
        found
    };
    assert_eq!(find(10), [running, ended]);
    assert_eq!(find(1).len(), 1);
}

fn owners_with_something_due_are_found(scene: &Scene) {
    let store = scene.store();
    let [due, later, held, without, busy, freed, done] = std::array::from_fn(|_| owner());
    for owner in [due, later, busy, freed, done] {
        store
            .transact(|tx| tx.save_endpoint(&endpoint(owner)))
            .unwrap();
    }
    let disabled = Endpoint {
        disabled: Some((at(1), DisabledBecause::Asked)),
        ..endpoint(held)
    };
    store.transact(|tx| tx.save_endpoint(&disabled)).unwrap();
    for owner in [due, held, without] {
        kept_delivery(store, owner, 1, at(100));
        kept_delivery(store, owner, 2, at(50));
    }
    kept_delivery(store, later, 1, at(101));
    let lease = |until| {
        Some(Lease {
            by: ServerId(ulid()),
            until,
        })
    };
    let changed = [
        Delivery {
            lease: lease(at(101)),
            ..kept_delivery(store, busy, 1, at(50))
        },
        Delivery {
            lease: lease(at(100)),
            ..kept_delivery(store, freed, 1, at(50))
        },
        Delivery {
            state: DeliveryState::Delivered,
            ..kept_delivery(store, done, 1, at(50))
        },
    ];
    store.transact(|tx| tx.save_deliveries(&changed)).unwrap();

    let owners = |limit| {
        let found = store.read(|read| read.owners_with_due_deliveries(at(100), limit));
        let mut found = found.unwrap();
        found.sort_unstable();
        found
    };
    assert_eq!(owners(9), [due, freed]);
    assert_eq!(owners(1).len(), 1);
}

fn the_outbox_counts_what_waits(scene: &Scene) {
    let store = scene.store();
    let outbox = || store.read(|read| read.outbox(at(100))).unwrap();
    assert_eq!(outbox(), Outbox::default());
    let (open, held) = (owner(), owner());
    let disabled = Endpoint {
        disabled: Some((at(1), DisabledBecause::Failing)),
        ..endpoint(held)
    };
    store
        .transact(|tx| {
            tx.save_endpoint(&endpoint(open))?;
            tx.save_endpoint(&disabled)
        })
        .unwrap();
    kept_delivery(store, open, 1, at(70));
    kept_delivery(store, open, 2, at(60));
    kept_delivery(store, open, 3, at(900));
    for sequence in 1..=2 {
        kept_delivery(store, held, sequence, at(10));
    }
    let lease = |until| {
        Some(Lease {
            by: ServerId(ulid()),
            until,
        })
    };
    let changed = [
        Delivery {
            lease: lease(at(99)),
            ..kept_delivery(store, open, 4, at(80))
        },
        Delivery {
            lease: lease(at(200)),
            ..kept_delivery(store, open, 5, at(80))
        },
        Delivery {
            state: DeliveryState::Failed,
            ..kept_delivery(store, open, 6, at(1))
        },
        Delivery {
            state: DeliveryState::Delivered,
            ..kept_delivery(store, open, 7, at(1))
        },
    ];
    store.transact(|tx| tx.save_deliveries(&changed)).unwrap();
    let expected = Outbox {
        pending: 5,
        oldest_due_at: Some(at(60)),
        held: 2,
        stuck: 1,
    };
    assert_eq!(outbox(), expected);
}
