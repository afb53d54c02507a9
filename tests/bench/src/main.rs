//! Vintém's load generator: drives the release binary and prints its figures as a table.
//!
//! `vintem-bench [--quick] [ROW]...`: all rows, or the named ones. Nothing here is a test: a figure that falls short is
//! printed, not fatal; a row that could not be measured is, at the end.

mod bench;
mod figures;
mod hook;
mod installation;
mod load;
mod machine;
mod plan;
mod processor;
mod request;
mod rows;
mod seed;
mod statements;
mod table;
mod wire;
mod without_storage;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
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

/// Measures and prints; whether every row could be measured.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn measure(arguments: &[String]) -> Result<bool> {
    let plan = if arguments.iter().any(|word| word == "--quick") {
        Plan::QUICK
    } else {
        Plan::FULL
    };
    let named: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "--quick")
        .collect();
    if let Some(unknown) = named.iter().find(|word| !rows::NAMES.contains(word)) {
        bail!("{unknown} is no row; there are {}", rows::NAMES.join(", "));
    }
    let began = Instant::now();
    // One thread for load and receiver: they shall cost as little as they can.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (table, complete, conditions) = LocalSet::new().block_on(&runtime, async {
        let mut bench = Bench::new(plan).await?;
        let mut table = Vec::new();
        let mut complete = true;
        for name in rows::NAMES {
            if !named.is_empty() && !named.contains(&name) {
                continue;
            }
            eprintln!("{:>5.0?} {name}", began.elapsed());
            match rows::measure(&mut bench, name).await {
                Ok(mut rows) => table.append(&mut rows),
                Err(error) => {
                    complete = false;
                    eprintln!("      {name} could not be measured: {error:#}");
                }
            }
        }
        let conditions = format!(
            "{}: {}, {}.\n{}",
            machine::date(),
            machine::describe(),
            bench.postgres_version(),
            bench::conditions(&bench.plan)
        );
        anyhow::Ok((table, complete, conditions))
    })?;
    println!(
        "{conditions}\n\n{}\n\nThe run took {:.0?}.",
        table::render(&table),
        began.elapsed()
    );
    Ok(complete)
}
