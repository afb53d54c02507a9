//! `Idempotency-Key`

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::client::Response;
use vintem_tests::merchant::text;
use vintem_tests::site::{Site, merchant};

vintem_tests::on_both!(
    a_repeat_returns_the_first_response,
    bodies_are_compared_as_json,
    another_body_is_a_conflict,
    a_key_belongs_to_one_account_and_environment,
    failures_are_not_remembered,
    the_key_is_looked_up_before_the_field_rules,
    a_key_has_a_form,
    twenty_repeats_at_once_make_one_charge,
    repeats_survive_a_restart,
);

const CREATE: &str = "/v1/pixQrCode/create";

#[track_caller]
fn assert_replayed(response: &Response, first: &Value) {
    assert_eq!(&response.data(), first);
    assert_eq!(response.header("Idempotent-Replayed"), Some("true"));
}

fn a_repeat_returns_the_first_response(on: Backend) {
    let client = &merchant(on).test;
    let body = json!({ "amountCents": 4990, "metadata": { "order": 7 } });
    let first = client.post_once(CREATE, &body, "order-7");
    assert_eq!(first.header("Idempotent-Replayed"), None);
    let charge = first.data();
    let repeat = client.post_once(CREATE, &body, "order-7");
    assert_replayed(&repeat, &charge);
    assert_eq!(repeat.body, first.body, "the same bytes");
    // The object is rendered as it was at creation, whatever became of it.
    client.simulate(&text(&charge["id"])).data();
    assert_replayed(&client.post_once(CREATE, &body, "order-7"), &charge);
    assert_ne!(
        client.post_once(CREATE, &body, "order-8").data()["id"],
        charge["id"]
    );
    assert_eq!(
        client
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

fn bodies_are_compared_as_json(on: Backend) {
    let client = &merchant(on).test;
    let send = |body: &str| {
        client
            .request("POST", CREATE)
            .header("Idempotency-Key", "k")
            .json_text(body)
            .send()
    };
    let first =
        send(r#"{"amountCents":4990,"description":"café","metadata":{"a":1,"b":[1,2]}}"#).data();
    assert_replayed(
        &send(
            "{ \"metadata\": {\"b\":[1, 2],\"a\":1},\n\t\"description\":\"caf\\u00e9\", \"amountCents\":4990 }",
        ),
        &first,
    );
    send(r#"{"amountCents":4990,"description":"café","metadata":{"a":1,"b":[2,1]}}"#).error(409);
    send(
        r#"{"amountCents":4990,"description":"café","metadata":{"a":1,"b":[1,2]},"passFee":true}"#,
    )
    .error(409);
}

fn another_body_is_a_conflict(on: Backend) {
    let client = &merchant(on).test;
    client
        .post_once(CREATE, &json!({ "amountCents": 4990 }), "k")
        .data();
    client
        .post_once(CREATE, &json!({ "amountCents": 4991 }), "k")
        .error(409);
    assert_eq!(
        client
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

fn a_key_belongs_to_one_account_and_environment(on: Backend) {
    let (ours, theirs) = (merchant(on), merchant(on));
    let body = json!({ "amountCents": 4990 });
    let mut ids: Vec<String> = [&ours.test, &ours.live, &theirs.test, &theirs.live]
        .map(|client| {
            let response = client.post_once(CREATE, &body, "shared");
            assert_eq!(response.header("Idempotent-Replayed"), None);
            text(&response.data()["id"])
        })
        .to_vec();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

fn failures_are_not_remembered(on: Backend) {
    let client = &merchant(on).test;
    client
        .post_once(CREATE, &json!({ "amountCents": 1 }), "k")
        .error(400);
    client
        .request("POST", CREATE)
        .header("Idempotency-Key", "k")
        .json_text("{")
        .send()
        .error(400);
    let response = client.post_once(CREATE, &json!({ "amountCents": 4990 }), "k");
    assert_eq!(response.header("Idempotent-Replayed"), None);
    response.data();
}

fn the_key_is_looked_up_before_the_field_rules(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    client
        .post_once(CREATE, &json!({ "amountCents": 4990 }), "k")
        .data();
    client
        .post_once(CREATE, &json!({ "amountCents": 1 }), "k")
        .error(409);
    client
        .request("POST", CREATE)
        .header("Idempotency-Key", "k")
        .json_text("{")
        .send()
        .error(400);
    let reader = client.at(client.address());
    let reader_key = text(&merchant.key("test", &["--scopes", "PIX:READ"])["key"]);
    let reader = vintem_tests::client::Client::new(reader.address(), &reader_key);
    reader
        .post_once(CREATE, &json!({ "amountCents": 4990 }), "k")
        .error(403);
}

fn a_key_has_a_form(on: Backend) {
    let client = &merchant(on).test;
    let body = json!({ "amountCents": 4990 });
    let longest = "k".repeat(255);
    for key in [
        "k",
        "a key with spaces",
        "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
        &longest,
    ] {
        let first = client.post_once(CREATE, &body, key).data();
        assert_replayed(&client.post_once(CREATE, &body, key), &first);
    }
    let longer = "k".repeat(256);
    for key in ["", &longer, "tab\there", "é"] {
        let message = client.post_once(CREATE, &body, key).error(400);
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let twice = client
        .request("POST", CREATE)
        .header("Idempotency-Key", "a")
        .header("Idempotency-Key", "b");
    twice.json(&body).send().error(400);
}

fn twenty_repeats_at_once_make_one_charge(on: Backend) {
    let merchant = merchant(on);
    for (mode, round) in [("test", 0), ("live", 1), ("test", 2)] {
        let client = merchant.client(mode);
        let key = format!("race-{round}");
        let body = json!({ "amountCents": 4990, "metadata": { "round": round } });
        let responses: Vec<Response> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..20)
                .map(|_| scope.spawn(|| client.post_once(CREATE, &body, &key)))
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        let first = responses[0].data();
        for response in &responses {
            assert_eq!(response.data(), first);
        }
        let fresh = responses
            .iter()
            .filter(|response| response.header("Idempotent-Replayed").is_none());
        assert_eq!(fresh.count(), 1, "one of them made it");
    }
    assert_eq!(
        merchant
            .test
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        merchant
            .live
            .get("/v1/transaction/list")
            .data()
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

fn repeats_survive_a_restart(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let merchant = site.merchant(&server);
    let body = json!({ "amountCents": 4990 });
    let first = merchant.test.post_once(CREATE, &body, "k").data();
    server.kill();
    let server = site.serve();
    let client = merchant.test.at(server.address());
    assert_replayed(&client.post_once(CREATE, &body, "k"), &first);
    client
        .post_once(CREATE, &json!({ "amountCents": 4991 }), "k")
        .error(409);
}
