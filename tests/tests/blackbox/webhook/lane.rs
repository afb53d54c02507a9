//! Each endpoint has its own lane: bounded, and nobody waits for another.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::merchant;

use crate::webhook::{objects, pay_one};

vintem_tests::on_both!(
    a_dead_endpoint_delays_nobody_else,
    a_failing_event_does_not_block_the_next,
    at_most_eight_are_sent_at_once,
    every_event_arrives_once,
);

fn a_dead_endpoint_delays_nobody_else(on: Backend) {
    let (dead, alive) = (merchant(on), merchant(on));
    // It takes connections and never answers.
    let silent =
        Receiver::scripted(|_, _| Answer::After(Duration::from_mins(1), Box::new(Answer::Drop)));
    dead.webhook("test", &silent.url());
    // A port nobody listens on, in the same account's other environment.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    dead.webhook("live", &format!("http://{nobody}/"));
    let receiver = Receiver::start();
    alive.webhook("test", &receiver.url());
    for _ in 0..30 {
        pay_one(&dead);
        let id = text(&dead.live.charge(4990)["id"]);
        dead.pay(&serde_json::json!({ "chargeId": id }));
    }
    silent.wait_for(8);
    for count in 1..=5 {
        let begun = Instant::now();
        pay_one(&alive);
        receiver.wait_for(count);
        let taken = begun.elapsed();
        assert!(taken < Duration::from_secs(3), "{taken:?}");
    }
}

fn a_failing_event_does_not_block_the_next(on: Backend) {
    let merchant = merchant(on);
    let poison = text(&merchant.test.charge(4990)["id"]);
    let poisoned = poison.clone();
    let receiver = Receiver::scripted(move |_, delivery| {
        Answer::Status(if delivery.json()["data"]["id"] == poisoned.as_str() {
            500
        } else {
            200
        })
    });
    merchant.webhook("test", &receiver.url());
    merchant.test.simulate(&poison).data();
    receiver.wait_for(1);
    let others: BTreeSet<String> = (0..10).map(|_| pay_one(&merchant)).collect();
    let deliveries = receiver.wait_for(11);
    let seen: BTreeSet<String> = objects(&deliveries).into_iter().collect();
    assert!(others.is_subset(&seen));
}

fn at_most_eight_are_sent_at_once(on: Backend) {
    let merchant = merchant(on);
    let ids: Vec<String> = (0..30)
        .map(|_| text(&merchant.test.charge(4990)["id"]))
        .collect();
    for id in &ids {
        merchant.test.simulate(id).data();
    }
    // All are due at the same moment when the endpoint is set and they are sent again.
    let receiver = Receiver::scripted(|_, _| {
        Answer::After(Duration::from_millis(150), Box::new(Answer::Status(200)))
    });
    merchant.webhook("test", &receiver.url());
    merchant.webhook_command("resend", "test", &["--from", "1", "--to", "30"]);
    let mut arrivals: Vec<Instant> = receiver
        .wait_for(30)
        .iter()
        .map(|delivery| delivery.arrived)
        .collect();
    arrivals.sort_unstable();
    // Nine arrivals within one answer's time would be nine at once.
    for window in arrivals.windows(9) {
        let span = window[8] - window[0];
        assert!(span >= Duration::from_millis(140), "nine within {span:?}");
    }
    let all = arrivals[29] - arrivals[0];
    assert!(
        all < Duration::from_millis(150 * 30 / 2),
        "more than one at a time: {all:?}"
    );
}

fn every_event_arrives_once(on: Backend) {
    let merchant = merchant(on);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let receiver = Receiver::scripted(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        Answer::Status(200)
    });
    merchant.webhook("test", &receiver.url());
    let ids: BTreeSet<String> = (0..40).map(|_| pay_one(&merchant)).collect();
    let deliveries = receiver.wait_for(40);
    assert_eq!(
        objects(&deliveries).into_iter().collect::<BTreeSet<_>>(),
        ids
    );
    let last = pay_one(&merchant);
    receiver.wait_for_object(&last);
    assert_eq!(
        count.load(Ordering::SeqCst),
        41,
        "none comes twice while all is well"
    );
}
