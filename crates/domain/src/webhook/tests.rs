use super::schedule::PATIENCE_MS;
use super::*;
use crate::account::Environment;
use crate::calendar::{DAY_MS, HOUR_MS, MINUTE_MS};
use crate::charge;
use crate::ports::Transact;
use crate::testing::World;

const OWNER: Environment = Environment::Sandbox;

fn server(number: u128) -> ServerId {
    ServerId(crate::id::Ulid::from_parts(1, number))
}

fn with_endpoint() -> World {
    let world = World::new();
    let url = WebhookUrl::parse("http://127.0.0.1:9/hook").unwrap();
    set(&world.ports(), world.owner(OWNER), &url, true).unwrap();
    world
}

fn pay(world: &World) {
    let charge = world.charge(OWNER);
    charge::simulate(&world.ports(), charge.owner, charge.id).unwrap();
}

fn take(world: &World, by: u128) -> Vec<Claimed> {
    claim(&world.ports(), server(by), &[(world.owner(OWNER), 8)]).unwrap()
}

fn answer(status: u16) -> Answer {
    Answer {
        status: Some(status),
        error: None,
        duration_ms: 3,
        body: "ok".to_owned(),
        retry_after_seconds: None,
    }
}

/// Records an answer; says how many deliveries failed for good by it.
fn report(world: &World, by: u128, claimed: &Claimed, answer: Answer) -> usize {
    let sent = Sent {
        owner: claimed.owner,
        event: claimed.event,
        number: claimed.number,
        started_at: claimed.started_at,
        failing: claimed.failing,
        answer,
    };
    record(&world.ports(), server(by), &[sent]).unwrap()
}

fn delivery(world: &World, event: EventId) -> Delivery {
    world
        .store
        .read(|read| read.delivery(world.owner(OWNER), event))
        .unwrap()
        .unwrap()
}

#[test]
fn a_due_delivery_is_claimed_by_one_server_only_and_accepted_once() {
    let world = with_endpoint();
    pay(&world);
    let claimed = take(&world, 1);
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].number, 1);
    assert!(take(&world, 2).is_empty());
    report(&world, 1, &claimed[0], answer(204));
    assert_eq!(
        delivery(&world, claimed[0].event).state,
        DeliveryState::Delivered
    );
    world.clock.advance(DAY_MS);
    assert!(take(&world, 2).is_empty());
}

#[test]
fn an_attempt_cut_by_a_crash_is_logged_as_interrupted_and_its_number_never_used_again() {
    let world = with_endpoint();
    pay(&world);
    let first = take(&world, 1).remove(0);
    world.clock.advance(LEASE_MS);
    let second = take(&world, 2).remove(0);
    assert_eq!((first.event, second.number), (second.event, 2));
    report(&world, 1, &first, answer(200));
    assert_eq!(
        delivery(&world, first.event).state,
        DeliveryState::Pending,
        "too late to count"
    );
    report(&world, 2, &second, answer(200));
    let log = world
        .store
        .read(|read| read.attempts(world.owner(OWNER), first.event))
        .unwrap();
    let outcomes: Vec<_> = log
        .iter()
        .map(|attempt| (attempt.number, attempt.outcome))
        .collect();
    assert_eq!(
        outcomes,
        [
            (1, AttemptOutcome::Interrupted),
            (2, AttemptOutcome::Delivered)
        ]
    );
}

#[test]
fn ten_failures_end_a_delivery_and_a_resend_begins_a_new_round() {
    let world = with_endpoint();
    pay(&world);
    let mut last = None;
    for number in 1..=MAX_TRIES {
        let claimed = take(&world, 1).remove(0);
        assert_eq!(claimed.number, number);
        let failed = report(&world, 1, &claimed, answer(500));
        assert_eq!(failed, usize::from(number == MAX_TRIES));
        world.clock.set(delivery(&world, claimed.event).due_at);
        last = Some(claimed.event);
    }
    let event = last.unwrap();
    assert_eq!(delivery(&world, event).state, DeliveryState::Failed);
    assert!(take(&world, 1).is_empty());
    let since = Time::EPOCH;
    assert_eq!(
        resend(
            &world.ports(),
            world.owner(OWNER),
            Resend::FailedSince(since)
        )
        .unwrap(),
        1
    );
    assert_eq!(take(&world, 1)[0].number, MAX_TRIES + 1);
}

#[test]
fn a_failure_waits_and_retry_after_makes_it_wait_longer() {
    let world = with_endpoint();
    pay(&world);
    let claimed = take(&world, 1).remove(0);
    report(
        &world,
        1,
        &claimed,
        Answer {
            retry_after_seconds: Some(3_600),
            ..answer(503)
        },
    );
    world.clock.advance(HOUR_MS - 1);
    assert!(take(&world, 1).is_empty());
    world.clock.advance(1);
    assert_eq!(take(&world, 1).len(), 1);
}

#[test]
fn gone_disables_the_endpoint_and_events_wait_until_it_is_set_again() {
    let world = with_endpoint();
    pay(&world);
    let claimed = take(&world, 1).remove(0);
    report(&world, 1, &claimed, answer(410));
    pay(&world);
    assert!(take(&world, 1).is_empty());
    let shown = show(&world.ports(), world.owner(OWNER)).unwrap();
    assert_eq!(shown.endpoint.disabled.unwrap().1, DisabledBecause::Gone);
    set(
        &world.ports(),
        world.owner(OWNER),
        &shown.endpoint.url,
        true,
    )
    .unwrap();
    let again = take(&world, 1);
    assert_eq!(again.len(), 2);
    assert_eq!(again[0].event, claimed.event, "oldest first");
}

#[test]
fn five_days_of_failures_disable_the_endpoint_but_one_success_starts_over() {
    let world = with_endpoint();
    let fail_after = |millis| {
        world.clock.advance(millis);
        pay(&world);
        let claimed = take(&world, 1).pop().unwrap();
        report(&world, 1, &claimed, answer(500));
        show(&world.ports(), world.owner(OWNER)).unwrap().endpoint
    };
    assert!(fail_after(0).disabled.is_none());
    pay(&world);
    let good = take(&world, 1).pop().unwrap();
    report(&world, 1, &good, answer(200));
    assert!(fail_after(PATIENCE_MS).disabled.is_none());
    assert_eq!(
        fail_after(PATIENCE_MS).disabled.unwrap().1,
        DisabledBecause::Failing
    );
}

#[test]
fn a_rolled_secret_signs_beside_the_new_one_for_a_day() {
    let world = with_endpoint();
    let old = show(&world.ports(), world.owner(OWNER)).unwrap().secret;
    let new = roll(&world.ports(), world.owner(OWNER)).unwrap().secret;
    assert_ne!(old, new);
    assert_eq!(new.bytes().len(), 32);
    pay(&world);
    let claimed = take(&world, 1).remove(0);
    assert_eq!(
        (&claimed.secret, claimed.previous_secret.as_ref()),
        (&new, Some(&old))
    );
    give_up_leases(
        &world.ports(),
        server(1),
        &[(claimed.owner, claimed.event, claimed.number)],
    )
    .unwrap();
    world.clock.advance(DAY_MS);
    assert_eq!(take(&world, 1)[0].previous_secret, None);
}

#[test]
fn an_event_without_an_endpoint_is_not_sent_until_somebody_asks() {
    let world = World::new();
    pay(&world);
    let url = WebhookUrl::parse("https://example.com/hook").unwrap();
    set(&world.ports(), world.owner(OWNER), &url, false).unwrap();
    assert!(take(&world, 1).is_empty());
    assert_eq!(
        resend(
            &world.ports(),
            world.owner(OWNER),
            Resend::Range { from: 1, to: 9 }
        )
        .unwrap(),
        1
    );
    let backwards = Resend::Range { from: 3, to: 1 };
    assert_eq!(
        resend(&world.ports(), world.owner(OWNER), backwards)
            .unwrap_err()
            .to_string(),
        "to must not be before from"
    );
    assert_eq!(take(&world, 1).len(), 1);
}

#[test]
fn a_lane_takes_no_more_than_it_can_start() {
    let world = with_endpoint();
    for _ in 0..5 {
        pay(&world);
    }
    assert_eq!(
        claim(&world.ports(), server(1), &[(world.owner(OWNER), 2)])
            .unwrap()
            .len(),
        2
    );
    assert_eq!(take(&world, 2).len(), 3);
}

#[test]
fn the_log_forgets_after_thirty_days() {
    let world = with_endpoint();
    pay(&world);
    let claimed = take(&world, 1).remove(0);
    report(&world, 1, &claimed, answer(200));
    world.clock.advance(RETENTION_MS);
    assert_eq!(forget_old_attempts(&world.ports()).unwrap(), 0);
    world.clock.advance(MINUTE_MS);
    assert_eq!(forget_old_attempts(&world.ports()).unwrap(), 1);
}

#[test]
fn urls_that_cannot_be_called_are_refused() {
    for good in [
        "https://example.com",
        "http://127.0.0.1:8080/hook?x=1",
        "https://[::1]:9/",
        "https://[::1]",
        "http://x:65535?y",
    ] {
        assert!(WebhookUrl::parse(good).is_ok(), "{good}");
    }
    let long = format!("https://example.com/{}", "x".repeat(2_048));
    for (bad, because) in [
        ("", BadWebhookUrl::Form),
        ("ftp://x", BadWebhookUrl::Form),
        ("//x", BadWebhookUrl::Form),
        ("https://u:p@x/", BadWebhookUrl::Form),
        ("https://x/#a", BadWebhookUrl::Form),
        ("https://x y", BadWebhookUrl::Form),
        (&long, BadWebhookUrl::Form),
        ("https://ção/", BadWebhookUrl::NotAscii),
        ("https://x/hook/á", BadWebhookUrl::NotAscii),
        ("https://", BadWebhookUrl::Address),
        ("https://:443/", BadWebhookUrl::Address),
        ("http://127.0.0.1:99999/", BadWebhookUrl::Address),
        ("http://127.0.0.1:0/", BadWebhookUrl::Address),
        ("http://127.0.0.1:+1/", BadWebhookUrl::Address),
        ("http://x:1:2/", BadWebhookUrl::Address),
        ("http://[::1/", BadWebhookUrl::Address),
        ("http://[::g]/", BadWebhookUrl::Address),
        ("http://[::1]9/", BadWebhookUrl::Address),
        ("http://::1/", BadWebhookUrl::Address),
    ] {
        assert_eq!(WebhookUrl::parse(bad), Err(because), "{bad}");
    }
    let world = World::new();
    let plain = WebhookUrl::parse("http://example.com/").unwrap();
    let live = set(
        &world.ports(),
        world.owner(Environment::Live),
        &plain,
        false,
    );
    assert_eq!(
        live.unwrap_err().to_string(),
        "url must be an https URL in live mode"
    );
}
