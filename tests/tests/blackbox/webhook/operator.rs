//! `vintem webhook set|show|roll|log|resend|disable`

use std::collections::BTreeSet;

use vintem_tests::Backend;
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::merchant;
use vintem_tests::wait;

use crate::charge::assert_fields;
use crate::database::{bare, sql};
use crate::instant::{format, now};
use crate::webhook::{log, objects, of_delivery, pay_one, set_delivery};

vintem_tests::on_both!(
    the_first_setting_makes_the_secret_and_later_ones_keep_it,
    events_without_an_endpoint_can_be_sent_later,
    a_disabled_endpoint_holds_its_events,
    pending_deliveries_follow_the_endpoint,
    the_log_shows_attempts_without_secrets,
    events_are_sent_again_on_request,
    wrong_requests_are_refused,
);

fn the_first_setting_makes_the_secret_and_later_ones_keep_it(on: Backend) {
    let merchant = merchant(on);
    let set = merchant.webhook_command("set", "test", &["--url", "http://127.0.0.1:9/one"]);
    assert_fields(&set, &["url", "secret"]);
    assert_eq!(set["url"], "http://127.0.0.1:9/one");
    let again = merchant.webhook_command("set", "test", &["--url", "http://127.0.0.1:9/two"]);
    assert_eq!(again["secret"], set["secret"]);
    let live = merchant.webhook_command("set", "live", &["--url", "https://shop.example/hook"]);
    assert_ne!(live["secret"], set["secret"]);
    let shown = merchant.webhook_command("show", "test", &[]).to_string();
    assert!(shown.contains("http://127.0.0.1:9/two"), "{shown}");
}

fn events_without_an_endpoint_can_be_sent_later(on: Backend) {
    let merchant = merchant(on);
    let early = pay_one(&merchant);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let later = pay_one(&merchant);
    let first = receiver.wait_for(1).remove(0);
    assert_eq!(first.json()["data"]["id"], later.as_str());
    assert_eq!(first.json()["sequence"], 2);
    merchant.webhook_command("resend", "test", &["--from", "1", "--to", "1"]);
    let resent = receiver.wait_for_object(&early);
    assert_eq!(resent.json()["sequence"], 1);
    assert_eq!(receiver.deliveries().len(), 2);
}

fn a_disabled_endpoint_holds_its_events(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    merchant.webhook_command("disable", "test", &[]);
    let held: Vec<String> = (0..5).map(|_| pay_one(&merchant)).collect();
    assert!(receiver.deliveries().is_empty());
    for id in &held {
        assert_eq!(of_delivery(&merchant, id, "state"), "pending");
        assert_eq!(of_delivery(&merchant, id, "attempts"), "0");
    }
    merchant.webhook("test", &receiver.url());
    let seen: BTreeSet<String> = objects(&receiver.wait_for(5)).into_iter().collect();
    assert_eq!(seen, held.into_iter().collect());
}

fn pending_deliveries_follow_the_endpoint(on: Backend) {
    let merchant = merchant(on);
    let broken = Receiver::scripted(|_, _| Answer::Status(500));
    merchant.webhook("test", &broken.url());
    let id = pay_one(&merchant);
    broken.wait_for(1);
    let mended = Receiver::start();
    merchant.webhook("test", &mended.url());
    super::next_after(&merchant, &id, 1);
    set_delivery(&merchant, &id, "due_at = 1000");
    mended.wait_for_object(&id);
    assert_eq!(broken.deliveries().len(), 1);
}

fn the_log_shows_attempts_without_secrets(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::scripted(|_, delivery| {
        let secret = delivery.header("X-Svc-Webhook-Secret").unwrap();
        let mut body = format!("thanks for {secret}; ").into_bytes();
        body.resize(100_000, b'x');
        Answer::Full(418, Vec::new(), body)
    });
    let secret = merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    super::next_after(&merchant, &id, 1);
    let log = log(&merchant, "test");
    assert_eq!(log.len(), 1, "{log:?}");
    let line = log[0].to_string();
    assert!(line.contains("418"), "{line}");
    assert!(
        line.contains(&receiver.deliveries()[0].event_id()),
        "{line}"
    );
    assert!(line.contains("thanks for"), "{line}");
    assert!(
        !line.contains(&secret) && !line.contains(&secret[6..]),
        "a secret in the log: {line}"
    );
    assert!(
        line.len() < 6 * 1024,
        "the first 4 KiB of an answer: {}",
        line.len()
    );
    assert!(!merchant.site.folder().join("data").join("log").exists());
}

fn events_are_sent_again_on_request(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let ids: Vec<String> = (0..4).map(|_| pay_one(&merchant)).collect();
    let first = receiver.wait_for(4);
    for id in &ids {
        wait::until("it is delivered", wait::SOON, || {
            (of_delivery(&merchant, id, "state") == "delivered").then_some(())
        });
    }
    let of = |id: &str| {
        first
            .iter()
            .find(|delivery| delivery.json()["data"]["id"] == id)
            .unwrap()
    };
    // One.
    merchant.webhook_command("resend", "test", &["--event", &of(&ids[1]).event_id()]);
    let again = receiver.wait_for(5);
    assert_eq!(again[4].body, of(&ids[1]).body, "the same event");
    wait::until("it is delivered again", wait::SOON, || {
        (of_delivery(&merchant, &ids[1], "attempts") == "2").then_some(())
    });
    // A range.
    merchant.webhook_command("resend", "test", &["--from", "3", "--to", "4"]);
    let again = receiver.wait_for(7);
    let seen: BTreeSet<String> = objects(&again[5..]).into_iter().collect();
    assert_eq!(seen, BTreeSet::from([ids[2].clone(), ids[3].clone()]));
    // All that failed since a moment.
    for id in &ids[..2] {
        wait::until("no lease", wait::SOON, || {
            of_delivery(&merchant, id, "leased_by")
                .is_empty()
                .then_some(())
        });
        set_delivery(&merchant, id, "state = 'failed'");
    }
    merchant.webhook_command(
        "resend",
        "test",
        &["--failed-since", &format(now() + 60_000)],
    );
    merchant.webhook_command(
        "resend",
        "test",
        &["--failed-since", &format(now() - 3_600_000)],
    );
    let again = receiver.wait_for(9);
    let seen: BTreeSet<String> = objects(&again[7..]).into_iter().collect();
    assert_eq!(seen, BTreeSet::from([ids[0].clone(), ids[1].clone()]));
}

fn wrong_requests_are_refused(on: Backend) {
    let merchant = merchant(on);
    let run = |arguments: &[&str]| {
        let mut all = vec!["webhook"];
        all.extend_from_slice(arguments);
        merchant.site.run(&all).status.code()
    };
    let account = merchant.account.as_str();
    assert_eq!(
        run(&["show", "--account", account, "--mode", "test"]),
        Some(1),
        "none is set"
    );
    assert_eq!(
        run(&["roll", "--account", account, "--mode", "test"]),
        Some(1)
    );
    assert_eq!(
        run(&[
            "set",
            "--account",
            account,
            "--mode",
            "prod",
            "--url",
            "https://x.example/"
        ]),
        Some(2)
    );
    assert_eq!(
        run(&["set", "--account", account, "--mode", "test"]),
        Some(2)
    );
    for url in [
        "ftp://x.example/",
        "x.example",
        "http://",
        "https://user:password@x.example/",
        "https://x.example/#part",
        "http://127.0.0.1:99999/",
        "http://[::1/",
        "https://x.example/hook/á",
    ] {
        let code = run(&["set", "--account", account, "--mode", "test", "--url", url]);
        assert_eq!(code, Some(2), "{url}");
    }
    let unknown = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    assert!(matches!(
        run(&[
            "set",
            "--account",
            unknown,
            "--mode",
            "test",
            "--url",
            "https://x.example/"
        ]),
        Some(1 | 2)
    ));
    let none = sql(
        merchant.site,
        &format!(
            "SELECT count(*) FROM endpoints WHERE account = '{}'",
            bare(account)
        ),
    );
    assert_eq!(none, "0");
}
