//! What is done around every request: its id, its line in the log, its place in the metrics.

use std::time::{Duration, Instant};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage};
use tracing::Instrument;
use vintem_domain::Owner;

use crate::error::Problem;
use crate::site::{Site, TheSite};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The template of a route, put beside its handler: the label of its metrics.
#[derive(Clone, Copy)]
pub(crate) struct Route(pub(crate) &'static str);

/// Gives the request its id, answers it, and tells log and metrics.
pub(crate) async fn around<B: MessageBody>(
    site: TheSite,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let begun = Instant::now();
    let id = id_of(&site, &request);
    let span = tracing::debug_span!("request", id = id.to_str().unwrap_or_default());
    let mut response = next.call(request).instrument(span).await?;
    tell(&site, &response, &id, begun.elapsed());
    response.headers_mut().insert(REQUEST_ID, id);
    Ok(response)
}

/// The caller's id if it is 1 to 128 visible ASCII characters, else a new one.
fn id_of(site: &Site, request: &ServiceRequest) -> HeaderValue {
    let mut told = request.headers().get_all(&REQUEST_ID);
    if let Some(id) = told.next()
        && told.next().is_none()
        && (1..=128).contains(&id.len())
        && id.as_bytes().iter().all(u8::is_ascii_graphic)
    {
        return id.clone();
    }
    let id = site.ports().ids.ulid().to_string();
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("-"))
}

fn tell<B>(site: &Site, response: &ServiceResponse<B>, id: &HeaderValue, took: Duration) {
    let request = response.request();
    let route = request
        .app_data::<Route>()
        .map_or("unknown", |Route(template)| template);
    let status = response.status();
    let method = known(request.method());
    site.metrics.answered(route, method, status, took);
    let problem = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Problem>());
    let id = id.to_str().unwrap_or_default();
    let owner = request.extensions().get::<Owner>().copied();
    let account = || owner.map(|owner| owner.account.to_string());
    let code = problem.map(Problem::code);
    let status = status.as_u16();
    let micros = took.as_micros();
    match problem.filter(|problem| is_ours(problem)) {
        Some(problem) if status == StatusCode::INTERNAL_SERVER_ERROR.as_u16() => {
            tracing::error!(
                id,
                account = account(),
                method,
                route,
                status,
                code,
                cause = problem.cause(),
                "request failed"
            );
        }
        Some(problem) => {
            tracing::warn!(
                id,
                account = account(),
                method,
                route,
                status,
                code,
                cause = problem.cause(),
                "request failed"
            );
        }
        None => {
            tracing::debug!(
                id,
                account = account(),
                method,
                route,
                status,
                code,
                micros,
                "request answered"
            );
        }
    }
}

/// Whether the operator should hear of it.
fn is_ours(problem: &Problem) -> bool {
    use actix_web::ResponseError;
    problem.status_code().is_server_error()
}

/// The method if it is one of HTTP's own: callers can invent others, and each would be a metric of its own.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
