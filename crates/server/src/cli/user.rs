//! The arguments of `vintem user`.

use clap::{Args, Subcommand};
use vintem_domain::text::Email;

use super::argument as read;

/// `vintem user`
#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Make a new password in place of one that was lost, and print it once
    Password(UserPassword),
}

/// `vintem user password`
#[derive(Debug, Args)]
pub(crate) struct UserPassword {
    /// E-mail address the user signs in with
    #[arg(long, value_parser = read::email)]
    pub(crate) email: Email,
}
