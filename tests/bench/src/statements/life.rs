//! What the server says to PostgreSQL from the moment a payment is asked for until its webhook is acknowledged.
//!
//! A few payments are made one after the other, on a server that does nothing else. What it also says when nothing is
//! under way is left out: workers that find nothing to do. The values of the last payment become the script's: ids and
//! numbers that were others the time before are made anew by each run of the script, the account is any of those that
//! send, and the rest stays.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use vintem_tests::Backend;

use super::{Script, log_all, parameters, statement_in};
use crate::bench::Bench;
use crate::installation::Installation;
use crate::rail::{Rail, SENDERS, Senders};
use crate::wire::Connection;

/// How many payments the statements are learned from.
const LIVES: usize = 3;

/// How long a server is listened to that has nothing to do: every worker looks once a second.
const QUIET: Duration = Duration::from_millis(2_500);

/// How long a payment may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often the log is read meanwhile.
const PERIOD: Duration = Duration::from_millis(50);

/// What the server says last: the webhook was acknowledged.
const LAST: &str = "INSERT INTO \"attempts\"";

/// Numbers from here on are moments, in milliseconds.
const MOMENTS: i64 = 1_600_000_000_000;

/// How many values one run of the script may make anew.
const FRESH: usize = 64;

/// A statement with its parameters.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    text: String,
    parameters: Vec<String>,
}

/// What was said in one transaction, or alone.
type Unit = Vec<Said>;

/// The script, and the installation whose tables it fits. Its server is stopped.
pub(crate) struct Learned {
    pub(crate) script: Script,
    pub(crate) installation: Installation,
}

/// Learns the statements of a payment by this rail in a database of its own.
pub(crate) async fn learn(bench: &mut Bench, rail: Rail) -> Result<Learned> {
    let site = bench.empty_site(Backend::Postgres)?;
    let name = log_all(&site)?;
    let mut installation = Installation::prepare(site, SENDERS, &bench.hook.url());
    let senders = Senders::prepare(rail, &installation, &bench.hook).await?;
    let mut connection = Connection::open(installation.address()).await?;
    // What is said only the first time.
    live(bench, &senders, &mut connection, SENDERS).await?;
    let from = bench.cluster()?.log().len();
    tokio::time::sleep(QUIET).await;
    let quiet = units(&bench.cluster()?.log()[from..]);
    let mut lives = Vec::new();
    for life in 2..2 + LIVES {
        // Always the first account.
        lives.push(live(bench, &senders, &mut connection, life * SENDERS).await?);
    }
    drop(connection);
    installation.stop();
    let database = installation.site.database().context("a database")?;
    database.sql(&format!("ALTER DATABASE {name} RESET log_statement"))?;
    let accounts: Vec<&str> = installation
        .accounts
        .iter()
        .filter_map(|account| account.strip_prefix("acc_"))
        .collect();
    let script = script(&quiet, &lives, &accounts)?;
    Ok(Learned {
        script,
        installation,
    })
}

/// Makes a payment and returns what was said until its webhook was acknowledged.
async fn live(
    bench: &mut Bench,
    senders: &Senders,
    connection: &mut Connection,
    number: usize,
) -> Result<Vec<Unit>> {
    // So that the key is known: under load it is.
    connection.exchange(&senders.list()).await?.success()?;
    let from = bench.cluster()?.log().len();
    senders.send(connection, number).await?;
    let end = Instant::now() + PATIENCE;
    loop {
        let said = units(&bench.cluster()?.log()[from..]);
        let is_last = |said: &Said| said.text.starts_with(LAST);
        if said.iter().flatten().any(is_last) {
            return Ok(said);
        }
        ensure!(Instant::now() < end, "no webhook was acknowledged");
        tokio::time::sleep(PERIOD).await;
    }
}

/// What a log says, in the order in which it was committed.
fn units(log: &str) -> Vec<Unit> {
    let (mut finished, mut open) = (Vec::new(), HashMap::<&str, Unit>::new());
    for (session, said) in said(log) {
        let ends = matches!(said.text.as_str(), "COMMIT" | "ROLLBACK");
        if said.text == "BEGIN" {
            open.insert(session, vec![said]);
        } else if let Some(unit) = open.get_mut(session) {
            unit.push(said);
            if ends {
                finished.extend(open.remove(session));
            }
        } else {
            finished.push(vec![said]);
        }
    }
    finished
}

/// The statements of a log, each with the session that sent it.
fn said(log: &str) -> Vec<(&str, Said)> {
    let mut all: Vec<(&str, Said)> = Vec::new();
    for line in log.lines() {
        let session = line
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or("", |(session, _)| session);
        if let Some(text) = statement_in(line) {
            let parameters = Vec::new();
            all.push((session, Said { text, parameters }));
        } else if let Some((_, list)) = line.split_once("arameters: ")
            && let Some((_, said)) = all.iter_mut().rev().find(|(other, _)| *other == session)
        {
            said.parameters = parameters(list);
        }
    }
    // A pool that asks whether a connection lives is part of our cost, not of the work.
    all.retain(|(_, said)| said.text != "SELECT 1");
    all
}

/// What tells units apart: their statements without the values.
fn words(unit: &Unit) -> Vec<&str> {
    unit.iter().map(|said| said.text.as_str()).collect()
}

/// The script of a payment.
fn script(quiet: &[Unit], lives: &[Vec<Unit>], accounts: &[&str]) -> Result<Script> {
    let [.., before, last] = lives else {
        anyhow::bail!("two payments are needed");
    };
    let quiet: HashSet<Vec<&str>> = quiet.iter().map(words).collect();
    let nth = |life: &[Unit], unit: &Unit, turn: usize| -> Option<Unit> {
        let alike = life.iter().filter(|other| words(other) == words(unit));
        alike.skip(turn).map(Clone::clone).next()
    };
    let mut turns: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut kept: Vec<(&Unit, Unit)> = Vec::new();
    for unit in last {
        let turn = turns.entry(words(unit)).or_default();
        let everywhere = lives.iter().all(|life| nth(life, unit, *turn).is_some());
        if everywhere
            && !quiet.contains(&words(unit))
            && let Some(earlier) = nth(before, unit, *turn)
        {
            kept.push((unit, earlier));
        }
        *turn += 1;
    }
    let mut writer = Writer::new(accounts, &kept);
    for (unit, earlier) in &kept {
        for (said, earlier) in unit.iter().zip(earlier) {
            writer.write(said, earlier);
        }
    }
    let written = writer.script.statements.iter();
    let text: String = written.map(String::as_str).collect();
    ensure!(
        text.contains("INSERT INTO \"payouts\"") && text.contains(LAST),
        "the log does not show a payment from its beginning to its end: {text}"
    );
    ensure!(
        writer.fresh.len() <= FRESH,
        "a payment has too many values of its own"
    );
    Ok(writer.script)
}

/// Puts statements into the words of `pgbench`.
struct Writer {
    script: Script,
    accounts: Vec<String>,
    /// Ids and the like that were others the time before.
    names: Vec<String>,
    /// What each run makes anew, by its place.
    fresh: Vec<String>,
}

impl Writer {
    fn new(accounts: &[&str], kept: &[(&Unit, Unit)]) -> Self {
        let pairs = kept
            .iter()
            .flat_map(|(unit, earlier)| unit.iter().zip(earlier));
        let values =
            pairs.flat_map(|(said, earlier)| said.parameters.iter().zip(&earlier.parameters));
        let names: HashSet<&String> = values
            .filter(|(value, earlier)| value != earlier && is_name(value))
            .map(|(value, _)| value)
            .collect();
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        names.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
        let mut script = Script::default();
        let _ = writeln!(
            script.settings,
            "\\set account random(1, {})",
            accounts.len()
        );
        Self {
            script,
            accounts: accounts.iter().map(ToString::to_string).collect(),
            names,
            fresh: Vec::new(),
        }
    }

    fn write(&mut self, said: &Said, earlier: &Said) {
        let mut statement = said.text.clone();
        // Who takes what is due must not meet the payments of others: they would wait for each other in a circle.
        let takes_due = statement.contains("SKIP LOCKED");
        // From behind, so that $1 is not taken for the beginning of $12.
        for (index, value) in said.parameters.iter().enumerate().rev() {
            let varies = earlier.parameters.get(index) != Some(value);
            let number = value.parse::<i64>().ok();
            let expression = match number {
                Some(moment) if moment >= MOMENTS && takes_due => self.constant("0"),
                Some(number) if varies && (0..MOMENTS).contains(&number) => {
                    format!(":{}", self.fresh(value))
                }
                _ => self.expression(value),
            };
            statement = statement.replace(&format!("${}", index + 1), &expression);
        }
        self.script.statements.push(statement);
    }

    /// A value that is no number that must be new.
    fn expression(&mut self, value: &str) -> String {
        if value == "NULL" {
            return "NULL".to_owned();
        }
        if self.accounts.iter().any(|account| account == value) {
            let list = format!("{{{}}}", self.accounts.join(","));
            return format!("(({})::text[])[:account]", self.constant(&list));
        }
        let found = self
            .names
            .iter()
            .find_map(|name| Some((name.clone(), value.find(name.as_str())?)));
        let Some((name, at)) = found else {
            return self.constant(value);
        };
        let (before, after) = (&value[..at], &value[at + name.len()..]);
        let mut parts = vec![self.name(&name)];
        if !before.is_empty() {
            parts.insert(0, format!("({})::text", self.expression(before)));
        }
        if !after.is_empty() {
            parts.push(format!("({})::text", self.expression(after)));
        }
        // What `ANY` is asked with is a list.
        let is_list = before == "{" && after == "}";
        format!(
            "({}){}",
            parts.join(" || "),
            if is_list { "::text[]" } else { "" }
        )
    }

    /// A name of the same length that is new each time.
    fn name(&mut self, name: &str) -> String {
        let variable = self.fresh(name);
        if is_ulid(name) {
            format!("('{}' || lpad((:{variable})::text, 14, '0'))", &name[..12])
        } else {
            format!("lpad((:{variable})::text, {}, '0')", name.len())
        }
    }

    /// The variable whose value is new each time and stands for this one.
    fn fresh(&mut self, value: &str) -> String {
        let known = self.fresh.iter().position(|known| known == value);
        let place = known.unwrap_or_else(|| {
            self.fresh.push(value.to_owned());
            let place = self.fresh.len() - 1;
            let _ = writeln!(
                self.script.settings,
                "\\set x{place} :number * {FRESH} + {place}"
            );
            place
        });
        format!("x{place}")
    }

    /// The variable that always has this value.
    fn constant(&mut self, value: &str) -> String {
        if value.is_empty() {
            // `pgbench` defines nothing as empty.
            return "''".to_owned();
        }
        let known = self
            .script
            .variables
            .iter()
            .find(|(_, known)| known == value);
        if let Some((name, _)) = known {
            return format!(":{name}");
        }
        let name = format!("v{}", self.script.variables.len());
        let expression = format!(":{name}");
        self.script.variables.push((name, value.to_owned()));
        expression
    }
}

/// Whether somebody made it up: an id, a barcode, what a settlement is called.
fn is_name(value: &str) -> bool {
    (26..=48).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_ulid(name: &str) -> bool {
    name.len() == 26 && name.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: &str = "01M7Z14SQGQJC9MHZ8APCM3ZKG";

    /// What one payment of a made-up server leaves in the log, beside a worker of another session that finds nothing.
    fn log(id: &str, sequence: i64) -> String {
        format!(
            "x [7] LOG:  statement: BEGIN\n\
             x [9] LOG:  execute s0: SELECT due FOR UPDATE SKIP LOCKED WHERE due_at <= $1\n\
             x [9] DETAIL:  Parameters: $1 = '1795264015035'\n\
             x [7] LOG:  execute s1: INSERT INTO \"payouts\" VALUES ($1, $2, $3, $4)\n\
             x [7] DETAIL:  Parameters: $1 = '{ACCOUNT}', $2 = '{id}', $3 = '{sequence}', $4 = NULL\n\
             x [7] LOG:  statement: COMMIT\n\
             x [7] LOG:  execute s2: SELECT records WHERE key = $1 AND id = ANY($2)\n\
             x [7] DETAIL:  Parameters: $1 = 'payout/{id}', $2 = '{{{id}}}'\n\
             x [7] LOG:  statement: BEGIN\n\
             x [7] LOG:  execute s0: SELECT due FOR UPDATE SKIP LOCKED WHERE due_at <= $1\n\
             x [7] DETAIL:  Parameters: $1 = '1795264015035'\n\
             x [7] LOG:  execute s3: INSERT INTO \"attempts\" VALUES ($1)\n\
             x [7] DETAIL:  Parameters: $1 = 'delivered'\n\
             x [7] LOG:  statement: COMMIT\n"
        )
    }

    #[test]
    fn a_payment_becomes_a_script_with_ids_of_its_own() {
        let quiet =
            units("x [9] LOG:  execute s0: SELECT due FOR UPDATE SKIP LOCKED WHERE due_at <= $1\n");
        let lives = [
            units(&log("01M7Z15TNNRCZFGVWDK1KN5TSA", 4)),
            units(&log("01M7Z15VNFTQJJFJFNEMJC4KZ1", 5)),
        ];
        let script = script(&quiet, &lives, &["01M7Z14SQGQJC9MHZ8APCM3ZKF", ACCOUNT]).unwrap();
        let id = "('01M7Z15VNFTQ' || lpad((:x1)::text, 14, '0'))";
        assert_eq!(
            script.statements,
            [
                "BEGIN".to_owned(),
                format!(
                    "INSERT INTO \"payouts\" VALUES (((:v0)::text[])[:account], ({id}), :x0, NULL)"
                ),
                "COMMIT".to_owned(),
                format!(
                    "SELECT records WHERE key = ((:v3)::text || {id}) AND id = ANY(((:v1)::text || {id} || (:v2)::text)::text[])"
                ),
                "BEGIN".to_owned(),
                "SELECT due FOR UPDATE SKIP LOCKED WHERE due_at <= :v4".to_owned(),
                "INSERT INTO \"attempts\" VALUES (:v5)".to_owned(),
                "COMMIT".to_owned(),
            ]
        );
        let values: Vec<&str> = script
            .variables
            .iter()
            .map(|(_, value)| value.as_str())
            .collect();
        let accounts = format!("{{01M7Z14SQGQJC9MHZ8APCM3ZKF,{ACCOUNT}}}");
        assert_eq!(
            values,
            [accounts.as_str(), "{", "}", "payout/", "0", "delivered"]
        );
        assert_eq!(
            script.settings,
            "\\set account random(1, 2)\n\\set x0 :number * 64 + 0\n\\set x1 :number * 64 + 1\n"
        );
        assert_eq!(script.size(), "4 statements, 2 transactions among them");
    }
}
