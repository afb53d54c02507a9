//! `vintem clock`: a sandbox's time can be moved forward; live time never.

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::merchant;

use crate::instant::{format, millis, now};

vintem_tests::on_both!(
    a_sandbox_moves_forward_and_ticks_on,
    live_time_never_moves,
    a_clock_moves_back_by_a_reset_alone,
    events_carry_the_sandbox_time_and_go_out_in_real_time,
    another_sandbox_is_not_moved,
);

const DAY: i64 = 86_400_000;
/// What passes while a test looks.
const WHILE: i64 = 60_000;

#[track_caller]
fn assert_about(timestamp: &serde_json::Value, expected: i64) {
    let at = millis(timestamp.as_str().unwrap());
    assert!(
        (at - expected).abs() < WHILE,
        "{timestamp} is not about {}",
        format(expected)
    );
}

fn a_sandbox_moves_forward_and_ticks_on(on: Backend) {
    let merchant = merchant(on);
    assert_about(&merchant.test.charge(4990)["createdAt"], now());
    merchant.clock("set", &["--advance", "3d"]);
    let first = merchant.test.charge(4990);
    assert_about(&first["createdAt"], now() + 3 * DAY);
    assert_eq!(
        millis(first["expiresAt"].as_str().unwrap()) - millis(first["createdAt"].as_str().unwrap()),
        DAY
    );
    merchant.clock("set", &["--advance", "12h"]);
    assert_about(
        &merchant.test.charge(4990)["createdAt"],
        now() + 3 * DAY + DAY / 2,
    );
    merchant.clock("set", &["--to", "2031-05-06T07:08:09.000Z"]);
    let paid = merchant
        .test
        .simulate(&text(&merchant.test.charge(4990)["id"]))
        .data();
    assert_about(&paid["paidAt"], millis("2031-05-06T07:08:09.000Z"));
    let shown = merchant
        .site
        .print(&["clock", "show", "--account", &merchant.account]);
    assert!(shown.contains("2031-05-06T07:"), "{shown}");
    let (one, other) = (merchant.test.charge(4990), merchant.test.charge(4990));
    assert!(
        millis(one["createdAt"].as_str().unwrap()) < millis(other["createdAt"].as_str().unwrap()),
        "it ticks"
    );
    // The newest come first, by creation, though the clock has moved.
    let list = merchant.test.get("/v1/transaction/list").data();
    assert_eq!(list[0]["id"], other["id"]);
}

fn live_time_never_moves(on: Backend) {
    let merchant = merchant(on);
    let id = text(&merchant.live.charge(4990)["id"]);
    merchant.clock("set", &["--advance", "30d"]);
    assert_about(&merchant.live.charge(4990)["createdAt"], now());
    assert_eq!(merchant.live.check(&id).data()["status"], "PENDING");
    merchant.pay(&json!({ "chargeId": id }));
    assert_about(&merchant.live.check(&id).data()["paidAt"], now());
}

fn a_clock_moves_back_by_a_reset_alone(on: Backend) {
    let merchant = merchant(on);
    let set = |arguments: &[&str]| {
        let mut all = vec!["clock", "set", "--account", &merchant.account];
        all.extend_from_slice(arguments);
        merchant.site.run(&all).status.code()
    };
    assert_eq!(set(&["--advance", "3d"]), Some(0));
    assert_ne!(set(&["--to", &format(now() + DAY)]), Some(0));
    assert_ne!(set(&["--to", &format(now() - DAY)]), Some(0));
    assert_ne!(set(&["--to", "tomorrow"]), Some(0));
    assert_ne!(set(&["--advance=-1d"]), Some(0));
    assert_eq!(set(&[]), Some(2));
    assert_about(&merchant.test.charge(4990)["createdAt"], now() + 3 * DAY);
    assert_eq!(set(&["--reset"]), Some(0));
    assert_about(&merchant.test.charge(4990)["createdAt"], now());
}

fn events_carry_the_sandbox_time_and_go_out_in_real_time(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    merchant.clock("set", &["--advance", "40d"]);
    let id = text(&merchant.test.charge(4990)["id"]);
    merchant.test.simulate(&id).data();
    let delivery = receiver.wait_for_object(&id);
    assert_about(&delivery.json()["createdAt"], now() + 40 * DAY);
    assert_about(&delivery.json()["data"]["paidAt"], now() + 40 * DAY);
    let stamped: i64 = delivery
        .header("webhook-timestamp")
        .unwrap()
        .parse()
        .unwrap();
    assert!((stamped * 1000 - now()).abs() < WHILE, "{stamped}");
}

fn another_sandbox_is_not_moved(on: Backend) {
    let (ours, theirs) = (merchant(on), merchant(on));
    ours.clock("set", &["--advance", "30d"]);
    assert_about(&theirs.test.charge(4990)["createdAt"], now());
}
