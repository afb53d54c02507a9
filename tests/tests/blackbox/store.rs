//! `GET /v1/store`

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::site::merchant;

vintem_tests::on_both!(an_account_shows_itself);

fn an_account_shows_itself(on: Backend) {
    let merchant = merchant(on);
    assert_eq!(
        merchant.test.store(),
        json!({
            "id": merchant.account, "name": "Café do João", "email": merchant.email, "mode": "test", "devMode": true,
            "balance": 10_000_000, "available": 10_000_000, "tier": "standard",
        })
    );
    assert_eq!(
        merchant.live.store(),
        json!({
            "id": merchant.account, "name": "Café do João", "email": merchant.email, "mode": "live", "devMode": false,
            "balance": 0, "available": 0, "tier": "standard",
        })
    );
}
