//! Webhooks: what is signed, when it is sent, and what an operator sees of it.

mod body;
mod endpoint;
mod lane;
mod operator;
mod retry;
mod signature;
mod tls;

use serde_json::Value;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::wait;

use crate::database::{bare, sql};

/// Creates a sandbox charge and pays it: one event. Returns the charge's id.
#[track_caller]
pub(crate) fn pay_one(merchant: &Merchant) -> String {
    let id = text(&merchant.test.charge(4990)["id"]);
    merchant.test.simulate(&id).data();
    id
}

/// One column of the delivery of an event about this object.
#[track_caller]
fn of_delivery(merchant: &Merchant, object: &str, column: &str) -> String {
    sql(
        merchant.site,
        &format!(
            "SELECT d.{column} FROM deliveries d JOIN events e ON e.account = d.account AND e.environment = d.environment \
             AND e.id = d.event WHERE e.object = '{}'",
            bare(object)
        ),
    )
}

/// Waits until so many attempts for the object have ended, and returns when the next is due.
#[track_caller]
fn due_after(merchant: &Merchant, object: &str, attempts: usize) -> i64 {
    wait::until(&format!("{attempts} attempts recorded"), wait::SOON, || {
        let free = of_delivery(merchant, object, "leased_by").is_empty();
        let made: usize = of_delivery(merchant, object, "attempts").parse().ok()?;
        (free && made >= attempts).then_some(())
    });
    of_delivery(merchant, object, "due_at").parse().unwrap()
}

/// Changes the delivery of an event about this object behind the product's back.
fn set_delivery(merchant: &Merchant, object: &str, change: &str) {
    sql(
        merchant.site,
        &format!(
            "UPDATE deliveries SET {change} WHERE event IN (SELECT id FROM events WHERE object = '{}')",
            bare(object)
        ),
    );
}

/// The delivery log, newest or oldest first as it is printed.
#[track_caller]
fn log(merchant: &Merchant, mode: &str) -> Vec<Value> {
    let log = merchant.webhook_command("log", mode, &[]);
    log.as_array()
        .unwrap_or_else(|| panic!("the log is a list: {log}"))
        .clone()
}

/// The objects of deliveries in the order of their arrival, each once.
fn objects(deliveries: &[vintem_tests::receiver::Delivery]) -> Vec<String> {
    let mut seen = Vec::new();
    for delivery in deliveries {
        let id = text(&delivery.json()["data"]["id"]);
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}
