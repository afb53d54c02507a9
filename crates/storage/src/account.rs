//! Accounts, users and memberships.

use diesel::prelude::*;
use vintem_domain::account::{
    Account, AccountId, FeeOverrides, LimitOverrides, Membership, User, UserId,
};
use vintem_domain::money::Fee;
use vintem_domain::ports::{AccountRead, AccountTx};
use vintem_domain::text::Email;
use vintem_domain::{Centavos, Error, Time};

use crate::conn::{on, on_locked};
use crate::schema::{accounts, memberships, users};
use crate::value::{Damaged, centavos, document, email, millis, optional, text, time, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = accounts, treat_none_as_default_value = false, treat_none_as_null = true)]
struct AccountRow {
    id: String,
    name: String,
    email: String,
    document: Option<String>,
    city: String,
    address: Option<String>,
    merchant_name: Option<String>,
    suspended_at: Option<i64>,
    pix_fee_fixed: Option<i64>,
    pix_fee_points: Option<i64>,
    checkout_fee_fixed: Option<i64>,
    checkout_fee_points: Option<i64>,
    boleto_fee_fixed: Option<i64>,
    boleto_fee_points: Option<i64>,
    withdrawal_fee_fixed: Option<i64>,
    withdrawal_fee_points: Option<i64>,
    bill_provider_fee_fixed: Option<i64>,
    bill_provider_fee_points: Option<i64>,
    bill_service_fee_fixed: Option<i64>,
    bill_service_fee_points: Option<i64>,
    limit_per_transaction: Option<i64>,
    limit_per_withdrawal: Option<i64>,
    limit_withdrawals_per_day: Option<i64>,
    duplicate_guard_minutes: Option<i64>,
    clock_offset_ms: i64,
    created_at: i64,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        let text = |value: &Option<vintem_domain::text::Name>| {
            value.as_ref().map(|value| value.as_str().to_owned())
        };
        let fees = &account.fees;
        Self {
            id: account.id.0.to_string(),
            name: account.name.as_str().to_owned(),
            email: account.email.as_str().to_owned(),
            document: account.document.as_ref().map(ToString::to_string),
            city: account.city.as_str().to_owned(),
            address: text(&account.address),
            merchant_name: text(&account.merchant_name),
            suspended_at: millis(account.suspended_at),
            pix_fee_fixed: fees.pix.map(Fee::fixed),
            pix_fee_points: fees.pix.map(Fee::basis_points),
            checkout_fee_fixed: fees.checkout.map(Fee::fixed),
            checkout_fee_points: fees.checkout.map(Fee::basis_points),
            boleto_fee_fixed: fees.boleto.map(Fee::fixed),
            boleto_fee_points: fees.boleto.map(Fee::basis_points),
            withdrawal_fee_fixed: fees.withdrawal.map(Fee::fixed),
            withdrawal_fee_points: fees.withdrawal.map(Fee::basis_points),
            bill_provider_fee_fixed: fees.bill_provider.map(Fee::fixed),
            bill_provider_fee_points: fees.bill_provider.map(Fee::basis_points),
            bill_service_fee_fixed: fees.bill_service.map(Fee::fixed),
            bill_service_fee_points: fees.bill_service.map(Fee::basis_points),
            limit_per_transaction: account.limits.per_transaction.map(Centavos::get),
            limit_per_withdrawal: account.limits.per_withdrawal.map(Centavos::get),
            limit_withdrawals_per_day: account.limits.withdrawals_per_day.map(Centavos::get),
            duplicate_guard_minutes: account.duplicate_guard_minutes,
            clock_offset_ms: account.clock_offset_ms,
            created_at: account.created_at.millis(),
        }
    }
}

impl TryFrom<AccountRow> for Account {
    type Error = Damaged;

    fn try_from(row: AccountRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: AccountId(ulid(&row.id)?),
            name: text(&row.name)?,
            email: email(&row.email)?,
            document: optional(row.document, document)?,
            city: text(&row.city)?,
            address: optional(row.address, text)?,
            merchant_name: optional(row.merchant_name, text)?,
            suspended_at: time(row.suspended_at),
            fees: FeeOverrides {
                pix: fee(row.pix_fee_fixed, row.pix_fee_points)?,
                checkout: fee(row.checkout_fee_fixed, row.checkout_fee_points)?,
                boleto: fee(row.boleto_fee_fixed, row.boleto_fee_points)?,
                withdrawal: fee(row.withdrawal_fee_fixed, row.withdrawal_fee_points)?,
                bill_provider: fee(row.bill_provider_fee_fixed, row.bill_provider_fee_points)?,
                bill_service: fee(row.bill_service_fee_fixed, row.bill_service_fee_points)?,
            },
            limits: LimitOverrides {
                per_transaction: centavos(row.limit_per_transaction),
                per_withdrawal: centavos(row.limit_per_withdrawal),
                withdrawals_per_day: centavos(row.limit_withdrawals_per_day),
            },
            duplicate_guard_minutes: row.duplicate_guard_minutes,
            clock_offset_ms: row.clock_offset_ms,
            created_at: Time::from_millis(row.created_at),
        })
    }
}

fn fee(fixed: Option<i64>, points: Option<i64>) -> Result<Option<Fee>, Damaged> {
    match (fixed, points) {
        (Some(fixed), Some(points)) => Fee::new(fixed, points)
            .map(Some)
            .map_err(|_unreadable| Damaged("accounts.*_fee")),
        (None, None) => Ok(None),
        _ => Err(Damaged("accounts.*_fee")),
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = users, treat_none_as_default_value = false)]
struct UserRow {
    id: String,
    email: String,
    password_hash: String,
    created_at: i64,
}

impl From<&User> for UserRow {
    fn from(user: &User) -> Self {
        Self {
            id: user.id.0.to_string(),
            email: user.email.as_str().to_owned(),
            password_hash: user.password_hash.clone(),
            created_at: user.created_at.millis(),
        }
    }
}

impl TryFrom<UserRow> for User {
    type Error = Damaged;

    fn try_from(row: UserRow) -> Result<Self, Damaged> {
        Ok(Self {
            id: UserId(ulid(&row.id)?),
            email: email(&row.email)?,
            password_hash: row.password_hash,
            created_at: Time::from_millis(row.created_at),
        })
    }
}

impl AccountRead for View<'_, '_> {
    fn account(&mut self, id: AccountId) -> Result<Option<Account>, Error> {
        self.one(|conn| {
            on!(conn, c => accounts::table
                .find(id.0.to_string())
                .select(AccountRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn accounts(&mut self) -> Result<Vec<Account>, Error> {
        self.all(|conn| {
            on!(conn, c => accounts::table
                .select(AccountRow::as_select())
                .order(accounts::id)
                .load(c))
        })
    }

    fn user_by_email(&mut self, email: &Email) -> Result<Option<User>, Error> {
        self.one(|conn| {
            on!(conn, c => users::table
                .filter(users::email.eq(email.as_str()))
                .select(UserRow::as_select())
                .get_result(c)
                .optional())
        })
    }
}

impl AccountTx for View<'_, '_> {
    fn account_for_update(&mut self, id: AccountId) -> Result<Option<Account>, Error> {
        self.one(|conn| {
            on_locked!(conn, c => accounts::table
                .find(id.0.to_string())
                .select(AccountRow::as_select()),
                get_result(c).optional())
        })
    }

    fn insert_account(&mut self, account: &Account) -> Result<(), Error> {
        let row = AccountRow::from(account);
        self.write_one(
            "accounts",
            |conn| on!(conn, c => diesel::insert_into(accounts::table).values(&row).execute(c)),
        )
    }

    fn save_account(&mut self, account: &Account) -> Result<(), Error> {
        let row = AccountRow::from(account);
        self.write_one("accounts", |conn| {
            on!(conn, c => diesel::update(accounts::table.find(&row.id)).set(&row).execute(c))
        })
    }

    fn insert_user(&mut self, user: &User) -> Result<bool, Error> {
        let row = UserRow::from(user);
        let rows = self.ask(|conn| {
            on!(conn, c => diesel::insert_into(users::table)
                .values(&row)
                .on_conflict(users::email)
                .do_nothing()
                .execute(c))
        })?;
        Ok(rows == 1)
    }

    fn save_user(&mut self, user: &User) -> Result<(), Error> {
        let row = UserRow::from(user);
        self.write_one("users", |conn| {
            on!(conn, c => diesel::update(users::table.find(&row.id))
                .set((
                    users::email.eq(&row.email),
                    users::password_hash.eq(&row.password_hash),
                ))
                .execute(c))
        })
    }

    fn insert_membership(&mut self, membership: &Membership) -> Result<(), Error> {
        self.write_one("memberships", |conn| {
            on!(conn, c => diesel::insert_into(memberships::table)
                .values((
                    memberships::account.eq(membership.account.0.to_string()),
                    memberships::user_id.eq(membership.user.0.to_string()),
                    memberships::role.eq(membership.role.as_str()),
                ))
                .execute(c))
        })
    }
}
