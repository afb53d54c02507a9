//! `vintem backup`

use serde_json::json;

use crate::cli::Backup as Asked;
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let database = installation::open(config)?;
    database.migrate()?;
    database.backup(&asked.to)?;
    let file = asked.to.display().to_string();
    let bytes = std::fs::metadata(&asked.to)
        .map_err(|error| Failure::failed(format!("{file}: {error}")))?
        .len();
    output::print(&json!({ "file": file, "bytes": bytes }))
}
