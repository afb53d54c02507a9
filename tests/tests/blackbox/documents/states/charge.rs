//! Charges and boletos: docs/pix.md and docs/boleto.md.

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Outcome, check, check_entries, listed, since, story};
use crate::database::{bare, sql};
use crate::instant::{format, now};

const HOUR: i64 = 3_600_000;
/// A part of what was paid, centavos.
const REFUNDED: i64 = 3_000;

/// A live charge of either kind, on its way through a line of the table.
struct Subject<'a> {
    merchant: &'a Merchant<'a>,
    id: String,
    line: Value,
}

impl<'a> Subject<'a> {
    fn pix(merchant: &'a Merchant<'a>) -> Self {
        let made = merchant.live.charge(10_000);
        Self::of(merchant, &made)
    }

    fn boleto(merchant: &'a Merchant<'a>) -> Self {
        let body = json!({
            "amountCents": 10_000,
            "payer": { "name": "Ana Souza", "document": "52998224725", "cep": "01310100" },
        });
        let made = merchant.live.post("/v1/boleto/create", &body).data();
        Self::of(merchant, &made)
    }

    fn of(merchant: &'a Merchant<'a>, made: &Value) -> Self {
        Self {
            merchant,
            id: text(&made["id"]),
            line: made["boleto"]["digitableLine"].clone(),
        }
    }

    fn story(&self) -> Value {
        story(self.merchant.site, "charge", &self.id)
    }

    /// A PIX arrives; the further fields say how it is unlike the right one.
    fn pay(&self, more: &Value) {
        let mut notice = json!({ "chargeId": self.id });
        notice
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.merchant.pay(&notice);
    }

    fn clear(&self) {
        let notice = json!({ "digitableLine": self.line });
        self.merchant.bank.post("/psp/stub/boleto", &notice).data();
    }

    fn remove(&self) {
        let order = json!({ "chargeId": self.id, "reason": "rejected" });
        self.merchant.bank.post("/psp/stub/remove", &order);
    }

    /// What the operator may be refused, as callers are.
    fn command(&self, words: &[&str]) {
        let all = [&["charge"], words, &["--id", &self.id]].concat();
        self.merchant.site.run(&all);
    }

    fn refund(&self, fate: &str) {
        let change = json!({ "refunds": fate });
        self.merchant.bank.post("/psp/stub/state", &change).data();
        self.command(&["refund", "--amount", &REFUNDED.to_string()]);
    }

    /// Real time cannot be moved: the charge is made older instead.
    fn expire(&self) {
        let (created, expires) = (now() - 3 * HOUR, now() - HOUR);
        sql(
            self.merchant.site,
            &format!(
                "UPDATE charges SET created_at = {created}, expires_at = {expires} WHERE id = '{}'",
                bare(&self.id)
            ),
        );
    }

    fn bring_to(&self, status: &str) {
        match status {
            "PENDING" => {}
            "EXPIRED" => self.expire(),
            "PAID" => self.pay(&json!({})),
            "FAILED" => self.remove(),
            other => panic!("what is {other}?"),
        }
        assert_eq!(self.story()["status"], status);
    }

    fn happens(&self, what: &str) {
        match what {
            "It is paid, in full and in time."
            | "It is paid by its PIX code."
            | "It is paid too late."
            | "It is paid."
            | "Another payment arrives." => self.pay(&json!({})),
            "It is paid by its line at another bank." | "It is paid the other way, too." => {
                self.clear();
            }
            "Another amount arrives." => self.pay(&json!({ "amountCents": 9_999 })),
            "We hear late of a payment made in time." => {
                self.pay(&json!({ "paidAt": format(now() - 2 * HOUR) }));
            }
            "The same payment is told again." => {
                let first = self.story()["endToEndId"].clone();
                self.pay(&json!({ "endToEndId": first }));
            }
            "`expiresAt` passes." => self.expire(),
            "The provider removes it." => self.remove(),
            "You cancel it." => self.command(&["cancel"]),
            "You refund it." => self.refund("settle"),
            "You refund it; the bank refuses." => self.refund("fail"),
            other => panic!("what is {other}?"),
        }
    }

    /// Goes through a line, and waits until what goes back to a payer is back.
    fn drive(&self, page: &str, status: &str, what: &str) -> Outcome {
        self.bring_to(status);
        let before = self.story();
        self.happens(what);
        let after = wait::until("returns are done", wait::SOON, || {
            let story = self.story();
            let returns = listed(&story, "returns", "state");
            let refunds = listed(&story, "refunds", "status");
            let over = returns.iter().all(|state| state == "done")
                && refunds.iter().all(|status| status != "PENDING");
            over.then_some(story)
        });
        let received = if what == "Another amount arrives." {
            9_999
        } else {
            10_000
        };
        let amount = |name: &str| after[name].as_i64().unwrap();
        let amounts = [
            ("amount", amount("amount")),
            ("net", amount("netAmount")),
            ("fee", amount("fee")),
            ("received", received),
            ("refunded", REFUNDED),
        ];
        check_entries(page, &after, &amounts);
        since(&before, &after)
    }
}

#[test]
fn a_charge_goes_as_its_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let known = [
        ("PENDING", "It is paid, in full and in time."),
        ("PENDING", "Another amount arrives."),
        ("PENDING", "The provider removes it."),
        ("PENDING", "You cancel it."),
        ("PENDING", "`expiresAt` passes."),
        ("EXPIRED", "We hear late of a payment made in time."),
        ("EXPIRED", "It is paid too late."),
        ("EXPIRED", "The provider removes it."),
        ("EXPIRED", "You cancel it."),
        ("PAID", "The same payment is told again."),
        ("PAID", "Another payment arrives."),
        ("PAID", "The provider removes it."),
        ("PAID", "You cancel it."),
        ("PAID", "You refund it."),
        ("PAID", "You refund it; the bank refuses."),
        ("FAILED", "It is paid."),
        ("FAILED", "The provider removes it."),
    ];
    check("docs/pix.md", &known, |status, what| {
        Subject::pix(&merchant).drive("docs/pix.md", status, what)
    });
}

#[test]
fn a_boleto_goes_as_its_page_says() {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let complete = ["--document", "11222333000181", "--address", "Rua A, 1"];
    let mut command = vec!["account", "update", "--id", &merchant.account];
    command.extend(complete);
    merchant.site.print(&command);
    let known = [
        ("PENDING", "It is paid by its PIX code."),
        ("PENDING", "It is paid by its line at another bank."),
        ("PENDING", "Another amount arrives."),
        ("PENDING", "The provider removes it."),
        ("PENDING", "You cancel it."),
        ("PENDING", "`expiresAt` passes."),
        ("EXPIRED", "We hear late of a payment made in time."),
        ("EXPIRED", "It is paid too late."),
        ("EXPIRED", "The provider removes it."),
        ("EXPIRED", "You cancel it."),
        ("PAID", "The same payment is told again."),
        ("PAID", "It is paid the other way, too."),
        ("PAID", "The provider removes it."),
        ("PAID", "You cancel it."),
        ("PAID", "You refund it."),
        ("PAID", "You refund it; the bank refuses."),
        ("FAILED", "It is paid."),
        ("FAILED", "The provider removes it."),
    ];
    check("docs/boleto.md", &known, |status, what| {
        Subject::boleto(&merchant).drive("docs/boleto.md", status, what)
    });
}
