//! PostgreSQL goes away and comes back.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;
use vintem_tests::client::Response;
use vintem_tests::postgres::{Cluster, Shutdown};
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Acknowledged, Load, assert_one_event_each, events};

#[test]
fn without_its_database_a_server_answers_503_and_recovers_by_itself() {
    let cluster = Cluster::start().unwrap();
    let site = Site::on_cluster(&cluster);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = merchant.live.charge(4990)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(server.anonymous().get("/readyz").status, 200);
    cluster.stop(Shutdown::Fast).unwrap();
    let refused = merchant.live.create(&json!({ "amountCents": 4990 }));
    refused.error(503);
    let retry: u64 = refused
        .header("Retry-After")
        .expect("a Retry-After")
        .parse()
        .unwrap();
    assert!(retry >= 1);
    merchant.live.check(&id).error(503);
    wait::until("not ready", wait::SOON, || {
        (server.anonymous().get("/readyz").status == 503).then_some(())
    });
    assert_eq!(server.anonymous().get("/healthz").status, 200);
    cluster.launch().unwrap();
    wait::until("ready again", wait::SOON, || {
        (server.anonymous().get("/readyz").status == 200).then_some(())
    });
    wait::until("serving again", wait::SOON, || {
        (merchant.live.check(&id).status == 200).then_some(())
    });
    merchant.live.charge(4990);
}

#[test]
fn a_database_that_is_silent_is_answered_503_in_bounded_time() {
    let cluster = Cluster::start().unwrap();
    let site = Site::on_cluster(&cluster).with("VINTEM_DATABASE_ANSWER_TIMEOUT", "2s");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let id = merchant.live.charge(4990)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let body = json!({ "amountCents": 4990 });
    let create = |key| merchant.live.post_once("/v1/pixQrCode/create", &body, key);
    cluster.freeze().unwrap();
    let ask: [&(dyn Fn() -> Response + Sync); 5] = [
        &|| merchant.live.check(&id),
        &|| merchant.live.get("/v1/transaction/list"),
        &|| merchant.live.get("/v1/store"),
        &|| merchant.live.create(&body),
        &|| create("frozen"),
    ];
    let asked = Instant::now();
    std::thread::scope(|scope| {
        let answers = ask.map(|ask| scope.spawn(ask));
        for answer in answers.map(|answer| answer.join().unwrap()) {
            answer.error(503);
            assert_eq!(answer.header("X-Error-Code"), Some("unavailable"));
            assert_eq!(answer.header("Retry-After"), Some("1"));
        }
    });
    // Twice the limit at most, and what a loaded machine needs.
    assert!(asked.elapsed() < wait::SOON, "{:?}", asked.elapsed());
    assert_eq!(server.anonymous().get("/healthz").status, 200);
    cluster.thaw().unwrap();
    wait::until("serving again", wait::SOON, || {
        (merchant.live.check(&id).status == 200).then_some(())
    });
    create("frozen").data();
    assert_eq!(create("frozen").header("Idempotent-Replayed"), Some("true"));
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

#[test]
fn a_database_that_crashes_under_load_loses_nothing() {
    let cluster = Cluster::start().unwrap();
    let site = Site::on_cluster(&cluster);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("live", &receiver.url());
    let acknowledged = Mutex::new(Acknowledged::default());
    let load = Load {
        merchant: &merchant,
        acknowledged: &acknowledged,
        persistent: true,
    };
    load.run(|_| {
        for how in [Shutdown::Fast, Shutdown::Immediate, Shutdown::Immediate] {
            let before = acknowledged.lock().unwrap().paid.len();
            wait::until("payments go through", wait::SOON, || {
                (acknowledged.lock().unwrap().paid.len() >= before + 20).then_some(())
            });
            cluster.stop(how).unwrap();
            cluster.launch().unwrap();
        }
        let before = acknowledged.lock().unwrap().paid.len();
        wait::until("payments go through again", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= before + 20).then_some(())
        });
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(
        acknowledged.refused.keys().all(|status| *status == 503),
        "{:?}",
        acknowledged.refused
    );
    let paid = acknowledged.assert_kept(&merchant);
    wait::until("every event arrives", Duration::from_mins(1), || {
        (events(&receiver.deliveries()).0.len() >= paid.len()).then_some(())
    });
    assert_one_event_each(&receiver.deliveries(), &paid);
}
