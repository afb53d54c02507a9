//! The process itself: its size on disk and in memory, and how soon it answers.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use vintem_tests::Backend;
use vintem_tests::site::binary;

use crate::bench::Bench;
use crate::figures::median;
use crate::load::closed;
use crate::processor::memory_mib;
use crate::request;
use crate::table::{Goal, Row};
use crate::wire::Connection;

/// MiB after load.
const MEMORY_GOAL: f64 = 48.0;
/// Milliseconds from start to answer.
const START_GOAL: f64 = 100.0;
/// Megabytes on disk.
const SIZE_GOAL: f64 = 40.0;

/// How long a server may take until it answers at all.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn measure(bench: &mut Bench) -> Result<Vec<Row>> {
    bench.prepare(Backend::Sqlite)?;
    Ok(vec![memory(bench).await?, start(bench).await?, size()?])
}

async fn memory(bench: &Bench) -> Result<Row> {
    // Whatever ran before in this run, and one more load, so that this row alone measures it too.
    let installation = bench.installation(Backend::Sqlite)?;
    let lives = bench.lives(Backend::Sqlite, bench.plan.accounts)?;
    closed(installation.address(), lives, bench.plan.slice).await?;
    let pid = installation.server.pid();
    let resident = memory_mib(pid, "VmRSS");
    Ok(Row {
        what: "Resident memory after load, SQLite".to_owned(),
        figure: format!("{resident:.1} MiB"),
        goal: Some(Goal::below(resident, MEMORY_GOAL, "MiB")),
        processors: String::new(),
        how: format!(
            "VmRSS of the server right after the loads of the rows above that it served (peak {:.1} MiB)",
            memory_mib(pid, "VmHWM")
        ),
    })
}

async fn start(bench: &mut Bench) -> Result<Row> {
    let mut installation = bench
        .slot(Backend::Sqlite)
        .take()
        .context("an installation")?;
    installation.stop();
    let mut times = Vec::new();
    for _ in 0..5 {
        times.push(first_answer(&installation).await?);
    }
    installation.start();
    *bench.slot(Backend::Sqlite) = Some(installation);
    let time = median(times);
    Ok(Row {
        what: "Start on an existing database to the first answer, SQLite".to_owned(),
        figure: format!("{time:.0} ms"),
        goal: Some(Goal::below(time, START_GOAL, "ms")),
        processors: String::new(),
        how: "from the start of the process to a 200 of `GET /v1/transaction/list` with a key, on the database all rows above have \
              filled; median of 5"
            .to_owned(),
    })
}

/// Milliseconds until a server that is started now answers.
async fn first_answer(installation: &crate::installation::Installation) -> Result<f64> {
    let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    let request = request::list(address, &installation.keys[0]);
    let mut command = installation.site.command(&["serve"]);
    command.env("VINTEM_LISTEN", address.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut server = Started(command.spawn()?);
    loop {
        if answers(address, &request).await {
            let time = began.elapsed().as_secs_f64() * 1_000.0;
            return Ok(time);
        }
        if began.elapsed() > PATIENCE || server.0.try_wait()?.is_some() {
            bail!("the server did not start");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn answers(address: SocketAddr, request: &[u8]) -> bool {
    let Ok(mut connection) = Connection::open(address).await else {
        return false;
    };
    connection
        .exchange(request)
        .await
        .is_ok_and(|answer| answer.status == 200)
}

/// A server that ends with the value.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn size() -> Result<Row> {
    let bytes = std::fs::metadata(binary())?.len();
    let megabytes = f64::from(u32::try_from(bytes / 1_000)?) / 1_000.0;
    Ok(Row {
        what: "The binary".to_owned(),
        figure: format!("{megabytes:.1} MB"),
        goal: Some(Goal::below(megabytes, SIZE_GOAL, "MB")),
        processors: String::new(),
        how: "`target/release/vintem`, SQLite and libpq built in".to_owned(),
    })
}
