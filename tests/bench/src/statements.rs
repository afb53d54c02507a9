//! What the server says to PostgreSQL when it creates a charge, as a script for `pgbench`; [`life`] does the same for what
//! goes on longer.

pub(crate) mod life;

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use vintem_tests::Backend;
use vintem_tests::site::Site;

use crate::bench::Bench;
use crate::installation::Installation;
use crate::request;
use crate::wire::Connection;

/// How often a charge is created to learn the statements: what is sent less often belongs to something else.
const SAMPLES: usize = 50;

/// The statements of one create, or of one life.
#[derive(Default)]
pub(crate) struct Script {
    /// What is computed before: `\set` lines, each with its end.
    pub(crate) settings: String,
    /// One after another, in the words of `pgbench`.
    pub(crate) statements: Vec<String>,
    /// Their parameters.
    pub(crate) variables: Vec<(String, String)>,
}

impl Script {
    /// The script; every client numbers its charges through, so that ids grow as the product's do.
    pub(crate) fn text(&self) -> String {
        format!(
            "\\set n :n + 1\n\\set number :n * 100 + :client_id\n\\set random random(1, 9000000000000000000)\n{}{};\n",
            self.settings,
            self.statements.join(";\n")
        )
    }

    /// How many statements, in how many transactions.
    pub(crate) fn size(&self) -> String {
        let of = |word: &str| self.statements.iter().filter(|text| *text == word).count();
        let (begun, whole) = (of("BEGIN"), self.statements.len());
        format!(
            "{} statements, {begun} transactions among them",
            whole - begun - of("COMMIT")
        )
    }

    /// The first words of each statement.
    pub(crate) fn summary(&self) -> String {
        let first = |statement: &String| {
            let words: Vec<&str> = statement.split(' ').take(1).collect();
            let table = statement
                .split_once("FROM ")
                .or_else(|| statement.split_once("INTO "));
            let table = table
                .and_then(|(_, rest)| rest.split([' ', '(', ')']).next())
                .unwrap_or_default();
            format!("{} {}", words.join(" "), table.trim_matches('"'))
                .trim()
                .to_owned()
        };
        self.statements
            .iter()
            .map(first)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// A statement as the log has it.
#[derive(Default)]
struct Seen {
    count: usize,
    order: usize,
    parameters: Vec<String>,
    varying: Vec<bool>,
}

/// Learns the statements from the log of a scratch database.
pub(crate) async fn of_a_create(bench: &mut Bench) -> Result<Script> {
    let site = bench.empty_site(Backend::Postgres)?;
    let name = log_all(&site)?;
    let installation = Installation::prepare(site, 1, &bench.hook.url());
    let create = request::create(installation.address(), &installation.keys[0]);
    let mut connection = Connection::open(installation.address()).await?;
    connection.exchange(&create).await?.success()?;
    let before = bench.cluster()?.log().len();
    for _ in 0..SAMPLES {
        connection.exchange(&create).await?.success()?;
    }
    let log = bench.cluster()?.log().split_off(before);
    let script = script(&log);
    ensure!(
        script
            .statements
            .iter()
            .any(|statement| statement.contains("charges")),
        "the log of {name} shows no insert of a charge:\n{log}"
    );
    Ok(script)
}

/// Lets the log of a database that nobody uses yet say everything; returns its name.
fn log_all(site: &Site) -> Result<String> {
    let database = site.database().context("a database")?;
    let name = database.sql("SELECT current_database()")?;
    database.sql(&format!("ALTER DATABASE {name} SET log_statement = 'all'"))?;
    Ok(name)
}

fn script(log: &str) -> Script {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    let mut current: Option<String> = None;
    for line in log.lines() {
        if let Some(statement) = statement_in(line) {
            let order = seen.len();
            let entry = seen.entry(statement.clone()).or_insert_with(|| Seen {
                order,
                ..Seen::default()
            });
            entry.count += 1;
            current = Some(statement);
        } else if let Some((_, list)) = line.split_once("arameters: ")
            && let Some(entry) = current
                .as_ref()
                .and_then(|statement| seen.get_mut(statement))
        {
            note(entry, parameters(list));
        }
    }
    let mut all: Vec<(String, Seen)> = seen
        .into_iter()
        .filter(|(_, seen)| seen.count >= SAMPLES)
        .collect();
    all.sort_by_key(|(_, seen)| seen.order);
    let mut script = Script::default();
    for (statement, seen) in all {
        // A pool that asks whether a connection lives is part of our cost, not of the work.
        if statement != "SELECT 1" {
            translate(&mut script, statement, &seen);
        }
    }
    script
}

/// `… LOG:  execute NAME: STATEMENT` or `… LOG:  statement: STATEMENT`.
fn statement_in(line: &str) -> Option<String> {
    let (_, said) = line.split_once("LOG:  ")?;
    let statement = said.strip_prefix("statement: ").or_else(|| {
        said.strip_prefix("execute ")?
            .split_once(": ")
            .map(|(_, rest)| rest)
    })?;
    Some(statement.trim_end_matches(';').to_owned())
}

fn note(entry: &mut Seen, parameters: Vec<String>) {
    entry.varying.resize(parameters.len(), false);
    for (index, value) in parameters.iter().enumerate() {
        let differs = entry
            .parameters
            .get(index)
            .is_some_and(|before| before != value);
        entry.varying[index] |= differs;
    }
    entry.parameters = parameters;
}

/// `$1 = 'a', $2 = NULL`; a quote inside is doubled.
fn parameters(list: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = list;
    while let Some((_, after)) = rest.split_once(" = ") {
        let (value, left) = match after.strip_prefix('\'') {
            Some(quoted) => quoted_value(quoted),
            None => (
                "NULL".to_owned(),
                after.split_once(", ").map_or("", |(_, left)| left),
            ),
        };
        values.push(value);
        rest = left;
    }
    values
}

fn quoted_value(quoted: &str) -> (String, &str) {
    let mut from = 0;
    while let Some(at) = quoted[from..].find('\'') {
        let end = from + at;
        if quoted[end + 1..].starts_with('\'') {
            from = end + 2;
        } else {
            return (quoted[..end].replace("''", "'"), &quoted[end + 1..]);
        }
    }
    (quoted.to_owned(), "")
}

/// Numbers become names, names that must be new are made anew each time.
fn translate(script: &mut Script, mut statement: String, seen: &Seen) {
    // From behind, so that $1 is not taken for the beginning of $12.
    for (index, value) in seen.parameters.iter().enumerate().rev() {
        let number = format!("${}", index + 1);
        let is_name = value.len() >= 26
            && value.len() <= 40
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let expression = if value == "NULL" {
            "NULL".to_owned()
        } else if seen.varying[index]
            && is_name
            && value.len() == 26
            && value.starts_with(|first: char| first.is_ascii_digit())
        {
            format!("('{}' || lpad((:number)::text, 14, '0'))", &value[..12])
        } else if seen.varying[index] && is_name {
            format!("lpad((:random)::text, {}, '0')", value.len())
        } else {
            let name = format!("v{}", script.variables.len());
            let expression = format!(":{name}");
            script.variables.push((name, value.clone()));
            expression
        };
        statement = statement.replace(&number, &expression);
    }
    script.statements.push(statement);
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn what_belongs_to_every_create_becomes_the_script() {
        let mut log = String::from("x LOG:  execute s9: SELECT 1 FROM epochs\n");
        for number in 10..10 + SAMPLES {
            log += "x LOG:  statement: BEGIN\n";
            log += "x LOG:  execute s1: INSERT INTO charges (id, txid, note, gone) VALUES ($1, $2, $3, $4)\n";
            let _ = writeln!(
                log,
                "x DETAIL:  Parameters: $1 = '01KAAAAAAAAAAAAAAAAAAAAA{number}', $2 = 'abcdefghijklmnopqrstuvwxyzabcd{number}', $3 = 'it''s, here', $4 = NULL"
            );
            log += "x LOG:  statement: COMMIT\n";
        }
        let script = script(&log);
        assert_eq!(
            script.statements,
            [
                "BEGIN",
                "INSERT INTO charges (id, txid, note, gone) VALUES (('01KAAAAAAAAA' || lpad((:number)::text, 14, '0')), lpad((:random)::text, 32, '0'), :v0, NULL)",
                "COMMIT",
            ]
        );
        assert_eq!(
            script.variables,
            [("v0".to_owned(), "it's, here".to_owned())]
        );
        assert_eq!(script.summary(), "BEGIN, INSERT charges, COMMIT");
    }
}
