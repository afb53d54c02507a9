use std::thread;

use vintem_domain::bill::{BillCode, Quote, QuoteId};
use vintem_domain::payout::PayoutId;
use vintem_domain::ports::Transact;

use crate::fixtures::{barcode, other_environment, owner, quote, ulid};
use crate::scene::{Scene, promises};

promises!(
    a_quote_reads_back_as_it_was_written,
    a_title_is_taken_by_one_payment_until_it_is_let_go,
    a_title_taken_by_a_unit_that_fails_is_free,
    of_payments_that_race_for_a_title_one_takes_it,
);

/// A utility bill: it names neither bank nor beneficiary.
const UTILITY: &str = "84610000000246100291100054603390069589506108";

fn a_quote_reads_back_as_it_was_written(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let utility = Quote {
        code: BillCode::parse(UTILITY).unwrap(),
        bank: None,
        beneficiary: None,
        payable: false,
        ..quote(owner)
    };
    for quote in [quote(owner), quote(other_environment(owner)), utility] {
        store.transact(|tx| tx.insert_quote(&quote)).unwrap();
        let read = store.read(|read| read.quote(quote.owner, quote.id));
        assert_eq!(read.unwrap().as_ref(), Some(&quote));
        for (owner, id) in [
            (other_environment(quote.owner), quote.id),
            (quote.owner, QuoteId(ulid())),
        ] {
            let read = store.read(|read| read.quote(owner, id));
            assert_eq!(read.unwrap(), None);
        }
        assert!(store.transact(|tx| tx.insert_quote(&quote)).is_err());
    }
}

fn a_title_is_taken_by_one_payment_until_it_is_let_go(scene: &Scene) {
    let store = scene.store();
    let mine = owner();
    let title = barcode();
    let claim = |owner, payment| {
        store
            .transact(|tx| tx.claim_title(owner, title.as_str(), payment))
            .unwrap()
    };
    let payer = |owner| {
        store
            .read(|read| read.title_payment(owner, title.as_str()))
            .unwrap()
    };
    let (first, second) = (PayoutId(ulid()), PayoutId(ulid()));
    assert_eq!(payer(mine), None);
    assert!(claim(mine, first));
    assert!(!claim(mine, second));
    assert_eq!(payer(mine), Some(first));
    // What others pay is theirs.
    for other in [owner(), other_environment(mine)] {
        assert_eq!(payer(other), None);
        assert!(claim(other, PayoutId(ulid())));
    }
    let release = || store.transact(|tx| tx.release_title(mine, title.as_str()));
    release().unwrap();
    release().unwrap();
    assert_eq!(payer(mine), None);
    assert!(claim(mine, second));
    assert_eq!(payer(mine), Some(second));
}

fn a_title_taken_by_a_unit_that_fails_is_free(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let title = barcode();
    let failed: Result<(), _> = store.transact(|tx| {
        assert!(tx.claim_title(owner, title.as_str(), PayoutId(ulid()))?);
        Err(vintem_domain::Error::invalid("quoteId", "is not good"))
    });
    assert!(failed.is_err());
    let payer = store.read(|read| read.title_payment(owner, title.as_str()));
    assert_eq!(payer.unwrap(), None);
}

fn of_payments_that_race_for_a_title_one_takes_it(scene: &Scene) {
    let store = scene.store();
    let owner = owner();
    let title = barcode();
    let winners: Vec<PayoutId> = thread::scope(|scope| {
        let racers: Vec<_> = (0..20)
            .map(|_| {
                scope.spawn(|| {
                    let payment = PayoutId(ulid());
                    let seen = store.transact(|tx| {
                        let mine = tx.claim_title(owner, title.as_str(), payment)?;
                        // Who lost sees who won.
                        let payer = tx.title_payment(owner, title.as_str())?.unwrap();
                        assert_eq!(mine, payer == payment);
                        Ok(payer)
                    });
                    seen.unwrap()
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().unwrap())
            .collect()
    });
    assert!(winners.iter().all(|winner| *winner == winners[0]));
}
