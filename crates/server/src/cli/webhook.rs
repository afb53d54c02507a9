//! The arguments of `vintem webhook`.

use clap::{Args, Subcommand};
use vintem_domain::Time;
use vintem_domain::event::EventId;
use vintem_domain::webhook::WebhookUrl;

use super::OwnerArguments;
use super::argument as read;

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
