//! What commands print: one JSON document on stdout, pretty where a person reads it.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Prints a result.
pub(crate) fn print(result: &impl Serialize) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() {
        serde_json::to_string_pretty(result)
    } else {
        serde_json::to_string(result)
    };
    print_line(&text.map_err(Failure::failed)?)
}

/// Prints a line as it is.
pub(crate) fn print_line(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::failed(format!("stdout: {error}")))
}

/// Says why a command failed, on stderr.
pub(crate) fn complain(failure: &Failure) {
    // Nobody is left to be told when stderr is closed.
    let _ = writeln!(io::stderr(), "vintem: {failure}");
}
