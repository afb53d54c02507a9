//! The envelope around every answer: `{"data": …, "error": …}`.

use std::fmt;

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::{Serialize, Serializer};
use vintem_domain::Error;

use crate::error::Problem;

#[derive(Serialize)]
struct Envelope<'a, T> {
    data: T,
    error: Option<&'a str>,
}

/// 200 with this data.
pub(crate) fn success(data: &impl Serialize) -> Result<HttpResponse, Problem> {
    enclosed(HttpResponse::Ok(), data)
}

/// The data in its envelope, in an answer that was begun.
pub(crate) fn enclosed(
    mut response: HttpResponseBuilder,
    data: &impl Serialize,
) -> Result<HttpResponse, Problem> {
    let body = serde_json::to_vec(&Envelope { data, error: None })
        .map_err(|error| Error::bug(format!("an answer is no JSON: {error}")))?;
    Ok(response.content_type(ContentType::json()).body(body))
}

/// The message of an error in its envelope, in an answer that was begun.
pub(crate) fn failure(mut response: HttpResponseBuilder, message: &str) -> HttpResponse {
    let envelope = Envelope {
        data: (),
        error: Some(message),
    };
    // Text in a struct of ours is always JSON.
    let body = serde_json::to_vec(&envelope).unwrap_or_default();
    response.content_type(ContentType::json()).body(body)
}

/// What is rendered as it is written: ids, moments.
pub(crate) struct Written<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
