//! `vintem clock`

use serde::Serialize;
use vintem_domain::account::{self, ClockMove, Environment};

use crate::cli::{Clock as Asked, ClockSet};
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = &shared.ports();
    let id = match asked {
        Asked::Set(asked) => {
            account::move_clock(ports, asked.account, moved(asked)?)?;
            asked.account
        }
        Asked::Show(asked) => asked.account,
    };
    let account = account::show(ports, id)?;
    output::print(&Shown {
        account: id.to_string(),
        now: account
            .time(Environment::Sandbox, ports.clock.now())
            .to_string(),
        ahead_ms: account.clock_offset_ms,
    })
}

/// What the clock shows, and how far it is ahead of real time.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    account: String,
    now: String,
    ahead_ms: i64,
}

fn moved(asked: &ClockSet) -> Result<ClockMove, Failure> {
    match (asked.to, asked.advance, asked.reset) {
        (Some(to), ..) => Ok(ClockMove::To(to)),
        (_, Some(by), _) => Ok(ClockMove::Advance(
            i64::try_from(by.as_millis()).unwrap_or(i64::MAX),
        )),
        (_, _, true) => Ok(ClockMove::Reset),
        (None, None, false) => Err(Failure::Usage("say how to move the clock".to_owned())),
    }
}
