//! How long after its payment a charge's webhook is on the wire.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::percentile;
use crate::load::{Charges, Paid, pay_by_the_clock};
use crate::processor::Usage;
use crate::rows::messages::stock;
use crate::table::{Goal, Row};

/// Payments a second.
const RATE: u32 = 500;

/// What p50 and p99 should stay below, milliseconds.
const GOALS: (f64, f64) = (2.0, 10.0);

/// How long the last webhooks may take.
const DRAIN: Duration = Duration::from_secs(30);

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for on in [Backend::Sqlite, Backend::Postgres] {
        bench.prepare(on)?;
        for accounts in [1, bench.plan.accounts] {
            rows.push(row(bench, on, accounts).await?);
        }
    }
    Ok(rows)
}

async fn row(bench: &Bench, on: Backend, accounts: usize) -> Result<Row> {
    let seconds = usize::try_from((bench.plan.slice * 2).as_secs())?;
    let count = seconds * usize::try_from(RATE)?;
    let charges = Charges::default();
    stock(bench, on, accounts, &charges, count).await?;
    let charges: Vec<_> = charges.take().into_iter().take(count).collect();
    let installation = bench.installation(on)?;
    let server = installation.server.pid();
    bench.hook.clear();
    let before = Usage::now(server);
    let paid = pay_by_the_clock(installation.address(), charges, RATE).await?;
    bench.hook.wait_for(paid.len(), DRAIN).await?;
    let processors = Usage::now(server).since(&before, paid.len());
    let from_answer = delays(bench, &paid, |paid| paid.answered)?;
    let from_notice = delays(bench, &paid, |paid| paid.sent)?;
    let (p50, p99) = (percentile(&from_answer, 50), percentile(&from_answer, 99));
    let goal = Goal::below(p50, GOALS.0, "ms").and(&Goal::below(p99, GOALS.1, "ms"));
    let plural = if accounts == 1 { "account" } else { "accounts" };
    Ok(Row {
        what: format!(
            "Payment committed to webhook on the wire at {RATE}/s, {}, {accounts} {plural}",
            name(on)
        ),
        figure: format!("p50 {p50:.2} ms, p99 {p99:.2} ms"),
        goal: Some(goal),
        processors,
        how: format!(
            "open loop, {} payments; from the answer to the bank's notice, just after the commit, to the arrival of the whole webhook; \
             from the sending of the notice: p50 {:.2} ms, p99 {:.2} ms. Svix: p50 0.6 ms, p99 2.3 ms",
            paid.len(),
            percentile(&from_notice, 50),
            percentile(&from_notice, 99),
        ),
    })
}

/// Milliseconds from a moment of each payment to its webhook; less than nothing where the webhook was faster.
fn delays(bench: &Bench, paid: &[Paid], from: impl Fn(&Paid) -> Instant) -> Result<Vec<f64>> {
    let delay = |paid: &Paid| {
        let arrived = bench
            .hook
            .arrival(&paid.charge)
            .context("a webhook is missing")?;
        let since = arrived.saturating_duration_since(from(paid)).as_secs_f64();
        let before = from(paid).saturating_duration_since(arrived).as_secs_f64();
        Ok((since - before) * 1_000.0)
    };
    paid.iter().map(delay).collect()
}
