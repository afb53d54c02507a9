use vintem_domain::account::Environment;
use vintem_domain::charge::PaymentId;
use vintem_domain::memory::MemoryStore;
use vintem_domain::memory::doubles::StillClock;
use vintem_domain::money::Centavos;

use super::fixture::{bank, bank_at, now, owner};
use super::*;

fn request() -> PixRequest {
    PixRequest {
        owner: owner(Environment::Live),
        txid: TxId::from_bytes(&[7; 32]),
        amount: Centavos::new(4_990),
        expires_in: 3_600,
        description: None,
    }
}

#[test]
fn a_repeat_reaches_the_same_charge() {
    let bank = bank(&Arc::new(MemoryStore::new()));
    let location = bank.register(&request()).unwrap();
    assert_eq!(
        location.as_str(),
        format!("pix.vintem.example/qr/v2/{}", request().txid)
    );
    assert_eq!(bank.register(&request()).unwrap(), location);
}

#[test]
fn what_the_bank_was_told_is_shared_and_outlives_it() {
    let records = Arc::new(MemoryStore::new());
    let clock = Arc::new(StillClock::at(now()));
    let one = bank_at(&records, &clock);
    assert!(one.register(&request()).is_ok());
    let down = one
        .change(BankChange {
            up: Some(false),
            ..BankChange::default()
        })
        .unwrap();
    assert!(!down.up);
    assert!(one.register(&request()).is_err(), "it counts at once here");
    let other = bank_at(&records, &clock);
    assert_eq!(other.state().unwrap(), down);
    assert!(matches!(
        other.register(&request()),
        Err(Error::Provider(ProviderFailure::Down))
    ));
    other
        .change(BankChange {
            up: Some(true),
            bills: Some(Outgoing::Fail),
            ..BankChange::default()
        })
        .unwrap();
    clock.advance(REMEMBERED_MS);
    assert!(one.register(&request()).is_ok());
    assert_eq!(one.state().unwrap().bills, Outgoing::Fail);
}

#[test]
fn a_charge_is_removed_as_often_as_asked_while_the_bank_is_up() {
    let bank = bank(&Arc::new(MemoryStore::new()));
    let request = RemovalRequest {
        owner: owner(Environment::Live),
        txid: TxId::from_bytes(&[7; 32]),
    };
    assert!(bank.remove(&request).is_ok());
    assert!(bank.remove(&request).is_ok());
    bank.change(BankChange {
        up: Some(false),
        ..BankChange::default()
    })
    .unwrap();
    assert!(matches!(
        bank.remove(&request),
        Err(Error::Provider(ProviderFailure::Down))
    ));
}

#[test]
fn a_return_is_named_after_its_payment() {
    let bank = bank(&Arc::new(MemoryStore::new()));
    let request = ReturnRequest {
        owner: owner(Environment::Live),
        return_id: "ret1".to_owned(),
        payment_id: PaymentId::restore("E12345678202601011200abcdefghijk".to_owned()),
        amount: Centavos::new(1),
    };
    assert_eq!(
        bank.give_back(&request).unwrap(),
        "D12345678202601011200abcdefghijk"
    );
}
