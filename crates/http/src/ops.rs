//! What operators and their machines ask: is it alive, is it ready, how is it doing.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, web};
use serde::Serialize;
use vintem_domain::Error;

use crate::envelope::success;
use crate::error::{Fault, Problem};
use crate::metrics::Metrics;
use crate::site::TheSite;

/// What Prometheus calls the form of the metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Says whether requests can be served.
pub trait Readiness: Send + Sync {
    /// Asks the database whether it is there and migrated. It may block.
    ///
    /// # Errors
    /// Why not, for the log.
    fn check(&self) -> Result<(), String>;
}

#[derive(Serialize)]
struct Condition {
    status: &'static str,
}

/// `GET /healthz`: the process is alive.
pub(crate) fn healthz() -> Ready<Result<HttpResponse, Problem>> {
    ready(success(&Condition { status: "alive" }))
}

/// `GET /readyz`: requests can be served.
pub(crate) async fn readyz(site: TheSite) -> Result<HttpResponse, Problem> {
    let readiness = Arc::clone(&site.readiness);
    let asked = site.database(move |_| {
        readiness
            .check()
            .map_err(|why| Error::Unavailable(why.into()))
    });
    match tokio::time::timeout(site.settings.readiness_timeout, asked).await {
        Ok(Ok(())) => success(&Condition { status: "ready" }),
        Ok(Err(problem)) => {
            Err(Problem::from(Fault::NotReady).because(problem.cause().to_owned().into()))
        }
        Err(_elapsed) => {
            Err(Problem::from(Fault::NotReady).because("the database does not answer".into()))
        }
    }
}

/// `GET /metrics` beside the API.
pub(crate) async fn site_metrics(site: TheSite) -> Result<HttpResponse, Problem> {
    shown(Arc::clone(&site.metrics)).await
}

/// `GET /metrics` on a listener of its own.
pub(crate) async fn metrics(metrics: web::Data<Metrics>) -> Result<HttpResponse, Problem> {
    shown(metrics.into_inner()).await
}

async fn shown(metrics: Arc<Metrics>) -> Result<HttpResponse, Problem> {
    let text = tokio::task::spawn_blocking(move || metrics.text())
        .await
        .map_err(|error| Error::bug(format!("metrics: {error}")))?
        .map_err(|error| Error::bug(format!("metrics: {error}")))?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, HeaderValue::from_static(OPEN_METRICS)))
        .body(text))
}
