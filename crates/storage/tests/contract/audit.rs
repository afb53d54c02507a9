use std::fmt::Debug;

use vintem_domain::charge::{Charge, ChargeId};
use vintem_domain::ledger::Head;
use vintem_domain::ports::{Read, Rows, Transact};
use vintem_domain::refund::Refund;
use vintem_domain::{Error, Owner};

use crate::databases::sql;
use crate::fixtures::{
    at, bill_payment, boleto, charge, event, kept_head, movement, other_environment, owner,
    receipt, refund_of, returned, slip, ulid, withdrawal,
};
use crate::scene::{Scene, promises};

promises!(every_table_is_read_in_the_order_of_its_objects_from_any_place,);
promises!(of databases:
    a_row_that_cannot_be_read_hides_no_other,
);

/// Reads everything two rows at a time.
fn all<P: Clone, T>(
    scene: &Scene,
    page: impl Fn(&mut dyn Read, Option<P>) -> Result<Rows<P, T>, Error>,
) -> Rows<P, T> {
    let mut rows = Vec::new();
    loop {
        let after = rows.last().map(|(place, _): &(P, _)| place.clone());
        let next = scene
            .store()
            .read(|read| page(read, after.clone()))
            .unwrap();
        if next.is_empty() {
            return rows;
        }
        assert!(next.len() <= 2);
        rows.extend(next);
    }
}

#[track_caller]
fn assert_all<P, T: PartialEq + Debug + Clone>(rows: Rows<P, T>, expected: &[T]) {
    let found: Vec<T> = rows.into_iter().map(|(_, row)| row.unwrap()).collect();
    assert_eq!(found, expected);
}

/// PIX charges and boletos by turns, in the order of their ids.
fn kept_charges(scene: &Scene, owner: Owner) -> Vec<Charge> {
    let charges: Vec<Charge> = (0..5)
        .map(|nth| match nth % 2 {
            0 => charge(owner),
            _ => boleto(owner, slip()),
        })
        .collect();
    for charge in charges.iter().rev() {
        scene
            .store()
            .transact(|tx| tx.insert_charge(charge))
            .unwrap();
    }
    charges
}

fn every_table_is_read_in_the_order_of_its_objects_from_any_place(scene: &Scene) {
    let (store, owner) = (scene.store(), owner());
    kept_charges(scene, other_environment(owner));
    let charges = kept_charges(scene, owner);
    assert_all(
        all(scene, |read, after| read.charges_found(owner, after, 2)),
        &charges,
    );

    let (first, second) = (&charges[0], &charges[1]);
    let receipts = [first, first, first, second].map(receipt);
    let returns = [first, first, second].map(|charge| returned(charge, at(0)));
    let payouts = [withdrawal(owner), bill_payment(owner), withdrawal(owner)];
    let refunds = [first.id, second.id, first.id].map(|charge| Refund {
        charge,
        ..refund_of(owner)
    });
    store
        .transact(|tx| {
            // What came for the second charge came first.
            for nth in [3, 0, 1, 2] {
                tx.insert_receipt(&receipts[nth])?;
            }
            returns
                .iter()
                .rev()
                .try_for_each(|one| tx.insert_return(one))?;
            payouts
                .iter()
                .rev()
                .try_for_each(|one| tx.insert_payout(one))?;
            refunds
                .iter()
                .rev()
                .try_for_each(|one| tx.insert_refund(one))
        })
        .unwrap();
    assert_all(
        all(scene, |read, after| read.receipts_found(owner, after, 2)),
        &receipts,
    );
    assert_all(
        all(scene, |read, after| read.returns_found(owner, after, 2)),
        &returns,
    );
    assert_all(
        all(scene, |read, after| read.payouts_found(owner, after, 2)),
        &payouts,
    );
    assert_all(
        all(scene, |read, after| read.refunds_found(owner, after, 2)),
        &refunds,
    );
    let [one, two, three] = refunds;
    assert_all(
        all(scene, |read, after| {
            read.refunds_by_charge_found(owner, after, 2)
        }),
        &[one, three, two],
    );
    entries_and_events_come_by_object(scene, owner);
}

fn entries_and_events_come_by_object(scene: &Scene, owner: Owner) {
    let store = scene.store();
    kept_head(store, owner);
    let objects = [ulid(), ulid()];
    let mut entries = Vec::new();
    let mut events = Vec::new();
    for nth in [1, 0, 0, 1, 0] {
        let (movement, sequence) = (movement(10, objects[nth]), entries.len() + 1);
        let told = vintem_domain::event::Event {
            object: objects[nth],
            ..event(owner, i64::try_from(sequence).unwrap())
        };
        let entry = store.transact(|tx| {
            let mut head: Head = tx.head_for_update(owner)?.unwrap();
            let entry = head.post(movement)?;
            tx.insert_entry(&entry)?;
            tx.insert_event(&told)?;
            tx.save_head(&head)?;
            Ok(entry)
        });
        entries.push(entry.unwrap());
        events.push(told);
    }
    entries.sort_by_key(|entry| (entry.reference, entry.sequence));
    events.sort_by_key(|event| (event.object, event.sequence));
    assert_all(
        all(scene, |read, after| {
            read.entries_by_object_found(owner, after, 2)
        }),
        &entries,
    );
    assert_all(
        all(scene, |read, after| {
            read.events_by_object_found(owner, after, 2)
        }),
        &events,
    );
}

fn a_row_that_cannot_be_read_hides_no_other(scene: &Scene) {
    let owner = owner();
    let charges = kept_charges(scene, owner);
    // Without the rules of the table, a column that is never empty can be.
    let damage = "\
        CREATE TABLE loose AS SELECT * FROM charges; DROP TABLE charges; ALTER TABLE loose RENAME TO charges;";
    let change = |set: &str, charge: &Charge| {
        let id = charge.id.0;
        sql(
            scene,
            &format!("UPDATE charges SET {set} WHERE id = '{id}'"),
        )
        .unwrap();
    };
    sql(scene, damage).unwrap();
    change("amount = NULL", &charges[0]);
    change("kind = 'garbled'", &charges[2]);
    let slip = charges[1].id.0;
    sql(
        scene,
        &format!("UPDATE boletos SET payer_cep = '!2345678' WHERE id = '{slip}'"),
    )
    .unwrap();
    let found = scene
        .store()
        .read(|read| read.charges_found(owner, None, 9))
        .unwrap();
    let readable: Vec<Option<ChargeId>> = found
        .iter()
        .map(|(_, charge)| charge.as_ref().ok().map(|charge| charge.id))
        .collect();
    assert_eq!(
        readable,
        [None, None, None, Some(charges[3].id), Some(charges[4].id)]
    );
    let wrong = |nth: usize| found[nth].1.as_ref().unwrap_err().to_string();
    assert!(wrong(0).starts_with("cannot be read: "), "{}", wrong(0));
    assert_eq!(wrong(1), "cannot be read: boletos.payer_cep");
    assert_eq!(wrong(2), "cannot be read: charges.kind");
}
