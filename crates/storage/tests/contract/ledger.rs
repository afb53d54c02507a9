use std::thread;

use vintem_domain::ledger::{Entry, Head};
use vintem_domain::ports::Transact;
use vintem_domain::{Centavos, Owner};

use crate::fixtures::{event, kept_account, kept_head, movement, other_environment, owner, ulid};
use crate::scene::{Scene, promises};

promises!(
    a_head_reads_back_as_it_was_saved,
    a_head_belongs_to_one_owner,
    entries_read_back_in_order_from_any_place,
    entries_for_an_object_are_found,
    movements_at_the_same_time_lose_nothing,
);
promises!(alone: heads_are_listed_by_owner);

fn a_head_reads_back_as_it_was_saved(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    assert_eq!(store.read(|read| read.head(owner)).unwrap(), None);
    let empty = kept_head(store, owner);
    assert_eq!(store.read(|read| read.head(owner)).unwrap(), Some(empty));
    let saved = Head {
        owner,
        balance: Centavos::new(900),
        available: Centavos::new(700),
        event_sequence: 5,
        ledger_sequence: 6,
        ledger_hash: [255; 32],
    };
    store.transact(|tx| tx.save_head(&saved)).unwrap();
    let locked = store.transact(|tx| tx.head_for_update(owner));
    assert_eq!(locked.unwrap(), Some(saved));
}

fn a_head_belongs_to_one_owner(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    kept_head(store, owner);
    assert!(
        store
            .transact(|tx| tx.insert_head(&Head::empty(owner)))
            .is_err()
    );
    let other = other_environment(owner);
    assert_eq!(store.read(|read| read.head(other)).unwrap(), None);
    assert!(
        store
            .transact(|tx| tx.save_head(&Head::empty(other)))
            .is_err()
    );
}

fn heads_are_listed_by_owner(scene: &Scene) {
    let store = scene.store();
    let (first, second) = (owner(), owner());
    let mut owners = vec![
        second,
        other_environment(first),
        first,
        other_environment(second),
    ];
    for &owner in &owners {
        kept_head(store, owner);
    }
    owners.sort_unstable();
    let heads = store.read(|read| read.heads()).unwrap();
    let listed: Vec<Owner> = heads.iter().map(|head| head.owner).collect();
    assert_eq!(listed, owners);
    // An account's ledgers are missed where they have no heads.
    let account = kept_account(store).id;
    owners.extend(Owner::both(account));
    owners.sort_unstable();
    assert_eq!(store.read(|read| read.ledgers()).unwrap(), owners);
}

fn post(scene: &Scene, owner: Owner, available: i64, reference: vintem_domain::id::Ulid) -> Entry {
    scene
        .store()
        .transact(|tx| {
            let mut head = tx.head_for_update(owner)?.unwrap();
            let entry = head.post(movement(available, reference))?;
            tx.insert_entry(&entry)?;
            tx.save_head(&head)?;
            Ok(entry)
        })
        .unwrap()
}

fn entries_read_back_in_order_from_any_place(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    kept_head(store, owner);
    let entries: Vec<Entry> = (1..=12).map(|n| post(scene, owner, n, ulid())).collect();
    let read = |after, limit| {
        store
            .read(|read| read.entries(owner, after, limit))
            .unwrap()
    };
    assert_eq!(read(0, 100), entries);
    assert_eq!(read(9, 2), entries[9..11]);
    assert_eq!(read(12, 100), []);
    let found = store.read(|read| read.entries_as_found(owner, 9, 2));
    let expected = entries[9..11].iter().cloned();
    let expected: Vec<_> = expected.map(|entry| (entry.sequence, Ok(entry))).collect();
    assert_eq!(found.unwrap(), expected);
    let head = store.read(|read| read.head(owner)).unwrap();
    let found = store.read(|read| read.head_as_found(owner)).unwrap();
    assert_eq!(found, head.map(Ok));
    let other = store.read(|read| read.entries(other_environment(owner), 0, 100));
    assert_eq!(other.unwrap(), []);
    let again = store.transact(|tx| tx.insert_entry(&entries[0]));
    assert!(again.is_err());
}

fn entries_for_an_object_are_found(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    kept_head(store, owner);
    let object = ulid();
    let first = post(scene, owner, 100, object);
    post(scene, owner, 100, ulid());
    let second = post(scene, owner, -50, object);
    let found = store.read(|read| read.entries_for(owner, object));
    assert_eq!(found.unwrap(), [first, second]);
}

fn movements_at_the_same_time_lose_nothing(scene: &Scene) {
    const THREADS: i64 = 8;
    const EACH: i64 = 25;
    let store = scene.store();
    let owner = owner();
    kept_head(store, owner);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let movement = movement(10, ulid());
                    store
                        .transact(|tx| {
                            let mut head = tx.head_for_update(owner)?.unwrap();
                            tx.insert_entry(&head.post(movement)?)?;
                            let sequence = head.next_event()?;
                            tx.insert_event(&event(owner, sequence))?;
                            tx.save_head(&head)
                        })
                        .unwrap();
                }
            });
        }
    });
    let head = store.read(|read| read.head(owner)).unwrap().unwrap();
    assert_eq!(head.available, Centavos::new(10 * THREADS * EACH));
    assert_eq!(head.event_sequence, THREADS * EACH);
    let entries = store.read(|read| read.entries(owner, 0, 1_000)).unwrap();
    assert_eq!(entries.len(), 200);
    assert_eq!(entries.last().unwrap().hash, head.ledger_hash);
}
