//! The delivery log forgets attempts after 30 days; events are kept for ever.

use vintem_tests::Backend;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;
use vintem_tests::wait;

use crate::database::{bare, sql};
use crate::instant::now;
use crate::webhook::{log, next_after, pay_one};

vintem_tests::on_both!(attempts_are_forgotten_after_thirty_days);

const DAY: i64 = 86_400_000;
/// What passes while a test looks.
const WHILE: i64 = 60_000;

fn attempts_are_forgotten_after_thirty_days(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    merchant.webhook("test", &receiver.url());
    let (old, young) = (pay_one(&merchant), pay_one(&merchant));
    for (charge, age) in [(&old, 30 * DAY + WHILE), (&young, 30 * DAY - WHILE)] {
        next_after(&merchant, charge, 1);
        let (started, charge) = (now() - age, bare(charge));
        sql(
            &site,
            &format!(
                "UPDATE attempts SET started_at = {started} WHERE event IN \
                 (SELECT id FROM events WHERE object = '{charge}')"
            ),
        );
    }
    assert_eq!(log(&merchant, "test").len(), 2);
    // The product looks for old attempts when it starts, and every few minutes from then on.
    drop(server);
    let server = site.serve();
    let kept = wait::until("the old attempt is forgotten", wait::SOON, || {
        Some(log(&merchant, "test")).filter(|log| log.len() < 2)
    });
    assert_eq!(kept.len(), 1, "{kept:?}");
    let of_young = sql(
        &site,
        &format!(
            "SELECT e.object FROM attempts a JOIN events e ON e.id = a.event WHERE e.object = '{}'",
            bare(&young)
        ),
    );
    assert_eq!(of_young, bare(&young));
    // What was forgotten is the attempt, not the event: it can be sent again.
    let there = merchant.at(server.address());
    there.webhook_command("resend", "test", &["--from", "1", "--to", "1"]);
    wait::until("the old event once more", wait::SOON, || {
        let arrived = receiver.deliveries();
        let again = arrived
            .iter()
            .filter(|delivery| delivery.json()["data"]["id"] == old.as_str());
        (again.count() == 2).then_some(())
    });
}
