//! The pages of the money rails: what they show is replayed as it is written, from top to bottom, against a server that
//! nobody has used before.
//!
//! A block of `sh` runs in the page's one shell. The `json` that follows it is its answer; a line between them that
//! begins with a status and a code (`409 title_taken`, each between backticks) says how it was refused. `json` with an
//! `event` is what the merchant's webhook gets. A word that ends in `...` stands for what an earlier answer had that
//! begins so.

mod compare;
mod shell;

use std::fmt::Write as _;

use serde_json::Value;
use vintem_tests::Backend;
use vintem_tests::merchant::Merchant;
use vintem_tests::receiver::Receiver;
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::document;
use compare::Times;
use shell::Shell;

/// Where the pages say that the server listens.
const SHOWN_ADDRESS: &str = "http://127.0.0.1:8080";

/// A part of a page.
enum Part {
    /// A block of code, in a language.
    Code(String, String),
    /// A line outside of them.
    Line(String),
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => parts.extend(open.take().map(|(of, code)| Part::Code(of, code))),
            (None, Some((_, code))) => writeln!(code, "{line}").unwrap(),
            (None, None) if line.is_empty() => {}
            (None, None) => parts.push(Part::Line(line.to_owned())),
        }
    }
    assert!(open.is_none(), "a block of code has no end");
    parts
}

/// The status and the code a line begins with.
fn refusal(line: &str) -> Option<(u16, &str)> {
    let (status, rest) = line.strip_prefix('`')?.split_once("` `")?;
    let (code, _) = rest.split_once('`')?;
    Some((status.parse().ok()?, code))
}

/// A page on its way from top to bottom.
struct Replay<'a> {
    shell: Shell,
    receiver: Receiver,
    merchant: &'a Merchant<'a>,
    /// All texts that answers had, oldest first.
    seen: Vec<String>,
    /// What the latest command printed.
    printed: String,
    times: Times,
}

impl Replay<'_> {
    /// The code with an earlier answer's text for each word that ends in `...`.
    fn filled(&self, code: &str) -> String {
        let ends = |c: char| c.is_whitespace() || "'\"=$()".contains(c);
        let mut filled = String::new();
        let mut rest = code;
        while let Some(dots) = rest.find("...") {
            let word = rest[..dots].rfind(ends).map_or(0, |before| before + 1);
            let begin = &rest[word..dots];
            let known = self.seen.iter().rev().find(|text| text.starts_with(begin));
            let known =
                known.unwrap_or_else(|| panic!("nothing so far begins with {begin}: {code}"));
            filled.push_str(&rest[..word]);
            filled.push_str(known);
            rest = &rest[dots + 3..];
        }
        filled.push_str(rest);
        self.at_server(&filled)
    }

    fn at_server(&self, code: &str) -> String {
        let server = format!("http://{}", self.merchant.test.address());
        code.replace(SHOWN_ADDRESS, &server)
    }

    fn as_shown(&self, text: &str) -> String {
        let server = format!("http://{}", self.merchant.test.address());
        text.replace(&server, SHOWN_ADDRESS)
    }

    fn run(&mut self, code: &str) {
        self.times.hear_of(code);
        let filled = self.filled(code);
        let printed = self.shell.run(&filled);
        self.printed = self.as_shown(&printed);
        if let Ok(answer) = serde_json::from_str(&self.printed) {
            compare::texts(&answer, &mut self.seen);
        }
    }

    fn check_answer(&mut self, shown: &Value, refused: Option<(u16, &str)>, code: &str) {
        let real: Value = serde_json::from_str(&self.printed)
            .unwrap_or_else(|error| panic!("{error}: {code}{}", self.printed));
        if let Err(difference) = compare::alike(shown, &real, &mut self.times) {
            panic!("{difference}\n{code}\nreally answers\n{real:#}");
        }
        if shown.get("error").is_some() {
            let (status, error) = self.shell.status();
            let said = (status, error.as_str());
            assert_eq!(refused.unwrap_or((200, "")), said, "{code}");
        }
    }

    fn check_event(&mut self, shown: &Value) {
        let real = wait::until(&format!("an event like {shown}"), wait::SOON, || {
            let latest = self.receiver.deliveries().into_iter().rev();
            latest.map(|delivery| delivery.json()).find(|event| {
                ["devMode", "sequence"]
                    .iter()
                    .all(|it| event[*it] == shown[*it])
            })
        });
        if let Err(difference) = compare::alike(shown, &real, &mut self.times) {
            panic!("{difference}\nthe event really is\n{real:#}");
        }
    }
}

/// Replays a page.
fn replay(path: &str) {
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    let merchant = site.merchant(&server);
    let receiver = Receiver::start();
    for mode in ["test", "live"] {
        merchant.webhook(mode, &receiver.url());
    }
    let keys = [&merchant.test, &merchant.live].map(|client| client.authorization().unwrap());
    let mut seen = vec![merchant.account.clone()];
    seen.extend(keys.map(|key| key.replace("Bearer ", "")));
    let mut replay = Replay {
        shell: Shell::start(&site, server.address()),
        receiver,
        merchant: &merchant,
        seen,
        printed: String::new(),
        times: Times::default(),
    };
    let page = document(path);
    let (mut asked, mut refused) = (String::new(), None);
    let parts = parts(&page);
    for part in &parts {
        match part {
            Part::Code(language, code) => match language.as_str() {
                "sh" => {
                    (asked, refused) = (code.clone(), None);
                    replay.run(code);
                }
                "json" => {
                    let shown: Value = serde_json::from_str(code)
                        .unwrap_or_else(|error| panic!("{path}: {error}: {code}"));
                    if shown.get("event").is_some() {
                        replay.check_event(&shown);
                    } else {
                        assert!(!asked.is_empty(), "{path}: nobody asked for {code}");
                        replay.check_answer(&shown, refused.take(), &asked);
                    }
                    asked.clear();
                }
                other => panic!("{path}: nobody checks {other}: {code}"),
            },
            Part::Line(line) => refused = refusal(line),
        }
    }
    site.verify_ledger();
}

#[test]
fn pix_is_as_it_is_shown() {
    replay("docs/pix.md");
}

#[test]
fn boletos_are_as_they_are_shown() {
    replay("docs/boleto.md");
}

#[test]
fn bills_are_as_they_are_shown() {
    replay("docs/bills.md");
}

#[test]
fn withdrawals_are_as_they_are_shown() {
    replay("docs/withdrawals.md");
}
