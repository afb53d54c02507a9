//! The command line: what can be asked, and the help that says so.

mod argument;
mod settings;

use std::path::PathBuf;

use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use vintem_domain::account::{AccountId, Environment};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::charge::ChargeId;
use vintem_domain::document::Document;
use vintem_domain::event::EventId;
use vintem_domain::key::{KeyId, Lifetime, Scopes};
use vintem_domain::provider::Outgoing;
use vintem_domain::text::{Email, Name};
use vintem_domain::webhook::WebhookUrl;
use vintem_domain::{Centavos, Time};

use argument as read;
pub(crate) use argument::{FeeChange, LimitChange};

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
    /// See the whole story of a charge
    #[command(subcommand)]
    Charge(Charge),
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

/// `vintem account`
#[derive(Debug, Subcommand)]
pub(crate) enum Account {
    /// Open an account with its owner; prints the owner's password unless one is given
    Create(AccountCreate),
    /// Change what an account says of itself; codes made before keep what they say
    Update(AccountUpdate),
    /// List all accounts, oldest first
    List,
    /// Show an account with its fees and limits
    Show(AccountOnly),
    /// Suspend an account: its keys answer 403
    Suspend(AccountSuspend),
    /// Set the limits agreed with an account, in centavos; without any, show them
    Limits(AccountLimits),
    /// Set the fees agreed with an account, such as 80, 99bp or 80+99bp; without any, show them
    Fees(AccountFees),
}

/// An account, named by its id.
#[derive(Debug, Args)]
pub(crate) struct AccountOnly {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) id: AccountId,
}

/// What an account says of itself beside its name.
#[derive(Debug, Args)]
pub(crate) struct Particulars {
    /// CPF or CNPJ; needed before a live boleto
    #[arg(long, value_parser = read::document)]
    pub(crate) document: Option<Document>,
    /// City printed in payment codes [default: SAO PAULO]
    #[arg(long, value_parser = read::name)]
    pub(crate) city: Option<Name>,
    /// Postal address; needed before a live boleto
    #[arg(long, value_parser = read::name)]
    pub(crate) address: Option<Name>,
    /// Name printed in payment codes [default: the account's name]
    #[arg(long, value_parser = read::name)]
    pub(crate) merchant_name: Option<Name>,
}

/// `vintem account create`
#[derive(Debug, Args)]
pub(crate) struct AccountCreate {
    /// Display name
    #[arg(long, value_parser = read::name)]
    pub(crate) name: Name,
    /// E-mail address its owner signs in with
    #[arg(long, value_parser = read::email)]
    pub(crate) email: Email,
    /// Read the owner's password from standard input instead of making one
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// The rest.
    #[command(flatten)]
    pub(crate) particulars: Particulars,
}

/// `vintem account update`
#[derive(Debug, Args)]
pub(crate) struct AccountUpdate {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) id: AccountId,
    /// Display name
    #[arg(long, value_parser = read::name)]
    pub(crate) name: Option<Name>,
    /// The rest.
    #[command(flatten)]
    pub(crate) particulars: Particulars,
}

/// `vintem account suspend`
#[derive(Debug, Args)]
pub(crate) struct AccountSuspend {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) id: AccountId,
    /// Let it work again
    #[arg(long)]
    pub(crate) lift: bool,
}

/// `vintem account limits`
#[derive(Debug, Args)]
pub(crate) struct AccountLimits {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) id: AccountId,
    /// Per transaction, on the amount asked before fees; `default` follows the settings again
    #[arg(long, value_name = "CENTAVOS", value_parser = read::limit)]
    pub(crate) per_transaction: Option<LimitChange>,
    /// Per withdrawal
    #[arg(long, value_name = "CENTAVOS", value_parser = read::limit)]
    pub(crate) withdrawal: Option<LimitChange>,
    /// All withdrawals of one São Paulo day
    #[arg(long, value_name = "CENTAVOS", value_parser = read::limit)]
    pub(crate) withdrawal_per_day: Option<LimitChange>,
}

/// `vintem account fees`
#[derive(Debug, Args)]
pub(crate) struct AccountFees {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) id: AccountId,
    /// A paid PIX charge; `default` follows the settings again
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) pix: Option<FeeChange>,
    /// A paid checkout
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) checkout: Option<FeeChange>,
    /// A paid boleto
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) boleto: Option<FeeChange>,
    /// A PIX withdrawal
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) withdrawal: Option<FeeChange>,
    /// A third-party payment, the provider's part
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) bill_provider: Option<FeeChange>,
    /// A third-party payment, the service's part
    #[arg(long, value_name = "FEE", value_parser = read::fee)]
    pub(crate) bill_service: Option<FeeChange>,
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

/// `vintem key`
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make a key; a live one is shown this once
    Create(KeyCreate),
    /// Replace a key by a new one with the same scopes
    Roll(KeyRoll),
    /// Revoke a key at once
    Revoke(KeyOnly),
    /// List an account's keys, oldest first; live ones cannot be shown again
    List(KeyList),
}

/// `vintem key create`
#[derive(Debug, Args)]
pub(crate) struct KeyCreate {
    /// Whose.
    #[command(flatten)]
    pub(crate) owner: OwnerArguments,
    /// What it allows: all, or names such as PIX:CREATE,PIX:READ
    #[arg(long, default_value = "all", value_parser = read::scopes)]
    pub(crate) scopes: Scopes,
    /// How long it works: 7d, 30d, 90d, 1y or never
    #[arg(long, default_value = "never", value_parser = read::lifetime)]
    pub(crate) expires: Lifetime,
}

/// `vintem key roll`
#[derive(Debug, Args)]
pub(crate) struct KeyRoll {
    /// The key's id, key_…
    #[arg(long, value_parser = read::key)]
    pub(crate) id: KeyId,
    /// How long the old one works on, from 0 to 24h
    #[arg(long, default_value = "0", value_parser = read::overlap)]
    pub(crate) overlap: std::time::Duration,
}

/// A key, named by its id.
#[derive(Debug, Args)]
pub(crate) struct KeyOnly {
    /// The key's id, key_…
    #[arg(long, value_parser = read::key)]
    pub(crate) id: KeyId,
}

/// `vintem key list`
#[derive(Debug, Args)]
pub(crate) struct KeyList {
    /// The account, acc_…
    #[arg(long, value_parser = read::account)]
    pub(crate) account: AccountId,
}

/// `vintem webhook`
#[derive(Debug, Subcommand)]
pub(crate) enum Webhook {
    /// Set where events go; the first time makes the secret, later ones keep it and enable the endpoint again
    Set(WebhookSet),
    /// Show the endpoint and its secret
    Show(OwnerArguments),
    /// Replace the secret; for 24 hours the old one signs too
    Roll(OwnerArguments),
    /// List attempts to deliver, latest first
    Log(WebhookLog),
    /// Send events again: one, a range, or all that failed since a moment
    Resend(WebhookResend),
    /// Stop sending; events wait until the endpoint is set again
    Disable(OwnerArguments),
}

/// `vintem webhook set`
#[derive(Debug, Args)]
pub(crate) struct WebhookSet {
    /// Whose.
    #[command(flatten)]
    pub(crate) owner: OwnerArguments,
    /// Where events go; https in live mode
    #[arg(long, value_parser = read::webhook_url)]
    pub(crate) url: WebhookUrl,
}

/// `vintem webhook log`
#[derive(Debug, Args)]
pub(crate) struct WebhookLog {
    /// Whose.
    #[command(flatten)]
    pub(crate) owner: OwnerArguments,
    /// How many lines at most
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with = "event")]
    pub(crate) limit: u16,
    /// All attempts to deliver this event, in order, evt_…
    #[arg(long, value_parser = read::event)]
    pub(crate) event: Option<EventId>,
}

/// `vintem webhook resend`
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["event", "from", "failed_since"])))]
pub(crate) struct WebhookResend {
    /// Whose.
    #[command(flatten)]
    pub(crate) owner: OwnerArguments,
    /// This event, evt_…
    #[arg(long, visible_alias = "id", value_parser = read::event)]
    pub(crate) event: Option<EventId>,
    /// All events from this sequence
    #[arg(long, value_name = "SEQUENCE", requires = "to", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) from: Option<i64>,
    /// … up to and with this one
    #[arg(long, value_name = "SEQUENCE", requires = "from", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) to: Option<i64>,
    /// All events recorded since this moment whose delivery failed for good
    #[arg(long, value_name = "TIME", value_parser = read::time)]
    pub(crate) failed_since: Option<Time>,
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
    pub(crate) advance: Option<std::time::Duration>,
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

/// `vintem charge`
#[derive(Debug, Subcommand)]
pub(crate) enum Charge {
    /// Show everything that happened to a charge: states, bank notices, postings, events, deliveries
    Show(ChargeOnly),
}

/// A charge, named by its id.
#[derive(Debug, Args)]
pub(crate) struct ChargeOnly {
    /// The charge, chg_…
    #[arg(long, value_parser = read::charge)]
    pub(crate) id: ChargeId,
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

/// `vintem stub`
#[derive(Debug, Subcommand)]
pub(crate) enum Stub {
    /// Print the secret that the play bank's routes ask for
    Secret,
    /// A payment arrives
    Pay(StubPay),
    /// The bank rejects a charge: it becomes FAILED
    Remove(StubRemove),
    /// Change how the bank behaves from now on; without a change, show it
    State(StubState),
}

/// Which server is spoken to.
#[derive(Debug, Args)]
pub(crate) struct StubServer {
    /// The running server, http:// only [default: the public URL]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// `vintem stub pay`
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["charge", "br_code"])))]
pub(crate) struct StubPay {
    /// The charge, chg_…
    #[arg(long, value_parser = read::charge)]
    pub(crate) charge: Option<ChargeId>,
    /// Its copy-and-paste code instead
    #[arg(long)]
    pub(crate) br_code: Option<String>,
    /// Another amount than the charge's, in centavos
    #[arg(long, value_name = "CENTAVOS", value_parser = read::centavos)]
    pub(crate) amount: Option<Centavos>,
    /// The payment's own id; a repeated one is the same payment told again
    #[arg(long, value_name = "ID", value_parser = read::end_to_end_id)]
    pub(crate) end_to_end_id: Option<EndToEndId>,
    /// When it was paid [default: now]
    #[arg(long, value_name = "TIME", value_parser = read::time)]
    pub(crate) paid_at: Option<Time>,
    /// Who paid
    #[arg(long, value_name = "NAME")]
    pub(crate) payer_name: Option<String>,
    /// The payer's CPF or CNPJ
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) payer_document: Option<String>,
    /// The payer's bank
    #[arg(long, value_name = "BANK")]
    pub(crate) payer_bank: Option<String>,
    /// Where.
    #[command(flatten)]
    pub(crate) server: StubServer,
}

/// `vintem stub remove`
#[derive(Debug, Args)]
pub(crate) struct StubRemove {
    /// The charge, chg_…
    #[arg(long, value_parser = read::charge)]
    pub(crate) charge: ChargeId,
    /// Why, in words; the merchant is told
    #[arg(long)]
    pub(crate) reason: String,
    /// Where.
    #[command(flatten)]
    pub(crate) server: StubServer,
}

/// `vintem stub state`
#[derive(Debug, Args)]
pub(crate) struct StubState {
    /// Whether it answers at all: true or false (502 to API callers)
    #[arg(long)]
    pub(crate) up: Option<bool>,
    /// How long it takes to answer, milliseconds
    #[arg(long, value_name = "MILLISECONDS")]
    pub(crate) latency_ms: Option<u32>,
    /// What becomes of withdrawals: settle, fail or unknown
    #[arg(long, value_name = "OUTCOME", value_parser = read::outgoing)]
    pub(crate) withdrawals: Option<Outgoing>,
    /// What becomes of third-party payments: settle, fail or unknown
    #[arg(long, value_name = "OUTCOME", value_parser = read::outgoing)]
    pub(crate) bills: Option<Outgoing>,
    /// Where.
    #[command(flatten)]
    pub(crate) server: StubServer,
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
