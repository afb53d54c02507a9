use vintem_domain::Environment::{Live, Sandbox};
use vintem_domain::key::{ApiKey, KeyDigest, KeyId, Scope, Scopes};
use vintem_domain::ports::Transact;

use crate::fixtures::{at, digest, kept_account, key, ulid};
use crate::scene::{Scene, promises};

promises!(
    a_key_is_found_by_its_digest_as_it_was_written,
    keys_of_an_account_are_listed_oldest_first,
    saving_a_key_changes_its_end_and_nothing_else,
    the_last_use_of_a_key_never_moves_back,
    an_id_belongs_to_one_key,
);

fn a_key_is_found_by_its_digest_as_it_was_written(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let full = ApiKey {
        scopes: [Scope::PixRead, Scope::StoreManage].into_iter().collect(),
        encrypted: Some(vec![0, 255, 7]),
        expires_at: Some(at(1)),
        revoked_at: Some(at(2)),
        last_used_at: Some(at(3)),
        ..key(account, Sandbox)
    };
    let bare = ApiKey {
        scopes: Scopes::NONE,
        ..key(account, Live)
    };
    for key in [full, bare] {
        scene.store().transact(|tx| tx.insert_key(&key)).unwrap();
        let found = scene.store().read(|read| read.key_by_digest(&key.digest));
        assert_eq!(found.unwrap().as_ref(), Some(&key));
        let locked = scene.store().transact(|tx| tx.key_for_update(key.id));
        assert_eq!(locked.unwrap(), Some(key));
    }
    let unknown = KeyDigest(digest());
    let found = scene.store().read(|read| read.key_by_digest(&unknown));
    assert_eq!(found.unwrap(), None);
    let locked = scene
        .store()
        .transact(|tx| tx.key_for_update(KeyId(ulid())));
    assert_eq!(locked.unwrap(), None);
}

fn keys_of_an_account_are_listed_oldest_first(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let other = kept_account(scene.store()).id;
    let keys = [
        key(account, Live),
        key(account, Sandbox),
        key(account, Live),
    ];
    let stranger = key(other, Live);
    scene
        .store()
        .transact(|tx| {
            tx.insert_key(&keys[2])?;
            tx.insert_key(&stranger)?;
            tx.insert_key(&keys[0])?;
            tx.insert_key(&keys[1])
        })
        .unwrap();
    let listed = scene.store().read(|read| read.keys(account)).unwrap();
    assert_eq!(listed, keys);
}

fn saving_a_key_changes_its_end_and_nothing_else(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let before = key(account, Live);
    let saved = ApiKey {
        expires_at: Some(at(10)),
        revoked_at: Some(at(11)),
        scopes: Scopes::NONE,
        hint: "zzzz".to_owned(),
        ..before.clone()
    };
    scene
        .store()
        .transact(|tx| {
            tx.insert_key(&before)?;
            tx.save_key(&saved)
        })
        .unwrap();
    let after = scene
        .store()
        .read(|read| read.key_by_digest(&before.digest))
        .unwrap();
    let expected = ApiKey {
        expires_at: saved.expires_at,
        revoked_at: saved.revoked_at,
        ..before
    };
    assert_eq!(after, Some(expected));
}

fn the_last_use_of_a_key_never_moves_back(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let key = key(account, Live);
    scene.store().transact(|tx| tx.insert_key(&key)).unwrap();
    for (use_at, kept) in [(5, 5), (9, 9), (7, 9)] {
        scene
            .store()
            .transact(|tx| tx.save_key_use(key.id, at(use_at)))
            .unwrap();
        let read = scene.store().read(|read| read.key_by_digest(&key.digest));
        assert_eq!(read.unwrap().unwrap().last_used_at, Some(at(kept)));
    }
    let nobody = KeyId(ulid());
    scene
        .store()
        .transact(|tx| tx.save_key_use(nobody, at(1)))
        .unwrap();
}

fn an_id_belongs_to_one_key(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let first = key(account, Live);
    let twin = ApiKey {
        id: first.id,
        ..key(account, Live)
    };
    scene.store().transact(|tx| tx.insert_key(&first)).unwrap();
    assert!(scene.store().transact(|tx| tx.insert_key(&twin)).is_err());
}
