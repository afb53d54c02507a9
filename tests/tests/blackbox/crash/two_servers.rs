//! Several servers on one PostgreSQL; one at most on one SQLite file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::Site;
use vintem_tests::wait;

use crate::database::sql;

/// How often each event has arrived.
fn arrivals(receiver: &Receiver) -> BTreeMap<String, u32> {
    let mut count = BTreeMap::new();
    for delivery in receiver.deliveries() {
        *count.entry(delivery.event_id()).or_default() += 1;
    }
    count
}

#[test]
fn two_servers_share_one_database_and_send_each_event_once() {
    let site = Site::new(Backend::Postgres);
    let servers = [site.serve(), site.serve()];
    let merchant = site.merchant(&servers[0]);
    let receiver = Receiver::start();
    merchant.webhook("live", &receiver.url());
    std::thread::scope(|scope| {
        for server in &servers {
            let merchant = merchant.at(server.address());
            scope.spawn(move || {
                for _ in 0..40 {
                    let id = text(&merchant.live.charge(4990)["id"]);
                    merchant.pay(&json!({ "chargeId": id }));
                }
            });
        }
    });
    wait::until("every event", wait::SOON, || {
        (arrivals(&receiver).len() >= 80).then_some(())
    });
    wait::until("every delivery is recorded", wait::SOON, || {
        (sql(
            &site,
            "SELECT count(*) FROM deliveries WHERE state = 'delivered'",
        ) == "80")
            .then_some(())
    });
    assert!(
        arrivals(&receiver).values().all(|count| *count == 1),
        "{:?}",
        arrivals(&receiver)
    );
    site.verify_ledger();
}

#[test]
fn an_idempotency_key_holds_across_servers() {
    let site = Site::new(Backend::Postgres);
    let servers = [site.serve(), site.serve()];
    let merchants = [0, 1].map(|index: usize| servers[index].address());
    let merchant = site.merchant(&servers[0]);
    let body = json!({ "amountCents": 4990 });
    let mut ids: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|index| {
                let client = merchant.live.at(merchants[index % 2]);
                let body = &body;
                scope.spawn(move || {
                    text(&client.post_once("/v1/pixQrCode/create", body, "k").data()["id"])
                })
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(sql(&site, "SELECT count(*) FROM charges"), "1");
}

#[test]
fn a_server_killed_in_the_middle_of_deliveries_is_replaced_by_the_other() {
    let site = Site::new(Backend::Postgres);
    let mut first = site.serve();
    let second = site.serve();
    let merchant = site.merchant(&first);
    let receiver = Receiver::scripted(|before, _| {
        let answer = Answer::Status(200);
        if before < 24 {
            Answer::After(Duration::from_secs(2), Box::new(answer))
        } else {
            answer
        }
    });
    merchant.webhook("live", &receiver.url());
    for index in 0..40 {
        let server = if index % 2 == 0 { &first } else { &second };
        let merchant = merchant.at(server.address());
        let id = text(&merchant.live.charge(4990)["id"]);
        merchant.pay(&json!({ "chargeId": id }));
    }
    // Both have attempts under way now, and none of them is answered.
    receiver.wait_for(9);
    first.kill();
    wait::until("every event", Duration::from_secs(75), || {
        (sql(
            &site,
            "SELECT count(*) FROM deliveries WHERE state = 'delivered'",
        ) == "40")
            .then_some(())
    });
    let arrived = arrivals(&receiver);
    assert_eq!(arrived.len(), 40);
    let attempts: BTreeMap<String, u32> = sql(&site, "SELECT event, attempts FROM deliveries")
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(event, attempts)| (format!("evt_{event}"), attempts.parse().unwrap()))
        .collect();
    for (event, count) in &arrived {
        assert!(
            *count <= attempts[event],
            "{event} arrived {count} times in {} attempts",
            attempts[event]
        );
    }
    let interrupted = sql(
        &site,
        "SELECT count(*) FROM attempts WHERE outcome = 'interrupted'",
    );
    assert_ne!(interrupted, "0", "the cut attempts are in the log");
    assert_eq!(
        sql(&site, "SELECT count(*) FROM attempts"),
        attempts.values().sum::<u32>().to_string()
    );
    site.verify_ledger();
}

#[test]
fn a_second_server_on_one_sqlite_file_is_refused() {
    let site = Site::new(Backend::Sqlite);
    let first = site.serve();
    let merchant = site.merchant(&first);
    let refusal = site.try_serve().expect_err("one server per file");
    assert_eq!(refusal.status.code(), Some(1));
    assert_eq!(
        refusal.stderr.trim().lines().count(),
        1,
        "one clear line: {}",
        refusal.stderr
    );
    merchant.live.charge(4990);
    drop(first);
    site.serve();
}
