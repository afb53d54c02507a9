//! Keeping the last figures in a document.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// What stands before the figures.
const BEGIN: &str = "<!-- figures: written by `make bench` -->\n";
/// What stands after them.
const END: &str = "<!-- end of figures -->\n";

/// Puts the figures between the marks of the document, in place of what stood there.
pub(crate) fn keep(file: &Path, figures: &str) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let text = replaced(&text, figures)
        .with_context(|| format!("{} has no place for figures", file.display()))?;
    fs::write(file, text).with_context(|| file.display().to_string())
}

fn replaced(text: &str, figures: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{figures}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_replace_those_of_the_last_run_and_nothing_else() {
        let text = format!("one\n{BEGIN}old\n{END}two\n");
        let kept = replaced(&text, "new\n").unwrap();
        assert_eq!(kept, format!("one\n{BEGIN}new\n{END}two\n"));
        assert!(replaced("one\ntwo\n", "new\n").is_none());
    }
}
