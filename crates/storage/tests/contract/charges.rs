use vintem_domain::account::Origin;
use vintem_domain::charge::{
    Charge, Customer, FailedBy, Failure, Metadata, Payment, PaymentId, Status,
};
use vintem_domain::document::Document;
use vintem_domain::ports::{Store, Transact};
use vintem_domain::provider::Payer;
use vintem_domain::text::{Description, Email, Phone};
use vintem_domain::transaction::Page;
use vintem_domain::{Centavos, Owner};

use crate::fixtures::{at, charge, name, number, other_environment, owner, payment};
use crate::scene::{Scene, promises};

promises!(
    a_charge_reads_back_as_it_was_written,
    a_charge_of_another_owner_is_not_there,
    saving_a_charge_changes_its_status_and_nothing_else,
    a_txid_belongs_to_one_charge,
);

fn insert(store: &dyn Store, charge: &Charge) {
    store.transact(|tx| tx.insert_charge(charge)).unwrap();
}

fn read(store: &dyn Store, charge: &Charge) -> Option<Charge> {
    store
        .read(|read| read.charge(charge.owner, charge.id))
        .unwrap()
}

fn with_everything(owner: Owner) -> Charge {
    Charge {
        description: Description::parse("Pedido nº 7\tção 🎉").unwrap(),
        customer: Customer {
            name: Some(name("D'Ávila; DROP TABLE charges")),
            email: Some(Email::parse("jose@example.com").unwrap()),
            cellphone: Some(Phone::parse("+55 (11) 91234-5678").unwrap()),
            tax_id: Some(Document::parse("52998224725").unwrap()),
        },
        metadata: Some(Metadata::parse(r#"{"a":1.50,"b":"\u0000","c":{"d":[]}}"#).unwrap()),
        amount: Centavos::new(9_999_999_999),
        origin: Origin::Agent,
        ..charge(owner)
    }
}

fn failed(by: FailedBy) -> Status {
    Status::Failed(Failure {
        failed_at: at(70_000),
        by,
        reason: "recusada pelo banco".to_owned(),
    })
}

fn a_charge_reads_back_as_it_was_written(scene: &Scene) {
    let owner = owner();
    let anonymous = Payment {
        payer: Payer::default(),
        ..payment()
    };
    // Paid at a counter: the settlement's authentication takes the place of an end-to-end id.
    let by_line = Payment {
        end_to_end_id: PaymentId::of_settlement(&format!("AUT{}", number())).unwrap(),
        ..payment()
    };
    let charges = [
        charge(owner),
        with_everything(owner),
        with_everything(other_environment(owner)),
        Charge {
            status: Status::Paid(payment()),
            ..charge(owner)
        },
        Charge {
            status: Status::Paid(anonymous),
            ..charge(owner)
        },
        Charge {
            status: Status::Paid(by_line),
            ..charge(owner)
        },
        Charge {
            status: failed(FailedBy::Provider),
            ..charge(owner)
        },
        Charge {
            status: failed(FailedBy::Merchant),
            ..charge(owner)
        },
    ];
    let store = scene.store();
    for charge in charges {
        insert(store, &charge);
        assert_eq!(read(store, &charge).as_ref(), Some(&charge));
        let locked = store.transact(|tx| tx.charge_for_update(charge.owner, charge.id));
        assert_eq!(locked.unwrap().as_ref(), Some(&charge));
        let by_id = store.read(|read| read.charge_of_anyone(charge.id));
        assert_eq!(by_id.unwrap().as_ref(), Some(&charge));
        let by_txid = store.read(|read| read.charge_by_txid(&charge.txid));
        assert_eq!(by_txid.unwrap(), Some(charge));
    }
}

fn a_charge_of_another_owner_is_not_there(scene: &Scene) {
    let charge = charge(owner());
    let store = scene.store();
    insert(store, &charge);
    for stranger in [owner(), other_environment(charge.owner)] {
        let read = store.read(|read| read.charge(stranger, charge.id));
        assert_eq!(read.unwrap(), None);
        let locked = store.transact(|tx| tx.charge_for_update(stranger, charge.id));
        assert_eq!(locked.unwrap(), None);
        let page = Page::parse(None, None).unwrap();
        let list = store.read(|read| read.transactions(stranger, page));
        assert_eq!(list.unwrap(), []);
        let stolen = Charge {
            owner: stranger,
            status: Status::Paid(payment()),
            ..charge.clone()
        };
        assert!(store.transact(|tx| tx.save_charge(&stolen)).is_err());
    }
    assert_eq!(read(store, &charge), Some(charge));
}

fn saving_a_charge_changes_its_status_and_nothing_else(scene: &Scene) {
    let store = scene.store();
    for status in [
        Status::Paid(payment()),
        failed(FailedBy::Provider),
        Status::Pending,
    ] {
        let before = with_everything(owner());
        insert(store, &before);
        let saved = Charge {
            amount: Centavos::new(1),
            br_code: "another".to_owned(),
            status,
            ..before.clone()
        };
        store.transact(|tx| tx.save_charge(&saved)).unwrap();
        let expected = Charge {
            status: saved.status,
            ..before
        };
        assert_eq!(read(store, &expected), Some(expected));
    }
}

fn a_txid_belongs_to_one_charge(scene: &Scene) {
    let first = charge(owner());
    let twin = Charge {
        txid: first.txid.clone(),
        ..charge(owner())
    };
    let store = scene.store();
    insert(store, &first);
    assert!(store.transact(|tx| tx.insert_charge(&twin)).is_err());
    assert_eq!(read(store, &twin), None);
}
