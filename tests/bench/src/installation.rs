//! The installations that are put under load.

use std::net::SocketAddr;
use std::rc::Rc;

use serde_json::Value;
use vintem_tests::merchant::text;
use vintem_tests::server::Server;
use vintem_tests::site::Site;

use crate::request;

/// How many operator's commands run at a time while accounts are opened.
const COMMANDS: usize = 2;

/// A running server with merchants that can be paid, in live mode, by the play bank.
pub(crate) struct Installation {
    /// Folder, database and settings.
    pub(crate) site: Site,
    /// The server.
    pub(crate) server: Server,
    /// The accounts.
    pub(crate) accounts: Vec<String>,
    /// Live keys, each of another account.
    pub(crate) keys: Vec<String>,
}

impl Installation {
    /// Starts a server and opens so many accounts, whose webhooks go to this address.
    pub(crate) fn prepare(site: Site, accounts: usize, hook: &str) -> Self {
        let server = site.serve();
        let numbers: Vec<usize> = (0..accounts).collect();
        let (accounts, keys) = std::thread::scope(|scope| {
            let tasks: Vec<_> = numbers
                .chunks(accounts.div_ceil(COMMANDS))
                .map(|chunk| {
                    let site = &site;
                    scope.spawn(move || {
                        let open = |number: &usize| open_account(site, *number, hook);
                        chunk.iter().map(open).collect::<Vec<_>>()
                    })
                })
                .collect();
            let joined = tasks.into_iter().filter_map(|task| task.join().ok());
            joined.flatten().unzip()
        });
        Self {
            site,
            server,
            accounts,
            keys,
        }
    }

    /// Where the server listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// A request that creates a charge, for each of the first accounts.
    pub(crate) fn creates(&self, accounts: usize) -> Rc<[Vec<u8>]> {
        let keys = self.keys.iter().take(accounts);
        keys.map(|key| request::create(self.address(), key))
            .collect()
    }

    /// Stops the server as an operator does.
    pub(crate) fn stop(&mut self) {
        self.server.signal("TERM");
        self.server.wait(vintem_tests::wait::SOON);
    }

    /// Starts the server again.
    pub(crate) fn start(&mut self) {
        self.server = self.site.serve();
    }
}

/// Opens an account and returns its id and live key.
fn open_account(site: &Site, number: usize, hook: &str) -> (String, String) {
    let email = format!("bench-{number}@example.com");
    let created = site.operate(&[
        "account",
        "create",
        "--name",
        "Café do João",
        "--email",
        &email,
        // Who issues boletos has both.
        "--document",
        "11222333000181",
        "--address",
        "Rua da Praia, 100, Porto Alegre, RS",
    ]);
    let account = text(&created["id"]);
    let of = |words: [&str; 2], more: &[&str]| -> Value {
        let mut all = words.to_vec();
        all.extend(["--account", &account, "--mode", "live"]);
        all.extend(more);
        site.operate(&all)
    };
    of(["webhook", "set"], &["--url", hook]);
    let key = text(&of(["key", "create"], &[])["key"]);
    (account, key)
}
