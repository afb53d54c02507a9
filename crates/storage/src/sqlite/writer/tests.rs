use std::sync::Barrier;
use std::thread;

use diesel::sql_types::BigInt;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use tempfile::TempDir;

use super::*;
use crate::conn::on;

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

struct Scene {
    writer: Writer,
    folder: TempDir,
}

fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let writer = open(&folder);
    writer.with_connection(|connection| {
        connection
            .batch_execute(
                "CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT; \
                 CREATE TABLE children (n INTEGER REFERENCES numbers DEFERRABLE INITIALLY DEFERRED) STRICT; \
                 CREATE TABLE bulk (data BLOB) STRICT;",
            )
            .unwrap();
    });
    Scene { writer, folder }
}

fn open(folder: &TempDir) -> Writer {
    let path = folder.path().join("test.db");
    Writer::open(path, Duration::from_secs(5), Arc::default()).unwrap()
}

fn execute(session: &mut Session<'_>, sql: &str) -> Result<usize, Failure> {
    session.ask(|conn| on!(conn, c => sql_query(sql).execute(c)))
}

fn insert(session: &mut Session<'_>, n: i64) -> Result<(), Failure> {
    execute(session, &format!("INSERT INTO numbers VALUES ({n})")).map(drop)
}

impl Scene {
    fn insert(&self, n: i64) -> Result<(), Failure> {
        self.writer.run(&mut |session| insert(session, n))
    }

    fn count(&self, table: &str) -> i64 {
        let mut connection =
            super::super::settings::establish(&self.folder.path().join("test.db")).unwrap();
        sql_query(format!("SELECT count(*) AS count FROM {table}"))
            .get_result::<Count>(&mut connection)
            .unwrap()
            .count
    }

    /// Runs `first` and, as the same batch, the other units: they queue up while `first` runs.
    fn together<'a>(
        &'a self,
        first: impl Fn(&mut Session<'_>) -> Result<(), Failure> + Send + Sync,
        others: Vec<Box<dyn Fn() -> Result<(), Failure> + Send + 'a>>,
    ) -> Vec<thread::Result<Result<(), Failure>>> {
        let running = Barrier::new(2);
        let waiting = others.len();
        let mut again = false;
        thread::scope(|scope| {
            let leader = scope.spawn(|| {
                self.writer.run(&mut |session| {
                    if !std::mem::replace(&mut again, true) {
                        running.wait();
                        while self.writer.queue() < waiting {
                            thread::yield_now();
                        }
                    }
                    first(session)
                })
            });
            running.wait();
            let followers: Vec<_> = others.into_iter().map(|unit| scope.spawn(unit)).collect();
            std::iter::once(leader)
                .chain(followers)
                .map(thread::ScopedJoinHandle::join)
                .collect()
        })
    }
}

fn value(counter: &std::sync::atomic::AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn concurrent_units_share_one_commit() {
    let scene = scene();
    let others = (1..=20)
        .map(|n| {
            Box::new({
                let scene = &scene;
                move || scene.insert(n)
            }) as Box<dyn Fn() -> _ + Send>
        })
        .collect();
    let answers = scene.together(|session| insert(session, 0), others);
    assert!(answers.iter().all(|answer| matches!(answer, Ok(Ok(())))));
    assert_eq!(scene.count("numbers"), 21);
    assert_eq!(value(&scene.writer.stats().batches), 1);
    assert_eq!(value(&scene.writer.stats().units), 21);
    assert_eq!(value(&scene.writer.stats().batch_sizes[5]), 1);
}

#[test]
fn a_failing_unit_rolls_back_alone() {
    let scene = scene();
    let fails = || {
        scene.writer.run(&mut |session| {
            insert(session, 2)?;
            Err(Failure::setting("refused by a rule"))
        })
    };
    let answers = scene.together(
        |session| insert(session, 1),
        vec![Box::new(fails), Box::new(|| scene.insert(3))],
    );
    let failed: Vec<bool> = answers
        .iter()
        .map(|a| a.as_ref().unwrap().is_err())
        .collect();
    assert_eq!(failed, [false, true, false]);
    assert_eq!(scene.count("numbers"), 2);
    assert!(value(&scene.writer.stats().units_retried) >= 2);
}

#[test]
fn a_panic_reaches_its_own_caller_and_nobody_else() {
    let scene = scene();
    let panics = || {
        scene.writer.run(&mut |session| {
            insert(session, 2)?;
            panic!("a mistake in a closure")
        })
    };
    let answers = scene.together(
        |session| insert(session, 1),
        vec![Box::new(panics), Box::new(|| scene.insert(3))],
    );
    assert!(matches!(answers[0], Ok(Ok(()))));
    assert!(answers[1].is_err());
    assert!(matches!(answers[2], Ok(Ok(()))));
    assert_eq!(scene.count("numbers"), 2);
    scene.insert(4).unwrap();
}

#[test]
fn a_failed_commit_reaches_every_caller_of_the_batch() {
    let scene = scene();
    let orphan = || {
        scene
            .writer
            .run(&mut |session| execute(session, "INSERT INTO children VALUES (99)").map(drop))
    };
    let answers = scene.together(
        |session| insert(session, 1),
        vec![Box::new(orphan), Box::new(|| scene.insert(3))],
    );
    assert!(answers.iter().all(|answer| matches!(answer, Ok(Err(_)))));
    assert_eq!(scene.count("numbers"), 0);
    assert_eq!(value(&scene.writer.stats().batches_failed), 1);
    scene.insert(4).unwrap();
    assert_eq!(scene.count("numbers"), 1);
}

#[test]
fn a_full_disk_is_unavailable_until_there_is_room() {
    let scene = scene();
    scene.insert(1).unwrap();
    scene.writer.with_connection(|connection| {
        connection
            .batch_execute("PRAGMA max_page_count = 8")
            .unwrap();
    });
    let fill = |session: &mut Session<'_>| {
        execute(session, "INSERT INTO bulk VALUES (zeroblob(100000))").map(drop)
    };
    // Whoever shares the transaction loses it too: SQLite rolls all of it back.
    let answers = scene.together(
        |session| insert(session, 2),
        vec![Box::new(|| scene.writer.run(&mut |session| fill(session)))],
    );
    for answer in answers {
        let failure = answer.unwrap().unwrap_err();
        assert_eq!(failure.kind(), Kind::Full, "{failure}");
    }
    assert!(value(&scene.writer.stats().disk_full) > 0);
    assert_eq!(scene.count("numbers"), 1);
    scene.insert(3).unwrap();
    scene.writer.with_connection(|connection| {
        connection
            .batch_execute("PRAGMA max_page_count = 100000")
            .unwrap();
    });
    scene.writer.run(&mut |session| fill(session)).unwrap();
    assert_eq!(scene.count("numbers"), 2);
    assert_eq!(scene.count("bulk"), 1);
}

#[test]
fn a_swallowed_error_is_never_committed() {
    let scene = scene();
    scene.insert(1).unwrap();
    let answer: Result<(), Failure> = scene.writer.run(&mut |session| {
        insert(session, 2)?;
        insert(session, 1).unwrap_err();
        insert(session, 3).unwrap_err();
        Ok(())
    });
    assert!(answer.is_err());
    assert_eq!(scene.count("numbers"), 1);
}

#[test]
fn a_second_writer_gets_its_turn_beside_a_busy_one() {
    let scene = scene();
    let second = open(&scene.folder);
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for thread in 0..4_i64 {
            let (scene, stop) = (&scene, &stop);
            scope.spawn(move || {
                let mut n = thread << 40;
                while !stop.load(Ordering::Relaxed) {
                    scene.insert(n).unwrap();
                    n += 1;
                }
            });
        }
        for n in 1..=50 {
            second.run(&mut |session| insert(session, -n)).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    let negative = "(SELECT n FROM numbers WHERE n < 0)";
    assert_eq!(scene.count(negative), 50);
}

#[test]
fn whoever_queued_behind_a_failed_begin_is_told_so_at_once() {
    let scene = scene();
    let blocker = open(&scene.folder);
    let patient = Duration::from_millis(300);
    let path = scene.folder.path().join("test.db");
    let impatient = Writer::open(path, patient, Arc::default()).unwrap();
    blocker
        .run(&mut |_| -> Result<(), Failure> {
            let start = Instant::now();
            thread::scope(|scope| {
                let callers: Vec<_> = (0..8)
                    .map(|n| {
                        let impatient = &impatient;
                        scope.spawn(move || impatient.run(&mut |session| insert(session, n)))
                    })
                    .collect();
                for caller in callers {
                    let failure = caller.join().unwrap().unwrap_err();
                    assert_eq!(failure.kind(), Kind::Exhausted);
                }
            });
            // One after the other they would have taken eight times as long.
            assert!(start.elapsed() < patient * 4);
            Ok(())
        })
        .unwrap();
    impatient.run(&mut |session| insert(session, 1)).unwrap();
}
