//! Nothing is shared between two accounts, nor between the two environments of one.

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::merchant::text;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::merchant;

vintem_tests::on_both!(
    a_charge_of_another_account_or_environment_is_not_found,
    lists_show_their_owner_alone,
    webhooks_of_one_environment_say_nothing_of_another,
);

fn a_charge_of_another_account_or_environment_is_not_found(on: Backend) {
    let (ours, theirs) = (merchant(on), merchant(on));
    let id = text(&ours.test.charge(4990)["id"]);
    for stranger in [&theirs.test, &theirs.live, &ours.live] {
        stranger.check(&id).error(404);
    }
    theirs.test.simulate(&id).error(404);
    let live = text(&ours.live.charge(4990)["id"]);
    for stranger in [&theirs.test, &theirs.live, &ours.test] {
        stranger.check(&live).error(404);
    }
    ours.test.simulate(&live).error(404);
    assert_eq!(ours.test.check(&id).data()["status"], "PENDING");
}

fn lists_show_their_owner_alone(on: Backend) {
    let (ours, theirs) = (merchant(on), merchant(on));
    let test = text(&ours.test.charge(4990)["id"]);
    let live = text(&ours.live.charge(4990)["id"]);
    let ids = |client: &vintem_tests::client::Client| -> Vec<String> {
        let list = client.get("/v1/transaction/list").data();
        list.as_array()
            .unwrap()
            .iter()
            .map(|item| text(&item["id"]))
            .collect()
    };
    assert_eq!(ids(&ours.test), [test]);
    assert_eq!(ids(&ours.live), [live]);
    assert!(ids(&theirs.test).is_empty());
    assert!(ids(&theirs.live).is_empty());
}

fn webhooks_of_one_environment_say_nothing_of_another(on: Backend) {
    let (ours, theirs) = (merchant(on), merchant(on));
    let (test, live, other) = (Receiver::start(), Receiver::start(), Receiver::start());
    ours.webhook("test", &test.url());
    ours.webhook("live", &live.url());
    theirs.webhook("test", &other.url());
    let simulated = text(&ours.test.charge(4990)["id"]);
    ours.test.simulate(&simulated).data();
    let paid = text(&ours.live.charge(4990)["id"]);
    ours.pay(&json!({ "chargeId": paid }));
    test.wait_for_object(&simulated);
    live.wait_for_object(&paid);
    assert_eq!(test.deliveries().len(), 1);
    assert_eq!(live.deliveries().len(), 1);
    assert!(other.deliveries().is_empty());
}
