use std::sync::Mutex;

use crate::account::{Environment, Owner};
use crate::charge;
use crate::id::Ulid;
use crate::ports::{Cipher, Ports, Signals, Transact};
use crate::testing::World;
use crate::webhook::{
    Attempt, AttemptOutcome, Claimed, Delivery, DeliveryState, LEASE_MS, ServerId, WebhookUrl,
    claim, set, take_over,
};
use crate::{Error, Time};

const OWNER: Environment = Environment::Sandbox;
const SERVER: ServerId = ServerId(Ulid(7));

/// A lane with room, or without, and what was said to it.
#[derive(Default)]
struct Lane {
    has_room: bool,
    said: Mutex<Vec<String>>,
    begun: Mutex<Vec<Claimed>>,
}

impl Lane {
    fn with_room() -> Self {
        Self {
            has_room: true,
            ..Self::default()
        }
    }

    fn say(&self, what: &str) {
        self.said.lock().unwrap().push(what.to_owned());
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

impl Signals for Lane {
    fn deliveries_due(&self, _owner: Owner) {
        self.say("due");
    }

    fn take_place(&self, _owner: Owner) -> Option<ServerId> {
        self.say("taken");
        self.has_room.then_some(SERVER)
    }

    fn fill_place(&self, _owner: Owner, begun: Option<Claimed>) {
        self.say(if begun.is_some() {
            "begun"
        } else {
            "given back"
        });
        self.begun.lock().unwrap().extend(begun);
    }

    fn returns_due(&self) {}

    fn payouts_waiting(&self) {}
}

/// A cipher that has lost its key.
struct Keyless;

impl Cipher for Keyless {
    fn seal(&self, _purpose: &str, _plain: &[u8]) -> Result<Vec<u8>, Error> {
        Err(Error::bug("no key"))
    }

    fn open(&self, _purpose: &str, _sealed: &[u8]) -> Result<Vec<u8>, Error> {
        Err(Error::bug("no key"))
    }
}

fn with_endpoint() -> World {
    let world = World::new();
    let url = WebhookUrl::parse("http://127.0.0.1:9/hook").unwrap();
    set(&world.ports(), world.owner(OWNER), &url, true).unwrap();
    world
}

fn pay(world: &World, ports: &Ports) -> Result<(), Error> {
    let charge = world.charge(OWNER);
    charge::simulate(ports, charge.owner, charge.id).map(drop)
}

fn deliveries(world: &World) -> Vec<Delivery> {
    let owner = world.owner(OWNER);
    world
        .store
        .read(|read| {
            let mut found = Vec::new();
            for event in read.events(owner, 0, 100)? {
                found.extend(read.delivery(owner, event.id)?);
            }
            Ok(found)
        })
        .unwrap()
}

fn attempts(world: &World, delivery: &Delivery) -> Vec<Attempt> {
    world
        .store
        .read(|read| read.attempts(delivery.owner, delivery.event))
        .unwrap()
}

#[test]
fn with_a_place_the_event_goes_out_without_a_claim() {
    let world = with_endpoint();
    let lane = Lane::with_room();
    let ports = world.ports();
    let ports = Ports {
        signals: &lane,
        ..ports
    };
    pay(&world, &ports).unwrap();
    assert_eq!(lane.said(), ["taken", "begun"]);

    let delivery = deliveries(&world).remove(0);
    let lease = delivery.lease.unwrap();
    assert_eq!((delivery.attempts, delivery.tries), (1, 1));
    assert_eq!(lease.by, SERVER);
    let begun = lane.begun.lock().unwrap().remove(0);
    assert_eq!((begun.event, begun.number), (delivery.event, 1));
    assert_eq!(begun.lease_until, lease.until);
    assert!(begun.body.contains(&delivery.event.to_string()));
    assert_eq!(begun.url.as_str(), "http://127.0.0.1:9/hook");
    let other = ServerId(Ulid(8));
    let claimed = claim(&ports, other, &[(delivery.owner, 8)]).unwrap();
    assert!(claimed.is_empty(), "it is under way");
}

#[test]
fn without_a_place_the_event_waits_to_be_claimed() {
    let world = with_endpoint();
    let lane = Lane::default();
    let ports = world.ports();
    let ports = Ports {
        signals: &lane,
        ..ports
    };
    pay(&world, &ports).unwrap();
    assert_eq!(lane.said(), ["taken", "due"]);
    let delivery = deliveries(&world).remove(0);
    assert_eq!((delivery.attempts, delivery.lease), (0, None));
}

#[test]
fn a_place_that_is_not_needed_is_given_back() {
    let lane = Lane::with_room();
    let world = World::new();
    let ports = world.ports();
    let ports = Ports {
        signals: &lane,
        ..ports
    };
    pay(&world, &ports).unwrap();
    assert_eq!(lane.said(), ["taken", "due", "given back"], "no endpoint");

    let charge = world.charge(OWNER);
    let pay = || charge::simulate(&ports, charge.owner, charge.id);
    pay().unwrap();
    lane.said.lock().unwrap().clear();
    pay().unwrap_err();
    assert_eq!(lane.said(), ["taken", "given back"], "paid already");
}

#[test]
fn a_secret_that_cannot_be_read_holds_up_no_payment() {
    let world = with_endpoint();
    let lane = Lane::with_room();
    let ports = world.ports();
    let ports = Ports {
        signals: &lane,
        cipher: &Keyless,
        ..ports
    };
    pay(&world, &ports).unwrap();
    assert_eq!(lane.said(), ["taken", "due", "given back"]);
    let delivery = deliveries(&world).remove(0);
    assert_eq!(delivery.state, DeliveryState::Pending);
    assert_eq!((delivery.attempts, delivery.lease), (0, None));
}

#[test]
fn a_server_that_is_alone_ends_the_leases_of_the_one_before() {
    let world = with_endpoint();
    let lane = Lane::with_room();
    let ports = world.ports();
    let ports = Ports {
        signals: &lane,
        ..ports
    };
    pay(&world, &ports).unwrap();
    let begun_at = lane.begun.lock().unwrap()[0].started_at;
    world.clock.advance(2_000);
    take_over(&ports).unwrap();

    let delivery = deliveries(&world).remove(0);
    assert_eq!((delivery.attempts, delivery.lease), (1, None));
    let log = attempts(&world, &delivery);
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].outcome, AttemptOutcome::Interrupted);
    assert_eq!((log[0].started_at, log[0].duration_ms), (begun_at, 2_000));
    let again = claim(&ports, ServerId(Ulid(8)), &[(delivery.owner, 8)]).unwrap();
    assert_eq!(again[0].number, 2);
    let until: Time = again[0].lease_until;
    assert_eq!(until.millis_since(world.ports().clock.now()), LEASE_MS);
}
