//! Money out: withdrawals and bills from the request until the webhook about their settlement is acknowledged.
//!
//! The play bank settles after a second or two, so what counts is not one after the other but many under way: the load
//! begins new ones as fast as old ones end, and what ended in a while is counted.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{grouped, median};
use crate::load::{closed, rate};
use crate::processor::Usage;
use crate::rail::{Rail, SENDERS, Send, Senders};
use crate::rows::pgbench::{CONNECTIONS, pgbench};
use crate::statements::life::{Learned, learn};
use crate::table::{Goal, Row};

/// What the ratio should be.
const GOAL: f64 = 0.7;

/// How many may be under way: enough for two seconds of them.
const UNDER_WAY: usize = 2_000;

/// How long is counted beyond one load: they come in waves, as long as the bank takes.
const WAVE: Duration = Duration::from_secs(2);

/// How long until as many end as begin.
const WARM_UP: Duration = Duration::from_millis(3_500);

/// How long the last webhooks may take after the load has ended.
const DRAIN: Duration = Duration::from_mins(1);

pub(crate) async fn measure(bench: &mut Bench, rail: Rail) -> Result<Vec<Row>> {
    let on = Backend::Sqlite;
    let (ended, processors) = ended(bench, on, rail).await?;
    let sqlite = Row {
        what: format!("{} settled a second, {}", words(rail).0, name(on)),
        figure: format!("{}/s", grouped(ended)),
        goal: None,
        processors,
        how: how(bench, rail),
    };
    Ok(vec![sqlite, beside_pgbench(bench, rail).await?])
}

async fn beside_pgbench(bench: &mut Bench, rail: Rail) -> Result<Row> {
    let on = Backend::Postgres;
    let (ended, processors) = ended(bench, on, rail).await?;
    let Learned {
        script,
        installation,
    } = learn(bench, rail).await?;
    let database = installation.site.database().context("a database")?;
    let seconds = bench.plan.window().as_secs().max(1);
    let mut plain = Vec::new();
    for run in 0..bench.plan.runs {
        let command = bench.cluster()?.program("pgbench");
        plain.push(pgbench(command, database.url(), &script, run, seconds)?);
    }
    let plain = median(plain);
    let ratio = ended / plain;
    Ok(Row {
        what: format!(
            "{} settled on {} ÷ `pgbench` doing the same statements",
            words(rail).0,
            name(on)
        ),
        figure: format!("{ratio:.2} ({}/s ÷ {}/s)", grouped(ended), grouped(plain)),
        goal: Some(Goal::at_least(ratio, GOAL)),
        processors,
        how: format!(
            "as on SQLite; `pgbench -M prepared -c {CONNECTIONS} -j 2`, same cluster, a database of its own, with what the server was \
             seen to send for one of them from the request to the acknowledged webhook: {}",
            script.size()
        ),
    })
}

/// How many end a second while as many begin, and where the processors went.
async fn ended(bench: &mut Bench, on: Backend, rail: Rail) -> Result<(f64, String)> {
    bench.prepare(on)?;
    let installation = bench.installation(on)?;
    let senders = Rc::new(Senders::prepare(rail, installation, &bench.hook).await?);
    let begun = Rc::new(Cell::new(0));
    let counted = counted(bench);
    bench.hook.clear();
    let arrivals = bench.hook.arrivals();
    let send = |_| Send {
        senders: Rc::clone(&senders),
        begun: Rc::clone(&begun),
        arrivals: arrivals.clone(),
        most: UNDER_WAY,
    };
    let steps = (0..bench.plan.connections).map(send).collect();
    let server = installation.server.pid();
    let before = Usage::now(server);
    let outcome = closed(installation.address(), steps, WARM_UP + counted).await?;
    bench.hook.wait_for(begun.get(), DRAIN).await?;
    let processors = Usage::now(server).since(&before, begun.get());
    let ended = arrivals.within(outcome.began + WARM_UP, counted);
    Ok((rate(ended, counted), processors))
}

/// How long is counted.
fn counted(bench: &Bench) -> Duration {
    bench.plan.slice + WAVE
}

/// What is counted, and what is asked for one of them.
fn words(rail: Rail) -> (&'static str, &'static str) {
    match rail {
        Rail::Withdrawal => ("Withdrawals", "live, `POST /v1/withdraw/create`"),
        Rail::Bill => (
            "Bills",
            "sandbox (whose test clock knows payment hours on any day), `POST /v1/boleto/query` and `POST /v1/boleto/pay`",
        ),
    }
}

fn how(bench: &Bench, rail: Rail) -> String {
    let delay = match rail {
        Rail::Withdrawal => "1 s",
        Rail::Bill => "2 s",
    };
    format!(
        "{}, {SENDERS} accounts; debited, sent by the worker, settled by the play bank {delay} later, webhook acknowledged. At most \
         {UNDER_WAY} under way, new ones as old ones end; those whose webhook came within {} s, after {} s of warming up. All of \
         them came",
        words(rail).1,
        counted(bench).as_secs_f64(),
        WARM_UP.as_secs_f64(),
    )
}
