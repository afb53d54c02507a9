//! What a hundred times as many charges do to the time a request takes.

use std::time::Duration;

use anyhow::{Context, Result};
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{grouped, median, millis, percentile};
use crate::installation::Installation;
use crate::load::{Same, Step, closed};
use crate::plan::Plan;
use crate::request::{self, AboutCharge};
use crate::seed;
use crate::table::{Goal, Row};
use crate::wire::Connection;

/// What each ratio should be at most.
const GOAL: f64 = 1.3;

/// Connections: enough to keep the processors awake, or else the time they take to wake up is what is measured.
const CONNECTIONS: usize = 8;

/// The operations, in the order of the figures.
const OPERATIONS: [&str; 3] = ["create", "check", "list"];

/// Medians in milliseconds.
type Medians = [f64; 3];

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for on in [Backend::Sqlite, Backend::Postgres] {
        let [small, large] = bench.plan.sizes;
        let few = filled(bench, on, small).await?;
        let many = filled(bench, on, large).await?;
        let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
        // In turn, so that whatever else the machine does meets both.
        for _ in 0..bench.plan.runs {
            of_few.push(times(&bench.plan, &few, small).await?);
            of_many.push(times(&bench.plan, &many, large).await?);
        }
        rows.push(row(&bench.plan, on, medians(&of_few), medians(&of_many)));
    }
    Ok(rows)
}

/// An installation with one account and so many charges.
async fn filled(bench: &mut Bench, on: Backend, charges: usize) -> Result<Installation> {
    let site = bench.empty_site(on)?;
    let mut installation = Installation::prepare(site, 1, &bench.hook.url());
    // The one every other is a copy of.
    let create = request::create(installation.address(), &installation.keys[0]);
    let mut connection = Connection::open(installation.address()).await?;
    connection.exchange(&create).await?.success()?;
    drop(connection);
    installation.stop();
    seed::charges(&installation.site, charges)?;
    installation.start();
    // The first answers of a server that has just started are not the ones that count.
    let list = request::list(installation.address(), &installation.keys[0]);
    closed(
        installation.address(),
        same(list),
        Duration::from_millis(300),
    )
    .await?;
    Ok(installation)
}

fn same(request: Vec<u8>) -> Vec<Same> {
    let request = request.into();
    vec![Same { request }; CONNECTIONS]
}

/// Takes the time of each operation.
async fn times(plan: &Plan, installation: &Installation, seeded: usize) -> Result<Medians> {
    let (address, key) = (installation.address(), &installation.keys[0]);
    let check = Check {
        request: AboutCharge::check(address, key),
        seeded,
        turn: 1,
    };
    let slice = plan.slice / 4;
    let create = closed(address, same(request::create(address, key)), slice).await?;
    let check = closed(address, vec![check; CONNECTIONS], slice).await?;
    let list = closed(address, same(request::list(address, key)), slice).await?;
    Ok([create, check, list].map(|outcome| percentile(&millis(&outcome.samples), 50)))
}

fn medians(rounds: &[Medians]) -> Medians {
    [0, 1, 2].map(|operation| median(rounds.iter().map(|round| round[operation]).collect()))
}

fn row(plan: &Plan, on: Backend, few: Medians, many: Medians) -> Row {
    let [small, large] = plan
        .sizes
        .map(|size| grouped(f64::from(u32::try_from(size).unwrap_or(u32::MAX))));
    let ratios: Vec<f64> = few.iter().zip(many).map(|(few, many)| many / few).collect();
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let shown: Vec<String> = OPERATIONS
        .iter()
        .zip(&ratios)
        .zip(few.iter().zip(many))
        .map(|((name, ratio), (few, many))| format!("{name} {ratio:.2} ({many:.2} ÷ {few:.2} ms)"))
        .collect();
    Row {
        what: format!("p50 with {large} charges ÷ with {small}, {}", name(on)),
        figure: shown.join(", "),
        goal: Some(Goal::at_most(worst, GOAL)),
        processors: String::new(),
        how: format!(
            "two installations, measured in turn, medians of {} rounds; {CONNECTIONS} connections, {} s an operation and round, all charges of one \
             account; checks of charges all over it, lists of the newest 100",
            plan.runs,
            (plan.slice / 4).as_secs_f64()
        ),
    }
}

/// Looks at charges far apart.
#[derive(Clone)]
struct Check {
    request: AboutCharge,
    seeded: usize,
    turn: usize,
}

impl Step for Check {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        // A stride that meets every number before it meets one twice.
        self.turn = (self.turn + 7_368_787) % self.seeded.max(2);
        let charge = seed::charge(self.turn.max(1)).context("a seeded charge")?;
        connection
            .exchange(self.request.about(&charge))
            .await?
            .success()?;
        Ok(true)
    }
}
