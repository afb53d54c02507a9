use super::*;
use crate::calendar::DAY_MS;
use crate::error::{Conflict, Error};
use crate::ledger;
use crate::ports::Transact;
use crate::testing::{START, World, new_account};

#[test]
fn an_account_opens_with_play_money_in_the_sandbox_only() {
    let world = World::new();
    let balance = |environment| {
        store_view(&world.ports(), world.owner(environment))
            .unwrap()
            .available
    };
    assert_eq!(balance(Environment::Sandbox), PLAY_MONEY);
    assert_eq!(balance(Environment::Live), Centavos::ZERO);
    let report = ledger::verify(&world.ports()).unwrap();
    assert_eq!(
        (report.ledgers, report.entries, report.faults),
        (2, 1, vec![])
    );
}

#[test]
fn one_address_is_one_user() {
    let world = World::new();
    let taken = create(&world.ports(), &new_account("ANA@example.com"));
    assert!(matches!(taken, Err(Error::Conflict(Conflict::EmailTaken))));
    assert_eq!(list(&world.ports()).unwrap().len(), 1);
    let user = world
        .store
        .read(|read| read.user_by_email(&Email::parse("ana@example.com").unwrap()))
        .unwrap();
    assert!(user.unwrap().password_hash.starts_with("open:"));
}

#[test]
fn a_first_account_is_only_made_where_there_is_none() {
    let world = World::new();
    assert_eq!(
        create_first(&world.ports(), &new_account("bia@example.com")).unwrap(),
        None
    );
}

#[test]
fn the_test_clock_moves_forward_keeps_ticking_and_goes_back_by_reset_only() {
    let world = World::new();
    let id = world.account.id;
    let start = Time::from_millis(START);
    let set = |to| move_clock(&world.ports(), id, to);
    assert_eq!(
        set(ClockMove::Advance(3 * DAY_MS)).unwrap(),
        start.plus_millis(3 * DAY_MS)
    );
    world.clock.advance(7);
    assert_eq!(
        clock(&world.ports(), id).unwrap(),
        start.plus_millis(3 * DAY_MS + 7)
    );
    assert!(matches!(
        set(ClockMove::To(start)),
        Err(Error::Invalid { .. })
    ));
    assert!(matches!(
        set(ClockMove::Advance(-1)),
        Err(Error::Invalid { .. })
    ));
    let later = start.plus_millis(9 * DAY_MS);
    assert_eq!(set(ClockMove::To(later)).unwrap(), later);
    assert_eq!(set(ClockMove::Reset).unwrap(), start.plus_millis(7));
}

#[test]
fn agreed_fees_and_limits_replace_the_schedule_and_bad_ones_are_refused() {
    let world = World::new();
    let id = world.account.id;
    let fees = FeeOverrides {
        pix: Some(Fee::new(10, 0).unwrap()),
        ..FeeOverrides::default()
    };
    let account = override_fees(&world.ports(), id, fees).unwrap();
    assert_eq!(
        account.fees.over(&FeeSchedule::DEFAULT).pix,
        Fee::new(10, 0).unwrap()
    );
    assert_eq!(
        account.fees.over(&FeeSchedule::DEFAULT).boleto,
        FeeSchedule::DEFAULT.boleto
    );
    let greedy = FeeOverrides {
        pix: Some(Fee::new(200, 0).unwrap()),
        ..FeeOverrides::default()
    };
    assert_eq!(
        override_fees(&world.ports(), id, greedy)
            .unwrap_err()
            .to_string(),
        "fees.pix must leave something of the minimum amount 200"
    );
    let nothing = LimitOverrides {
        per_withdrawal: Some(Centavos::ZERO),
        ..LimitOverrides::default()
    };
    assert!(matches!(
        override_limits(&world.ports(), id, nothing),
        Err(Error::Invalid { .. })
    ));
}

#[test]
fn a_change_moves_the_epoch_that_other_servers_watch() {
    let world = World::new();
    let epoch = || world.store.read(|read| read.epoch()).unwrap();
    let before = epoch();
    let change_name = AccountChange {
        name: Name::parse("Nova").unwrap(),
        ..AccountChange::default()
    };
    assert_eq!(
        change(&world.ports(), world.account.id, &change_name)
            .unwrap()
            .payee_name(),
        "Nova"
    );
    assert!(epoch() > before);
}

#[test]
fn a_new_password_replaces_the_old_one() {
    let world = World::new();
    let ports = world.ports();
    let email = world.account.email.clone();
    let user = set_password(&ports, &email, "another").unwrap().unwrap();
    assert!(ports.passwords.verify("another", &user.password_hash));
    let kept = world.store.read(|read| read.user_by_email(&email)).unwrap();
    assert_eq!(kept, Some(user));
    let nobody = Email::parse("nobody@example.com").unwrap();
    assert_eq!(set_password(&ports, &nobody, "another").unwrap(), None);
}

#[test]
fn what_is_agreed_is_changed_where_it_stands() {
    let world = World::new();
    let (ports, id) = (world.ports(), world.account.id);
    let epoch = || world.store.read(|read| read.epoch()).unwrap();
    override_fees(
        &ports,
        id,
        FeeOverrides {
            pix: Some(Fee::new(10, 0).unwrap()),
            ..FeeOverrides::default()
        },
    )
    .unwrap();
    let boleto = Some(Fee::new(20, 0).unwrap());
    let account = agree(&ports, id, |now| Agreed {
        fees: FeeOverrides { boleto, ..now.fees },
        duplicate_guard_minutes: Some(10),
        ..now
    })
    .unwrap();
    assert_eq!(account.fees.pix, Some(Fee::new(10, 0).unwrap()));
    assert_eq!(account.fees.boleto, boleto);
    assert_eq!(account.duplicate_guard_minutes, Some(10));
    let before = epoch();
    assert_eq!(agree(&ports, id, |now| now).unwrap(), account);
    assert_eq!(epoch(), before, "what does not change is not written");
}

#[test]
fn a_duplicate_guard_lasts_a_minute_to_a_week() {
    let world = World::new();
    let set = |minutes| guard_duplicates(&world.ports(), world.account.id, minutes);
    assert_eq!(set(Some(10)).unwrap().duplicate_guard_minutes, Some(10));
    for minutes in [0, -1, LONGEST_DUPLICATE_GUARD + 1] {
        assert!(matches!(set(Some(minutes)), Err(Error::Invalid { .. })));
    }
    assert_eq!(set(None).unwrap().duplicate_guard_minutes, None);
}
