//! `vintem charge refund`: a merchant gives a payment back.

use std::process::Output;

use serde_json::{Value, json};
use vintem_tests::Backend;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::{Site, merchant};
use vintem_tests::wait;

use crate::charge::assert_id;

vintem_tests::on_both!(
    a_refund_leaves_the_balance_at_once_and_reaches_the_payer,
    a_refund_that_fails_brings_its_money_back,
    an_unknown_outcome_is_looked_up_and_never_sent_twice,
    a_bank_that_is_down_is_asked_later,
    parts_never_add_up_to_more_than_was_received,
    a_repeat_gives_nothing_back_twice,
    what_cannot_be_refunded_is_refused_with_its_reason,
    a_sandbox_refund_is_paid_at_once_and_moves_nothing,
    refunds_survive_a_crash,
);

fn refund(merchant: &Merchant<'_>, id: &str, more: &[&str]) -> Output {
    let arguments = [&["charge", "refund", "--id", id], more].concat();
    merchant.site.run(&arguments)
}

#[track_caller]
fn refunded(merchant: &Merchant<'_>, id: &str, more: &[&str]) -> Value {
    let arguments = [&["charge", "refund", "--id", id], more].concat();
    merchant.site.operate(&arguments)
}

#[track_caller]
fn assert_refused(answer: &Output, reason: &str) {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert_eq!(answer.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
}

/// A live charge that was paid; its fee of R$ 0,80 came off.
fn paid(merchant: &Merchant<'_>, centavos: i64) -> String {
    let id = text(&merchant.live.charge(centavos)["id"]);
    assert_eq!(merchant.pay(&json!({ "chargeId": id }))["outcome"], "paid");
    id
}

fn balance(merchant: &Merchant<'_>) -> i64 {
    let store = merchant.live.store();
    assert_eq!(store["balance"], store["available"]);
    store["balance"].as_i64().unwrap()
}

/// The story of the charge's nth refund, once it has this status.
#[track_caller]
fn ended(merchant: &Merchant<'_>, id: &str, nth: usize, status: &str) -> Value {
    wait::until("the refund ends", wait::SOON, || {
        let story = merchant.site.operate(&["charge", "show", "--id", id]);
        assert_eq!(story["status"], "PAID", "the charge stays paid");
        let refund = story["refunds"][nth].clone();
        (refund["status"] == status).then_some(refund)
    })
}

fn kinds(refund: &Value) -> Vec<&str> {
    let postings = refund["postings"].as_array().unwrap();
    postings
        .iter()
        .map(|posting| posting["kind"].as_str().unwrap())
        .collect()
}

/// A server of its own, whose bank the test may tell what it likes.
fn on_a_site_of_its_own(on: Backend, test: impl FnOnce(&Merchant<'_>, &dyn Fn(&[&str]))) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let url = format!("http://{}", server.address());
    let state = |change: &[&str]| {
        site.operate(&[&["stub", "state", "--url", &url], change].concat());
    };
    test(&merchant, &state);
    site.verify_ledger();
}

fn a_refund_leaves_the_balance_at_once_and_reaches_the_payer(on: Backend) {
    let merchant = merchant(on);
    let id = paid(&merchant, 4990);
    let made = refunded(
        &merchant,
        &id,
        &["--amount", "1000", "--reason", "troca de peça"],
    );
    assert_id(&made["id"], "rf_");
    assert_eq!(made["charge"], id.as_str());
    assert_eq!(made["amount"], 1000);
    assert_eq!(made["repeated"], false);
    assert_eq!(balance(&merchant), 3910, "the fee is kept");
    let refund = ended(&merchant, &id, 0, "PAID");
    assert_eq!(refund["id"], made["id"]);
    assert_eq!(refund["reason"], "troca de peça");
    let checked = merchant.live.check(&id).data();
    assert_eq!(refund["endToEndId"], checked["endToEndId"]);
    assert!(text(&refund["returnId"]).starts_with('D'), "{refund}");
    assert_eq!(kinds(&refund), ["refund_debited", "refund_settled"]);
    assert_eq!(
        refund["postings"][0]["amounts"],
        json!({ "available": -1000, "outgoing": 1000 })
    );
    assert_eq!(
        refund["postings"][1]["amounts"],
        json!({ "outgoing": -1000, "clearing": 1000 })
    );
    assert_eq!(balance(&merchant), 3910);
    let story = merchant.site.operate(&["charge", "show", "--id", &id]);
    let events = story["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "no event tells of a refund: {events:?}");
    merchant.site.verify_ledger();
}

fn a_refund_that_fails_brings_its_money_back(on: Backend) {
    on_a_site_of_its_own(on, |merchant, state| {
        state(&["--refunds", "fail"]);
        let id = paid(merchant, 4990);
        refunded(merchant, &id, &["--amount", "4910"]);
        let refund = ended(merchant, &id, 0, "FAILED");
        assert_eq!(refund["failureReason"], "refused by the play bank");
        assert_eq!(kinds(&refund), ["refund_debited", "refund_reversed"]);
        assert_eq!(balance(merchant), 4910);
        // What came back can be refunded once more.
        state(&["--refunds", "settle"]);
        refunded(merchant, &id, &["--amount", "4910"]);
        ended(merchant, &id, 1, "PAID");
        assert_eq!(balance(merchant), 0);
    });
}

fn an_unknown_outcome_is_looked_up_and_never_sent_twice(on: Backend) {
    on_a_site_of_its_own(on, |merchant, state| {
        state(&["--refunds", "unknown"]);
        let id = paid(merchant, 10_000);
        refunded(merchant, &id, &["--amount", "2000"]);
        assert_eq!(balance(merchant), 7920);
        let arrived = ended(merchant, &id, 0, "PAID");
        assert!(arrived["tries"].as_i64().unwrap() >= 2, "{arrived}");
        // The bank never received it.
        refunded(merchant, &id, &["--amount", "2013"]);
        let lost = ended(merchant, &id, 1, "FAILED");
        assert_eq!(lost["failureReason"], "the provider never received it");
        assert_eq!(balance(merchant), 7920);
    });
}

fn a_bank_that_is_down_is_asked_later(on: Backend) {
    on_a_site_of_its_own(on, |merchant, state| {
        let id = paid(merchant, 4990);
        state(&["--up", "false"]);
        refunded(merchant, &id, &["--amount", "1000"]);
        wait::until("the bank was asked in vain", wait::SOON, || {
            let story = merchant.site.operate(&["charge", "show", "--id", &id]);
            let refund = &story["refunds"][0];
            assert_eq!(refund["status"], "PENDING");
            (refund["tries"].as_i64().unwrap() >= 2).then_some(())
        });
        assert_eq!(balance(merchant), 3910);
        state(&["--up", "true"]);
        ended(merchant, &id, 0, "PAID");
        assert_eq!(balance(merchant), 3910);
    });
}

fn parts_never_add_up_to_more_than_was_received(on: Backend) {
    let merchant = merchant(on);
    paid(&merchant, 20_080);
    let id = paid(&merchant, 5_000);
    let before = balance(&merchant);
    let done = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..6)
            .map(|caller| {
                let (merchant, id) = (&merchant, &id);
                scope.spawn(move || {
                    let key = format!("part {caller}");
                    let answer = refund(merchant, id, &["--amount", "1500", "--key", &key]);
                    if !answer.status.success() {
                        assert_refused(&answer, "only 500 centavos are left to refund");
                    }
                    answer.status.success()
                })
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| i64::from(caller.join().unwrap()))
            .sum::<i64>()
    });
    assert_eq!(done, 3);
    assert_eq!(balance(&merchant), before - 4_500);
    assert_eq!(refunded(&merchant, &id, &[])["amount"], 500, "the rest");
    for more in [&[][..], &["--amount", "1"]] {
        let none = refund(&merchant, &id, more);
        assert_refused(&none, "nothing is left to refund of this charge");
    }
    for nth in 0..4 {
        ended(&merchant, &id, nth, "PAID");
    }
    assert_eq!(balance(&merchant), before - 5_000);
    merchant.site.verify_ledger();
}

fn a_repeat_gives_nothing_back_twice(on: Backend) {
    let merchant = merchant(on);
    let id = paid(&merchant, 10_000);
    let ask = ["--amount", "1000", "--key", "pedido 7"];
    let first = refunded(&merchant, &id, &ask);
    let again = refunded(&merchant, &id, &ask);
    assert_eq!(
        (&again["id"], &again["repeated"]),
        (&first["id"], &json!(true))
    );
    let other = refund(&merchant, &id, &["--amount", "1001", "--key", "pedido 7"]);
    assert_refused(&other, "--key names another refund");
    // Without a key the same amount is taken for a repeat by mistake, and the first one is named.
    let twin = refund(&merchant, &id, &["--amount", "1000"]);
    assert_refused(&twin, &text(&first["id"]));
    refunded(&merchant, &id, &["--amount", "1000", "--key", "pedido 8"]);
    assert_eq!(balance(&merchant), 7920);
    // All that is left exceeds what the merchant has: the fee is gone.
    let all = refund(&merchant, &id, &[]);
    assert_refused(&all, "insufficient balance");
    assert_eq!(balance(&merchant), 7920);
    merchant.site.verify_ledger();
}

fn what_cannot_be_refunded_is_refused_with_its_reason(on: Backend) {
    let merchant = merchant(on);
    let open = text(&merchant.live.charge(4990)["id"]);
    assert_refused(
        &refund(&merchant, &open, &[]),
        "the charge is PENDING, not PAID",
    );
    merchant.site.operate(&["charge", "cancel", "--id", &open]);
    assert_refused(
        &refund(&merchant, &open, &[]),
        "the charge is FAILED, not PAID",
    );
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "Ana Souza", "document": "52998224725", "cep": "01310100" },
    });
    let boleto = merchant.test.post("/v1/boleto/create", &body).data();
    let by_line = json!({ "digitableLine": boleto["boleto"]["digitableLine"] });
    let told = merchant.bank.post("/psp/stub/boleto", &by_line).data();
    assert_eq!(told["outcome"], "paid");
    assert_refused(
        &refund(&merchant, &text(&boleto["id"]), &[]),
        "paid by its digitable line, and only a PIX can be given back",
    );
    let old = text(&merchant.test.charge(4990)["id"]);
    merchant.test.simulate(&old).data();
    merchant.clock("set", &["--advance", "91d"]);
    assert_refused(
        &refund(&merchant, &old, &[]),
        "for 90 days after it was paid",
    );
    let wrong = refund(&merchant, &old, &["--amount", "0"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert_refused(
        &refund(&merchant, "bol_01ARZ3NDEKTSV4RRFFQ69G5FAV", &[]),
        "charge not found",
    );
}

fn a_sandbox_refund_is_paid_at_once_and_moves_nothing(on: Backend) {
    let merchant = merchant(on);
    let body = json!({
        "amountCents": 15_000,
        "payer": { "name": "Ana Souza", "document": "52998224725", "cep": "01310100" },
    });
    let charge = text(&merchant.test.charge(4990)["id"]);
    let boleto = text(&merchant.test.post("/v1/boleto/create", &body).data()["id"]);
    merchant.test.simulate(&charge).data();
    let simulate = json!({ "id": boleto });
    let simulated = merchant.test.post("/v1/boleto/simulate-payment", &simulate);
    simulated.data();
    let before = merchant.test.store()["balance"].clone();
    for (id, amount) in [(&charge, 4990), (&boleto, 15_000)] {
        let made = refunded(&merchant, id, &["--reason", "desistiu"]);
        assert_eq!(
            (&made["status"], &made["amount"]),
            (&json!("PAID"), &json!(amount))
        );
        assert_eq!(made["charge"], id.as_str());
        let story = merchant.site.operate(&["charge", "show", "--id", id]);
        assert_eq!(story["refunds"][0]["postings"], json!([]));
        assert_eq!(story["status"], "PAID");
    }
    assert_eq!(merchant.test.store()["balance"], before);
    merchant.site.verify_ledger();
}

fn refunds_survive_a_crash(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let merchant = site.merchant(&server);
    let id = paid(&merchant, 4990);
    server.kill();
    // Without a server the debit commits all the same; the next server sends it.
    let made = refunded(&merchant, &id, &["--amount", "1000"]);
    assert_eq!(made["status"], "PENDING");
    let server = site.serve();
    let after = merchant.at(server.address());
    assert_eq!(balance(&after), 3910);
    ended(&after, &id, 0, "PAID");
    site.verify_ledger();
}
