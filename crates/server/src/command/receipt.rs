//! `vintem receipt`

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::json;
use vintem_domain::receipt;
use vintem_http::{LiveBank, receipt_pdf};

use crate::cli::Receipt as Asked;
use crate::config::{Config, Provider};
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let receipt = receipt::receipt(&shared.ports(), asked.id)?;
    let bank = match config.provider {
        Provider::Stub => LiveBank::Play,
    };
    let pdf = receipt_pdf(&receipt, bank)?;
    write_new(&asked.to, &pdf)?;
    output::print(&json!({
        "id": receipt.id,
        "file": asked.to.display().to_string(),
    }))
}

/// Writes a new file, which only its owner can read: it says who paid whom. A failed attempt leaves nothing behind.
fn write_new(to: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let shown = to.display();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::failed(format!(
            "{shown} exists already; a receipt never overwrites a file"
        )),
        _ => Failure::failed(format!("{shown}: {error}")),
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // What is left is no receipt.
        let _ = fs::remove_file(to);
        Failure::failed(format!("{shown}: {error}"))
    })
}
