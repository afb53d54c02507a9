use vintem_domain::id::Ulid;
use vintem_domain::{AccountId, Environment};

use super::*;

const SERVER: ServerId = ServerId(Ulid(1));

fn owner(number: u128) -> Owner {
    Owner {
        account: AccountId(Ulid(number)),
        environment: Environment::Live,
    }
}

#[test]
fn places_are_given_while_a_dispatcher_is_at_work() {
    let wake = Wake::new();
    assert_eq!(wake.take_place(owner(1)), None, "nobody sends yet");
    wake.open(SERVER);
    assert_eq!(wake.take_place(owner(1)), Some(SERVER));
    wake.close();
    assert_eq!(wake.take_place(owner(1)), None, "nobody sends any more");
    wake.fill_place(owner(1), None);
}

#[test]
fn an_owner_has_so_many_places_and_gets_them_back() {
    let wake = Wake::new();
    wake.open(SERVER);
    for _ in 0..PLACES_OF_ONE {
        assert!(wake.take_place(owner(1)).is_some());
    }
    assert_eq!(wake.take_place(owner(1)), None);
    assert!(wake.take_place(owner(2)).is_some(), "others have their own");
    wake.fill_place(owner(1), None);
    assert!(wake.take_place(owner(1)).is_some());
}

#[test]
fn a_crowded_lane_has_no_places_until_it_has_room() {
    let wake = Wake::new();
    wake.open(SERVER);
    let lane = |crowded| Room {
        full: None,
        lanes: vec![(owner(1), crowded)],
    };
    wake.show(lane(true));
    assert_eq!(wake.take_place(owner(1)), None);
    assert!(wake.take_place(owner(2)).is_some());
    wake.show(lane(false));
    assert!(wake.take_place(owner(1)).is_some());
}

#[test]
fn a_full_dispatcher_has_no_places_for_anybody() {
    let wake = Wake::new();
    wake.open(SERVER);
    let full = |full| Room {
        full: Some(full),
        lanes: Vec::new(),
    };
    wake.show(full(true));
    assert_eq!(wake.take_place(owner(1)), None);
    wake.show(full(false));
    assert!(wake.take_place(owner(1)).is_some());
}
