//! Creating charges on PostgreSQL against `pgbench`, which sends the same statements with nothing around them.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use vintem_tests::Backend;

use crate::bench::Bench;
use crate::figures::{grouped, median};
use crate::rows::create::creates;
use crate::statements::{self, Script};
use crate::table::{Goal, Row};

/// What the ratio should be.
const GOAL: f64 = 0.75;

/// Connections to the database: the product's default, and what `pgbench` is given.
pub(crate) const CONNECTIONS: usize = 16;

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    bench.prepare(Backend::Postgres)?;
    let script = statements::of_a_create(bench).await?;
    let seconds = bench.plan.slice.as_secs();
    let runs = bench.plan.runs;
    let (mut with, mut plain, mut processors) = (Vec::new(), Vec::new(), String::new());
    for run in 0..runs {
        let installation = bench.installation(Backend::Postgres)?;
        let (rate, usage) = creates(bench, &installation.server, &installation.keys[0]).await?;
        with.push(rate);
        processors = usage;
        let database = installation.site.database().context("a database")?;
        let url = database.url().to_owned();
        let command = bench.cluster()?.program("pgbench");
        plain.push(pgbench(command, &url, &script, run, seconds)?);
    }
    let (with, plain) = (median(with), median(plain));
    let ratio = with / plain;
    Ok(vec![Row {
        what: "Create on PostgreSQL ÷ `pgbench` doing the same statements".to_owned(),
        figure: format!("{ratio:.2} ({}/s ÷ {}/s)", grouped(with), grouped(plain)),
        goal: Some(Goal::at_least(ratio, GOAL)),
        processors,
        how: format!(
            "creates as above, on {CONNECTIONS} connections to the database; `pgbench -M prepared -c {CONNECTIONS} -j 2`, same cluster, \
             with the {} statements the server was seen to send for one create: {}",
            script.statements.len(),
            script.summary(),
        ),
    }])
}

/// How often a second the script can be run through.
pub(crate) fn pgbench(
    mut command: Command,
    url: &str,
    script: &Script,
    run: usize,
    seconds: u64,
) -> Result<f64> {
    let connections = CONNECTIONS.to_string();
    command.args([
        "--no-vacuum",
        "--protocol=prepared",
        "--jobs=2",
        "--client",
        &connections,
    ]);
    command.args(["--time", &seconds.to_string(), "--file=-"]);
    for (name, value) in &script.variables {
        command.arg(format!("--define={name}={value}"));
    }
    // Runs continue each other's numbers.
    command.arg(format!("--define=n={}", run * 1_000_000_000));
    let mut child = command
        .arg(url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("pgbench does not start")?;
    child
        .stdin
        .take()
        .context("a pipe")?
        .write_all(script.text().as_bytes())?;
    let output = child.wait_with_output()?;
    let (said, complaints) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    ensure!(output.status.success(), "pgbench: {complaints}");
    let tps = said
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    tps.with_context(|| format!("pgbench printed no rate: {said}{complaints}"))
}
