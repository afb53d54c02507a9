use super::*;
use crate::account::{AccountId, suspend};
use crate::calendar::HOUR_MS;
use crate::error::{Conflict, Error, Missing};
use crate::id::Ulid;
use crate::testing::World;

fn holder(world: &World, secret: &Secret) -> Option<Principal> {
    authenticate(&world.ports(), &secret.digest()).unwrap()
}

fn new_key(world: &World, environment: Environment, lifetime: Lifetime) -> NewKey {
    create(
        &world.ports(),
        world.owner(environment),
        Scopes::all(),
        lifetime,
    )
    .unwrap()
}

#[test]
fn a_key_is_recognised_until_it_expires() {
    let world = World::new();
    let new = new_key(&world, Environment::Live, Lifetime::Week);
    let principal = holder(&world, &new.secret).unwrap();
    assert_eq!(
        (principal.owner, principal.suspended),
        (world.owner(Environment::Live), false)
    );
    world.clock.advance(7 * DAY_MS - 1);
    assert!(holder(&world, &new.secret).is_some());
    world.clock.advance(1);
    assert!(holder(&world, &new.secret).is_none());
}

#[test]
fn a_revoked_key_stops_at_once_and_only_once() {
    let world = World::new();
    let new = new_key(&world, Environment::Sandbox, Lifetime::Forever);
    revoke(&world.ports(), new.key.id).unwrap();
    assert!(holder(&world, &new.secret).is_none());
    assert!(matches!(
        revoke(&world.ports(), new.key.id),
        Err(Error::Conflict(Conflict::KeyRevoked))
    ));
}

#[test]
fn a_rolled_key_works_beside_its_successor_for_the_overlap_chosen() {
    let world = World::new();
    let old = new_key(&world, Environment::Live, Lifetime::Month);
    let new = roll(&world.ports(), old.key.id, HOUR_MS).unwrap();
    assert_eq!(
        (new.key.scopes, new.key.owner),
        (old.key.scopes, old.key.owner)
    );
    assert!(holder(&world, &old.secret).is_some() && holder(&world, &new.secret).is_some());
    assert!(matches!(
        roll(&world.ports(), old.key.id, 0),
        Err(Error::Conflict(Conflict::KeyRolled))
    ));
    world.clock.advance(HOUR_MS);
    assert!(matches!(
        roll(&world.ports(), old.key.id, 0),
        Err(Error::Conflict(Conflict::KeyRevoked))
    ));
    assert!(holder(&world, &old.secret).is_none() && holder(&world, &new.secret).is_some());
    let at_once = roll(&world.ports(), new.key.id, 0).unwrap();
    assert!(holder(&world, &new.secret).is_none() && holder(&world, &at_once.secret).is_some());
    assert!(matches!(
        roll(&world.ports(), at_once.key.id, DAY_MS + 1),
        Err(Error::Invalid { .. })
    ));
}

#[test]
fn a_test_key_can_be_shown_again_and_a_live_one_cannot() {
    let world = World::new();
    let test = new_key(&world, Environment::Sandbox, Lifetime::Forever);
    new_key(&world, Environment::Live, Lifetime::Forever);
    let keys = list(&world.ports(), world.account.id).unwrap();
    let secrets: Vec<_> = keys.into_iter().map(|(_, secret)| secret).collect();
    assert_eq!(secrets, [Some(test.secret), None]);
}

#[test]
fn the_key_of_a_suspended_account_is_good_but_may_do_nothing() {
    let world = World::new();
    let new = new_key(&world, Environment::Live, Lifetime::Forever);
    suspend(&world.ports(), world.account.id, true).unwrap();
    assert!(holder(&world, &new.secret).unwrap().suspended);
    suspend(&world.ports(), world.account.id, false).unwrap();
    assert!(!holder(&world, &new.secret).unwrap().suspended);
}

#[test]
fn a_key_needs_an_account_and_a_scope() {
    let world = World::new();
    let nobody = Owner {
        account: AccountId(Ulid::from_parts(1, 1)),
        environment: Environment::Live,
    };
    let refused = create(&world.ports(), nobody, Scopes::all(), Lifetime::Forever);
    assert!(matches!(refused, Err(Error::NotFound(Missing::Account))));
    let refused = create(
        &world.ports(),
        world.owner(Environment::Live),
        Scopes::NONE,
        Lifetime::Forever,
    );
    assert!(matches!(refused, Err(Error::Invalid { .. })));
}

#[test]
fn the_last_use_never_goes_back() {
    let world = World::new();
    let new = new_key(&world, Environment::Live, Lifetime::Forever);
    let (early, late) = (Time::from_millis(1), Time::from_millis(2));
    record_use(&world.ports(), &[(new.key.id, late)]).unwrap();
    record_use(&world.ports(), &[(new.key.id, early)]).unwrap();
    assert_eq!(
        list(&world.ports(), world.account.id).unwrap()[0]
            .0
            .last_used_at,
        Some(late)
    );
}

#[test]
fn a_key_says_its_environment_and_hides_in_debug_output() {
    let secret = Secret::of(Environment::Sandbox, [7; 32]);
    assert!(secret.reveal().starts_with("svc_test_"));
    assert_eq!(secret.reveal().len(), "svc_test_".len() + 52);
    assert_eq!(format!("{secret:?}"), "Secret(…)");
    assert!(
        Secret::of(Environment::Live, [7; 32])
            .reveal()
            .starts_with("svc_live_")
    );
}

#[test]
fn every_scope_is_its_own_and_reads_back() {
    for scope in Scope::ALL {
        assert_eq!(Scope::parse(scope.as_str()), Some(scope));
        let alone: Scopes = [scope].into_iter().collect();
        assert_eq!(alone.iter().collect::<Vec<_>>(), [scope]);
        assert_eq!(Scopes::parse(&alone.to_string()), Ok(alone));
    }
    assert_eq!(Scopes::parse("all"), Ok(Scopes::all()));
    assert_eq!(
        Scopes::parse("PIX:READ, STORE:READ").unwrap().to_string(),
        "PIX:READ,STORE:READ"
    );
    assert_eq!(
        Scopes::parse("PIX:READ,pix"),
        Err(UnknownScope("pix".to_owned()))
    );
    assert_eq!(Scopes::parse(""), Err(UnknownScope(String::new())));
}

#[test]
fn lifetimes_end_when_they_say() {
    let now = Time::from_millis(0);
    let days = |word| {
        Lifetime::parse(word)
            .unwrap()
            .end(now)
            .map(|end| end.millis() / DAY_MS)
    };
    assert_eq!(
        [
            days("7d"),
            days("30d"),
            days("90d"),
            days("1y"),
            days("never")
        ],
        [Some(7), Some(30), Some(90), Some(365), None]
    );
    assert_eq!(Lifetime::parse("8d"), None);
}
