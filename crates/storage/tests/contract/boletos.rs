use vintem_domain::charge::{Charge, Status};
use vintem_domain::ports::{Store, Transact};

use crate::fixtures::{barcode, boleto, charge, other_environment, owner, payment, slip};
use crate::scene::{Scene, promises};

promises!(
    a_boleto_reads_back_as_it_was_written,
    saving_a_boleto_leaves_its_slip_alone,
    a_slip_is_found_by_its_token_and_its_barcode,
);

fn insert(store: &dyn Store, charge: &Charge) {
    store.transact(|tx| tx.insert_charge(charge)).unwrap();
}

fn a_boleto_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    for charge in [
        boleto(owner, slip()),
        boleto(other_environment(owner), slip()),
        Charge {
            status: Status::Paid(payment()),
            ..boleto(owner, slip())
        },
    ] {
        insert(store, &charge);
        let by_owner = store.read(|read| read.charge(charge.owner, charge.id));
        assert_eq!(by_owner.unwrap().as_ref(), Some(&charge));
        let locked = store.transact(|tx| tx.charge_for_update(charge.owner, charge.id));
        assert_eq!(locked.unwrap().as_ref(), Some(&charge));
        let by_id = store.read(|read| read.charge_of_anyone(charge.id));
        assert_eq!(by_id.unwrap().as_ref(), Some(&charge));
        let by_txid = store.read(|read| read.charge_by_txid(&charge.txid));
        assert_eq!(by_txid.unwrap().as_ref(), Some(&charge));
        let stranger = other_environment(charge.owner);
        let read = store.read(|read| read.charge(stranger, charge.id));
        assert_eq!(read.unwrap(), None);
    }
}

fn saving_a_boleto_leaves_its_slip_alone(scene: &Scene) {
    let store = scene.store();
    let before = boleto(owner(), slip());
    insert(store, &before);
    let paid = Charge {
        status: Status::Paid(payment()),
        ..before
    };
    store.transact(|tx| tx.save_charge(&paid)).unwrap();
    let read = store.read(|read| read.charge(paid.owner, paid.id));
    assert_eq!(read.unwrap(), Some(paid));
}

fn a_slip_is_found_by_its_token_and_its_barcode(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let slips = [slip(), slip()];
    insert(store, &charge(owner));
    for slip in &slips {
        insert(store, &boleto(owner, slip.clone()));
    }
    for slip in &slips {
        let by_token = store.read(|read| read.boleto_by_token(&slip.pdf_token));
        let by_barcode = store.read(|read| read.boleto_by_barcode(&slip.barcode));
        let found = by_token.unwrap().unwrap();
        assert_eq!(found.kind, boleto(owner, slip.clone()).kind);
        assert_eq!(by_barcode.unwrap(), Some(found));
    }
    let unknown = store.read(|read| read.boleto_by_token("00000000000000000000000000000000"));
    assert_eq!(unknown.unwrap(), None);
    let unknown = store.read(|read| read.boleto_by_barcode(&barcode()));
    assert_eq!(unknown.unwrap(), None);
}
