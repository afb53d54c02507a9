//! `vintem user`

use serde::Serialize;
use vintem_domain::account;

use crate::adapter::readable;
use crate::cli::User as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

#[derive(Serialize)]
struct Renewed<'a> {
    email: &'a str,
    password: &'a str,
}

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let Asked::Password(asked) = asked;
    let shared = installation::for_command(config)?;
    let ports = shared.ports();
    let password = readable(ports.ids.random());
    let email = asked.email.as_str();
    account::set_password(&ports, &asked.email, &password)?
        .ok_or_else(|| Failure::failed(format!("{email}: nobody signs in with this address")))?;
    output::print(&Renewed {
        email,
        password: &password,
    })
}
