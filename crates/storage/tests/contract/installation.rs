use std::thread;

use vintem_domain::ports::{Store, Transact};
use vintem_domain::provider::{ProviderRecord, ProviderRecords};

use crate::fixtures::number;
use crate::scene::{Scene, promises};

promises!(
    a_provider_record_is_written_by_whoever_saw_the_last_version,
    of_racing_writers_of_a_provider_record_one_wins_each_round,
);
promises!(alone: the_epoch_moves, the_first_value_is_kept);

fn the_epoch_moves(scene: &Scene) {
    let epoch = || scene.store().read(|read| read.epoch()).unwrap();
    let before = epoch();
    scene.store().transact(|tx| tx.move_epoch()).unwrap();
    assert!(epoch() > before);
}

fn the_first_value_is_kept(scene: &Scene) {
    let keep = |name, value: &[u8]| {
        scene
            .store()
            .transact(|tx| tx.keep_first(name, value))
            .unwrap()
    };
    assert_eq!(keep("check", &[1, 0]), [1, 0]);
    assert_eq!(keep("check", &[2]), [1, 0]);
    assert_eq!(keep("other", &[]), [0_u8; 0]);
}

fn a_provider_record_is_written_by_whoever_saw_the_last_version(scene: &Scene) {
    let store: &dyn Store = scene.store();
    let key = format!("state {}", number());
    assert_eq!(store.recall("stub", &key).unwrap(), None);
    let steps = [
        (1, "too early", false),
        (0, "first", true),
        (0, "late", false),
        (1, "second", true),
        (1, "late", false),
        (2, "third", true),
    ];
    for (seen, body, kept) in steps {
        assert_eq!(
            store.remember("stub", &key, seen, body).unwrap(),
            kept,
            "{body}"
        );
    }
    let record = ProviderRecord {
        version: 3,
        body: "third".to_owned(),
    };
    assert_eq!(store.recall("stub", &key).unwrap(), Some(record));
    assert_eq!(store.recall("other", &key).unwrap(), None);
}

fn of_racing_writers_of_a_provider_record_one_wins_each_round(scene: &Scene) {
    const WRITERS: i64 = 4;
    const EACH: i64 = 10;
    let store = scene.store();
    let key = format!("count {}", number());
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    loop {
                        let known = store.recall("stub", &key).unwrap();
                        let (seen, count) = known.map_or((0, 0), |known| {
                            (known.version, known.body.parse::<i64>().unwrap())
                        });
                        let body = (count + 1).to_string();
                        if store.remember("stub", &key, seen, &body).unwrap() {
                            break;
                        }
                    }
                }
            });
        }
    });
    let last = store.recall("stub", &key).unwrap().unwrap();
    assert_eq!(last.version, WRITERS * EACH);
    assert_eq!(last.body, (WRITERS * EACH).to_string());
}
