//! Vintém's load generator: drives the release binary and prints its figures as a table.
//!
//! `vintem-bench [--quick] [--keep FILE] [ROW]...`: all rows, or the named ones; `--keep` also writes the table into that
//! document, between its marks. Nothing here is a test: a figure that falls short is printed, not fatal; a row that could
//! not be measured is, at the end.

mod bench;
mod document;
mod figures;
mod hook;
mod installation;
mod load;
mod machine;
mod plan;
mod processor;
mod rail;
mod request;
mod rows;
mod seed;
mod statements;
mod table;
mod wire;
mod without_storage;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::task::LocalSet;

use bench::Bench;
use plan::Plan;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some(without_storage::COMMAND) => without_storage::run().map(|()| true),
        _ => measure(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("vintem-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wanted {
    plan: Plan,
    keep: Option<PathBuf>,
    rows: Vec<&'static str>,
}

impl Wanted {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut wanted = Self {
            plan: Plan::FULL,
            keep: None,
            rows: Vec::new(),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => wanted.plan = Plan::QUICK,
                "--keep" => {
                    let file = arguments.next().context("--keep is followed by a file")?;
                    wanted.keep = Some(file.into());
                }
                name => {
                    let row = rows::NAMES.into_iter().find(|row| *row == name);
                    wanted.rows.push(row.with_context(|| {
                        format!("{name} is no row; there are {}", rows::NAMES.join(", "))
                    })?);
                }
            }
        }
        if wanted.rows.is_empty() {
            wanted.rows = rows::NAMES.to_vec();
        }
        Ok(wanted)
    }
}

/// Measures and prints; whether every row could be measured.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn measure(arguments: &[String]) -> Result<bool> {
    let wanted = Wanted::parse(arguments)?;
    let began = Instant::now();
    // One thread for load and receiver: they shall cost as little as they can.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (table, complete, conditions) = LocalSet::new().block_on(&runtime, async {
        let mut bench = Bench::new(wanted.plan).await?;
        let mut table = Vec::new();
        let mut complete = true;
        for name in wanted.rows {
            eprintln!("{:>4} s {name}", began.elapsed().as_secs());
            match rows::measure(&mut bench, name).await {
                Ok(mut rows) => table.append(&mut rows),
                Err(error) => {
                    complete = false;
                    eprintln!("       {name} could not be measured: {error:#}");
                }
            }
        }
        anyhow::Ok((table, complete, bench.conditions()))
    })?;
    let seconds = began.elapsed().as_secs();
    let figures = format!(
        "{conditions}\nThe run took {seconds} s.\n\n{}\n",
        table::render(&table)
    );
    println!("{figures}");
    if let Some(file) = wanted.keep {
        document::keep(&file, &figures)?;
    }
    Ok(complete)
}
