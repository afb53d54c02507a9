//! The operator's commands: each reads its arguments, calls one use case and prints the result as JSON.

mod account;
mod backup;
mod charge;
mod clock;
mod key;
mod ledger;
mod payout;
mod receipt;
mod story;
mod stub;
mod user;
mod webhook;

use crate::cli::Command;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output, serve};

/// Does what was asked.
pub(crate) fn run(command: Command, config: &Config) -> Result<(), Failure> {
    match command {
        Command::Serve => serve::run(config),
        Command::Account(asked) => account::run(asked, config),
        Command::User(asked) => user::run(&asked, config),
        Command::Key(asked) => key::run(asked, config),
        Command::Webhook(asked) => webhook::run(asked, config),
        Command::Clock(asked) => clock::run(&asked, config),
        Command::Charge(asked) => charge::run(&asked, config),
        Command::Payout(asked) => payout::run(&asked, config),
        Command::Receipt(asked) => receipt::run(&asked, config),
        Command::Ledger(asked) => ledger::run(&asked, config),
        Command::Migrate => migrate(config),
        Command::Backup(asked) => backup::run(&asked, config),
        Command::Stub(asked) => stub::run(&asked, config),
    }
}

fn migrate(config: &Config) -> Result<(), Failure> {
    let database = installation::open(config)?;
    database.migrate()?;
    output::print(&serde_json::json!({ "database": database.kind(), "migrated": true }))
}
