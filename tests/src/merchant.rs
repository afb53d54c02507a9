//! An account with its keys, and the few calls that most tests make.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::client::{Client, Response};
use crate::site::{STUB_SECRET, Site};

/// An account at one server.
#[derive(Clone, Debug)]
pub struct Merchant<'a> {
    /// The installation the account lives in.
    pub site: &'a Site,
    /// The account's id.
    pub account: String,
    /// Its e-mail address.
    pub email: String,
    /// All scopes, sandbox.
    pub test: Client,
    /// All scopes, live.
    pub live: Client,
    /// The play bank, with its secret.
    pub bank: Client,
}

impl<'a> Merchant<'a> {
    #[track_caller]
    pub(crate) fn new(site: &'a Site, address: SocketAddr) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let email = format!(
            "merchant-{}@example.com",
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let account = site.operate(&[
            "account",
            "create",
            "--name",
            "Café do João",
            "--email",
            &email,
        ]);
        let account = text(&account["id"]);
        let key = |mode| {
            text(&site.operate(&["key", "create", "--account", &account, "--mode", mode])["key"])
        };
        let (test, live) = (key("test"), key("live"));
        Self {
            site,
            test: Client::new(address, &test),
            live: Client::new(address, &live),
            bank: Client::new(address, STUB_SECRET),
            account,
            email,
        }
    }

    /// The same account at another server, or at the same one after a restart.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        Self {
            test: self.test.at(address),
            live: self.live.at(address),
            bank: self.bank.at(address),
            ..self.clone()
        }
    }

    /// The client of an environment: `test` or `live`.
    pub fn client(&self, mode: &str) -> &Client {
        match mode {
            "test" => &self.test,
            "live" => &self.live,
            other => panic!("there is no environment {other}"),
        }
    }

    /// Makes a key; the further arguments are those of `vintem key create`.
    #[track_caller]
    pub fn key(&self, mode: &str, arguments: &[&str]) -> Value {
        let mut all = vec!["key", "create", "--account", &self.account, "--mode", mode];
        all.extend_from_slice(arguments);
        self.site.operate(&all)
    }

    /// Sends this environment's webhooks to the URL and returns the secret.
    #[track_caller]
    pub fn webhook(&self, mode: &str, url: &str) -> String {
        let set = self.webhook_command("set", mode, &["--url", url]);
        text(&set["secret"])
    }

    /// Runs `vintem webhook COMMAND` for this account.
    #[track_caller]
    pub fn webhook_command(&self, command: &str, mode: &str, arguments: &[&str]) -> Value {
        let mut all = vec![
            "webhook",
            command,
            "--account",
            &self.account,
            "--mode",
            mode,
        ];
        all.extend_from_slice(arguments);
        self.site.operate(&all)
    }

    /// Runs `vintem clock COMMAND` for this account.
    #[track_caller]
    pub fn clock(&self, command: &str, arguments: &[&str]) -> Value {
        let mut all = vec!["clock", command, "--account", &self.account];
        all.extend_from_slice(arguments);
        self.site.operate(&all)
    }

    /// What the bank answers to a PIX that arrives.
    #[track_caller]
    pub fn pay(&self, body: &Value) -> Value {
        self.bank.post("/psp/stub/pix", body).data()
    }
}

/// Calls that need nothing but a key.
impl Client {
    /// Creates a charge of so many centavos.
    #[track_caller]
    pub fn charge(&self, amount_centavos: i64) -> Value {
        self.create(&json!({ "amountCents": amount_centavos }))
            .data()
    }

    /// Asks for a charge.
    pub fn create(&self, body: &Value) -> Response {
        self.post("/v1/pixQrCode/create", body)
    }

    /// Looks a charge up.
    pub fn check(&self, id: &str) -> Response {
        self.get(&format!("/v1/pixQrCode/check?id={id}"))
    }

    /// Simulates the payment of a charge.
    pub fn simulate(&self, id: &str) -> Response {
        self.post("/v1/pixQrCode/simulate-payment", &json!({ "id": id }))
    }

    /// The account.
    #[track_caller]
    pub fn store(&self) -> Value {
        self.get("/v1/store").data()
    }
}

/// The text of a JSON value that must be one.
#[track_caller]
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
        .to_owned()
}
