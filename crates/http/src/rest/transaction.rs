//! `GET /v1/transaction/list`

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::Time;
use vintem_domain::key::Scope;
use vintem_domain::transaction::{self, Listing, Page, Transaction, TransactionKind};

use crate::authentication::caller;
use crate::envelope::{Written, enclosed};
use crate::error::Problem;
use crate::query::Query;
use crate::site::TheSite;

/// A line of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line {
    id: String,
    kind: &'static str,
    status: &'static str,
    amount: i64,
    paid_at: Option<Written<Time>>,
}

impl Line {
    fn of(item: &Transaction, now: Time) -> Self {
        Self {
            id: format!("{}{}", TransactionKind::prefix(item.kind), item.id),
            kind: item.kind.as_str(),
            status: item.status_at(now).as_str(),
            amount: item.amount.get(),
            paid_at: item.paid_at.map(Written),
        }
    }

    /// The lines of a page.
    pub(crate) fn all_of(listing: &Listing) -> Vec<Self> {
        listing
            .items
            .iter()
            .map(|item| Self::of(item, listing.now))
            .collect()
    }
}

/// `GET /v1/transaction/list`
pub(crate) async fn list(site: TheSite, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::TransactionRead).await?;
    let query = Query::of(request.query_string());
    let (limit, cursor) = (query.text("limit")?, query.text("cursor")?);
    let page = Page::parse(limit.as_deref(), cursor.as_deref())
        .map_err(|bad| Problem::invalid(bad.field(), bad))?;
    let listing = site
        .database(move |ports| transaction::list(ports, caller.owner, page))
        .await?;
    let mut response = HttpResponse::Ok();
    if let Some(next) = listing.next {
        let (base, limit) = (site.base_url(&request), page.limit);
        response.insert_header((
            header::LINK,
            format!("<{base}/v1/transaction/list?limit={limit}&cursor={next}>; rel=\"next\""),
        ));
    }
    enclosed(response, &Line::all_of(&listing))
}

#[cfg(test)]
mod tests;
