//! `vintem ledger`

use serde::Serialize;
use vintem_domain::ledger::{self, Fault};

use crate::cli::Ledger as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let Asked::Verify = asked;
    let shared = installation::for_command(config)?;
    let report = ledger::verify(&shared.ports())?;
    output::print(&Report {
        ok: report.faults.is_empty(),
        ledgers: report.ledgers,
        entries: report.entries,
        events: report.events,
        faults: report.faults.iter().map(Faulty::new).collect(),
    })?;
    match report.faults.len() {
        0 => Ok(()),
        1 => Err(Failure::failed("the ledger has a fault")),
        count => Err(Failure::failed(format!("the ledger has {count} faults"))),
    }
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    ledgers: usize,
    entries: usize,
    events: usize,
    faults: Vec<Faulty>,
}

#[derive(Serialize)]
struct Faulty {
    account: String,
    mode: &'static str,
    row: String,
    wrong: String,
}

impl Faulty {
    fn new(fault: &Fault) -> Self {
        Self {
            account: fault.owner.account.to_string(),
            mode: fault.owner.environment.as_str(),
            row: fault.row.clone(),
            wrong: fault.wrong.clone(),
        }
    }
}
