//! `GET /v1/transaction/list`

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::client::{Client, Response};
use vintem_tests::merchant::text;
use vintem_tests::site::{Site, merchant};

use crate::charge::assert_fields;

vintem_tests::on_both!(
    transactions_are_listed_newest_first,
    a_list_is_walked_by_its_links,
    a_page_is_not_moved_by_what_is_created_meanwhile,
    a_list_holds_a_hundred_unless_told_otherwise,
    limits_and_cursors_out_of_range_are_refused,
    links_are_made_of_the_public_address,
);

const LIST: &str = "/v1/transaction/list";

fn ids(response: &Response) -> Vec<String> {
    response
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|item| text(&item["id"]))
        .collect()
}

/// The path and query of the next page.
#[track_caller]
fn next(client: &Client, response: &Response) -> Option<String> {
    let link = response.header("Link")?;
    let url = link
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix(">; rel=\"next\""));
    let url = url.unwrap_or_else(|| panic!("{link}"));
    let base = format!("http://{}", client.address());
    Some(
        url.strip_prefix(&base)
            .unwrap_or_else(|| panic!("{url} is not under {base}"))
            .to_owned(),
    )
}

fn charges(client: &Client, count: i64) -> Vec<String> {
    let mut ids: Vec<String> = (0..count)
        .map(|index| text(&client.charge(200 + index)["id"]))
        .collect();
    ids.reverse();
    ids
}

fn transactions_are_listed_newest_first(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    assert_eq!(client.get(LIST).data(), json!([]));
    let older = text(&client.charge(4990)["id"]);
    let newer = text(
        &client
            .create(&json!({ "amountCents": 1000, "passFee": true }))
            .data()["id"],
    );
    let paid = client.simulate(&older).data();
    let list = client.get(LIST);
    assert_eq!(list.header("Link"), None);
    let list = list.data();
    assert_fields(&list[0], &["id", "kind", "status", "amount", "paidAt"]);
    assert_eq!(
        list,
        json!([
            { "id": newer, "kind": "pixQrCode", "status": "PENDING", "amount": 1080, "paidAt": null },
            { "id": older, "kind": "pixQrCode", "status": "PAID", "amount": 4990, "paidAt": paid["paidAt"] },
        ])
    );
}

fn a_list_is_walked_by_its_links(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let all = charges(client, 7);
    for limit in [1, 2, 3, 7, 1000] {
        let mut path = Some(format!("{LIST}?limit={limit}"));
        let mut seen = Vec::new();
        let mut pages = 0;
        while let Some(at) = path {
            let page = client.get(&at);
            let ids = ids(&page);
            assert!(
                !ids.is_empty() && ids.len() <= limit,
                "a page of {}",
                ids.len()
            );
            seen.extend(ids);
            pages += 1;
            path = next(client, &page);
        }
        assert_eq!(seen, all, "by {limit}");
        assert_eq!(pages, all.len().div_ceil(limit));
    }
}

fn a_page_is_not_moved_by_what_is_created_meanwhile(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let all = charges(client, 4);
    let first = client.get(&format!("{LIST}?limit=2"));
    charges(client, 2);
    let second = client.get(&next(client, &first).unwrap());
    assert_eq!(ids(&second), all[2..]);
}

fn a_list_holds_a_hundred_unless_told_otherwise(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    let all = charges(client, 101);
    let first = client.get(LIST);
    assert_eq!(ids(&first), all[..100]);
    assert_eq!(ids(&client.get(&next(client, &first).unwrap())), all[100..]);
    assert_eq!(ids(&client.get(&format!("{LIST}?limit=101"))), all);
}

fn limits_and_cursors_out_of_range_are_refused(on: Backend) {
    let merchant = merchant(on);
    let client = &merchant.test;
    charges(client, 2);
    for limit in [
        "0",
        "1001",
        "-1",
        "1.5",
        "x",
        "",
        "99999999999999999999",
        "1&limit=2",
    ] {
        let message = client.get(&format!("{LIST}?limit={limit}")).error(400);
        assert!(message.contains("limit"), "{limit}: {message}");
    }
    for cursor in [
        "x",
        "%00",
        "%FF",
        "chg_01ARZ3NDEKTSV4RRFFQ69G5FA",
        "'",
        "a&cursor=b",
    ] {
        let message = client.get(&format!("{LIST}?cursor={cursor}")).error(400);
        assert!(message.contains("cursor"), "{cursor}: {message}");
    }
    assert_eq!(
        client.get(&format!("{LIST}?page=2")).status,
        200,
        "unknown parameters are ignored"
    );
}

fn links_are_made_of_the_public_address(on: Backend) {
    let site = Site::new(on).with("VINTEM_PUBLIC_URL", "https://pay.example.com/");
    let server = site.serve();
    let merchant = site.merchant(&server);
    charges(&merchant.test, 2);
    let page = merchant.test.get(&format!("{LIST}?limit=1"));
    let link = page.header("Link").expect("a next page");
    assert!(
        link.starts_with(&format!("<https://pay.example.com{LIST}?")),
        "{link}"
    );
}
