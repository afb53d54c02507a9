//! The table of settings in docs/operations.md is this table.

use super::{Flag, SETTINGS, Setting, Unset};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
const BEGIN: &str = "<!-- settings -->\n";
const END: &str = "<!-- /settings -->\n";

fn row(setting: &Setting) -> String {
    let default = match setting.unset {
        Unset::Is("") => "none".to_owned(),
        Unset::Is(text) => format!("`{text}`"),
        Unset::Means(words) => words.to_owned(),
    };
    let flag = match setting.flag {
        Flag::Everywhere => format!("`--{}`", setting.long_flag()),
        Flag::Serve => format!("`serve --{}`", setting.long_flag()),
        Flag::Nowhere => String::new(),
    };
    let lines: Vec<&str> = setting.meaning.iter().map(|line| line.trim()).collect();
    let (variable, meaning) = (setting.variable(), lines.join(" "));
    format!("| `{variable}` | {default} | {flag} | {meaning} |\n")
}

fn table() -> String {
    let rows: String = SETTINGS.iter().map(row).collect();
    format!("| Variable | Default | Flag | What it does |\n|---|---|---|---|\n{rows}")
}

#[test]
fn the_table_of_the_document_is_that_of_the_program() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, rest) = page.split_once(BEGIN).unwrap();
    let (written, _) = rest.split_once(END).unwrap();
    let table = table();
    assert!(
        written == table,
        "between {BEGIN} and {END} docs/operations.md must have:\n\n{table}"
    );
}

#[test]
fn every_variable_in_the_documents_is_a_setting() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let docs = std::fs::read_dir(format!("{root}/docs")).unwrap();
    let pages = docs
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .chain([format!("{root}/README.md").into()]);
    let known: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        for word in words.filter(|word| word.starts_with("VINTEM_")) {
            // The bare prefix, the file's own variable, what is ignored, and a mistake shown as one.
            let other = ["VINTEM_", "VINTEM_CONFIG", "VINTEM_PORT", "VINTEM_LISTN"];
            let foreign = ["VINTEM_TEST_", "VINTEM_SERVICE_"];
            let fits = known.iter().any(|name| name == word)
                || other.contains(&word)
                || foreign.iter().any(|prefix| word.starts_with(prefix));
            assert!(fits, "{}: {word}", page.display());
        }
    }
}
