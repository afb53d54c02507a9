//! What withdrawals and third-party payments have in common.

use vintem_domain::idempotency::{self as keys, Attempt, Made, Route};
use vintem_domain::payout::{Payout, PayoutId};
use vintem_domain::{Error, Owner, Ports, withdrawal};

/// The payout an earlier request with this key made. This look comes before the field rules, and needs no provider.
pub(crate) fn earlier(
    ports: &Ports,
    owner: Owner,
    route: Route,
    attempt: &Attempt,
) -> Result<Option<Made<Payout>>, Error> {
    let Some(id) = keys::earlier(ports, owner, route, attempt)? else {
        return Ok(None);
    };
    let object = withdrawal::show(ports, owner, PayoutId(id))?;
    Ok(Some(Made {
        object,
        repeated: true,
    }))
}
