use std::sync::atomic::Ordering::Relaxed;

use actix_web::http::Method;
use serde_json::{Value, json};
use vintem_domain::brcode::qr_data_uri;
use vintem_domain::error::ProviderFailure;

use crate::fixture::{Answer, BOLETO, World, by, json as with_json};

const CREATE: &str = "/v1/boleto/create";
const SIMULATE: &str = "/v1/boleto/simulate-payment";
const UNKNOWN: &str = "bol_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const DAY_MS: i64 = 86_400_000;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn check_by(world: &World, key: &str, boleto: &Value) -> Value {
    let uri = format!("/v1/boleto/check?id={}", text(&boleto["id"]));
    world.send(by(key, Method::GET, &uri)).await.data()
}

async fn check(world: &World, boleto: &Value) -> Value {
    check_by(world, &world.test_key, boleto).await
}

async fn create_with(world: &World, key: &str, body: &str) -> Answer {
    let request = with_json(world.request(Method::POST, CREATE), body);
    world
        .send(request.insert_header(("Idempotency-Key", key)))
        .await
}

async fn paid_by_line(world: &World, boleto: &Value, more: Value) -> Answer {
    let mut body = more;
    body["digitableLine"] = boleto["boleto"]["digitableLine"].clone();
    world.bank("/psp/stub/boleto", &body.to_string()).await
}

#[actix_web::test]
async fn a_new_boleto_shows_every_documented_field() {
    let world = World::new();
    world.complete_account();
    for key in [&world.test_key, &world.live_key] {
        let boleto = world.boleto(key).await;
        let (code, title) = (text(&boleto["brCode"]), &boleto["boleto"]);
        assert_eq!(
            boleto,
            json!({
                "id": boleto["id"], "kind": "boleto", "method": "BOLETO", "status": "PENDING", "amount": 10000,
                "netAmount": 9801,
                "boleto": {
                    "ourNumber": title["ourNumber"], "digitableLine": title["digitableLine"],
                    "barcode": title["barcode"], "dueDate": "2026-09-24T03:00:00.000Z",
                },
                "brCode": code, "brCodeBase64": qr_data_uri(code).unwrap(), "pdfUrl": boleto["pdfUrl"],
                "expiresAt": "2026-09-25T02:59:59.999Z", "createdAt": "2026-09-21T14:13:20.007Z",
            })
        );
        assert!(text(&boleto["id"]).starts_with("bol_"));
        assert_eq!(text(&title["digitableLine"]).len(), 47);
        assert_eq!(text(&title["barcode"]).len(), 44);
        let token = text(&boleto["pdfUrl"])
            .strip_prefix("https://pay.example/boletos/")
            .and_then(|rest| rest.strip_suffix(".pdf"))
            .unwrap();
        assert_eq!(token.len(), 32);
        assert!(!text(&boleto["id"]).contains(token));
    }
}

#[actix_web::test]
async fn fee_and_due_date_are_as_asked() {
    let world = World::new();
    let payer = r#""payer":{"name":"Ana","document":"12ABC34501DE35","cep":"01310100"}"#;
    let body =
        format!(r#"{{"amountCents":500,"passFee":true,"dueDays":5,"metadata":{{"a":1}},{payer}}}"#);
    let boleto = world.post(CREATE, &body).await.data();
    assert_eq!(
        (&boleto["amount"], &boleto["netAmount"]),
        (&json!(699), &json!(500))
    );
    // A Saturday stays the due date; Monday is the last day to pay.
    assert_eq!(boleto["boleto"]["dueDate"], "2026-09-26T03:00:00.000Z");
    assert_eq!(boleto["expiresAt"], "2026-09-29T02:59:59.999Z");
}

#[actix_web::test]
async fn a_wrong_field_is_named_with_the_rule_it_breaks() {
    let world = World::new();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body: Value = serde_json::from_str(BOLETO).unwrap();
        change(&mut body);
        body.to_string()
    };
    let field = |name: &'static str, value: Value| with(&move |body| body[name] = value.clone());
    let payer =
        |name: &'static str, value: Value| with(&move |body| body["payer"][name] = value.clone());
    for (body, message) in [
        ("{}".to_owned(), "amountCents is required"),
        (
            field("amountCents", json!(499)),
            "amountCents must be at least 500",
        ),
        (
            field("amountCents", json!(10_000_000_000_i64)),
            "amountCents must be at most 9999999999",
        ),
        (
            field("amountCents", json!(500.5)),
            "amountCents must be an integer",
        ),
        (field("payer", Value::Null), "payer is required"),
        (field("payer", json!("Ana")), "payer must be an object"),
        (field("payer", json!({})), "payer.name is required"),
        (payer("name", json!(" ")), "payer.name is required"),
        (
            payer("name", json!("é".repeat(201))),
            "payer.name must have at most 200 characters",
        ),
        (payer("document", Value::Null), "payer.document is required"),
        (payer("document", json!("")), "payer.document is required"),
        (
            payer("document", json!("52998224726")),
            "payer.document has check digits 26, expected 25",
        ),
        (
            payer("document", json!("529.982.247-25")),
            "payer.document has a wrong character at position 4: only digits and upper-case letters may stand there",
        ),
        (
            payer("document", json!("1")),
            "payer.document must have 11 or 14 characters, not 1",
        ),
        (
            payer("document", json!(52_998_224_725_i64)),
            "payer.document must be a text",
        ),
        (payer("cep", Value::Null), "payer.cep is required"),
        (
            payer("cep", json!("01310-100")),
            "payer.cep must have 8 digits",
        ),
        (field("dueDays", json!(0)), "dueDays must be from 1 to 5"),
        (field("dueDays", json!(6)), "dueDays must be from 1 to 5"),
        (field("dueDays", json!("3")), "dueDays must be an integer"),
        (field("passFee", json!(1)), "passFee must be true or false"),
        (
            field("metadata", json!([])),
            "metadata must be a JSON object",
        ),
        (field("description", json!(7)), "description must be a text"),
    ] {
        let answer = world.post(CREATE, &body).await;
        assert_eq!(
            answer.error(400),
            ("invalid_field".to_owned(), message.to_owned()),
            "{body}"
        );
    }
    assert_eq!(
        world.provider.calls.load(Relaxed),
        0,
        "nothing was registered"
    );
    assert_eq!(world.get("/v1/transaction/list").await.data(), json!([]));
}

#[actix_web::test]
async fn a_live_boleto_needs_a_complete_beneficiary() {
    let world = World::new();
    let live = || with_json(by(&world.live_key, Method::POST, CREATE), BOLETO);
    let (code, message) = world.send(live()).await.error(400);
    assert_eq!(code, "beneficiary_incomplete");
    assert!(message.contains("document and an address"), "{message}");
    world.boleto(&world.test_key).await;
    world.complete_account();
    world.send(live()).await.data();
}

#[actix_web::test]
async fn a_check_shows_the_boleto_and_what_became_of_it() {
    let world = World::new();
    let boleto = world.boleto(&world.test_key).await;
    let mut expected = boleto.clone();
    for field in ["paidAt", "payer", "endToEndId"] {
        expected[field] = Value::Null;
    }
    assert_eq!(check(&world, &boleto).await, expected);
    world.clock.advance(1_000);
    let simulated = world
        .post(SIMULATE, &json!({ "id": boleto["id"] }).to_string())
        .await;
    assert_eq!(
        simulated.data(),
        json!({ "id": boleto["id"], "status": "PAID", "paidAt": "2026-09-21T14:13:21.007Z", "devMode": true })
    );
    let checked = check(&world, &boleto).await;
    expected["status"] = json!("PAID");
    expected["paidAt"] = json!("2026-09-21T14:13:21.007Z");
    expected["payer"] =
        json!({ "name": "Sandbox Payer", "document": "00000000191", "bank": "Sandbox Bank" });
    expected["endToEndId"] = checked["endToEndId"].clone();
    assert_eq!(checked, expected);
    assert_eq!(text(&checked["endToEndId"]).len(), 32);
    world
        .post(SIMULATE, &json!({ "id": boleto["id"] }).to_string())
        .await
        .is(409, "charge_not_pending");
}

#[actix_web::test]
async fn a_line_paid_at_another_bank_settles_the_boleto_once() {
    let world = World::new();
    world.complete_account();
    let boleto = world.boleto(&world.live_key).await;
    let played = paid_by_line(&world, &boleto, json!({})).await.data();
    assert_eq!(played["outcome"], "paid");
    let checked = check_by(&world, &world.live_key, &boleto).await;
    assert_eq!(checked["status"], "PAID");
    assert_eq!(checked["endToEndId"], played["endToEndId"]);
    assert_eq!(
        checked["payer"],
        json!({ "name": "Ana Souza", "document": "52998224725", "bank": "Play Bank" })
    );
    assert_eq!(world.available(&world.live_key).await, 9_801);
    // By the other way it is a second payment.
    let pix = json!({ "brCode": boleto["brCode"] }).to_string();
    let second = world.bank("/psp/stub/pix", &pix).await.data();
    assert_eq!(second["outcome"], "returned");
    assert_eq!(world.available(&world.live_key).await, 9_801);
}

#[actix_web::test]
async fn the_pix_code_settles_it_too() {
    let world = World::new();
    for names in ["chargeId", "brCode"] {
        let boleto = world.boleto(&world.test_key).await;
        let value = &boleto[if names == "chargeId" { "id" } else { names }];
        let notice = json!({ names: value }).to_string();
        let played = world.bank("/psp/stub/pix", &notice).await.data();
        assert_eq!(played["outcome"], "paid");
        assert_eq!(check(&world, &boleto).await["status"], "PAID");
        let late = paid_by_line(&world, &boleto, json!({})).await.data();
        assert_eq!(late["outcome"], "returned");
    }
}

#[actix_web::test]
async fn what_was_paid_in_time_counts_however_late_it_is_told() {
    let world = World::new();
    let (one, other) = (
        world.boleto(&world.test_key).await,
        world.boleto(&world.test_key).await,
    );
    world.move_sandbox(4 * DAY_MS);
    assert_eq!(check(&world, &one).await["status"], "EXPIRED");
    let in_time = json!({ "paidAt": "2026-09-25T02:59:59Z" });
    let told = paid_by_line(&world, &one, in_time).await.data();
    assert_eq!(told["outcome"], "paid");
    assert_eq!(check(&world, &one).await["status"], "PAID");
    let told = paid_by_line(&world, &other, json!({})).await.data();
    assert_eq!(told["outcome"], "returned");
    assert_eq!(check(&world, &other).await["status"], "EXPIRED");
}

#[actix_web::test]
async fn what_the_bank_is_told_of_a_boleto_is_read_strictly() {
    let world = World::new();
    let boleto = world.boleto(&world.test_key).await;
    let line = text(&boleto["boleto"]["digitableLine"]);
    let wrong = format!("{}9{}", &line[..9], &line[10..]);
    let wrong = if wrong == line {
        format!("{}8{}", &line[..9], &line[10..])
    } else {
        wrong
    };
    for (body, start) in [
        (json!({}), "digitableLine is required"),
        (
            json!({ "digitableLine": "1" }),
            "digitableLine must have 47 digits, not 1",
        ),
        (
            json!({ "digitableLine": wrong }),
            "digitableLine block 1 check digit is ",
        ),
        (
            json!({ "digitableLine": line, "amountCents": 0 }),
            "amountCents must be from 1 to 9999999999",
        ),
        (
            json!({ "digitableLine": line, "paidAt": "2026-09-21T14:13:20.008Z" }),
            "paidAt must not be in the future",
        ),
    ] {
        let (code, message) = world
            .bank("/psp/stub/boleto", &body.to_string())
            .await
            .error(400);
        assert_eq!(code, "invalid_field");
        assert!(message.starts_with(start), "{message}");
    }
    let unknown = json!({ "digitableLine": "00190500954014481606906809350314337370000000100" });
    world
        .bank("/psp/stub/boleto", &unknown.to_string())
        .await
        .is(404, "charge_not_found");
    let short = paid_by_line(&world, &boleto, json!({ "amountCents": 1 })).await;
    assert_eq!(short.data()["outcome"], "returned");
    // Spaces and dots do not count, and the barcode names the title too.
    let printed = format!("{} {}.{}", &line[..5], &line[5..20], &line[20..]);
    let scanned = text(&boleto["boleto"]["barcode"]);
    for (code, outcome) in [(printed.as_str(), "paid"), (scanned, "returned")] {
        let body = json!({ "digitableLine": code }).to_string();
        let played = world.bank("/psp/stub/boleto", &body).await.data();
        assert_eq!(played["outcome"], outcome);
    }
}

#[actix_web::test]
async fn a_removed_boleto_has_failed() {
    let world = World::new();
    let boleto = world.boleto(&world.test_key).await;
    let body = json!({ "chargeId": boleto["id"], "reason": "baixa" }).to_string();
    assert_eq!(
        world.bank("/psp/stub/remove", &body).await.data(),
        json!({ "id": boleto["id"], "status": "FAILED" })
    );
    assert_eq!(check(&world, &boleto).await["status"], "FAILED");
}

#[actix_web::test]
async fn a_boleto_is_no_pix_charge_and_the_other_way_round() {
    let world = World::new();
    let boleto = world.boleto(&world.test_key).await;
    let charge = world.charge(&world.test_key).await;
    let renamed = |object: &Value, prefix: &str| format!("{prefix}{}", &text(&object["id"])[4..]);
    for (word, id) in [
        ("pixQrCode", renamed(&boleto, "chg_")),
        ("boleto", renamed(&charge, "bol_")),
        ("boleto", UNKNOWN.to_owned()),
        ("boleto", text(&charge["id"]).to_owned()),
        ("boleto", "x".to_owned()),
    ] {
        world
            .get(&format!("/v1/{word}/check?id={id}"))
            .await
            .is(404, "charge_not_found");
        let body = json!({ "id": id }).to_string();
        world
            .post(&format!("/v1/{word}/simulate-payment"), &body)
            .await
            .is(404, "charge_not_found");
    }
    assert_eq!(check(&world, &boleto).await["status"], "PENDING");
    let live = by(
        &world.live_key,
        Method::GET,
        &format!("/v1/boleto/check?id={}", text(&boleto["id"])),
    );
    world.send(live).await.is(404, "charge_not_found");
    let live = with_json(by(&world.live_key, Method::POST, SIMULATE), "{");
    world.send(live).await.is(403, "simulation_in_live");
}

#[actix_web::test]
async fn a_repeat_gets_the_first_answer_whatever_became_of_the_boleto() {
    let world = World::new();
    let first = create_with(&world, "order 7", BOLETO).await;
    let boleto = first.data();
    let body = json!({ "id": boleto["id"] }).to_string();
    world.post(SIMULATE, &body).await.data();
    *world.provider.failure.lock().unwrap() = Some(ProviderFailure::Down);
    let repeat = create_with(&world, "order 7", BOLETO).await;
    assert_eq!(repeat.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(repeat.text, first.text);
    create_with(&world, "order 7", "{}")
        .await
        .is(409, "idempotency_key_reused");
    create_with(&world, "order 8", BOLETO)
        .await
        .is(502, "provider_down");
    let list = world.get("/v1/transaction/list").await.data();
    assert_eq!(
        list,
        json!([{ "id": boleto["id"], "kind": "boleto", "status": "PAID", "amount": 10000,
            "paidAt": "2026-09-21T14:13:20.007Z" }])
    );
}

#[actix_web::test]
async fn the_address_of_the_slip_follows_what_a_trusted_proxy_says() {
    let world = World::with(|parts| {
        parts.settings.public_url = None;
        parts.settings.trusted_proxies = vec!["192.0.2.0/24".parse().unwrap()];
    });
    let request = with_json(world.request(Method::POST, CREATE), BOLETO);
    let by_tls = request.insert_header(("X-Forwarded-Proto", "https"));
    let issued = world.send(by_tls).await.data();
    let url = text(&issued["pdfUrl"]);
    assert!(url.starts_with("https://127.0.0.1:8080/boletos/"), "{url}");
    let check = format!("/v1/boleto/check?id={}", text(&issued["id"]));
    let checked = world.get(&check).await.data();
    let plain = url.replacen("https", "http", 1);
    assert_eq!(checked["pdfUrl"], plain.as_str());
}
