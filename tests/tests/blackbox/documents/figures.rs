//! The figures that docs/operations.md describes are those `/metrics` shows.

use std::collections::BTreeSet;

use vintem_tests::Backend;
use vintem_tests::client::Client;
use vintem_tests::site::merchant;

use super::document;
use crate::webhook::pay_one;

/// The names in a text, by how all figures begin.
fn names(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .filter(|word| word.starts_with("vintem_") || word.starts_with("process_"))
        .map(|word| {
            let parts = ["_bucket", "_sum", "_count"];
            let part = parts.iter().find_map(|part| word.strip_suffix(part));
            part.unwrap_or(word).to_owned()
        })
        .collect()
}

#[test]
fn all_figures_are_described_and_no_others() {
    let merchant = merchant(Backend::Sqlite);
    pay_one(&merchant);
    let shown = Client::anonymous(merchant.test.address())
        .get("/metrics")
        .text();
    let samples: String = shown
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(['{', ' ']).next().unwrap_or_default().to_owned() + "\n")
        .collect();
    let page = document("docs/operations.md");
    let described = page.split("\n## ").find(|part| part.starts_with("Metrics"));
    assert_eq!(names(described.unwrap()), names(&samples));
}
