//! Webhooks: what is signed, when it is sent, and what an operator sees of it.

mod body;
mod endpoint;
mod lane;
mod operator;
mod retention;
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

/// How the last attempt to deliver an event went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Next {
    /// How many attempts there were.
    attempts: usize,
    /// From the end of the last one until the next is due, milliseconds.
    wait_ms: i64,
}

/// Waits until at least so many attempts for the object have ended.
#[track_caller]
fn next_after(merchant: &Merchant, object: &str, attempts: usize) -> Next {
    let columns = "d.attempts, d.due_at, a.started_at + a.duration_ms";
    let statement = format!(
        "SELECT {columns} FROM events e JOIN deliveries d ON d.event = e.id \
         JOIN attempts a ON a.event = e.id AND a.number = d.attempts \
         WHERE e.object = '{}' AND d.leased_by IS NULL",
        bare(object)
    );
    wait::until(&format!("{attempts} attempts recorded"), wait::SOON, || {
        let row = sql(merchant.site, &statement);
        let numbers: Vec<i64> = row
            .split('|')
            .filter_map(|number| number.parse().ok())
            .collect();
        let [made, due, ended] = numbers[..] else {
            return None;
        };
        let made = usize::try_from(made).unwrap();
        (made >= attempts).then_some(Next {
            attempts: made,
            wait_ms: due - ended,
        })
    })
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
