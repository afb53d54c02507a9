//! The arguments of `vintem account`.

use clap::{Args, Subcommand};
use vintem_domain::account::AccountId;
use vintem_domain::document::Document;
use vintem_domain::text::{Email, Name};

use super::argument::{self as read, FeeChange, GuardChange, LimitChange};

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
    /// Minutes in which a second live withdrawal of the same amount to the same key is refused unless it has an
    /// Idempotency-Key, or off
    #[arg(long, value_name = "MINUTES", value_parser = read::guard)]
    pub(crate) duplicate_guard_minutes: Option<GuardChange>,
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
