//! The arguments of `vintem charge`.

use clap::{Args, Subcommand};
use vintem_domain::Centavos;
use vintem_domain::charge::ChargeId;
use vintem_domain::idempotency::IdempotencyKey;
use vintem_domain::text::Description;

use super::argument as read;

/// `vintem charge`
#[derive(Debug, Subcommand)]
pub(crate) enum Charge {
    /// Show everything that happened to a charge: states, bank notices, refunds, postings, events, deliveries
    Show(ChargeOnly),
    /// Cancel an open charge or boleto at its provider: it becomes FAILED, and nobody can pay it any more
    #[command(
        long_about = "Cancel an open charge or boleto at its provider: it becomes FAILED, and nobody can pay it any more.\n\
                      A repeat changes nothing; after a failure of the provider repeat it."
    )]
    Cancel(ChargeOnly),
    /// Refund a paid charge or boleto, in whole or in part; its fee is kept
    #[command(
        long_about = "Refund a paid charge or boleto, in whole or in part; its fee is kept.\n\
                      The amount leaves the balance at once, and a running server sends it to the payer. \
                      `vintem charge show` tells what became of it."
    )]
    Refund(ChargeRefund),
}

/// A charge, named by its id.
#[derive(Debug, Args)]
pub(crate) struct ChargeOnly {
    /// The charge, chg_… or bol_…
    #[arg(long, value_parser = read::charge)]
    pub(crate) id: ChargeId,
}

/// `vintem charge refund`
#[derive(Debug, Args)]
pub(crate) struct ChargeRefund {
    /// The charge, chg_… or bol_…
    #[arg(long, value_parser = read::charge)]
    pub(crate) id: ChargeId,
    /// A part of it, in centavos [default: all that is left]
    #[arg(long, value_name = "CENTAVOS", value_parser = read::centavos)]
    pub(crate) amount: Option<Centavos>,
    /// Why, for the books
    #[arg(long, value_name = "TEXT", value_parser = read::description)]
    pub(crate) reason: Option<Description>,
    /// Your own name for this refund: the same command with the same key is done once. Without it a second refund of the
    /// same amount is refused
    #[arg(long, value_name = "TEXT", value_parser = read::idempotency_key)]
    pub(crate) key: Option<IdempotencyKey>,
}
