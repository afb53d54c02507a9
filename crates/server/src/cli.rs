//! The command line: what can be asked, and the help that says so.

mod account;
mod argument;
mod charge;
mod key;
mod settings;
mod stub;
mod user;
mod webhook;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use vintem_domain::Time;
use vintem_domain::account::{AccountId, Environment};
use vintem_domain::payout::PayoutId;
use vintem_domain::receipt::ReceiptOf;

pub(crate) use account::{Account, AccountCreate, AccountFees, AccountLimits, AccountUpdate};
use argument as read;
pub(crate) use argument::{FeeChange, GuardChange, LimitChange};
pub(crate) use charge::{Charge, ChargeRefund};
pub(crate) use key::Key;
pub(crate) use stub::{Stub, StubPay, StubServer, StubState};
pub(crate) use user::User;
pub(crate) use webhook::{Webhook, WebhookLog, WebhookResend};

/// A payments service: PIX charges, a double-entry ledger and signed webhooks, in one program.
#[derive(Debug, Parser)]
#[command(
    name = "vintem",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub(crate) struct CommandLine {
    /// File with settings.
    #[arg(
        help = "File with settings [env: VINTEM_CONFIG] [default: vintem.toml, where there is one]"
    )]
    #[arg(long, global = true, value_name = "FILE", help_heading = settings::HEADING)]
    pub(crate) config: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
First steps:
  vintem serve                      start, and print a test key and three curl lines to try it
  vintem account create --name 'Loja' --email loja@example.com
  vintem key create --account acc_… --mode test
  vintem webhook set --account acc_… --mode test --url http://127.0.0.1:9000/hook

Results go to stdout as JSON, logs to stderr. Exit code 0: done, 1: failed, 2: wrong usage or setting.
Every setting is a flag, a variable VINTEM_… or a key of vintem.toml: see `vintem serve --help`.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API, send webhooks, do the background work
    Serve,
    /// Open and run merchants' accounts
    #[command(
        subcommand,
        after_help = "Example: vintem account create --name 'Loja' --email loja@example.com"
    )]
    Account(Account),
    /// Help the people who sign in
    #[command(
        subcommand,
        after_help = "Example: vintem user password --email loja@example.com"
    )]
    User(User),
    /// Make, roll, revoke and list API keys
    #[command(
        subcommand,
        after_help = "Example: vintem key create --account acc_… --mode live --scopes PIX:CREATE,PIX:READ --expires 90d"
    )]
    Key(Key),
    /// Say where events are sent, see what became of them, send them again
    #[command(
        subcommand,
        after_help = "Example: vintem webhook set --account acc_… --mode live --url https://example.com/hook"
    )]
    Webhook(Webhook),
    /// Move the test clock of an account's sandbox; live time never moves
    #[command(
        subcommand,
        after_help = "Example: vintem clock set --account acc_… --advance 3d"
    )]
    Clock(Clock),
    /// Cancel or refund a charge or boleto, see its whole story
    #[command(subcommand)]
    Charge(Charge),
    /// See the whole story of a withdrawal or third-party payment
    #[command(subcommand)]
    Payout(Payout),
    /// Write the receipt (comprovante, PDF) of a withdrawal, third-party payment or refund that is PAID
    #[command(after_help = "Example: vintem receipt --id wd_… --to comprovante.pdf")]
    Receipt(Receipt),
    /// Bring the database up to date (every other command does so too)
    Migrate,
    /// Recompute the books
    #[command(subcommand)]
    Ledger(Ledger),
    /// Copy the embedded database into a new file, also while it is served
    #[command(after_help = "Example: vintem backup --to /backup/vintem-2026-11-20.db")]
    Backup(Backup),
    /// Play the bank at a running server: make money arrive, reject charges, go down
    #[command(subcommand, after_help = "Example: vintem stub pay --charge chg_…")]
    Stub(Stub),
}

/// An account's environment.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OwnerArguments {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) account: AccountId,
    /// The environment: test or live
    #[arg(long, value_parser = read::mode)]
    pub(crate) mode: Environment,
}

/// `vintem clock`
#[derive(Debug, Subcommand)]
pub(crate) enum Clock {
    /// Move the clock; it keeps ticking
    Set(ClockSet),
    /// Show the clock
    Show(ClockShow),
}

/// `vintem clock set`
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("move").required(true).args(["to", "advance", "reset"])))]
pub(crate) struct ClockSet {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) account: AccountId,
    /// To this moment, such as 2026-12-01T09:00:00Z; never back
    #[arg(long, value_name = "TIME", value_parser = read::time)]
    pub(crate) to: Option<Time>,
    /// Forward by a time such as 3d, 12h, 90m or 30s
    #[arg(long, value_name = "TIME SPAN", value_parser = read::duration)]
    pub(crate) advance: Option<Duration>,
    /// Back to real time
    #[arg(long)]
    pub(crate) reset: bool,
}

/// `vintem clock show`
#[derive(Debug, Args)]
pub(crate) struct ClockShow {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) account: AccountId,
}

/// `vintem payout`
#[derive(Debug, Subcommand)]
pub(crate) enum Payout {
    /// Show everything that happened to money that went out: state, steps, postings, events, deliveries
    Show(PayoutOnly),
}

/// A payout, named by its id.
#[derive(Debug, Args)]
pub(crate) struct PayoutOnly {
    /// The withdrawal or payment, wd_… or bp_…
    #[arg(long, value_parser = read::payout)]
    pub(crate) id: PayoutId,
}

/// `vintem receipt`
#[derive(Debug, Args)]
pub(crate) struct Receipt {
    /// What was paid: wd_…, bp_… or rf_…
    #[arg(long, value_parser = read::receipt)]
    pub(crate) id: ReceiptOf,
    /// The new file
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
}

/// `vintem ledger`
#[derive(Debug, Subcommand)]
pub(crate) enum Ledger {
    /// Recompute every ledger and report what is wrong; exit code 1 when anything is
    Verify,
}

/// `vintem backup`
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The new file
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
}

/// A command line that was understood, and the settings given as flags.
pub(crate) struct Asked {
    /// The command line.
    pub(crate) line: CommandLine,
    /// Settings by name.
    pub(crate) flags: Vec<(&'static str, String)>,
}

/// Reads the command line of this process.
///
/// # Errors
/// What clap wants to be printed: help, the version, or what is wrong.
pub(crate) fn ask(
    arguments: impl IntoIterator<Item = std::ffi::OsString>,
) -> Result<Asked, clap::Error> {
    let matches = settings::command().try_get_matches_from(arguments)?;
    let line = CommandLine::from_arg_matches(&matches)?;
    let flags = settings::flags(&matches);
    Ok(Asked { line, flags })
}

#[cfg(test)]
mod tests;
