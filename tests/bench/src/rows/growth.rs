//! What a hundred times as many charges do to the time a request takes.

use std::time::Duration;

use anyhow::{Context, Result};
use vintem_tests::Backend;

use crate::bench::{Bench, name};
use crate::figures::{grouped, millis, percentile};
use crate::installation::Installation;
use crate::load::{Same, Step, closed};
use crate::plan::Plan;
use crate::request::{self, AboutCharge};
use crate::seed;
use crate::table::{Goal, Row};
use crate::wire::Connection;

/// What each ratio should be at most.
const GOAL: f64 = 1.3;

/// The operations, in the order of the figures.
const OPERATIONS: [&str; 3] = ["create", "check", "list"];

/// Medians in milliseconds.
type Medians = [f64; 3];

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for on in [Backend::Sqlite, Backend::Postgres] {
        let site = bench.empty_site(on)?;
        let mut installation = Installation::prepare(site, 1, &bench.hook.url());
        // The one every other is a copy of.
        let create = request::create(installation.address(), &installation.keys[0]);
        let mut connection = Connection::open(installation.address()).await?;
        connection.exchange(&create).await?.success()?;
        drop(connection);
        let [small, large] = bench.plan.sizes;
        let few = grow(&bench.plan, &mut installation, 1, small).await?;
        let many = grow(&bench.plan, &mut installation, small, large).await?;
        rows.push(row(&bench.plan, on, few, many));
    }
    Ok(rows)
}

/// Fills the database up to so many charges, then takes the time of each operation.
async fn grow(
    plan: &Plan,
    installation: &mut Installation,
    from: usize,
    to: usize,
) -> Result<Medians> {
    installation.stop();
    seed::charges(&installation.site, from, to)?;
    installation.start();
    let (address, key) = (installation.address(), &installation.keys[0]);
    let check = Check {
        request: AboutCharge::check(address, key),
        seeded: to,
        turn: 1,
    };
    let same = |request: Vec<u8>| {
        vec![Same {
            request: request.into(),
        }]
    };
    let slice = plan.slice / 2;
    // The first answers of a server that has just started are not the ones that count.
    closed(
        address,
        same(request::list(address, key)),
        Duration::from_millis(300),
    )
    .await?;
    let create = closed(address, same(request::create(address, key)), slice).await?;
    let check = closed(address, vec![check], slice).await?;
    let list = closed(address, same(request::list(address, key)), slice).await?;
    Ok([create, check, list].map(|outcome| percentile(&millis(&outcome.samples), 50)))
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
            "one connection, one request at a time, {} s each, all charges of one account; checks of charges all over it, lists of the \
             newest 100; the server was restarted before each size",
            (plan.slice / 2).as_secs_f64()
        ),
    }
}

/// Looks at charges far apart.
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
