//! What is the same for every route: the envelope, the statuses, the headers, the order of checks.

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::client::{Client, raw_response};
use vintem_tests::merchant::text;
use vintem_tests::site::merchant;

vintem_tests::on_both!(
    an_unknown_route_is_answered_in_the_envelope,
    a_wrong_method_is_answered_with_those_allowed,
    a_content_type_other_than_json_is_refused,
    a_large_body_is_refused,
    a_malformed_request_is_no_failure_of_ours,
    checks_come_in_their_order,
    every_answer_carries_a_request_id,
    errors_carry_a_stable_code,
    no_cors_header_is_sent,
);

const CREATE: &str = "/v1/pixQrCode/create";

fn an_unknown_route_is_answered_in_the_envelope(on: Backend) {
    let merchant = merchant(on);
    let nobody = Client::anonymous(merchant.test.address());
    for path in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/store/",
        "/v1//store",
        "/v1/Store",
        "/v1/pixQrCode",
        "/v1/pixQrCode/create/x",
        "/v1/%00",
        "/v1/%FF",
        "/v1/..%2f..",
    ] {
        for client in [&merchant.test, &nobody] {
            client.get(path).error(404);
            client.post(path, &json!({})).error(404);
        }
    }
}

fn a_wrong_method_is_answered_with_those_allowed(on: Backend) {
    let merchant = merchant(on);
    let nobody = Client::anonymous(merchant.test.address());
    for (method, path, allowed) in [
        ("POST", "/v1/store", "GET"),
        ("DELETE", "/v1/store", "GET"),
        ("GET", CREATE, "POST"),
        ("PUT", CREATE, "POST"),
        ("OPTIONS", CREATE, "POST"),
        ("BREW", CREATE, "POST"),
        ("POST", "/v1/pixQrCode/check", "GET"),
        ("GET", "/v1/pixQrCode/simulate-payment", "POST"),
        ("PATCH", "/v1/transaction/list", "GET"),
    ] {
        for client in [&merchant.test, &nobody] {
            let response = client.request(method, path).body("").send();
            response.error(405);
            let allow = response
                .header("Allow")
                .unwrap_or_else(|| panic!("{method} {path}: no Allow"));
            assert!(
                allow.split(',').any(|method| method.trim() == allowed),
                "{method} {path}: {allow}"
            );
            assert!(
                !allow.split(',').any(|known| known.trim() == method),
                "{method} {path}: {allow}"
            );
        }
    }
}

fn a_content_type_other_than_json_is_refused(on: Backend) {
    let client = &merchant(on).test;
    let body = r#"{"amountCents":4990}"#;
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "json",
        "",
    ] {
        client
            .request("POST", CREATE)
            .header("Content-Type", kind)
            .body(body)
            .send()
            .error(415);
    }
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON;charset=UTF-8",
    ] {
        client
            .request("POST", CREATE)
            .header("Content-Type", kind)
            .body(body)
            .send()
            .data();
    }
    client.request("POST", CREATE).body(body).send().data();
}

fn a_large_body_is_refused(on: Backend) {
    let client = &merchant(on).test;
    let padded = |size: usize| {
        let mut body = br#"{"amountCents":4990}"#.to_vec();
        body.resize(size, b' ');
        body
    };
    client
        .request("POST", CREATE)
        .json_text(padded(256 * 1024))
        .send()
        .data();
    client
        .request("POST", CREATE)
        .json_text(padded(256 * 1024 + 1))
        .send()
        .error(413);
    client
        .request("POST", CREATE)
        .json_text(padded(4 * 1024 * 1024))
        .send()
        .error(413);
    // The same without a length beforehand.
    let key = client_key(client);
    let mut chunked = format!(
        "POST {CREATE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {key}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .into_bytes();
    for chunk in padded(300 * 1024).chunks(50 * 1024) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    raw_response(client.address(), &chunked).unwrap().error(413);
}

fn client_key(client: &Client) -> String {
    client.authorization().expect("a client with a key")
}

fn a_malformed_request_is_no_failure_of_ours(on: Backend) {
    let client = &merchant(on).test;
    let key = client_key(client);
    let head = format!("Host: x\r\nConnection: close\r\nAuthorization: {key}\r\n");
    for request in [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET /v1/store HTTP/9.9\r\n\r\n".to_owned(),
        "\u{0}\u{1}\u{2}\r\n\r\n".to_owned(),
        format!("GET /v1/store HTTP/1.1\r\n{head}Broken header\r\n\r\n"),
        format!("POST {CREATE} HTTP/1.1\r\n{head}Content-Length: x\r\n\r\n"),
        format!("POST {CREATE} HTTP/1.1\r\n{head}Content-Length: -1\r\n\r\n"),
        format!(
            "POST {CREATE} HTTP/1.1\r\n{head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{{}}"
        ),
        format!("POST {CREATE} HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!(
            "GET /v1/store HTTP/1.1\r\n{head}X-Long: {}\r\n\r\n",
            "x".repeat(200_000)
        ),
        format!("GET /v1/{} HTTP/1.1\r\n{head}\r\n", "x".repeat(200_000)),
    ] {
        let shown: String = request.chars().take(60).collect();
        // Closing the connection is an answer too.
        if let Ok(response) = raw_response(client.address(), request.as_bytes()) {
            assert!(
                (400..500).contains(&response.status),
                "{shown:?}: {}",
                response.status
            );
        }
    }
    // Headers that are no text.
    let mut bytes = format!("GET /v1/store HTTP/1.1\r\n{head}X-Request-Id: ").into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\r\n\r\n");
    if let Ok(response) = raw_response(client.address(), &bytes) {
        assert!(matches!(response.status, 200 | 400), "{}", response.status);
    }
    let mut bytes =
        format!("POST {CREATE} HTTP/1.1\r\n{head}Content-Length: 20\r\nIdempotency-Key: ")
            .into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\r\n\r\n{\"amountCents\":4990}");
    raw_response(client.address(), &bytes).unwrap().error(400);
    client.store();
}

fn checks_come_in_their_order(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let nobody = Client::anonymous(client.address());
    let reader = Client::new(
        client.address(),
        &text(&merchant.key("test", &["--scopes", "PIX:READ"])["key"]),
    );
    let large = "x".repeat(300 * 1024);
    let post = |client: &Client, path: &str, kind: &str, body: &str| {
        client
            .request("POST", path)
            .header("Content-Type", kind)
            .body(body)
            .send()
    };
    // Each request is wrong in everything that comes later, too.
    post(&nobody, "/v1/nothing", "text/plain", &large).error(404);
    post(&nobody, "/v1/store", "text/plain", &large).error(405);
    post(&nobody, CREATE, "text/plain", &large).error(401);
    post(&reader, CREATE, "text/plain", &large).error(403);
    post(
        &merchant.live,
        "/v1/pixQrCode/simulate-payment",
        "text/plain",
        &large,
    )
    .error(403);
    post(client, CREATE, "text/plain", &large).error(413);
    post(client, CREATE, "text/plain", "{").error(415);
    post(client, CREATE, "application/json", "{").error(400);
    nobody.get("/v1/pixQrCode/check").error(401);
    client.get("/v1/pixQrCode/check").error(400);
    // The wrong field before the missing charge, the missing charge before the wrong state.
    client
        .post("/v1/pixQrCode/simulate-payment", &json!({ "id": 7 }))
        .error(400);
    client.simulate("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV").error(404);
}

fn every_answer_carries_a_request_id(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let own = |response: &vintem_tests::client::Response| {
        response.header("X-Request-Id").unwrap().to_owned()
    };
    assert_ne!(own(&client.get("/v1/store")), own(&client.get("/v1/store")));
    for kept in [
        "abc-123",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ] {
        for path in ["/v1/store", "/v1/nothing", "/v1/pixQrCode/check"] {
            assert_eq!(
                own(&client
                    .request("GET", path)
                    .header("X-Request-Id", kept)
                    .send()),
                kept
            );
        }
        let nobody = Client::anonymous(client.address());
        assert_eq!(
            own(&nobody
                .request("GET", "/v1/store")
                .header("X-Request-Id", kept)
                .send()),
            kept
        );
    }
    for replaced in ["", "a b", "a\tb", &"x".repeat(1000), "é"] {
        assert_ne!(
            own(&client
                .request("GET", "/v1/store")
                .header("X-Request-Id", replaced)
                .send()),
            replaced
        );
    }
    assert!(client.get("/healthz").header("X-Request-Id").is_some());
}

fn errors_carry_a_stable_code(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let nobody = Client::anonymous(client.address());
    let id = text(&client.charge(4990)["id"]);
    client.simulate(&id).data();
    let answers = [
        client.get("/v1/nothing"),
        client.get(CREATE),
        nobody.get("/v1/store"),
        merchant.live.simulate(&id),
        client
            .request("POST", CREATE)
            .header("Content-Type", "text/plain")
            .body("{}")
            .send(),
        client.request("POST", CREATE).json_text("{").send(),
        client.check("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        client.simulate(&id),
    ];
    let mut codes: Vec<&str> = answers
        .iter()
        .map(|answer| answer.header("X-Error-Code").unwrap())
        .collect();
    for code in &codes {
        assert!(
            code.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)),
            "{code}"
        );
    }
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(
        codes.len(),
        answers.len(),
        "each kind of failure has a code of its own: {codes:?}"
    );
    assert_eq!(client.get("/v1/store").header("X-Error-Code"), None);
}

fn no_cors_header_is_sent(on: Backend) {
    let merchant = merchant(on);
    let origin = |method: &str, path: &str| {
        let request = merchant
            .test
            .request(method, path)
            .header("Origin", "https://shop.example");
        request
            .header("Access-Control-Request-Method", "POST")
            .body("")
            .send()
    };
    for response in [origin("GET", "/v1/store"), origin("OPTIONS", CREATE)] {
        assert!(
            !response
                .headers
                .iter()
                .any(|(name, _)| name.starts_with("access-control-")),
            "{response:?}"
        );
    }
}
