//! Commands in the documents are commands of the binary.

use std::collections::BTreeMap;
use std::process::Command;

use vintem_tests::site::binary;

use super::{blocks, document};

const PAGES: [&str; 6] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/errors.md",
    "docs/operations.md",
    "docs/webhooks.md",
];

/// The words after `vintem` on each line that has it, up to the end of that command.
fn commands(code: &str) -> Vec<Vec<String>> {
    let joined = code.replace("\\\n", " ");
    let lines = joined
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            words.find(|word| *word == "vintem" || word.ends_with("/vintem"))?;
            let own = words.take_while(|word| !["|", "&&", "||", ">", ";"].contains(word));
            Some(own.map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn commands_and_flags_exist() {
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut seen = 0;
    for page in PAGES {
        let blocks = blocks(&document(page));
        for command in blocks
            .iter()
            .filter(|block| block.language == "sh")
            .flat_map(|block| commands(&block.code))
        {
            seen += 1;
            let is_word = |word: &&String| word.bytes().all(|byte| byte.is_ascii_lowercase());
            let words: Vec<String> = command.iter().take_while(is_word).cloned().collect();
            let help = helps
                .entry(words.clone())
                .or_insert_with(|| help(page, &words));
            for flag in command.iter().filter(|word| word.starts_with("--")) {
                let flag = flag.split('=').next().unwrap_or_default();
                let known = help.split_whitespace().any(|word| word == flag);
                assert!(known, "{page}: vintem {} {flag}", words.join(" "));
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

fn help(page: &str, words: &[String]) -> String {
    let output = Command::new(binary())
        .args(words)
        .arg("--help")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{page}: vintem {}: {}",
        words.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
