//! API keys.

use diesel::prelude::*;
use vintem_domain::account::AccountId;
use vintem_domain::key::{ApiKey, KeyDigest, KeyId, Scopes};
use vintem_domain::ports::{KeyRead, KeyTx};
use vintem_domain::{Error, Time};

use crate::conn::{on, on_locked};
use crate::kept::update;
use crate::schema::api_keys;
use crate::value::{Damaged, bytes32, millis, owner, owner_key, time, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
struct KeyRow {
    account: String,
    environment: String,
    id: String,
    scopes: String,
    digest: Vec<u8>,
    encrypted: Option<Vec<u8>>,
    hint: String,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used_at: Option<i64>,
    created_at: i64,
}

impl From<&ApiKey> for KeyRow {
    fn from(key: &ApiKey) -> Self {
        let (account, environment) = owner_key(key.owner);
        Self {
            account,
            environment: environment.to_owned(),
            id: key.id.0.to_string(),
            scopes: key.scopes.to_string(),
            digest: key.digest.0.to_vec(),
            encrypted: key.encrypted.clone(),
            hint: key.hint.clone(),
            expires_at: millis(key.expires_at),
            revoked_at: millis(key.revoked_at),
            last_used_at: millis(key.last_used_at),
            created_at: key.created_at.millis(),
        }
    }
}

impl TryFrom<KeyRow> for ApiKey {
    type Error = Damaged;

    fn try_from(row: KeyRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: KeyId(ulid(&row.id)?),
            owner: owner(&row.account, &row.environment)?,
            scopes: scopes(&row.scopes)?,
            digest: KeyDigest(bytes32(row.digest)?),
            encrypted: row.encrypted,
            hint: row.hint,
            expires_at: time(row.expires_at),
            revoked_at: time(row.revoked_at),
            last_used_at: time(row.last_used_at),
            created_at: Time::from_millis(row.created_at),
        })
    }
}

fn scopes(stored: &str) -> Result<Scopes, Damaged> {
    if stored.is_empty() {
        return Ok(Scopes::NONE);
    }
    Scopes::parse(stored).map_err(|_unreadable| Damaged("api_keys.scopes"))
}

impl KeyRead for View<'_, '_> {
    fn key_by_digest(&mut self, digest: &KeyDigest) -> Result<Option<ApiKey>, Error> {
        self.one(|conn| {
            on!(conn, c => api_keys::table
                .filter(api_keys::digest.eq(digest.0.as_slice()))
                .select(KeyRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn keys(&mut self, account: AccountId) -> Result<Vec<ApiKey>, Error> {
        self.all(|conn| {
            on!(conn, c => api_keys::table
                .filter(api_keys::account.eq(account.0.to_string()))
                .select(KeyRow::as_select())
                .order(api_keys::id)
                .load(c))
        })
    }
}

impl KeyTx for View<'_, '_> {
    fn key_for_update(&mut self, id: KeyId) -> Result<Option<ApiKey>, Error> {
        self.one(|conn| {
            on_locked!(conn, c => api_keys::table
                .filter(api_keys::id.eq(id.0.to_string()))
                .select(KeyRow::as_select()),
                get_result(c).optional())
        })
    }

    fn insert_key(&mut self, key: &ApiKey) -> Result<(), Error> {
        let row = KeyRow::from(key);
        self.write_one(
            "api_keys",
            |conn| on!(conn, c => diesel::insert_into(api_keys::table).values(&row).execute(c)),
        )
    }

    fn save_key(&mut self, key: &ApiKey) -> Result<(), Error> {
        let (account, environment) = owner_key(key.owner);
        self.write_one("api_keys", |conn| {
            on!(conn, c => diesel::update(api_keys::table.find((&account, environment, key.id.0.to_string())))
                .set((
                    api_keys::expires_at.eq(millis(key.expires_at)),
                    api_keys::revoked_at.eq(millis(key.revoked_at)),
                ))
                .execute(c))
        })
    }

    fn save_key_use(&mut self, id: KeyId, at: Time) -> Result<(), Error> {
        self.ask(|conn| {
            on!(conn, c => update!(
                    api_keys::table,
                    api_keys::id.eq(id.0.to_string()).and(
                        api_keys::last_used_at.is_null().or(api_keys::last_used_at.lt(at.millis())),
                    ) => (api_keys::last_used_at.eq(at.millis()),)
                )
                .execute(c))
        })
        .map(drop)
    }
}
