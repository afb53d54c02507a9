//! A slow bank: what its waiting customers cost everybody else.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::spawn_local;
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{millis, percentile};
use crate::load::{Step, closed};
use crate::request::{self, AboutCharge};
use crate::table::{Goal, Row};
use crate::wire::{ChargeId, Connection, charge_id};

/// What the 99th of a hundred checks should stay below, milliseconds.
const GOAL: f64 = 100.0;

/// How slow the bank is.
const LATENCY_MS: u32 = 2_000;

/// How many creates wait for it.
const WAITING: usize = 100;

/// Connections that check meanwhile.
const CHECKING: usize = 4;

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for on in [Backend::Sqlite, Backend::Postgres] {
        bench.prepare(on)?;
        rows.push(row(bench, on).await?);
    }
    Ok(rows)
}

async fn row(bench: &Bench, on: Backend) -> Result<Row> {
    let installation = bench.installation(on)?;
    let (address, key) = (installation.address(), &installation.keys[0]);
    let mut connection = Connection::open(address).await?;
    let create = request::create(address, key);
    let charge = charge_id(connection.exchange(&create).await?.success()?)?;
    connection
        .exchange(&request::latency(address, LATENCY_MS))
        .await?
        .success()?;
    let waiting = Connection::open_many(address, WAITING).await?;
    let end = Instant::now() + bench.plan.slice + Duration::from_millis(500);
    let tasks: Vec<_> = waiting
        .into_iter()
        .map(|connection| spawn_local(keep_creating(connection, create.clone(), end)))
        .collect();
    // Until they have all been sent.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let check = Check {
        request: AboutCharge::check(address, key),
        charge,
    };
    let checks = closed(address, vec![check; CHECKING], bench.plan.slice).await?;
    connection
        .exchange(&request::latency(address, 0))
        .await?
        .success()?;
    let (mut created, mut refused) = (0, 0);
    for task in tasks {
        let (good, bad) = task.await??;
        created += good;
        refused += bad;
    }
    let samples = millis(&checks.samples);
    let p99 = percentile(&samples, 99);
    Ok(Row {
        what: format!(
            "Check while the bank takes 2 s and {WAITING} creates wait, {}",
            name(on)
        ),
        figure: format!("p50 {:.2} ms, p99 {p99:.2} ms", percentile(&samples, 50)),
        goal: Some(Goal::below(p99, GOAL, "ms (p99)")),
        processors: String::new(),
        how: format!(
            "`GET /v1/pixQrCode/check`, {CHECKING} connections in a closed loop ({} samples), beside {WAITING} connections that create \
             without a pause ({created} answered 200, {refused} otherwise)",
            samples.len()
        ),
    })
}

/// Creates until then; how many were answered 200 and how many otherwise.
async fn keep_creating(
    mut connection: Connection,
    create: Vec<u8>,
    end: Instant,
) -> Result<(usize, usize)> {
    let (mut created, mut refused) = (0, 0);
    while Instant::now() < end {
        match connection.exchange(&create).await?.status {
            200 => created += 1,
            _ => refused += 1,
        }
    }
    Ok((created, refused))
}

/// Looks at one charge again and again.
#[derive(Clone)]
struct Check {
    request: AboutCharge,
    charge: ChargeId,
}

impl Step for Check {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        connection
            .exchange(self.request.about(&self.charge))
            .await?
            .success()?;
        Ok(true)
    }
}
