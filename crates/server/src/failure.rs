//! Why a command did not do what it was asked, and the exit code that says so.

use std::fmt;
use std::process::ExitCode;

use crate::config::BadSetting;

/// A failed command. It is told in one line on stderr.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or a setting is wrong: exit code 2.
    Usage(String),
    /// It was tried and failed: exit code 1.
    Failed(String),
}

impl Failure {
    /// It was tried and failed.
    pub(crate) fn failed(reason: impl fmt::Display) -> Self {
        Self::Failed(reason.to_string())
    }

    /// What the process ends with.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(reason) | Self::Failed(reason)) = self;
        let mut lines = reason
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        f.write_str(lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| write!(f, " {line}"))
    }
}

impl From<BadSetting> for Failure {
    fn from(bad: BadSetting) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<vintem_domain::Error> for Failure {
    fn from(error: vintem_domain::Error) -> Self {
        match error {
            vintem_domain::Error::Invalid { .. } => Self::Usage(error.to_string()),
            other => Self::failed(other),
        }
    }
}

impl From<vintem_storage::Failure> for Failure {
    fn from(failure: vintem_storage::Failure) -> Self {
        Self::failed(failure)
    }
}
