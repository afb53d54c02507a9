//! The frame of the routes that take a body, and of those that make something once for each idempotency key.

use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::id::Ulid;
use vintem_domain::idempotency::{self as keys, Attempt, Made, Route};
use vintem_domain::key::Scope;
use vintem_domain::{Error, Owner, Ports};

use crate::authentication::{caller, sandbox_caller};
use crate::body::{Body, Fields};
use crate::envelope::enclosed;
use crate::error::Problem;
use crate::idempotency;
use crate::site::{Site, TheSite};

/// A request of somebody who may make it, with its body.
pub(crate) struct Call<'a> {
    /// Who calls.
    pub(crate) owner: Owner,
    site: &'a Site,
    request: &'a HttpRequest,
    body: Body,
}

impl<'a> Call<'a> {
    /// Lets the caller in, then receives the body.
    pub(crate) async fn receive(
        site: &'a TheSite,
        request: &'a HttpRequest,
        payload: Payload,
        scope: Scope,
    ) -> Result<Self, Problem> {
        let owner = caller(site, request, scope).await?.owner;
        Self::with_body(owner, site, request, payload).await
    }

    /// As [`Self::receive`], for simulations: a live key may not.
    pub(crate) async fn receive_in_sandbox(
        site: &'a TheSite,
        request: &'a HttpRequest,
        payload: Payload,
        scope: Scope,
    ) -> Result<Self, Problem> {
        let owner = sandbox_caller(site, request, scope).await?.owner;
        Self::with_body(owner, site, request, payload).await
    }

    async fn with_body(
        owner: Owner,
        site: &'a TheSite,
        request: &'a HttpRequest,
        payload: Payload,
    ) -> Result<Self, Problem> {
        let body = Body::receive(request, payload, site.settings.client_request_timeout).await?;
        Ok(Self {
            owner,
            site,
            request,
            body,
        })
    }

    /// The fields of the body.
    pub(crate) fn fields(&self) -> Result<Fields<'_>, Problem> {
        self.body.fields()
    }

    /// Makes what the fields ask for; or, when an earlier request with the same idempotency key made it, finds that
    /// again. The look for it comes after the body is known to be JSON and before the rules of its fields (decisions §2),
    /// and needs no provider.
    pub(crate) async fn once<New, T: Send + 'static>(
        &self,
        route: Route,
        find: fn(&Ports, Owner, Ulid) -> Result<T, Error>,
        read: fn(&Fields<'_>) -> Result<New, Problem>,
        make: impl AsyncFnOnce(New, Option<Attempt>) -> Result<Made<T>, Problem>,
    ) -> Result<Made<T>, Problem> {
        let fields = self.fields()?;
        let attempt = idempotency::attempt(self.request, &self.body)?;
        if let Some(attempt) = attempt.clone()
            && let Some(object) = self.earlier(route, find, attempt).await?
        {
            return Ok(Made {
                object,
                repeated: true,
            });
        }
        make(read(&fields)?, attempt).await
    }

    async fn earlier<T: Send + 'static>(
        &self,
        route: Route,
        find: fn(&Ports, Owner, Ulid) -> Result<T, Error>,
        attempt: Attempt,
    ) -> Result<Option<T>, Problem> {
        let owner = self.owner;
        self.site
            .database(move |ports| {
                keys::earlier(ports, owner, route, &attempt)?
                    .map(|id| find(ports, owner, id))
                    .transpose()
            })
            .await
    }
}

/// The answer with what was made, which says when an earlier request made it.
pub(crate) fn made<T>(made: &Made<T>, shape: &impl Serialize) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::Ok();
    if made.repeated {
        response.insert_header(idempotency::REPLAYED);
    }
    enclosed(response, shape)
}
