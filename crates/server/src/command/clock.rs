//! `vintem clock`

use serde_json::json;
use vintem_domain::account::{self, AccountId, ClockMove};
use vintem_domain::{Ports, Time};

use crate::cli::{Clock as Asked, ClockSet};
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: &Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = &shared.ports();
    match asked {
        Asked::Set(asked) => {
            let shown = account::move_clock(ports, asked.account, moved(asked)?)?;
            print(ports, asked.account, shown)
        }
        Asked::Show(asked) => {
            let shown = account::clock(ports, asked.account)?;
            print(ports, asked.account, shown)
        }
    }
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

/// What the clock shows, and real time beside it.
fn print(ports: &Ports, account: AccountId, shown: Time) -> Result<(), Failure> {
    let real = ports.clock.now();
    output::print(&json!({
        "account": account.to_string(),
        "now": shown.to_string(),
        "realTime": real.to_string(),
    }))
}
