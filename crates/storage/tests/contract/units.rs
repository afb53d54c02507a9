//! What a unit of work is: all or nothing, alone, durable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

use vintem_domain::error::Missing;
use vintem_domain::ports::{Sharing, Store, Transact};
use vintem_domain::{Account, Error};

use crate::fixtures::{account, charge, kept_account, kept_head, owner};
use crate::scene::{Scene, promises};

promises!(
    a_failing_unit_leaves_nothing_behind,
    a_panicking_unit_leaves_nothing_behind_and_the_store_works_on,
    a_swallowed_error_is_never_committed,
    a_unit_sees_what_it_wrote,
    an_answer_of_the_rules_comes_back_as_it_was_given,
    units_at_the_same_time_all_get_their_own_answer,
    units_that_share_a_transaction_do_not_share_their_fate,
    a_panic_among_units_that_share_is_its_own,
);
promises!(alone: reads_at_one_moment_see_one_moment);

fn is_there(store: &dyn Store, account: &Account) -> bool {
    store
        .read(|read| read.account(account.id))
        .unwrap()
        .is_some()
}

fn a_failing_unit_leaves_nothing_behind(scene: &Scene) {
    let store = scene.store();
    let account = account();
    let answer: Result<(), Error> = store.transact(|tx| {
        tx.insert_account(&account)?;
        tx.insert_charge(&charge(owner()))?;
        Err(Error::NotFound(Missing::Charge))
    });
    assert!(matches!(answer, Err(Error::NotFound(Missing::Charge))));
    assert!(!is_there(store, &account));
}

fn a_panicking_unit_leaves_nothing_behind_and_the_store_works_on(scene: &Scene) {
    let store = scene.store();
    let lost = account();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        store.transact(|tx| -> Result<(), Error> {
            tx.insert_account(&lost)?;
            panic!("a mistake in a closure")
        })
    }));
    let panic = caught.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"a mistake in a closure"));
    assert!(!is_there(store, &lost));
    let kept = kept_account(store);
    assert!(is_there(store, &kept));
}

fn a_swallowed_error_is_never_committed(scene: &Scene) {
    let store = scene.store();
    let known = kept_account(store);
    let (before, after) = (account(), account());
    let answer = store.transact(|tx| {
        tx.insert_account(&before)?;
        tx.insert_account(&known).unwrap_err();
        tx.insert_account(&after).ok();
        Ok(())
    });
    assert!(answer.is_err());
    assert!(!is_there(store, &before));
    assert!(!is_there(store, &after));
}

fn a_unit_sees_what_it_wrote(scene: &Scene) {
    let account = account();
    let seen = scene.store().transact(|tx| {
        tx.insert_account(&account)?;
        tx.account(account.id)
    });
    assert_eq!(seen.unwrap(), Some(account));
}

fn an_answer_of_the_rules_comes_back_as_it_was_given(scene: &Scene) {
    let answer: Result<(), Error> = scene
        .store()
        .transact(|_| Err(Error::invalid("amountCents", "must be at least 200")));
    assert_eq!(
        answer.unwrap_err().to_string(),
        "amountCents must be at least 200"
    );
    let answer: Result<(), Error> = scene
        .store()
        .read(|_| Err(Error::NotFound(Missing::Account)));
    assert!(matches!(answer, Err(Error::NotFound(Missing::Account))));
}

fn units_at_the_same_time_all_get_their_own_answer(scene: &Scene) {
    const THREADS: usize = 16;
    let store = scene.store();
    let start = Barrier::new(THREADS);
    let accounts: Vec<(Account, bool)> = (0..THREADS).map(|n| (account(), n % 3 != 0)).collect();
    thread::scope(|scope| {
        for (account, succeeds) in &accounts {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                let answer = store.transact(|tx| {
                    tx.insert_account(account)?;
                    if *succeeds {
                        Ok(account.id)
                    } else {
                        Err(Error::NotFound(Missing::Key))
                    }
                });
                match answer {
                    Ok(id) => assert!(*succeeds && id == account.id),
                    Err(Error::NotFound(Missing::Key)) => assert!(!succeeds),
                    Err(other) => panic!("{other}"),
                }
            });
        }
    });
    for (account, succeeds) in &accounts {
        assert_eq!(is_there(store, account), *succeeds);
    }
}

/// What each of many threads that begin together is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Succeeds,
    IsRefusedByARule,
    IsRefusedByTheDatabase,
}

fn units_that_share_a_transaction_do_not_share_their_fate(scene: &Scene) {
    const FATES: [Fate; 7] = [
        Fate::Succeeds,
        Fate::Succeeds,
        Fate::IsRefusedByARule,
        Fate::Succeeds,
        Fate::Succeeds,
        Fate::IsRefusedByTheDatabase,
        Fate::Succeeds,
    ];
    let store = scene.store();
    let known = kept_account(store);
    for sharing in [Sharing::NewRows(7), Sharing::Owner(owner())] {
        let units: Vec<(Account, Fate)> = FATES
            .iter()
            .cycle()
            .take(28)
            .map(|fate| (account(), *fate))
            .collect();
        let start = Barrier::new(units.len());
        thread::scope(|scope| {
            for (account, fate) in &units {
                let (start, known) = (&start, &known);
                scope.spawn(move || {
                    start.wait();
                    let answer = store.transact_shared(sharing, |tx| {
                        tx.insert_account(account)?;
                        match fate {
                            Fate::Succeeds => Ok(account.id),
                            Fate::IsRefusedByARule => Err(Error::NotFound(Missing::Key)),
                            Fate::IsRefusedByTheDatabase => {
                                tx.insert_account(known).map(|()| account.id)
                            }
                        }
                    });
                    match answer {
                        Ok(id) => assert!(*fate == Fate::Succeeds && id == account.id),
                        Err(Error::NotFound(Missing::Key)) => {
                            assert!(*fate == Fate::IsRefusedByARule);
                        }
                        Err(other) => assert!(*fate == Fate::IsRefusedByTheDatabase, "{other}"),
                    }
                });
            }
        });
        for (account, fate) in &units {
            assert_eq!(is_there(store, account), *fate == Fate::Succeeds);
        }
    }
}

fn a_panic_among_units_that_share_is_its_own(scene: &Scene) {
    const THREADS: usize = 12;
    let store = scene.store();
    let sharing = Sharing::Owner(owner());
    let start = Barrier::new(THREADS);
    let units: Vec<(Account, bool)> = (0..THREADS).map(|n| (account(), n % 4 == 1)).collect();
    thread::scope(|scope| {
        for (account, panics) in &units {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    store.transact_shared(sharing, |tx| {
                        tx.insert_account(account)?;
                        assert!(!panics, "a mistake in a closure");
                        Ok(())
                    })
                }));
                match caught {
                    Ok(answer) => assert!(answer.is_ok() && !panics),
                    Err(_panic) => assert!(panics),
                }
            });
        }
    });
    for (account, panics) in &units {
        assert_eq!(is_there(store, account), !panics);
    }
}

fn reads_at_one_moment_see_one_moment(scene: &Scene) {
    let store = scene.store();
    let first = kept_account(store);
    let counts = store.read_at_one_moment(|read| {
        let before = read.accounts()?.len();
        // Another thread writes between the two reads.
        thread::scope(|scope| scope.spawn(|| kept_account(store)).join().unwrap());
        Ok((before, read.accounts()?.len()))
    });
    assert_eq!(counts.unwrap(), (1, 1));
    assert_eq!(store.read(|read| read.accounts()).unwrap().len(), 2);
    assert!(is_there(store, &first));
    let head = kept_head(store, owner());
    assert_eq!(
        store.read(|read| read.head(head.owner)).unwrap(),
        Some(head)
    );
}
