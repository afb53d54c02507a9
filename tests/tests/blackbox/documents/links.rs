//! Links between the documents lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All documents: those at the top, and those under `docs`.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in [root(), root().join("docs"), root().join("docs/adr")] {
        let files = fs::read_dir(folder).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    pages
}

/// The text of a page without its blocks of code.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap_or_default();
    text.split("\n```").step_by(2).collect()
}

/// What `#` can name in a page: its headings, as they are written in addresses.
fn anchors(page: &Path) -> BTreeSet<String> {
    prose(page)
        .lines()
        .filter(|line| line.starts_with('#'))
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' '))
        .map(|heading| {
            let kept = heading.to_lowercase().replace(' ', "-");
            kept.chars()
                .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
                .collect()
        })
        .collect()
}

/// What stands in the round brackets of all links.
fn links(text: &str) -> Vec<&str> {
    let ends = text.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
        .collect()
}

#[test]
fn no_link_is_dead() {
    let mut seen = 0;
    for page in pages() {
        let text = prose(&page);
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            assert!(
                anchor.is_empty() || anchors(&target).contains(anchor),
                "{}: {link}",
                page.display()
            );
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn the_readme_leads_to_every_page() {
    let readme = prose(&root().join("README.md"));
    let links = links(&readme);
    for page in fs::read_dir(root().join("docs")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        let path = format!("docs/{name}");
        assert!(links.contains(&path.as_str()), "{path}");
    }
}
