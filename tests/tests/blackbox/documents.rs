//! The documents: what they show works as it is shown.

mod commands;
mod figures;
mod links;
mod refusals;
mod replay;
mod restore;
mod states;
mod webhooks;

use std::fs;
use std::path::PathBuf;

/// A document, by its path in the repository.
fn document(path: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A block of code in a document.
struct Block {
    /// What stands behind the fence, such as `sh`.
    language: String,
    /// Its lines, each with its end.
    code: String,
}

/// All blocks of code, in order.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in document.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                let language = language.to_owned();
                let code = String::new();
                open = Some(Block { language, code });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of code has no end");
    blocks
}

/// The code whose first line names this file.
#[track_caller]
fn snippet(document: &str, file: &str) -> String {
    let mut named = blocks(document)
        .into_iter()
        .filter(|block| {
            let first = block.code.lines().next().unwrap_or_default();
            first.contains(&format!(" {file}"))
        })
        .map(|block| block.code);
    let found = named
        .next()
        .unwrap_or_else(|| panic!("no block of code is {file}"));
    assert!(named.next().is_none(), "{file} is there twice");
    found
}

/// The cells of the table with this header, row by row.
#[track_caller]
fn table(document: &str, header: &[&str]) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = document
        .lines()
        .skip_while(|line| cells(line) != header)
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .peekable();
    assert!(lines.peek().is_some(), "there is no table of {header:?}");
    lines.collect()
}
