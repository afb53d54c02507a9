//! Commands in the documents are commands of the binary.

use std::collections::BTreeMap;
use std::process::Command;

use vintem_tests::site::binary;

use super::{blocks, document};

const PAGES: [&str; 10] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/bills.md",
    "docs/boleto.md",
    "docs/errors.md",
    "docs/operations.md",
    "docs/pix.md",
    "docs/webhooks.md",
    "docs/withdrawals.md",
];

/// The words after `vintem` on each line that calls it, up to the end of that command.
fn commands(code: &str) -> Vec<Vec<String>> {
    let joined = code.replace("\\\n", " ");
    let lines = joined
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_program = |word: &str| word == "vintem" || word.ends_with("/vintem");
            let call = words
                .windows(2)
                .position(|pair| is_program(pair[0]) && is_subcommand(pair[1]))?;
            let own = words[call + 1..]
                .iter()
                .take_while(|word| !["|", "&&", "||", ">", ";"].contains(word));
            Some(own.map(|word| (*word).to_owned()).collect())
        })
        .collect()
}

fn is_subcommand(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// All commands of a page: in its blocks of shell code, and between backticks in its text.
fn commands_of(page: &str) -> Vec<Vec<String>> {
    let document = document(page);
    let shell = blocks(&document)
        .into_iter()
        .filter(|block| block.language == "sh")
        .map(|block| block.code);
    let mut in_block = false;
    let text = document.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        in_block ^= fence;
        !in_block && !fence
    });
    let spans = text
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(|span| span.to_owned() + "\n");
    let code: String = shell.chain(spans).collect();
    commands(&code)
}

#[test]
fn commands_and_flags_exist() {
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut seen = 0;
    for page in PAGES {
        for command in commands_of(page) {
            seen += 1;
            let words = command.iter().take_while(|word| is_subcommand(word));
            let words: Vec<String> = words.cloned().collect();
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
    assert!(seen > 60, "{seen}");
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
