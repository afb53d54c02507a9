//! Whole lifecycles: a charge is created, the bank says it is paid, the ledger is posted, the webhook is acknowledged.

use std::time::Duration;

use anyhow::Result;
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{grouped, median};
use crate::load::{closed, rate};
use crate::processor::Usage;
use crate::table::{Goal, Row};

/// The average second of Brazil's record PIX day.
const GOAL: f64 = 3_626.0;

/// How long the last webhooks may take after the load has ended.
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
    let (mut whole, mut drained, mut processors) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..bench.plan.runs {
        let installation = bench.installation(on)?;
        let pid = installation.server.pid();
        bench.hook.clear();
        let before = Usage::now(pid);
        let lives = bench.lives(on, accounts)?;
        let outcome = closed(installation.address(), lives, bench.plan.slice).await?;
        let last = bench.hook.wait_for(outcome.count(), DRAIN).await?;
        processors = Usage::now(pid).since(&before, outcome.count());
        let end = last.max(outcome.ended);
        whole.push(rate(outcome.count(), end - outcome.began));
        drained.push((end - outcome.ended).as_secs_f64());
    }
    let (whole, drained) = (median(whole), median(drained));
    let plural = if accounts == 1 { "account" } else { "accounts" };
    Ok(Row {
        what: format!(
            "Whole lifecycles a second, {}, {accounts} {plural}",
            name(on)
        ),
        figure: format!("{}/s", grouped(whole)),
        goal: (on == Backend::Sqlite).then(|| Goal::at_least(whole, GOAL)),
        processors,
        how: format!(
            "create, then the bank's notice (`POST /psp/stub/pix`: PAID, ledger, event), every webhook acknowledged; until the last one, \
             {drained:.1} s after the last answer"
        ),
    })
}
