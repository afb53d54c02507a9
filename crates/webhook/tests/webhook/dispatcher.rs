//! The dispatcher over the in-memory store, with receivers that answer, fail, stall and vanish.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use vintem_domain::event::EventId;
use vintem_domain::ports::Clock;
use vintem_domain::webhook::{AttemptOutcome, DeliveryState, DisabledBecause, ServerId};
use vintem_domain::{Environment, Owner};
use vintem_webhook::AddressPolicy;

use crate::receiver::{Received, Receiver};
use crate::world::{World, owner, until};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthanks";
const ERROR: &str = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops";

/// Holds receivers back until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<usize>, Condvar)>);

impl Gate {
    /// One that lets so many through before it is opened.
    fn letting(count: usize) -> Self {
        Self(Arc::new((Mutex::new(count), Condvar::new())))
    }

    fn pass(&self) {
        let (left, changed) = &*self.0;
        let guard = left.lock().unwrap();
        *changed.wait_while(guard, |left| *left == 0).unwrap() -= 1;
    }

    fn open(&self) {
        *self.0.0.lock().unwrap() = usize::MAX;
        self.0.1.notify_all();
    }
}

/// Answers once the gate is open, and counts the requests that came before or after.
fn gated(gate: &Gate, arrived: &Arc<AtomicUsize>) -> Receiver {
    let (gate, arrived) = (gate.clone(), arrived.clone());
    Receiver::start(move |stream, _| {
        arrived.fetch_add(1, Ordering::SeqCst);
        gate.pass();
        stream.write_all(OK.as_bytes()).is_ok()
    })
}

fn all_delivered(world: &World, owner: Owner, events: &[EventId]) -> bool {
    let state = |event: &EventId| world.delivery(owner, *event).state;
    events
        .iter()
        .all(|event| state(event) == DeliveryState::Delivered)
}

/// How often each event came.
fn counted(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for received in receiver.requests.try_iter() {
        *counts
            .entry(received.header("webhook-id").unwrap().to_owned())
            .or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn an_event_that_was_told_of_arrives_and_is_logged() {
    let world = World::that_never_polls();
    let receiver = Receiver::answering(OK);
    world.set_endpoint(owner(1), &receiver.url());
    let _dispatcher = world.start();
    let event = world.emit(owner(1), 1)[0];
    until("delivered", || all_delivered(&world, owner(1), &[event])).await;

    let request = receiver.requests.recv().unwrap();
    assert_eq!(request.body, format!(r#"{{"id":"{event}"}}"#));
    assert_eq!(
        request.header("webhook-id"),
        Some(event.to_string().as_str())
    );
    let attempts = world.attempts(owner(1), event);
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].number, 1);
    assert_eq!(attempts[0].outcome, AttemptOutcome::Delivered);
    assert_eq!(
        (attempts[0].status, attempts[0].answer.as_str()),
        (Some(200), "thanks")
    );
    assert_eq!(world.metrics.delivered.load(Ordering::Relaxed), 1);
    assert_eq!(world.metrics.in_flight.load(Ordering::Relaxed), 0);
    assert_eq!(world.metrics.durations.snapshot().count, 1);
}

#[tokio::test]
async fn an_event_nobody_told_of_arrives_too() {
    let world = World::new();
    let receiver = Receiver::answering(OK);
    world.set_endpoint(owner(1), &receiver.url());
    let _dispatcher = world.start();
    let events = world.commit(owner(1), 3);
    until("delivered", || all_delivered(&world, owner(1), &events)).await;
}

#[tokio::test]
async fn a_failed_attempt_is_made_again_when_it_is_due() {
    let world = World::new();
    let first = AtomicUsize::new(0);
    let receiver = Receiver::start(move |stream, _| {
        let answer = if first.fetch_add(1, Ordering::SeqCst) == 0 {
            ERROR
        } else {
            OK
        };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    world.set_endpoint(owner(1), &receiver.url());
    let _dispatcher = world.start();
    let event = world.emit(owner(1), 1)[0];
    until("logged", || !world.attempts(owner(1), event).is_empty()).await;

    let delivery = world.delivery(owner(1), event);
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Pending, 1)
    );
    let wait = delivery.due_at.millis_since(world.clock.now());
    assert!((4_000..=6_000).contains(&wait), "{wait}");
    let first: Received = receiver.requests.recv().unwrap();
    world.clock.advance(wait);
    until("delivered", || all_delivered(&world, owner(1), &[event])).await;

    let second = receiver.requests.recv().unwrap();
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_ne!(
        first.header("x-svc-signature"),
        second.header("x-svc-signature")
    );
    let attempts = world.attempts(owner(1), event);
    let told: Vec<_> = attempts
        .iter()
        .map(|one| (one.number, one.status))
        .collect();
    assert_eq!(told, [(1, Some(500)), (2, Some(200))]);
}

#[tokio::test]
async fn a_dead_endpoint_has_eight_attempts_under_way_and_delays_nobody() {
    let world = World::that_never_polls();
    let (gate, arrived) = (Gate::default(), Arc::default());
    let dead = gated(&gate, &arrived);
    let alive = Receiver::answering(OK);
    world.set_endpoint(owner(1), &dead.url());
    world.set_endpoint(owner(2), &alive.url());
    let _dispatcher = world.start();
    let held = world.emit(owner(1), 30);
    until("eight came", || arrived.load(Ordering::SeqCst) == 8).await;

    let events = world.emit(owner(2), 100);
    until("delivered", || all_delivered(&world, owner(2), &events)).await;
    assert_eq!(arrived.load(Ordering::SeqCst), 8);
    let claimed = held
        .iter()
        .filter(|event| world.delivery(owner(1), **event).attempts > 0);
    assert_eq!(claimed.count(), 8);

    gate.open();
    until("the rest follows", || {
        all_delivered(&world, owner(1), &held)
    })
    .await;
    assert_eq!(arrived.load(Ordering::SeqCst), 30);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_deliver_each_event_once() {
    let world = World::new();
    let receivers: Vec<_> = (0..4).map(|_| Receiver::answering(OK)).collect();
    for (number, receiver) in (0..).zip(&receivers) {
        world.set_endpoint(owner(number), &receiver.url());
    }
    let _one = world.start();
    let _other = world.start();
    let events: Vec<_> = (0..4)
        .map(|number| world.emit(owner(number), 100))
        .collect();
    for ((number, receiver), events) in (0..).zip(&receivers).zip(&events) {
        until("delivered", || all_delivered(&world, owner(number), events)).await;
        let counts = counted(receiver);
        assert_eq!(counts.len(), 100);
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }
}

#[tokio::test]
async fn results_wait_for_a_database_that_is_away() {
    let world = World::new();
    let store = world.store.clone();
    let receiver = Receiver::start(move |stream, _| {
        store.set_away(true);
        stream.write_all(OK.as_bytes()).is_ok()
    });
    world.set_endpoint(owner(1), &receiver.url());
    let _dispatcher = world.start();
    let event = world.emit(owner(1), 1)[0];
    let failures = &world.metrics.store_failures;
    until("noticed", || failures.load(Ordering::Relaxed) > 0).await;
    assert!(world.attempts(owner(1), event).is_empty());

    world.store.set_away(false);
    until("delivered", || all_delivered(&world, owner(1), &[event])).await;
    assert_eq!(
        counted(&receiver).values().copied().collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(world.attempts(owner(1), event).len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_left_alone_until_it_is_set_again() {
    let world = World::new();
    let gone = Receiver::answering("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n");
    world.set_endpoint(owner(1), &gone.url());
    let _dispatcher = world.start();
    let mut events = world.emit(owner(1), 1);
    until("disabled", || world.endpoint(owner(1)).disabled.is_some()).await;
    let (_, because) = world.endpoint(owner(1)).disabled.unwrap();
    assert_eq!(because, DisabledBecause::Gone);

    events.extend(world.emit(owner(1), 2));
    let alive = Receiver::answering(OK);
    world.set_endpoint(owner(1), &alive.url());
    world.wake.deliveries_due(owner(1));
    until("delivered", || all_delivered(&world, owner(1), &events)).await;
    assert_eq!(counted(&gone).len(), 1);
    assert_eq!(counted(&alive).len(), 3);
}

#[tokio::test]
async fn an_address_that_is_not_allowed_fails_the_attempt() {
    let mut world = World::new();
    world.settings.addresses.live = AddressPolicy {
        allow_private: false,
    };
    let live = Owner {
        environment: Environment::Live,
        ..owner(1)
    };
    let receiver = Receiver::answering(OK);
    let port = receiver.address.port();
    let table = [
        (format!("https://localhost:{port}/"), "address refused"),
        (format!("http://localhost:{port}/"), "url refused"),
    ];
    let _dispatcher = world.start();
    for (url, reason) in table {
        world.set_endpoint(live, &url);
        let event = world.emit(live, 1)[0];
        until("logged", || !world.attempts(live, event).is_empty()).await;
        let attempts = world.attempts(live, event);
        assert_eq!(attempts[0].error.as_deref(), Some(reason));
        assert_eq!(attempts[0].outcome, AttemptOutcome::Failed);
    }
    assert!(receiver.requests.try_recv().is_err());
    assert_eq!(world.metrics.unanswered.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_stop_waits_for_what_is_under_way_and_records_it() {
    let world = World::that_never_polls();
    let (gate, arrived) = (Gate::default(), Arc::default());
    let receiver = gated(&gate, &arrived);
    world.set_endpoint(owner(1), &receiver.url());
    let dispatcher = world.start();
    let events = world.emit(owner(1), 20);
    until("eight came", || arrived.load(Ordering::SeqCst) == 8).await;

    let stop = tokio::spawn(dispatcher.stop(Duration::from_secs(10)));
    gate.open();
    stop.await.unwrap();
    let states = events
        .iter()
        .map(|event| world.delivery(owner(1), *event).state);
    let delivered = states
        .filter(|state| *state == DeliveryState::Delivered)
        .count();
    // The stop may be heard of after some answers: their places were taken by the next.
    assert!((8..=20).contains(&delivered));
    assert_eq!(arrived.load(Ordering::SeqCst), delivered);
    assert!(
        events
            .iter()
            .all(|event| world.delivery(owner(1), *event).lease.is_none())
    );
}

#[tokio::test]
async fn a_stop_cuts_off_what_takes_too_long_and_leaves_no_lease() {
    let world = World::that_never_polls();
    let (gate, arrived) = (Gate::default(), Arc::default());
    let receiver = gated(&gate, &arrived);
    world.set_endpoint(owner(1), &receiver.url());
    let dispatcher = world.start();
    let event = world.emit(owner(1), 1)[0];
    until("it came", || arrived.load(Ordering::SeqCst) == 1).await;
    dispatcher.stop(Duration::from_millis(600)).await;
    assert_eq!(world.metrics.in_flight.load(Ordering::Relaxed), 0);
    let cut = world.delivery(owner(1), event);
    assert_eq!(cut.lease, None);

    gate.open();
    world
        .clock
        .advance(cut.due_at.millis_since(world.clock.now()));
    let _next = world.start();
    until("delivered", || all_delivered(&world, owner(1), &[event])).await;
    let attempts = world.attempts(owner(1), event);
    let outcomes: Vec<_> = attempts.iter().map(|one| one.outcome).collect();
    assert_eq!(
        outcomes,
        [AttemptOutcome::Failed, AttemptOutcome::Delivered]
    );
    assert_eq!(attempts[0].error.as_deref(), Some("server stopped"));
}

#[tokio::test]
async fn an_attempt_that_could_outlive_its_lease_is_given_back_unsent() {
    let world = World::new();
    // Quick at first, so that more is claimed than can be sent at once.
    let (gate, arrived) = (Gate::letting(8), Arc::default());
    let receiver = gated(&gate, &arrived);
    world.set_endpoint(owner(1), &receiver.url());
    let _dispatcher = world.start();
    let events = world.emit(owner(1), 28);
    let leased = || {
        let leases = events
            .iter()
            .map(|event| world.delivery(owner(1), *event).lease);
        leases.flatten().count()
    };
    until("eight are held", || arrived.load(Ordering::SeqCst) == 16).await;
    until("twelve wait", || leased() == 20).await;

    // Slow then: what waits has less left of its lease than an attempt may take.
    world.clock.advance(15_000);
    gate.open();
    until("delivered", || all_delivered(&world, owner(1), &events)).await;
    assert_eq!(arrived.load(Ordering::SeqCst), 28);
    assert_eq!(world.metrics.given_up.load(Ordering::Relaxed), 12);
    let last = world.delivery(owner(1), events[27]);
    assert_eq!((last.attempts, last.tries), (2, 1));
    assert_eq!(world.attempts(owner(1), events[27]).len(), 1);
}

#[tokio::test]
async fn an_attempt_begun_with_its_event_is_sent_without_a_claim() {
    let world = World::that_never_polls();
    let receiver = Receiver::answering(OK);
    world.set_endpoint(owner(1), &receiver.url());
    assert_eq!(world.wake.take_place(owner(1)), None, "nobody sends yet");
    let dispatcher = world.start();
    let server = place(&world).await;
    let begun = world.commit_begun(owner(1), server);
    let event = begun.event;
    world.wake.fill_place(owner(1), Some(begun));
    until("delivered", || all_delivered(&world, owner(1), &[event])).await;
    let attempts = world.attempts(owner(1), event);
    assert_eq!((attempts.len(), attempts[0].number), (1, 1));
    assert_eq!(receiver.requests.try_iter().count(), 1);
    dispatcher.stop(Duration::from_secs(10)).await;
    assert_eq!(
        world.wake.take_place(owner(1)),
        None,
        "nobody sends any more"
    );
}

#[tokio::test]
async fn an_attempt_begun_during_a_stop_is_given_back() {
    let world = World::that_never_polls();
    let (gate, arrived) = (Gate::default(), Arc::default());
    let receiver = gated(&gate, &arrived);
    world.set_endpoint(owner(1), &receiver.url());
    let dispatcher = world.start();
    let server = place(&world).await;
    world.emit(owner(1), 1);
    until("it came", || arrived.load(Ordering::SeqCst) == 1).await;
    let stop = tokio::spawn(dispatcher.stop(Duration::from_secs(10)));
    until("nobody gets a place", || {
        let place = world.wake.take_place(owner(2));
        if place.is_some() {
            world.wake.fill_place(owner(2), None);
        }
        place.is_none()
    })
    .await;
    let begun = world.commit_begun(owner(1), server);
    let event = begun.event;
    world.wake.fill_place(owner(1), Some(begun));
    gate.open();
    stop.await.unwrap();
    let delivery = world.delivery(owner(1), event);
    assert_eq!(
        (delivery.state, delivery.lease),
        (DeliveryState::Pending, None)
    );
    assert_eq!(delivery.tries, 0, "it was not sent");
    assert_eq!(arrived.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_stop_waits_for_places_that_are_taken() {
    let world = World::that_never_polls();
    let receiver = Receiver::answering(OK);
    world.set_endpoint(owner(1), &receiver.url());
    let dispatcher = world.start();
    let server = place(&world).await;
    let stop = tokio::spawn(dispatcher.stop(Duration::from_secs(10)));
    until("nobody gets a place", || {
        let place = world.wake.take_place(owner(2));
        if place.is_some() {
            world.wake.fill_place(owner(2), None);
        }
        place.is_none()
    })
    .await;
    let begun = world.commit_begun(owner(1), server);
    let event = begun.event;
    world.wake.fill_place(owner(1), Some(begun));
    stop.await.unwrap();
    assert_eq!(world.delivery(owner(1), event).lease, None);
    assert_eq!(receiver.requests.try_iter().count(), 0);
}

/// A place in the first owner's lane, as soon as there is one.
async fn place(world: &World) -> ServerId {
    let server = Mutex::new(None);
    until("a place", || {
        let mut server = server.lock().unwrap();
        *server = world.wake.take_place(owner(1));
        server.is_some()
    })
    .await;
    server.into_inner().unwrap().unwrap()
}
