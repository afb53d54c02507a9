//! Webhooks alone: how many events a second are accepted and how many are delivered, as Svix was measured.

use std::time::Duration;

use anyhow::Result;
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{grouped, median};
use crate::load::{Charges, Outcome, Pay, closed, rate};
use crate::processor::Usage;
use crate::request::AboutCharge;
use crate::table::{Goal, Row};

/// Four times what Svix accepted and delivered with its queue in memory, 936 a second.
const GOAL: f64 = 4.0 * 936.0;

/// How long the last webhooks may take after the load has ended.
const DRAIN: Duration = Duration::from_secs(30);

/// Charges made beforehand for each second of the load.
const CHARGES_PER_SECOND: usize = 5_000;

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    bench.prepare(Backend::Sqlite)?;
    bench.prepare(Backend::Postgres)?;
    let many = bench.plan.accounts;
    for (on, accounts) in [
        (Backend::Sqlite, 1),
        (Backend::Sqlite, many),
        (Backend::Postgres, many),
    ] {
        rows.push(row(bench, on, accounts).await?);
    }
    Ok(rows)
}

/// Creates charges for the first so many accounts until so many are unpaid.
pub(crate) async fn stock(
    bench: &Bench,
    on: Backend,
    accounts: usize,
    unpaid: &Charges,
    wanted: usize,
) -> Result<()> {
    let creators = bench.creators(on, accounts, unpaid, wanted)?;
    closed(
        bench.installation(on)?.address(),
        creators,
        Duration::from_mins(1),
    )
    .await?;
    Ok(())
}

async fn row(bench: &Bench, on: Backend, accounts: usize) -> Result<Row> {
    let wanted = CHARGES_PER_SECOND * usize::try_from(bench.plan.slice.as_secs())?;
    let (mut accepted, mut delivered, mut processors) = (Vec::new(), Vec::new(), String::new());
    let unpaid = Charges::default();
    for _ in 0..bench.plan.runs {
        stock(bench, on, accounts, &unpaid, wanted).await?;
        let pid = bench.installation(on)?.server.pid();
        bench.hook.clear();
        let before = Usage::now(pid);
        let outcome = pay(bench, on, &unpaid).await?;
        let last = bench.hook.wait_for(outcome.count(), DRAIN).await?;
        processors = Usage::now(pid).since(&before, outcome.count());
        accepted.push(outcome.rate());
        delivered.push(rate(
            outcome.count(),
            last.max(outcome.ended) - outcome.began,
        ));
    }
    let (accepted, delivered) = (median(accepted), median(delivered));
    let plural = if accounts == 1 { "account" } else { "accounts" };
    Ok(Row {
        what: format!(
            "Webhook messages accepted and delivered a second, {}, {accounts} {plural}",
            name(on)
        ),
        figure: format!(
            "{}/s (accepted at {}/s)",
            grouped(delivered),
            grouped(accepted)
        ),
        goal: (on == Backend::Sqlite).then(|| Goal::at_least(delivered, GOAL)),
        processors,
        how: "bank notices for charges created before; accepted: the notice is answered, the event durable; delivered: the last \
              webhook is acknowledged. Svix server on such a machine: 936/s with its queue in memory, 763/s in Redis, 3,148 \
              deliveries/s with ten endpoints a message"
            .to_owned(),
    })
}

async fn pay(bench: &Bench, on: Backend, unpaid: &Charges) -> Result<Outcome> {
    let address = bench.installation(on)?.address();
    let request = AboutCharge::pay(address);
    let payer = |_| Pay {
        request: request.clone(),
        unpaid: unpaid.clone(),
    };
    let payers = (0..bench.plan.connections).map(payer).collect();
    closed(address, payers, bench.plan.slice).await
}
