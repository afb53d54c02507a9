use vintem_domain::Centavos;
use vintem_domain::account::{
    Account, AccountId, FeeOverrides, LimitOverrides, Membership, Role, User,
};
use vintem_domain::document::Document;
use vintem_domain::money::Fee;
use vintem_domain::ports::Transact;

use crate::fixtures::{account, at, kept_account, name, user};
use crate::scene::{Scene, promises};

promises!(
    an_account_reads_back_as_it_was_written,
    a_changed_account_reads_back_as_it_was_saved,
    an_account_that_is_not_there_is_none_and_cannot_be_saved,
    an_e_mail_address_belongs_to_one_user,
    a_changed_user_reads_back_as_it_was_saved,
    a_user_can_be_a_member,
);
promises!(alone: accounts_are_listed_oldest_first);

fn with_everything() -> Account {
    Account {
        document: Some(Document::parse("52998224725").unwrap()),
        address: Some(name("Rua das Flores, 7\nSão Paulo")),
        merchant_name: Some(name("Ana & Cia")),
        suspended_at: Some(at(5)),
        fees: FeeOverrides {
            pix: Some(Fee::new(0, 99).unwrap()),
            checkout: Some(Fee::new(1, 98).unwrap()),
            boleto: Some(Fee::new(2, 97).unwrap()),
            withdrawal: Some(Fee::new(3, 96).unwrap()),
            bill_provider: Some(Fee::new(4, 95).unwrap()),
            bill_service: Some(Fee::new(5, 94).unwrap()),
        },
        limits: LimitOverrides {
            per_transaction: Some(Centavos::new(1)),
            per_withdrawal: Some(Centavos::new(2)),
            withdrawals_per_day: Some(Centavos::new(3)),
        },
        duplicate_guard_minutes: Some(15),
        clock_offset_ms: 259_200_000,
        ..account()
    }
}

fn an_account_reads_back_as_it_was_written(scene: &Scene) {
    for account in [account(), with_everything()] {
        scene
            .store()
            .transact(|tx| tx.insert_account(&account))
            .unwrap();
        let read = scene.store().read(|read| read.account(account.id)).unwrap();
        assert_eq!(read.as_ref(), Some(&account));
        let locked = scene
            .store()
            .transact(|tx| tx.account_for_update(account.id))
            .unwrap();
        assert_eq!(locked, Some(account));
    }
}

fn a_changed_account_reads_back_as_it_was_saved(scene: &Scene) {
    for change in [with_everything(), account()] {
        let before = kept_account(scene.store());
        let after = Account {
            id: before.id,
            ..change
        };
        scene
            .store()
            .transact(|tx| tx.save_account(&after))
            .unwrap();
        let read = scene.store().read(|read| read.account(before.id)).unwrap();
        assert_eq!(read, Some(after));
    }
}

fn an_account_that_is_not_there_is_none_and_cannot_be_saved(scene: &Scene) {
    let nobody = account();
    let read = scene.store().read(|read| read.account(nobody.id)).unwrap();
    assert_eq!(read, None);
    let saved = scene.store().transact(|tx| tx.save_account(&nobody));
    assert!(saved.is_err());
}

fn accounts_are_listed_oldest_first(scene: &Scene) {
    let ids: Vec<AccountId> = (0..3).map(|_| kept_account(scene.store()).id).collect();
    let read = scene.store().read(|read| read.accounts()).unwrap();
    assert_eq!(read.iter().map(|a| a.id).collect::<Vec<_>>(), ids);
}

fn an_e_mail_address_belongs_to_one_user(scene: &Scene) {
    let first = user();
    let mut second = user();
    second.email = first.email.clone();
    let store = scene.store();
    assert!(store.transact(|tx| tx.insert_user(&first)).unwrap());
    // The refusal is no failure: the unit of work goes on.
    let account = account();
    let inserted = store.transact(|tx| {
        let inserted = tx.insert_user(&second)?;
        tx.insert_account(&account)?;
        Ok(inserted)
    });
    assert!(!inserted.unwrap());
    let read = |email| store.read(|read| read.user_by_email(email)).unwrap();
    assert_eq!(read(&first.email), Some(first.clone()));
    assert_eq!(read(&user().email), None);
    assert!(
        store
            .read(|read| read.account(account.id))
            .unwrap()
            .is_some()
    );
}

fn a_changed_user_reads_back_as_it_was_saved(scene: &Scene) {
    let store = scene.store();
    let first = user();
    assert!(store.transact(|tx| tx.insert_user(&user())).unwrap());
    assert!(store.transact(|tx| tx.save_user(&first)).is_err());
    assert!(store.transact(|tx| tx.insert_user(&first)).unwrap());
    let changed = User {
        password_hash: "another".to_owned(),
        ..first
    };
    store.transact(|tx| tx.save_user(&changed)).unwrap();
    let read = store.read(|read| read.user_by_email(&changed.email));
    assert_eq!(read.unwrap(), Some(changed));
}

fn a_user_can_be_a_member(scene: &Scene) {
    let account = account();
    let user = user();
    let kept = scene.store().transact(|tx| {
        tx.insert_account(&account)?;
        tx.insert_user(&user)?;
        tx.insert_membership(&Membership {
            account: account.id,
            user: user.id,
            role: Role::Owner,
        })
    });
    kept.unwrap();
}
