//! The arguments of `vintem key`.

use std::time::Duration;

use clap::{Args, Subcommand};
use vintem_domain::account::AccountId;
use vintem_domain::key::{KeyId, Lifetime, Scopes};

use super::OwnerArguments;
use super::argument as read;

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
    pub(crate) overlap: Duration,
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
