//! The arguments of `vintem stub`.

use clap::{Args, Subcommand};
use vintem_domain::brcode::EndToEndId;
use vintem_domain::provider::Outgoing;
use vintem_domain::{Centavos, Time};

use super::argument as read;

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
    /// The running server, http:// only [default: the public URL, or with TLS in front the address it listens on]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// `vintem stub pay`
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["charge", "br_code", "line"])))]
pub(crate) struct StubPay {
    /// The charge, chg_… or bol_…
    #[arg(long, value_name = "ID", value_parser = read::charge_as_written)]
    pub(crate) charge: Option<String>,
    /// Its copy-and-paste code instead
    #[arg(long)]
    pub(crate) br_code: Option<String>,
    /// The digitable line or barcode of a boleto: it is paid at another bank, not by PIX
    #[arg(long, conflicts_with_all = ["end_to_end_id", "payer_name", "payer_document", "payer_bank"])]
    pub(crate) line: Option<String>,
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
    /// The charge, chg_… or bol_…
    #[arg(long, value_name = "ID", value_parser = read::charge_as_written)]
    pub(crate) charge: String,
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
    /// What becomes of refunds: settle, fail or unknown
    #[arg(long, value_name = "OUTCOME", value_parser = read::outgoing)]
    pub(crate) refunds: Option<Outgoing>,
    /// Where.
    #[command(flatten)]
    pub(crate) server: StubServer,
}
