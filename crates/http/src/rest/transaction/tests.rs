use actix_web::http::Method;
use serde_json::{Value, json};

use crate::fixture::{World, by};

const LIST: &str = "/v1/transaction/list";

/// The ids of so many new charges, newest first.
async fn charges(world: &World, count: usize) -> Vec<Value> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(world.charge(&world.test_key).await["id"].clone());
    }
    ids.reverse();
    ids
}

fn ids(page: &Value) -> Vec<Value> {
    let items = page.as_array().unwrap().iter();
    items.map(|item| item["id"].clone()).collect()
}

#[actix_web::test]
async fn transactions_are_listed_newest_first() {
    let world = World::new();
    assert_eq!(world.get(LIST).await.data(), json!([]));
    let made = charges(&world, 2).await;
    let body = json!({ "id": made[1] }).to_string();
    world
        .post("/v1/pixQrCode/simulate-payment", &body)
        .await
        .data();
    world.charge(&world.live_key).await;
    let answer = world.get(LIST).await;
    assert_eq!(answer.header("Link"), None);
    assert_eq!(
        answer.data(),
        json!([
            { "id": made[0], "kind": "pixQrCode", "status": "PENDING", "amount": 4990, "paidAt": null },
            { "id": made[1], "kind": "pixQrCode", "status": "PAID", "amount": 4990, "paidAt": "2026-09-21T14:13:20.007Z" },
        ])
    );
    let live = world.send(by(&world.live_key, Method::GET, LIST)).await;
    assert_eq!(live.data().as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_list_is_walked_by_absolute_links() {
    let world = World::new();
    let made = charges(&world, 5).await;
    let mut path = Some(format!("{LIST}?limit=2"));
    let mut seen = Vec::new();
    while let Some(at) = path {
        let page = world.get(&at).await;
        seen.extend(ids(&page.data()));
        path = page.header("Link").map(|link| {
            let url = link.strip_prefix("<https://pay.example").unwrap();
            url.strip_suffix(">; rel=\"next\"").unwrap().to_owned()
        });
    }
    assert_eq!(seen, made);
}

#[actix_web::test]
async fn limits_and_cursors_are_read_strictly() {
    let world = World::new();
    for (query, message) in [
        ("limit=0", "limit must be from 1 to 1000"),
        ("limit=1001", "limit must be from 1 to 1000"),
        ("limit=", "limit must be from 1 to 1000"),
        ("limit=1.5", "limit must be from 1 to 1000"),
        ("limit=1&limit=2", "limit must be given once"),
        ("cursor=x", "cursor must be the cursor of a Link header"),
        ("cursor=%FF", "cursor must be percent-encoded UTF-8"),
        ("cursor=a&cursor=b", "cursor must be given once"),
    ] {
        let answer = world.get(&format!("{LIST}?{query}")).await;
        assert_eq!(
            answer.error(400),
            ("invalid_field".to_owned(), message.to_owned()),
            "{query}"
        );
    }
    world.get(&format!("{LIST}?page=2")).await.data();
}

#[actix_web::test]
async fn without_a_public_url_links_follow_what_a_trusted_proxy_says() {
    let world = World::with(|parts| {
        parts.settings.public_url = None;
        parts.settings.address = "10.0.0.1:8080".parse().unwrap();
        parts.settings.trusted_proxies = vec!["192.0.2.1/32".parse().unwrap()];
    });
    charges(&world, 2).await;
    let page = || world.request(Method::GET, "/v1/transaction/list?limit=1");
    let by_tls = || page().insert_header(("X-Forwarded-Proto", "https"));
    let stranger = "192.0.2.2:4711".parse().unwrap();
    for (request, base) in [
        (page(), "http://10.0.0.1:8080"),
        (by_tls(), "https://10.0.0.1:8080"),
        (by_tls().peer_addr(stranger), "http://10.0.0.1:8080"),
    ] {
        let answer = world.send(request).await;
        let link = answer.header("Link").unwrap();
        assert!(link.starts_with(&format!("<{base}/v1/")), "{link}");
    }
}
