//! What concerns the installation as a whole: the epoch, values kept once, what provider adapters remember.

use diesel::prelude::*;
use vintem_domain::Error;
use vintem_domain::ports::{InstallationRead, InstallationTx};
use vintem_domain::provider::ProviderRecord;

use crate::conn::on;
use crate::kept::kept;
use crate::schema::{epochs, installation_values, provider_records};
use crate::view::View;

impl InstallationRead for View<'_, '_> {
    fn epoch(&mut self) -> Result<i64, Error> {
        self.ask(|conn| on!(conn, c => epochs::table.find(1).select(epochs::epoch).get_result(c)))
    }

    fn provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
    ) -> Result<Option<ProviderRecord>, Error> {
        let row: Option<(i64, String)> = self.ask(|conn| {
            on!(conn, c => provider_records::table
                .find((provider, key))
                .select((provider_records::version, provider_records::body))
                .get_result(c)
                .optional())
        })?;
        Ok(row.map(|(version, body)| ProviderRecord { version, body }))
    }
}

impl InstallationTx for View<'_, '_> {
    fn move_epoch(&mut self) -> Result<(), Error> {
        self.write_one("epochs", |conn| {
            on!(conn, c => diesel::update(epochs::table.find(1))
                .set(epochs::epoch.eq(epochs::epoch + 1))
                .execute(c))
        })
    }

    fn keep_first(&mut self, name: &'static str, value: &[u8]) -> Result<Vec<u8>, Error> {
        self.ask(|conn| {
            on!(conn, c => diesel::insert_into(installation_values::table)
                .values((installation_values::name.eq(name), installation_values::value.eq(value)))
                .on_conflict(installation_values::name)
                .do_nothing()
                .execute(c))
        })?;
        self.ask(|conn| {
            on!(conn, c => installation_values::table
                .find(name)
                .select(installation_values::value)
                .get_result(c))
        })
    }

    fn save_provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error> {
        let version = seen.saturating_add(1);
        let rows = if seen == 0 {
            self.ask(|conn| {
                on!(conn, c => kept!(diesel::insert_into(provider_records::table)
                    .values((
                        provider_records::provider.eq(provider),
                        provider_records::key.eq(key),
                        provider_records::version.eq(version),
                        provider_records::body.eq(body),
                    ))
                    .on_conflict((provider_records::provider, provider_records::key))
                    .do_nothing())
                    .execute(c))
            })?
        } else {
            self.ask(|conn| {
                on!(conn, c => diesel::update(
                        provider_records::table
                            .find((provider, key))
                            .filter(provider_records::version.eq(seen)),
                    )
                    .set((
                        provider_records::version.eq(version),
                        provider_records::body.eq(body),
                    ))
                    .execute(c))
            })?
        };
        Ok(rows == 1)
    }
}
