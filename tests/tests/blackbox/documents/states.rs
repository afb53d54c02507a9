//! The tables of states: each line is driven through the product, and what it says is what happens.

mod charge;
mod payout;

use std::collections::BTreeMap;

use serde_json::Value;
use vintem_tests::site::Site;

use super::{document, table};

/// What becomes of an object when something happens to it.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// Its status then.
    then: String,
    /// The event that tells so; empty where none does.
    event: String,
    /// The ledger entries it makes.
    entries: Vec<String>,
}

/// A line of a table of states.
#[derive(Debug)]
struct Line {
    /// The status before; empty for what does not exist yet.
    status: String,
    what: String,
    outcome: Outcome,
}

fn words(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn lines(page: &str) -> Vec<Line> {
    let header = ["Status", "What happens", "Then", "Event", "Ledger"];
    let rows = table(&document(page), &header);
    rows.into_iter()
        .map(|row| Line {
            status: row[0].clone(),
            what: row[1].clone(),
            outcome: Outcome {
                then: row[2].clone(),
                event: words(&row[3]).concat(),
                entries: words(&row[4]),
            },
        })
        .collect()
}

/// Every line comes true, and no happening that the tests know is missing.
#[track_caller]
fn check(page: &str, known: &[(&str, &str)], mut drive: impl FnMut(&str, &str) -> Outcome) {
    let lines = lines(page);
    let told: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| (line.status.as_str(), line.what.as_str()))
        .collect();
    assert_eq!(told, known, "{page}");
    for line in &lines {
        let real = drive(&line.status, &line.what);
        assert_eq!(real, line.outcome, "{page}: {} {}", line.status, line.what);
    }
}

/// What an operator is told about an object.
#[track_caller]
fn story(site: &Site, command: &str, id: &str) -> Value {
    site.operate(&[command, "show", "--id", id])
}

/// The words of a story's list, such as the kinds of its postings.
fn listed(story: &Value, list: &str, word: &str) -> Vec<String> {
    let all = story[list].as_array().unwrap();
    all.iter()
        .map(|one| one[word].as_str().unwrap().to_owned())
        .collect()
}

/// All entries of a story: the object's own, then those of its refunds.
fn postings(story: &Value) -> Vec<&Value> {
    let refunds = story["refunds"].as_array().into_iter().flatten();
    let parts = [story].into_iter().chain(refunds);
    parts
        .filter_map(|part| part["postings"].as_array())
        .flatten()
        .collect()
}

/// What a story tells beyond an earlier one.
fn since(before: &Value, after: &Value) -> Outcome {
    let kinds = postings(after)
        .into_iter()
        .skip(postings(before).len())
        .map(|posting| posting["kind"].as_str().unwrap().to_owned());
    let told = before["events"].as_array().map_or(0, Vec::len);
    Outcome {
        then: after["status"].as_str().unwrap().to_owned(),
        event: listed(after, "events", "event")[told..].join(" "),
        entries: kinds.collect(),
    }
}

/// The page says of each entry of the story what it posts; `amounts` are the numbers behind the page's words.
#[track_caller]
fn check_entries(page: &str, story: &Value, amounts: &[(&str, i64)]) {
    let rows = table(&document(page), &["Entry", "What it posts"]);
    for posting in postings(story) {
        let kind = format!("`{}`", posting["kind"].as_str().unwrap());
        let row = rows.iter().find(|row| row[0] == kind);
        let row = row.unwrap_or_else(|| panic!("{page} says nothing of {kind}"));
        let told: BTreeMap<String, i64> =
            row[1].split(", ").map(|part| told(part, amounts)).collect();
        let real: BTreeMap<String, i64> =
            serde_json::from_value(posting["amounts"].clone()).unwrap();
        assert_eq!(told, real, "{page}: {kind}");
    }
}

/// An account's name and what is posted to it, from words such as `fees` +fee.
fn told(part: &str, amounts: &[(&str, i64)]) -> (String, i64) {
    let (account, amount) = part.split_once(' ').unwrap();
    let (sign, word) = match amount.strip_prefix('−') {
        Some(word) => (-1, word),
        None => (1, amount.strip_prefix('+').unwrap()),
    };
    let known = amounts.iter().find(|(name, _)| *name == word);
    let (_, centavos) = known.unwrap_or_else(|| panic!("what is {word}?"));
    (account.trim_matches('`').to_owned(), sign * centavos)
}
