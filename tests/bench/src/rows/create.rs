//! Creating charges on SQLite against the same requests without any storage.

use std::process::Command;

use anyhow::{Context, Result};
use vintem_tests::Backend;
use vintem_tests::server::Server;
use vintem_tests::site::Site;

use crate::bench::Bench;
use crate::figures::{grouped, median};
use crate::load::{Same, closed};
use crate::processor::Usage;
use crate::table::{Goal, Row};
use crate::{request, without_storage};

/// What the ratio should be.
const GOAL: f64 = 0.6;

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    bench.prepare(Backend::Sqlite)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(without_storage::COMMAND);
    let bare = Site::serve_command(command)
        .ok()
        .context("the server without storage does not start")?;
    let bare_key = without_storage::key_in(&bare.stdout())?;
    let stored = bench.installation(Backend::Sqlite)?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    let (mut processors, mut processors_without) = (String::new(), String::new());
    for _ in 0..bench.plan.runs {
        let (rate, usage) = creates(bench, &bare, &bare_key).await?;
        without.push(rate);
        processors_without = usage;
        let (rate, usage) = creates(bench, &stored.server, &stored.keys[0]).await?;
        with.push(rate);
        processors = usage;
    }
    let (without, with) = (median(without), median(with));
    let ratio = with / without;
    Ok(vec![Row {
        what: "Create on SQLite ÷ the same handler without storage".to_owned(),
        figure: format!("{ratio:.2} ({}/s ÷ {}/s)", grouped(with), grouped(without)),
        goal: Some(Goal::at_least(ratio, GOAL)),
        processors: format!("{processors}; without storage {processors_without}"),
        how: "`POST /v1/pixQrCode/create`, live, one account; the other side is the product's HTTP crate and domain on a store that \
              keeps nothing, as a process of its own"
            .to_owned(),
    }])
}

/// Creates a second at this server, and where the processors went.
pub(crate) async fn creates(bench: &Bench, server: &Server, key: &str) -> Result<(f64, String)> {
    let request = request::create(server.address(), key).into();
    let steps = vec![Same { request }; bench.plan.connections];
    let before = Usage::now(server.pid());
    let outcome = closed(server.address(), steps, bench.plan.slice).await?;
    Ok((
        outcome.rate(),
        Usage::now(server.pid()).since(&before, outcome.count()),
    ))
}
