//! `vintem key`

use serde::Serialize;
use vintem_domain::Owner;
use vintem_domain::key::{self, ApiKey, NewKey, Scope, Scopes};

use crate::cli::{Key as Asked, OwnerArguments};
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

impl From<OwnerArguments> for Owner {
    fn from(arguments: OwnerArguments) -> Self {
        Self {
            account: arguments.account,
            environment: arguments.mode,
        }
    }
}

pub(super) fn run(asked: Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = &shared.ports();
    match asked {
        Asked::Create(asked) => {
            let new = key::create(ports, asked.owner.into(), asked.scopes, asked.expires)?;
            output::print(&Made::new(&new))
        }
        Asked::Roll(asked) => {
            let overlap_ms = i64::try_from(asked.overlap.as_millis()).unwrap_or(i64::MAX);
            let new = key::roll(ports, asked.id, overlap_ms)?;
            output::print(&Made::new(&new))
        }
        Asked::Revoke(asked) => {
            let revoked = key::revoke(ports, asked.id)?;
            output::print(&Listed::new(&revoked, None))
        }
        Asked::List(asked) => {
            let keys = key::list(ports, asked.account)?;
            let listed: Vec<Listed> = keys
                .iter()
                .map(|(key, secret)| Listed::new(key, secret.as_ref()))
                .collect();
            output::print(&listed)
        }
    }
}

/// A key that was just made, with the key itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    id: String,
    key: String,
    mode: &'static str,
    scopes: Vec<&'static str>,
    expires_at: Option<String>,
}

impl Made {
    fn new(new: &NewKey) -> Self {
        Self {
            id: new.key.id.to_string(),
            key: new.secret.reveal().to_owned(),
            mode: new.key.owner.environment.as_str(),
            scopes: names(new.key.scopes),
            expires_at: new.key.expires_at.map(|at| at.to_string()),
        }
    }
}

/// A key in a list. Live ones were shown when they were made.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    key: Option<String>,
    hint: String,
    mode: &'static str,
    scopes: Vec<&'static str>,
    expires_at: Option<String>,
    revoked_at: Option<String>,
    last_used_at: Option<String>,
    created_at: String,
}

impl Listed {
    fn new(key: &ApiKey, secret: Option<&key::Secret>) -> Self {
        Self {
            id: key.id.to_string(),
            key: secret.map(|secret| secret.reveal().to_owned()),
            hint: format!("…{}", key.hint),
            mode: key.owner.environment.as_str(),
            scopes: names(key.scopes),
            expires_at: key.expires_at.map(|at| at.to_string()),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
            last_used_at: key.last_used_at.map(|at| at.to_string()),
            created_at: key.created_at.to_string(),
        }
    }
}

fn names(scopes: Scopes) -> Vec<&'static str> {
    scopes.iter().map(Scope::as_str).collect()
}
