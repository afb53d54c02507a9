//! Boletos: what issuing one costs beside a PIX charge, and what drawing its slip costs.

use std::rc::Rc;

use anyhow::{Context, Result};
use vintem_tests::Backend;

use crate::bench::Bench;
use crate::figures::{grouped, median, millis, percentile};
use crate::load::{Same, Step, closed};
use crate::processor::Usage;
use crate::request;
use crate::table::{Goal, Row};
use crate::wire::{Connection, text_of};

/// What the ratio should be.
const RATIO_GOAL: f64 = 0.7;

/// What a slip should take less than, milliseconds.
const TIME_GOAL: f64 = 20.0;

/// What a slip should be smaller than, kB.
const SIZE_GOAL: f64 = 50.0;

/// How many slips are drawn in turn.
const SLIPS: usize = 20;

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    bench.prepare(Backend::Sqlite)?;
    Ok(vec![issued(bench).await?, drawn(bench).await?])
}

async fn issued(bench: &Bench) -> Result<Row> {
    let installation = bench.installation(Backend::Sqlite)?;
    let (address, key) = (installation.address(), &installation.keys[0]);
    let (mut charges, mut boletos) = (Vec::new(), Vec::new());
    for _ in 0..bench.plan.runs {
        for (request, rates) in [
            (request::create(address, key), &mut charges),
            (request::boleto(address, key), &mut boletos),
        ] {
            rates.push(creates(bench, request).await?);
        }
    }
    let (charges, processors_of_charges) = middle(charges);
    let (boletos, processors) = middle(boletos);
    let ratio = boletos / charges;
    Ok(Row {
        what: "Boleto created ÷ PIX charge created, SQLite".to_owned(),
        figure: format!(
            "{ratio:.2} ({}/s ÷ {}/s)",
            grouped(boletos),
            grouped(charges)
        ),
        goal: Some(Goal::at_least(ratio, RATIO_GOAL)),
        processors: format!("{processors}; charges {processors_of_charges}"),
        how: "`POST /v1/boleto/create` and `POST /v1/pixQrCode/create` in turn, live, one account; a boleto is registered at the bank \
              under a number of its own and carries a PIX charge"
            .to_owned(),
    })
}

/// Creates a second, and where the processors went.
async fn creates(bench: &Bench, request: Vec<u8>) -> Result<(f64, String)> {
    let installation = bench.installation(Backend::Sqlite)?;
    let request = request.into();
    let steps = vec![Same { request }; bench.plan.connections];
    let before = Usage::now(installation.server.pid());
    let outcome = closed(installation.address(), steps, bench.plan.window()).await?;
    let usage = Usage::now(installation.server.pid()).since(&before, outcome.count());
    Ok((outcome.rate(), usage))
}

/// The median of the rates, and what the last load used.
fn middle(loads: Vec<(f64, String)>) -> (f64, String) {
    let (rates, mut usages): (Vec<f64>, Vec<String>) = loads.into_iter().unzip();
    (median(rates), usages.pop().unwrap_or_default())
}

async fn drawn(bench: &Bench) -> Result<Row> {
    let installation = bench.installation(Backend::Sqlite)?;
    let address = installation.address();
    let mut connection = Connection::open(address).await?;
    let create = request::boleto(address, &installation.keys[0]);
    let (mut slips, mut largest) = (Vec::new(), 0);
    for _ in 0..SLIPS {
        let answer = connection.exchange(&create).await?;
        let url = text_of(answer.success()?, "pdfUrl")?;
        let path = url.find("/boletos/").context("an address of a slip")?;
        let slip = request::page(address, &url[path..]);
        let drawn = connection.exchange(&slip).await?;
        largest = largest.max(drawn.success()?.len());
        slips.push(slip);
    }
    let draw = Draw {
        slips: slips.into(),
        turn: 0,
    };
    let server = installation.server.pid();
    let before = Usage::now(server);
    let outcome = closed(address, vec![draw], bench.plan.window()).await?;
    let processors = Usage::now(server).since(&before, outcome.count());
    let samples = millis(&outcome.samples);
    let p50 = percentile(&samples, 50);
    let size = f64::from(u32::try_from(largest)?) / 1_000.0;
    let goal = Goal::below(p50, TIME_GOAL, "ms").and(&Goal::below(size, SIZE_GOAL, "kB"));
    Ok(Row {
        what: "Boleto drawn as PDF".to_owned(),
        figure: format!("{p50:.2} ms ({}/s), {size:.1} kB", grouped(outcome.rate())),
        goal: Some(goal),
        processors,
        how: format!(
            "`GET /boletos/{{token}}.pdf` of {SLIPS} boletos in turn on one connection, one after the other: read, drawn anew each time, \
             sent (p99 {:.2} ms); the size of the largest",
            percentile(&samples, 99)
        ),
    })
}

/// Asks for one slip after the other.
struct Draw {
    slips: Rc<[Vec<u8>]>,
    turn: usize,
}

impl Step for Draw {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        let slip = &self.slips[self.turn % self.slips.len()];
        self.turn += 1;
        connection.exchange(slip).await?.success()?;
        Ok(true)
    }
}
