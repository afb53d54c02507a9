//! `GET /v1/store`

use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use vintem_domain::account::{self, Account, AccountId, StoreView};
use vintem_domain::key::Scope;

use crate::authentication::caller;
use crate::envelope::{Written, success};
use crate::error::Problem;
use crate::site::TheSite;

/// The account as its holder sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Store<'a> {
    id: Written<AccountId>,
    name: &'a str,
    email: &'a str,
    mode: &'static str,
    dev_mode: bool,
    balance: i64,
    available: i64,
    tier: &'static str,
}

impl<'a> Store<'a> {
    pub(crate) fn of(view: &'a StoreView) -> Self {
        Self {
            id: Written(view.account.id),
            name: view.account.name.as_str(),
            email: view.account.email.as_str(),
            mode: view.environment.as_str(),
            dev_mode: view.environment.is_sandbox(),
            balance: view.balance.get(),
            available: view.available.get(),
            tier: Account::TIER,
        }
    }
}

/// `GET /v1/store`
pub(crate) async fn store(site: TheSite, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let caller = caller(&site, &request, Scope::StoreRead).await?;
    let view = site
        .database(move |ports| account::store_view(ports, caller.owner))
        .await?;
    success(&Store::of(&view))
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;
    use serde_json::json;

    use crate::fixture::{World, by};

    #[actix_web::test]
    async fn the_account_shows_itself_in_both_environments() {
        let world = World::new();
        let id = world.account.id.to_string();
        for (key, mode, sandbox, money) in [
            (&world.test_key, "test", true, 10_000_000),
            (&world.live_key, "live", false, 0),
        ] {
            let answer = world.send(by(key, Method::GET, "/v1/store")).await;
            assert_eq!(
                answer.data(),
                json!({
                    "id": id, "name": "Café do João", "email": "ana@example.com", "mode": mode, "devMode": sandbox,
                    "balance": money, "available": money, "tier": "standard",
                })
            );
        }
    }
}
