//! When an attempt is made again, told by due times rather than by waiting.

use std::time::Duration;

use vintem_tests::Backend;
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::merchant;
use vintem_tests::wait;

use crate::database::{bare, sql};
use crate::instant::{http_date, now};
use crate::webhook::{next_after, of_delivery, pay_one, set_delivery};

vintem_tests::on_both!(
    each_wait_is_the_scheduled_one,
    retry_after_lengthens_a_wait_by_a_day_at_most,
    retry_after_may_be_a_date,
    what_is_no_2xx_is_a_failure,
    an_answer_that_takes_too_long_is_a_failure,
    gone_disables_the_endpoint_and_holds_what_follows,
    five_days_of_failures_disable_the_endpoint,
    a_success_forgets_earlier_failures,
);

/// The waits in seconds after one, two, ... failed attempts.
const WAITS: [i64; 9] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

fn each_wait_is_the_scheduled_one(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::scripted(|_, _| Answer::Status(500));
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    for (index, wait) in WAITS.iter().enumerate() {
        let next = next_after(&merchant, &id, index + 1);
        assert_eq!(next.attempts, index + 1);
        // Grace for the time between the answer and its record.
        let expected = wait * 800..=wait * 1200 + 2000;
        assert!(expected.contains(&next.wait_ms), "{next:?}");
        set_delivery(&merchant, &id, "due_at = 1000");
    }
    wait::until("the tenth failure is the last", wait::SOON, || {
        (of_delivery(&merchant, &id, "state") == "failed").then_some(())
    });
    assert_eq!(receiver.deliveries().len(), 10);
    let bodies: Vec<_> = receiver
        .deliveries()
        .into_iter()
        .map(|delivery| delivery.body)
        .collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

fn retry_after_lengthens_a_wait_by_a_day_at_most(on: Backend) {
    for (asked, least, most) in [(3600, 3600, 3605), (1, 4, 8), (999_999, 86_400, 86_405)] {
        let merchant = merchant(on);
        let receiver = Receiver::scripted(move |_, _| {
            Answer::Full(
                503,
                vec![("Retry-After".to_owned(), asked.to_string())],
                Vec::new(),
            )
        });
        merchant.webhook("test", &receiver.url());
        let id = pay_one(&merchant);
        let next = next_after(&merchant, &id, 1);
        assert_eq!(next.attempts, 1);
        assert!(
            (least * 1000..=most * 1000).contains(&next.wait_ms),
            "{asked} s asked: {next:?}"
        );
    }
}

fn retry_after_may_be_a_date(on: Backend) {
    const HOUR: i64 = 3_600;
    // In an hour, long ago (the schedule's own wait is left), and in ten days (a day at most).
    for (seconds, least, most) in [
        (HOUR, HOUR - 10, HOUR + 5),
        (-HOUR, 4, 8),
        (240 * HOUR, 24 * HOUR, 24 * HOUR + 5),
    ] {
        let merchant = merchant(on);
        let asked = http_date(now() + seconds * 1000);
        let header = vec![("Retry-After".to_owned(), asked.clone())];
        let receiver =
            Receiver::scripted(move |_, _| Answer::Full(429, header.clone(), Vec::new()));
        merchant.webhook("test", &receiver.url());
        let id = pay_one(&merchant);
        let next = next_after(&merchant, &id, 1);
        assert_eq!(next.attempts, 1);
        assert!(
            (least * 1000..=most * 1000).contains(&next.wait_ms),
            "{asked}: {next:?}"
        );
    }
}

fn what_is_no_2xx_is_a_failure(on: Backend) {
    let elsewhere = Receiver::start();
    let location = vec![("Location".to_owned(), elsewhere.url())];
    for answer in [
        Answer::Status(400),
        Answer::Status(404),
        Answer::Status(301),
        Answer::Full(302, location.clone(), Vec::new()),
        Answer::Full(307, location, Vec::new()),
        Answer::Drop,
    ] {
        let merchant = merchant(on);
        let failing = answer.clone();
        let receiver = Receiver::scripted(move |_, _| failing.clone());
        merchant.webhook("test", &receiver.url());
        let id = pay_one(&merchant);
        next_after(&merchant, &id, 1);
        assert_eq!(
            of_delivery(&merchant, &id, "state"),
            "pending",
            "{answer:?}"
        );
        receiver.answer(|_, _| Answer::Status(204));
        set_delivery(&merchant, &id, "due_at = 1000");
        wait::until("a 204 is a success", wait::SOON, || {
            (of_delivery(&merchant, &id, "state") == "delivered").then_some(())
        });
    }
    assert!(
        elsewhere.deliveries().is_empty(),
        "redirects are not followed"
    );
}

fn an_answer_that_takes_too_long_is_a_failure(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::scripted(|before, _| {
        let answer = Answer::Status(200);
        if before == 0 {
            Answer::After(Duration::from_secs(25), Box::new(answer))
        } else {
            answer
        }
    });
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    receiver.wait_for(1);
    let log = wait::until("the attempt is given up", Duration::from_secs(24), || {
        let log = sql(
            merchant.site,
            &format!(
                "SELECT duration_ms, outcome FROM attempts WHERE account = '{}'",
                bare(&merchant.account)
            ),
        );
        (!log.is_empty()).then_some(log)
    });
    let (duration, outcome) = log.split_once('|').unwrap();
    assert_eq!(outcome, "failed");
    assert!(
        (14_500..18_000).contains(&duration.parse::<i64>().unwrap()),
        "{duration} ms"
    );
    set_delivery(&merchant, &id, "due_at = 1000");
    receiver.wait_for(2);
}

fn disabled_because(merchant: &vintem_tests::merchant::Merchant) -> String {
    sql(
        merchant.site,
        &format!(
            "SELECT disabled_because FROM endpoints WHERE account = '{}'",
            bare(&merchant.account)
        ),
    )
}

fn gone_disables_the_endpoint_and_holds_what_follows(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::scripted(|_, _| Answer::Status(410));
    let secret = merchant.webhook("test", &receiver.url());
    let first = pay_one(&merchant);
    wait::until("the endpoint is disabled", wait::SOON, || {
        (!disabled_because(&merchant).is_empty()).then_some(())
    });
    let shown = merchant.webhook_command("show", "test", &[]).to_string();
    assert!(
        shown.contains("gone") || shown.contains("410"),
        "visibly: {shown}"
    );
    let mut expected = vec![first];
    expected.extend((0..4).map(|_| pay_one(&merchant)));
    receiver.answer(|_, _| Answer::Status(200));
    let arrived = receiver.deliveries().len();
    assert_eq!(arrived, 1, "nothing is sent to a disabled endpoint");
    assert_eq!(
        merchant.webhook("test", &receiver.url()),
        secret,
        "the secret stays"
    );
    let deliveries = receiver.wait_for(arrived + 5);
    let mut seen = super::objects(&deliveries[arrived..]);
    assert_eq!(seen.len(), 5);
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected, "everything that was held is sent");
}

fn five_days_of_failures_disable_the_endpoint(on: Backend) {
    let merchant = merchant(on);
    let receiver = Receiver::scripted(|_, _| Answer::Status(500));
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    next_after(&merchant, &id, 1);
    let of_account = format!("WHERE account = '{}'", bare(&merchant.account));
    let almost = now() - 5 * 86_400_000 + 60_000;
    sql(
        merchant.site,
        &format!("UPDATE endpoints SET failing_since = {almost} {of_account}"),
    );
    set_delivery(&merchant, &id, "due_at = 1000");
    next_after(&merchant, &id, 2);
    assert_eq!(disabled_because(&merchant), "", "not before");
    sql(
        merchant.site,
        &format!(
            "UPDATE endpoints SET failing_since = {} {of_account}",
            almost - 61_000
        ),
    );
    set_delivery(&merchant, &id, "due_at = 1000");
    wait::until("the endpoint is disabled", wait::SOON, || {
        (disabled_because(&merchant) == "failing").then_some(())
    });
    assert_eq!(
        of_delivery(&merchant, &id, "state"),
        "pending",
        "nothing is discarded"
    );
    receiver.answer(|_, _| Answer::Status(200));
    merchant.webhook("test", &receiver.url());
    set_delivery(&merchant, &id, "due_at = 1000");
    wait::until("it is sent in the end", wait::SOON, || {
        (of_delivery(&merchant, &id, "state") == "delivered").then_some(())
    });
}

fn a_success_forgets_earlier_failures(on: Backend) {
    let merchant = merchant(on);
    let receiver =
        Receiver::scripted(|before, _| Answer::Status(if before == 0 { 500 } else { 200 }));
    merchant.webhook("test", &receiver.url());
    let id = pay_one(&merchant);
    next_after(&merchant, &id, 1);
    let failing = || {
        sql(
            merchant.site,
            &format!(
                "SELECT failing_since FROM endpoints WHERE account = '{}'",
                bare(&merchant.account)
            ),
        )
    };
    assert!(!failing().is_empty());
    set_delivery(&merchant, &id, "due_at = 1000");
    wait::until("a success", wait::SOON, || {
        failing().is_empty().then_some(())
    });
}
