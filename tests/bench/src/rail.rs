//! Money on its way out: who sends it, and what they ask of the server for one withdrawal or one bill.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use vintem_domain::Centavos;
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_tests::merchant::text;

use crate::hook::{Arrivals, Hook};
use crate::installation::Installation;
use crate::load::Step;
use crate::request::{self, AboutCharge};
use crate::wire::{Connection, charge_id, text_of};

/// How many accounts send.
pub(crate) const SENDERS: usize = 10;

/// What each account is paid before it sends: the most one charge may ask for.
const FUNDS: i64 = 5_000_000;

/// What a bill asks for: the play money of a sandbox pays thousands of them.
const BILL: Centavos = Centavos::new(1_000);

/// A weekday morning, to which sandboxes are moved: nobody pays bills on a Sunday.
const PAYMENT_HOURS: &str = "2032-03-10T12:00:00Z";

/// How long whoever must wait does before looking again.
const PAUSE: Duration = Duration::from_millis(10);

/// How long the notices of the funds may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How money goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rail {
    /// `POST /v1/withdraw/create`, live.
    Withdrawal,
    /// `POST /v1/boleto/query` and `POST /v1/boleto/pay`, in a sandbox: a live one keeps to the hours of the real clock.
    Bill,
}

/// Accounts that can send.
pub(crate) struct Senders {
    rail: Rail,
    address: SocketAddr,
    keys: Vec<String>,
}

impl Senders {
    /// Makes the first accounts of an installation ready.
    pub(crate) async fn prepare(
        rail: Rail,
        installation: &Installation,
        hook: &Hook,
    ) -> Result<Self> {
        let count = SENDERS.min(installation.keys.len());
        let address = installation.address();
        let keys = match rail {
            Rail::Withdrawal => {
                let keys = &installation.keys[..count];
                fund(address, keys, hook).await?;
                keys.to_vec()
            }
            Rail::Bill => {
                let accounts = installation.accounts.iter().take(count);
                accounts
                    .map(|account| open_sandbox(installation, account, hook))
                    .collect()
            }
        };
        Ok(Self {
            rail,
            address,
            keys,
        })
    }

    /// Lets the next account ask for what is to be sent as number so many.
    pub(crate) async fn send(&self, connection: &mut Connection, number: usize) -> Result<()> {
        let key = &self.keys[number % self.keys.len()];
        match self.rail {
            Rail::Withdrawal => {
                let request = request::withdrawal(self.address, key);
                connection.exchange(&request).await?.success()?;
            }
            Rail::Bill => {
                let request = request::quote(self.address, key, &barcode(number)?);
                let answer = connection.exchange(&request).await?;
                let quote = text_of(answer.success()?, "quoteId")?;
                let name = format!("bill{number:026}");
                let request = request::pay_bill(self.address, key, quote, &name);
                connection.exchange(&request).await?.success()?;
            }
        }
        Ok(())
    }

    /// A request of the first account that changes nothing.
    pub(crate) fn list(&self) -> Vec<u8> {
        request::list(self.address, &self.keys[0])
    }
}

/// Pays each of them what it is to send later.
async fn fund(address: SocketAddr, keys: &[String], hook: &Hook) -> Result<()> {
    hook.clear();
    let mut connection = Connection::open(address).await?;
    let mut pay = AboutCharge::pay(address);
    for key in keys {
        let create = request::charge_of(address, key, FUNDS);
        let charge = charge_id(connection.exchange(&create).await?.success()?)?;
        connection.exchange(pay.about(&charge)).await?.success()?;
    }
    hook.wait_for(keys.len(), PATIENCE).await?;
    Ok(())
}

/// Gives an account's sandbox a key, an endpoint and a working day.
fn open_sandbox(installation: &Installation, account: &str, hook: &Hook) -> String {
    let site = &installation.site;
    let of = |words: [&str; 2], more: [&str; 2]| {
        site.operate(&[words[0], words[1], "--account", account, more[0], more[1]])
    };
    of(["clock", "set"], ["--to", PAYMENT_HOURS]);
    site.operate(&[
        "webhook",
        "set",
        "--account",
        account,
        "--mode",
        "test",
        "--url",
        &hook.url(),
    ]);
    text(&of(["key", "create"], ["--mode", "test"])["key"])
}

/// The barcode of a title that is another for each number.
fn barcode(number: usize) -> Result<String> {
    let title = Title {
        bank: BankCode::parse("001").context("a bank")?,
        free_field: FreeField::parse(&format!("{number:025}")).context("a free field")?,
        amount: Some(BILL),
        due_date: None,
    };
    let barcode = title
        .barcode()
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(barcode.to_string())
}

/// Sends one after the other, and waits as long as too many are under way.
pub(crate) struct Send {
    /// Who sends.
    pub(crate) senders: Rc<Senders>,
    /// How many were begun, by all connections.
    pub(crate) begun: Rc<Cell<usize>>,
    /// The webhooks about those that are over.
    pub(crate) arrivals: Arrivals,
    /// How many may be under way.
    pub(crate) most: usize,
}

impl Step for Send {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        while self.begun.get() >= self.arrivals.count() + self.most {
            tokio::time::sleep(PAUSE).await;
        }
        let number = self.begun.get() + 1;
        self.begun.set(number);
        self.senders.send(connection, number).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::bill::BillCode;

    use super::*;

    #[test]
    fn every_bill_is_another_title() {
        let codes = [1, 2].map(|number| BillCode::parse(&barcode(number).unwrap()).unwrap());
        assert_ne!(codes[0], codes[1]);
        assert_eq!(codes[0].amount(), Some(BILL));
    }
}
