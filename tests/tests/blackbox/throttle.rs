//! Whoever guesses keys is slowed down, by the address it comes from.

use vintem_tests::Backend;
use vintem_tests::client::Request;
use vintem_tests::site::Site;

vintem_tests::on_both!(
    failed_authentications_are_throttled_per_address,
    an_untrusted_proxy_is_not_believed,
    the_number_is_a_setting,
    a_key_can_be_limited,
);

fn failed_authentications_are_throttled_per_address(on: Backend) {
    let site = Site::new(on).with("VINTEM_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let good = merchant.test.authorization().unwrap()["Bearer ".len()..].to_owned();
    let ask = |forwarded: &str, key: &str| {
        let request =
            Request::new(server.address(), "GET", "/v1/store").header("X-Forwarded-For", forwarded);
        request.header("X-API-Key", key).send()
    };
    let throttled = |forwarded: &dyn Fn(u32) -> String| {
        (0..700)
            .map(|index| ask(&forwarded(index), "svc_test_wrong").status)
            .position(|status| status == 429)
    };
    let after = throttled(&|_| "203.0.113.7".to_owned()).expect("over 600 a minute is too many");
    assert!((590..=700).contains(&after), "after {after}");
    let refused = ask("203.0.113.7", "svc_test_wrong");
    refused.error(429);
    let wait: u64 = refused
        .header("Retry-After")
        .expect("a Retry-After")
        .parse()
        .unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(
        ask("203.0.113.8", "svc_test_wrong").status,
        401,
        "another address"
    );
    assert_eq!(ask("203.0.113.7", &good).status, 200, "a good key passes");
    // What the client itself claims stands to the left of what the trusted proxy saw.
    assert_eq!(
        ask("198.51.100.1, 203.0.113.7", "svc_test_wrong").status,
        429
    );
    assert_eq!(
        ask("203.0.113.7, 198.51.100.1", "svc_test_wrong").status,
        401
    );
    // One network of IPv6 is one client.
    let after =
        throttled(&|index| format!("2001:db8:1:2::{index:x}")).expect("a /64 is one client");
    assert!((590..=700).contains(&after), "after {after}");
    assert_eq!(ask("2001:db8:1:3::1", "svc_test_wrong").status, 401);
}

fn an_untrusted_proxy_is_not_believed(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let statuses = (0..700).map(|index| {
        let request = Request::new(server.address(), "GET", "/v1/store");
        let forwarded = format!("203.0.{}.{}", index / 250, index % 250);
        request
            .header("X-Forwarded-For", &forwarded)
            .header("X-API-Key", "svc_test_wrong")
            .send()
            .status
    });
    assert!(
        statuses.into_iter().any(|status| status == 429),
        "the connection's address counts"
    );
}

fn the_number_is_a_setting(on: Backend) {
    let site = Site::new(on).with("VINTEM_FAILED_AUTHENTICATIONS_PER_MINUTE", "5");
    let server = site.serve();
    let ask = || {
        Request::new(server.address(), "GET", "/v1/store")
            .header("X-API-Key", "svc_test_wrong")
            .send()
            .status
    };
    assert!((0..20).map(|_| ask()).any(|status| status == 429));
}

fn a_key_can_be_limited(on: Backend) {
    let site = Site::new(on).with("VINTEM_KEY_REQUESTS_PER_MINUTE", "10");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let refused = (0..30)
        .map(|_| merchant.test.get("/v1/store"))
        .find(|response| response.status != 200);
    let refused = refused.expect("over 10 a minute is too many");
    refused.error(429);
    assert!(refused.header("Retry-After").is_some());
    merchant.live.store();
}
