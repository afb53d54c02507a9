//! Where webhooks may go: nothing inside the operator's own network unless it is allowed.

use vintem_tests::Backend;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;

use crate::database::{bare, sql};
use crate::webhook::{next_after, pay_one};

vintem_tests::on_both!(
    private_addresses_are_refused_when_connecting,
    a_sandbox_on_a_loopback_listener_may_reach_private_addresses,
    a_sandbox_on_a_public_listener_may_not,
    a_live_endpoint_is_https_unless_private_ones_are_allowed,
);

fn private_addresses_are_refused_when_connecting(on: Backend) {
    let site = Site::new(on).with("VINTEM_WEBHOOK_ALLOW_PRIVATE", "false");
    let server = site.serve();
    let receiver = Receiver::start();
    let port = receiver.port();
    for host in [
        "127.0.0.1",
        "127.9.9.9",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "[::]",
        "2130706433",
        "0x7f000001",
        "127.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]",
    ] {
        let merchant = site.merchant(&server);
        let url = format!("http://{host}:{port}/hook");
        let set = site.run(&[
            "webhook",
            "set",
            "--account",
            &merchant.account,
            "--mode",
            "test",
            "--url",
            &url,
        ]);
        if !set.status.success() {
            // Refused before anything is sent: as good.
            assert!(matches!(set.status.code(), Some(1 | 2)));
            continue;
        }
        let id = pay_one(&merchant);
        next_after(&merchant, &id, 1);
        let attempt = sql(
            &site,
            &format!(
                "SELECT outcome, status FROM attempts WHERE account = '{}' AND number = 1",
                bare(&merchant.account)
            ),
        );
        assert_eq!(attempt, "failed|", "{host}");
    }
    assert!(receiver.deliveries().is_empty());
}

fn a_sandbox_on_a_loopback_listener_may_reach_private_addresses(on: Backend) {
    let site = Site::new(on).without("VINTEM_WEBHOOK_ALLOW_PRIVATE");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    receiver.wait_for_object(&id);
}

fn a_sandbox_on_a_public_listener_may_not(on: Backend) {
    let site = Site::new(on)
        .without("VINTEM_WEBHOOK_ALLOW_PRIVATE")
        .with("VINTEM_LISTEN", "0.0.0.0:0");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    next_after(&merchant, &id, 1);
    assert!(receiver.deliveries().is_empty());
}

fn a_live_endpoint_is_https_unless_private_ones_are_allowed(on: Backend) {
    let site = Site::new(on).without("VINTEM_WEBHOOK_ALLOW_PRIVATE");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let set = |url: &str| {
        let arguments = [
            "webhook",
            "set",
            "--account",
            &merchant.account,
            "--mode",
            "live",
            "--url",
            url,
        ];
        site.run(&arguments).status.code()
    };
    assert!(matches!(set("http://shop.example/hook"), Some(1 | 2)));
    assert_eq!(set("https://shop.example/hook"), Some(0));
    // Live never reaches private addresses by default, loopback listener or not.
    let receiver = Receiver::start();
    assert_eq!(
        set(&format!("https://127.0.0.1:{}/hook", receiver.port())),
        Some(0)
    );
    let id = merchant.live.charge(4990)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    merchant.pay(&serde_json::json!({ "chargeId": id }));
    next_after(&merchant, &id, 1);
    assert!(receiver.deliveries().is_empty());
}
