//! What can go wrong between this crate and a database, in one small type.

use std::fmt;

use diesel::result::{ConnectionError, DatabaseErrorKind, Error};

/// Why the database did not do what it was asked to.
///
/// It can be cloned, because one failed commit is the answer to every unit of work that shared it, and it never carries a
/// password or a stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    kind: Kind,
    message: String,
}

/// The classes of failure that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The address or an option is wrong; trying again will not help.
    Setting,
    /// The database cannot be reached, or the connection was lost.
    Unreachable,
    /// The database is there, but busy or read-only for now.
    Exhausted,
    /// The disk under the database is full, or fails.
    Full,
    /// Two units of work met; running this one again will help.
    Conflict,
    /// A statement was refused or made no sense: a mistake of this program or a damaged database.
    Broken,
}

impl Failure {
    /// A failure of `kind`, told by `message` in one line: libpq's own words come in several.
    pub(crate) fn new(kind: Kind, message: impl AsRef<str>) -> Self {
        let lines: Vec<&str> = message
            .as_ref()
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        Self {
            kind,
            message: lines.join(" "),
        }
    }

    /// A setting that is refused.
    pub(crate) fn setting(message: impl AsRef<str>) -> Self {
        Self::new(Kind::Setting, message)
    }

    /// A connection that could not be opened.
    pub(crate) fn unreachable(message: impl AsRef<str>) -> Self {
        Self::new(Kind::Unreachable, message)
    }

    /// The class of this failure.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the same request may succeed later without anybody changing the program.
    pub fn is_passing(&self) -> bool {
        matches!(
            self.kind,
            Kind::Unreachable | Kind::Exhausted | Kind::Full | Kind::Conflict
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::DatabaseError(kind, information) => {
                Self::new(class(kind, information.message()), information.message())
            }
            other => Self::new(Kind::Broken, other.to_string()),
        }
    }
}

impl From<ConnectionError> for Failure {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::CouldntSetupConfiguration(error) => error.into(),
            other => Self::unreachable(other.to_string()),
        }
    }
}

fn class(kind: DatabaseErrorKind, message: &str) -> Kind {
    match kind {
        DatabaseErrorKind::SerializationFailure => Kind::Conflict,
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => {
            Kind::Unreachable
        }
        DatabaseErrorKind::ReadOnlyTransaction => Kind::Exhausted,
        DatabaseErrorKind::Unknown => class_by_message(message),
        _ => Kind::Broken,
    }
}

/// diesel names only some of the databases' error codes, the rest can be told by their text alone. PostgreSQL is asked for
/// English messages when a connection opens; SQLite knows no other.
fn class_by_message(message: &str) -> Kind {
    const CONFLICT: [&str; 1] = ["deadlock detected"];
    const UNREACHABLE: [&str; 3] = [
        "terminating connection",
        "the database system is",
        "server closed the connection",
    ];
    // A file that may not grow is told as an I/O error.
    const FULL: [&str; 5] = [
        "database or disk is full",
        "disk I/O error",
        "No space left on device",
        "could not extend file",
        "could not write",
    ];
    const EXHAUSTED: [&str; 8] = [
        "database is locked",
        "database table is locked",
        "unable to open database file",
        "attempt to write a readonly database",
        "out of memory",
        "canceling statement due to",
        "too many clients",
        "out of shared memory",
    ];
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    if says(&CONFLICT) {
        Kind::Conflict
    } else if says(&UNREACHABLE) {
        Kind::Unreachable
    } else if says(&FULL) {
        Kind::Full
    } else if says(&EXHAUSTED) {
        Kind::Exhausted
    } else {
        Kind::Broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: DatabaseErrorKind, message: &str) -> Failure {
        Error::DatabaseError(kind, Box::new(message.to_owned())).into()
    }

    #[test]
    fn a_failure_is_one_line() {
        let message = "connection to server failed: Connection refused\n\tIs the server running?\n";
        let failure = Failure::unreachable(message);
        assert_eq!(
            failure.to_string(),
            "connection to server failed: Connection refused Is the server running?"
        );
    }

    #[test]
    fn failures_that_pass_are_told_from_mistakes() {
        let cases = [
            (DatabaseErrorKind::Unknown, "database is locked", true),
            (DatabaseErrorKind::Unknown, "database or disk is full", true),
            (DatabaseErrorKind::Unknown, "deadlock detected", true),
            (
                DatabaseErrorKind::Unknown,
                "canceling statement due to lock timeout",
                true,
            ),
            (DatabaseErrorKind::SerializationFailure, "", true),
            (DatabaseErrorKind::ClosedConnection, "", true),
            (
                DatabaseErrorKind::UniqueViolation,
                "duplicate key value",
                false,
            ),
            (
                DatabaseErrorKind::Unknown,
                "ledger entries are append-only",
                false,
            ),
        ];
        for (kind, message, passing) in cases {
            let failure = failure(kind, message);
            assert_eq!(failure.is_passing(), passing, "{failure:?}");
        }
    }
}
