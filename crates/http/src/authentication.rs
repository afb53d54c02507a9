//! Who calls: the API key of a request.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{HttpMessage, HttpRequest};
use vintem_domain::account::Environment;
use vintem_domain::error::{Error, Forbidden};
use vintem_domain::key::{self, KeyDigest, Principal, Scope};

use crate::client::Network;
use crate::error::{Fault, Problem};
use crate::site::Site;

/// Longer than any key; what is longer is not looked up.
const LONGEST_KEY: usize = 128;

/// The caller of a request, who may do what the scope says: 401, then 403.
pub(crate) async fn caller(
    site: &Site,
    request: &HttpRequest,
    scope: Scope,
) -> Result<Principal, Problem> {
    let principal = match authenticated(site, request).await {
        Ok(principal) => principal,
        Err(Refused::Unknown(fault)) => return Err(failed(site, request, fault)),
        Err(Refused::Otherwise(problem)) => return Err(problem),
    };
    // The log names the account of the request.
    request.extensions_mut().insert(principal.owner);
    site.requests
        .count(principal.key, site.now())
        .map_err(|over| Fault::TooManyRequests(over.retry_after))?;
    if !principal.scopes.contains(scope) {
        return Err(Fault::ScopeMissing(scope.as_str()).into());
    }
    if principal.suspended {
        return Err(Error::Forbidden(Forbidden::AccountSuspended).into());
    }
    Ok(principal)
}

/// As [`caller`], for simulations: a live key may not (decisions §2 puts this before any look at the body).
pub(crate) async fn sandbox_caller(
    site: &Site,
    request: &HttpRequest,
    scope: Scope,
) -> Result<Principal, Problem> {
    let principal = caller(site, request, scope).await?;
    match principal.owner.environment {
        Environment::Sandbox => Ok(principal),
        Environment::Live => Err(Error::Forbidden(Forbidden::SimulationInLive).into()),
    }
}

/// A failed authentication: 401, and 429 when its client had too many of them.
pub(crate) fn failed(site: &Site, request: &HttpRequest, fault: Fault) -> Problem {
    let client = Network::of(request, &site.settings.trusted_proxies);
    match site.failures.count(client, site.now()) {
        Ok(()) => fault.into(),
        Err(over) => Fault::TooManyFailures(over.retry_after).into(),
    }
}

enum Refused {
    /// Nobody we know.
    Unknown(Fault),
    /// We could not find out.
    Otherwise(Problem),
}

async fn authenticated(site: &Site, request: &HttpRequest) -> Result<Principal, Refused> {
    let digest = KeyDigest::of(presented(request.headers()).map_err(Refused::Unknown)?);
    let now = site.now();
    let principal = match site.keys.find(&digest, now) {
        Ok(principal) => principal,
        Err(generation) => {
            let principal = site
                .database(move |ports| key::authenticate(ports, &digest))
                .await
                .map_err(Refused::Otherwise)?
                .ok_or(Refused::Unknown(Fault::KeyInvalid))?;
            site.keys.accept(digest, principal, now, generation);
            principal
        }
    };
    if principal.ends_at.is_some_and(|end| end <= now) {
        return Err(Refused::Unknown(Fault::KeyInvalid));
    }
    Ok(principal)
}

/// The key a request presents, in either header; in both, if they agree. What cannot be a key is not looked up.
fn presented(headers: &HeaderMap) -> Result<&str, Fault> {
    let bearers = headers
        .get_all(AUTHORIZATION)
        .map(|value| value.to_str().ok().and_then(bearer));
    let plain = headers
        .get_all("x-api-key")
        .map(|value| value.to_str().ok().map(str::trim));
    let mut key = None;
    for presented in bearers.chain(plain) {
        let presented = presented.ok_or(Fault::KeyInvalid)?;
        match key {
            None => key = Some(presented),
            Some(first) if first == presented => {}
            Some(_) => return Err(Fault::KeysDiffer),
        }
    }
    let key = key.ok_or(Fault::KeyMissing)?;
    let could_be_one = key.len() <= LONGEST_KEY
        && Environment::ALL.into_iter().any(|environment| {
            key.strip_prefix("svc_")
                .and_then(|rest| rest.strip_prefix(environment.as_str()))
                .is_some_and(|rest| rest.starts_with('_'))
        });
    if could_be_one {
        Ok(key)
    } else {
        Err(Fault::KeyInvalid)
    }
}

/// The credentials of `Bearer <credentials>`; the word is known in any case.
pub(crate) fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, credentials) = authorization.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credentials.trim())
        .filter(|credentials| !credentials.is_empty())
}

#[cfg(test)]
mod tests;
