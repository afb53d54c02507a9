//! Whether a database's schema is the one this program was built for.

use diesel::backend::Backend;
use diesel::migration::MigrationSource;
use diesel::sql_types::Text;
use diesel_migrations::EmbeddedMigrations;

use crate::failure::{Failure, Kind};

/// Where diesel writes down which migrations ran. It is looked for first, because diesel's own questions create it, and several processes
/// that do so at once on PostgreSQL fail.
pub(crate) const TABLE: &str = "__diesel_schema_migrations";

/// What ran.
pub(crate) const APPLIED: &str = "SELECT version FROM __diesel_schema_migrations";

/// A migration that ran.
#[derive(diesel::QueryableByName)]
pub(crate) struct Applied {
    #[diesel(sql_type = Text)]
    version: String,
}

/// What a database's schema is to this program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    /// The one it was built for.
    Current,
    /// Migrations are to come.
    Behind,
}

impl Schema {
    /// Compares what ran with what this program knows.
    ///
    /// Fails on a migration that it does not know: a newer version made it, and may rely on what this one would not keep.
    pub(crate) fn of<DB: Backend>(
        known: &EmbeddedMigrations,
        applied: &[Applied],
    ) -> Result<Self, Failure> {
        let known = MigrationSource::<DB>::migrations(known).map_err(|error| failed(&*error))?;
        let known: Vec<String> = known
            .iter()
            .map(|migration| migration.name().version().to_string())
            .collect();
        let newest = applied
            .iter()
            .map(|applied| &applied.version)
            .filter(|version| !known.contains(version))
            .max();
        if let Some(version) = newest {
            return Err(Failure::setting(format!(
                "the database has migration {version}, which this program does not know: a newer version of it is needed"
            )));
        }
        if applied.len() < known.len() {
            Ok(Self::Behind)
        } else {
            Ok(Self::Current)
        }
    }
}

/// A migration that could not be looked up or run.
pub(crate) fn failed(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    Failure::new(Kind::Broken, format!("migration: {error}"))
}
