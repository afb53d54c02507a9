//! The language of the server's messages: it gives errors whose code diesel does not know away by their text alone.

use diesel::dsl::sql;
use diesel::pg::PgConnection;
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, select};

use crate::failure::Failure;

/// Logs a warning when `connection` was not allowed to choose English.
pub(super) fn check(connection: &mut PgConnection) -> Result<(), Failure> {
    let locale =
        select(sql::<Text>("current_setting('lc_messages')")).get_result::<String>(connection)?;
    if !is_english(&locale) {
        tracing::warn!(
            lc_messages = locale,
            "a deadlock or a full disk of the database will be answered 500: its messages are not in English, and this role may not choose their language"
        );
    }
    Ok(())
}

/// Whether messages of this locale are in English. None named is the server's environment, which is not known here.
fn is_english(locale: &str) -> bool {
    let language = locale.split(['_', '.', '-', '@']).next();
    matches!(
        language.map(str::to_ascii_lowercase).as_deref(),
        Some("" | "c" | "posix" | "en" | "english")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_other_languages() {
        for locale in [
            "C",
            "POSIX",
            "C.UTF-8",
            "en_US.UTF-8",
            "en-GB",
            "English_United States.1252",
            "",
        ] {
            assert!(is_english(locale), "{locale}");
        }
        for locale in [
            "pt_BR.UTF-8",
            "ca_ES.UTF-8",
            "Portuguese_Brazil.1252",
            "de_DE",
        ] {
            assert!(!is_english(locale), "{locale}");
        }
    }
}
