//! Every route there is.

use std::future::{Ready, ready};

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::{App, Error, Handler, Resource, Responder, web};
use actix_web::{FromRequest, HttpResponse};

use crate::error::{Fault, Problem};
use crate::ops;
use crate::psp::stub;
use crate::request::{self, Route};
use crate::rest::{account, bill, boleto, charge, transaction, withdrawal};
use crate::site::TheSite;
use crate::slip;

/// The application that answers with this site.
pub(crate) fn app(
    site: &TheSite,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .app_data(site.clone())
        .configure(|config| {
            rest(config);
            psp(config, site);
            config.service(get_or_head("/boletos/{token}.pdf", slip::show));
            operations(config, site);
        })
        .default_service(web::to(no_route))
        .wrap(from_fn(request::around))
}

fn rest(config: &mut web::ServiceConfig) {
    config
        .service(get("/v1/store", account::store))
        .service(post("/v1/pixQrCode/create", charge::create))
        .service(get("/v1/pixQrCode/check", charge::check))
        .service(post("/v1/pixQrCode/simulate-payment", charge::simulate))
        .service(post("/v1/boleto/create", boleto::create))
        .service(get("/v1/boleto/check", boleto::check))
        .service(post("/v1/boleto/simulate-payment", boleto::simulate))
        .service(post("/v1/boleto/query", bill::query))
        .service(post("/v1/boleto/pay", bill::pay))
        .service(post("/v1/withdraw/create", withdrawal::create))
        .service(get("/v1/transaction/list", transaction::list));
}

fn psp(config: &mut web::ServiceConfig, site: &TheSite) {
    if site.stub.is_some() {
        config
            .service(post("/psp/stub/pix", stub::pix))
            .service(post("/psp/stub/boleto", stub::boleto))
            .service(post("/psp/stub/remove", stub::remove))
            .service(post("/psp/stub/state", stub::state));
    }
}

fn operations(config: &mut web::ServiceConfig, site: &TheSite) {
    config
        .service(get_or_head("/healthz", ops::healthz))
        .service(get_or_head("/readyz", ops::readyz));
    if site.settings.metrics_on_main {
        config.service(get_or_head("/metrics", ops::site_metrics));
    }
}

/// Those who watch whether a service is up, or whether a link still works, often ask with HEAD.
fn get_or_head<F, Args>(path: &'static str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "GET, HEAD")
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
}

fn get<F, Args>(path: &'static str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "GET").route(web::get().to(handler))
}

fn post<F, Args>(path: &'static str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "POST").route(web::post().to(handler))
}

/// A resource that answers methods other than `allowed` with 405.
fn resource(path: &'static str, allowed: &'static str) -> Resource {
    web::resource(path)
        .app_data(Route(path))
        .default_service(web::to(move || wrong_method(allowed)))
}

fn no_route() -> Ready<Result<HttpResponse, Problem>> {
    ready(Err(Fault::NoRoute.into()))
}

fn wrong_method(allowed: &'static str) -> Ready<Result<HttpResponse, Problem>> {
    ready(Err(Fault::WrongMethod(allowed).into()))
}

#[cfg(test)]
mod tests;
