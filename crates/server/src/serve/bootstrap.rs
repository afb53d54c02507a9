//! The first start on an empty database: an account, a test key, and a screen that shows how to begin.

use std::net::SocketAddr;

use vintem_domain::account::{self, AccountId, Environment, NewAccount, Owner};
use vintem_domain::key::{self, Lifetime, Scopes};
use vintem_domain::text::{Email, Name};
use vintem_domain::{Error, Ports};

use super::address;
use crate::adapter::readable;
use crate::config::Config;
use crate::failure::Failure;
use crate::output;

/// What the first account is called until its owner says otherwise.
const NAME: &str = "Minha Loja";
/// What its owner signs in with.
const EMAIL: &str = "owner@vintem.example";

/// Opens the first account and shows how to begin; does nothing in a database that has one.
pub(super) fn first_account(
    ports: &Ports,
    config: &Config,
    bound: SocketAddr,
) -> Result<(), Failure> {
    let password = readable(ports.ids.random());
    let Some(account) = account::create_first(ports, &new_account(&password)?)? else {
        return Ok(());
    };
    let screen = Screen {
        dashboard: format!("{}/dashboard", address::public_url(config, bound)),
        base: format!("{}/v1", address::local_url(bound)),
        email: EMAIL,
        password: &password,
        account: account.id,
        key: &test_key(ports, account.id)?,
    };
    output::print_line(&screen.text())
}

fn new_account(password: &str) -> Result<NewAccount, Error> {
    let name = Name::parse(NAME).ok().flatten();
    Ok(NewAccount {
        name: name.ok_or_else(|| Error::bug("the first account's name is no name"))?,
        email: Email::parse(EMAIL).map_err(|error| Error::bug(error.to_string()))?,
        password: password.to_owned(),
        document: None,
        city: None,
        address: None,
        merchant_name: None,
    })
}

fn test_key(ports: &Ports, account: AccountId) -> Result<String, Error> {
    let owner = Owner {
        account,
        environment: Environment::Sandbox,
    };
    let new = key::create(ports, owner, Scopes::all(), Lifetime::Forever)?;
    Ok(new.secret.reveal().to_owned())
}

/// What is shown once.
struct Screen<'a> {
    dashboard: String,
    base: String,
    email: &'a str,
    password: &'a str,
    account: AccountId,
    key: &'a str,
}

impl Screen<'_> {
    /// The lines with `curl` can be pasted one by one or together: the first keeps the charge's id for the others.
    fn text(&self) -> String {
        let Self {
            dashboard,
            base,
            email,
            password,
            account,
            key,
        } = self;
        let auth = format!("-H 'Authorization: Bearer {key}'");
        let json = "-H 'Content-Type: application/json'";
        format!(
            r#"
  Vintém is ready. This is shown once, so keep it:

    Dashboard   {dashboard}
    E-mail      {email}
    Password    {password}
    Account     {account}
    Test key    {key}

  Your first PIX: create a charge of R$ 49,90, simulate its payment, check it.

CHARGE=$(curl -s {base}/pixQrCode/create {auth} {json} -d '{{"amountCents": 4990}}' | sed 's/.*"id":"\([^"]*\)".*/\1/'); echo "$CHARGE"
curl -s {base}/pixQrCode/simulate-payment {auth} {json} -d "{{\"id\": \"$CHARGE\"}}"; echo
curl -s "{base}/pixQrCode/check?id=$CHARGE" {auth}; echo
"#
        )
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::id::Ulid;

    use super::*;

    #[test]
    fn the_screen_shows_all_that_is_needed_and_three_lines_to_paste() {
        let screen = Screen {
            dashboard: "http://127.0.0.1:8080/dashboard".to_owned(),
            base: "http://127.0.0.1:8080/v1".to_owned(),
            email: "owner@example.com",
            password: "aaaa-bbbb-cccc-dddd",
            account: AccountId(Ulid::from_parts(7, 7)),
            key: "svc_test_x",
        };
        let text = screen.text();
        let account = screen.account.to_string();
        for shown in [
            &screen.dashboard,
            screen.email,
            screen.password,
            &account,
            screen.key,
        ] {
            assert!(text.contains(shown), "{shown}");
        }
        let pasted: Vec<_> = text.lines().filter(|line| line.contains("curl ")).collect();
        assert_eq!(pasted.len(), 3, "{text}");
        assert!(
            pasted.iter().all(|line| line.contains("svc_test_x")),
            "{text}"
        );
        assert!(pasted[1].contains(r#""{\"id\": \"$CHARGE\"}""#), "{text}");
    }

    #[test]
    fn the_first_account_can_be_opened() {
        assert!(new_account("aaaa-bbbb-cccc-dddd").is_ok());
    }
}
