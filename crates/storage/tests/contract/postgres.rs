//! What only PostgreSQL promises.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use vintem_domain::Error;
use vintem_domain::ports::{Sharing, Transact};
use vintem_storage::{Database, Options};
use vintem_tests::postgres::{Cluster, Shutdown};

use crate::fixtures::{account, at, charge, kept_account, owner, withdrawal};
use crate::scene::{Backend, Scene, open};

#[test]
fn units_that_deadlock_are_run_again() {
    let scene = Scene::alone(Backend::Postgres);
    let (database, _) = scene.database.as_ref().unwrap();
    let (one, two) = (
        kept_account(scene.store()).id,
        kept_account(scene.store()).id,
    );
    let both_hold_one = Barrier::new(2);
    let runs = AtomicU32::new(0);
    thread::scope(|scope| {
        for (first, second) in [(one, two), (two, one)] {
            let (both_hold_one, runs, store) = (&both_hold_one, &runs, scene.store());
            scope.spawn(move || {
                let mut is_first_run = true;
                store
                    .transact(|tx| {
                        runs.fetch_add(1, Ordering::Relaxed);
                        tx.account_for_update(first)?;
                        if std::mem::take(&mut is_first_run) {
                            both_hold_one.wait();
                        }
                        tx.account_for_update(second)
                    })
                    .unwrap();
            });
        }
    });
    // Mostly once; the one that runs again may take the lock before the other one, whose turn it is, wakes up.
    let retried = database.stats().units_retried.load(Ordering::Relaxed);
    assert!(retried >= 1);
    assert_eq!(u64::from(runs.load(Ordering::Relaxed)), 2 + retried);
}

#[test]
fn units_of_one_owner_share_a_commit() {
    const UNITS: u64 = 24;
    let scene = Scene::alone(Backend::Postgres);
    let (database, _) = scene.database.as_ref().unwrap();
    let (store, sharing) = (scene.store(), Sharing::Owner(owner()));
    let before = database.stats().batches.load(Ordering::Relaxed);
    let start = Barrier::new(usize::try_from(UNITS).unwrap());
    thread::scope(|scope| {
        for _ in 0..UNITS {
            let start = &start;
            scope.spawn(move || {
                let account = account();
                start.wait();
                store
                    .transact_shared(sharing, |tx| tx.insert_account(&account))
                    .unwrap();
            });
        }
    });
    let commits = database.stats().batches.load(Ordering::Relaxed) - before;
    assert!(commits < UNITS, "{commits} commits of {UNITS} units");
}

#[test]
fn units_that_share_and_deadlock_are_run_again() {
    let scene = Scene::alone(Backend::Postgres);
    let (one, two) = (
        kept_account(scene.store()).id,
        kept_account(scene.store()).id,
    );
    let both_hold_one = Barrier::new(2);
    let (first_owner, second_owner) = (owner(), owner());
    thread::scope(|scope| {
        for (owner, first, second) in [(first_owner, one, two), (second_owner, two, one)] {
            let (both_hold_one, store) = (&both_hold_one, scene.store());
            scope.spawn(move || {
                let mut is_first_run = true;
                store
                    .transact_shared(Sharing::Owner(owner), |tx| {
                        tx.account_for_update(first)?;
                        if std::mem::take(&mut is_first_run) {
                            both_hold_one.wait();
                        }
                        tx.account_for_update(second)
                    })
                    .unwrap();
            });
        }
    });
}

#[test]
fn units_that_share_learn_together_that_the_database_is_away() {
    const UNITS: usize = 12;
    let cluster = Cluster::start().unwrap();
    let site = cluster.create_database().unwrap();
    let options = Options {
        connection_timeout: Duration::from_secs(1),
        ..Options::default()
    };
    let database = Database::open(site.url(), &options).unwrap();
    database.migrate().unwrap();
    cluster.stop(Shutdown::Immediate).unwrap();
    let (start, sharing) = (Barrier::new(UNITS), Sharing::Owner(owner()));
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..UNITS {
            scope.spawn(|| {
                start.wait();
                let answer = database.transact_shared(sharing, |tx| tx.insert_account(&account()));
                assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
            });
        }
    });
    // One after another they would take twelve seconds.
    assert!(begun.elapsed() < Duration::from_secs(6));
}

#[test]
fn a_worker_passes_by_what_another_has_taken() {
    let scene = Scene::alone(Backend::Postgres);
    let store = scene.store();
    let payouts = [withdrawal(owner()), withdrawal(owner())];
    for payout in &payouts {
        store.transact(|tx| tx.insert_payout(payout)).unwrap();
    }
    let take = |limit| store.transact(|tx| tx.due_payouts_for_update(at(0), limit));
    store
        .transact(|tx| {
            let mine = tx.due_payouts_for_update(at(0), 1)?;
            assert_eq!(mine, payouts[..1]);
            let others = thread::scope(|scope| scope.spawn(|| take(9)).join().unwrap());
            assert_eq!(others?, payouts[1..]);
            Ok(())
        })
        .unwrap();
    assert_eq!(take(9).unwrap(), payouts);
}

#[test]
fn a_lost_connection_is_unavailable_and_the_next_one_works() {
    let scene = Scene::alone(Backend::Postgres);
    let (_, url) = scene.database.as_ref().unwrap();
    let account = account();
    let answer = scene.store().transact(|tx| {
        tx.insert_account(&account)?;
        terminate_all(url);
        tx.account(account.id)
    });
    assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
    let read = scene.store().read(|read| read.account(account.id));
    assert_eq!(read.unwrap(), None);
    // Connections that died while idle cost nobody an error.
    terminate_all(url);
    kept_account(scene.store());
    terminate_all(url);
    scene.store().read(|read| read.account(account.id)).unwrap();
    terminate_all(url);
    scene
        .store()
        .read_at_one_moment(|read| read.account(account.id))
        .unwrap();
}

/// Hangs up on everybody who uses the database.
fn terminate_all(url: &str) {
    use diesel::connection::SimpleConnection;
    use diesel::{Connection, PgConnection};
    PgConnection::establish(url)
        .unwrap()
        .batch_execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .unwrap();
}

#[test]
fn a_restarted_server_is_found_again_and_nothing_acknowledged_is_lost() {
    let cluster = Cluster::start().unwrap();
    let database = cluster.create_database().unwrap();
    let store = open(database.url());
    store.migrate().unwrap();
    let stop = AtomicBool::new(false);
    let acknowledged = thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut acknowledged = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        let charge = charge(owner());
                        match store.transact(|tx| tx.insert_charge(&charge)) {
                            Ok(()) => acknowledged.push(charge),
                            Err(Error::Unavailable(_)) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                    acknowledged
                })
            })
            .collect();
        cluster.stop(Shutdown::Immediate).unwrap();
        assert!(store.check_ready().is_err());
        cluster.launch().unwrap();
        while store.check_ready().is_err() {
            thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect::<Vec<_>>()
    });
    for charge in acknowledged {
        let read = Transact::read(&store, |read| read.charge(charge.owner, charge.id));
        assert_eq!(read.unwrap(), Some(charge));
    }
}

#[test]
fn a_server_that_is_not_there_is_told_without_the_password() {
    let url = "postgres://ana:s3cr3t@127.0.0.1:1/vintem";
    let failure = Database::open(url, &Options::default()).err().unwrap();
    assert!(failure.is_passing(), "{failure}");
    assert!(!failure.to_string().contains("s3cr3t"), "{failure}");
}

#[test]
fn several_servers_share_a_database_and_backups_are_not_its_own() {
    let scene = Scene::alone(Backend::Postgres);
    let (database, url) = scene.database.as_ref().unwrap();
    assert!(database.serve_lock().unwrap().is_none());
    assert!(open(url).serve_lock().unwrap().is_none());
    assert!(database.backup(std::path::Path::new("x")).is_err());
    assert!(!std::path::Path::new("x").exists());
}
