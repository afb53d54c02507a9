//! `vintem account`

use std::io::Read as _;

use serde::Serialize;
use vintem_domain::account::{
    self, Account, AccountChange, Agreed, FeeOverrides, LimitOverrides, NewAccount, Policy,
};
use vintem_domain::error::{Conflict, Error};
use vintem_domain::money::Fee;
use vintem_domain::{Centavos, Ports};

use crate::adapter::readable;
use crate::cli::{
    Account as Asked, AccountCreate, AccountFees, AccountLimits, AccountUpdate, FeeChange,
    GuardChange, LimitChange,
};
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

/// The shortest password that may be given.
const SHORTEST_PASSWORD: usize = 8;

pub(super) fn run(asked: Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = &shared.ports();
    let account = match asked {
        Asked::Create(asked) => return create(ports, asked),
        Asked::List => return list(ports),
        Asked::Update(asked) => update(ports, asked)?,
        Asked::Show(asked) => account::show(ports, asked.id)?,
        Asked::Suspend(asked) => account::suspend(ports, asked.id, !asked.lift)?,
        Asked::Limits(asked) => limits(ports, &asked)?,
        Asked::Fees(asked) => fees(ports, &asked)?,
    };
    output::print(&Shown::new(&account, ports.policy))
}

#[derive(Serialize)]
struct Created {
    id: String,
    name: String,
    email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

fn create(ports: &Ports, asked: AccountCreate) -> Result<(), Failure> {
    let (password, shown) = if asked.password_stdin {
        (password_from_stdin()?, None)
    } else {
        let made = readable(ports.ids.random());
        (made.clone(), Some(made))
    };
    let new = NewAccount {
        name: asked.name,
        email: asked.email,
        password,
        document: asked.particulars.document,
        city: asked.particulars.city,
        address: asked.particulars.address,
        merchant_name: asked.particulars.merchant_name,
    };
    let account = account::create(ports, &new).map_err(|error| match error {
        Error::Conflict(Conflict::EmailTaken) => {
            Failure::failed(format!("{}: {error}", new.email.as_str()))
        }
        other => other.into(),
    })?;
    output::print(&Created {
        id: account.id.to_string(),
        name: account.name.to_string(),
        email: account.email.as_str().to_owned(),
        password: shown,
    })
}

fn password_from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure::failed(format!("standard input: {error}")))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(Failure::Usage(format!(
            "the password must have at least {SHORTEST_PASSWORD} characters"
        )));
    }
    Ok(password.to_owned())
}

fn list(ports: &Ports) -> Result<(), Failure> {
    let accounts = account::list(ports)?;
    let shown: Vec<Shown> = accounts
        .iter()
        .map(|account| Shown::new(account, ports.policy))
        .collect();
    output::print(&shown)
}

fn update(ports: &Ports, asked: AccountUpdate) -> Result<Account, Failure> {
    let change = AccountChange {
        name: asked.name,
        document: asked.particulars.document,
        city: asked.particulars.city,
        address: asked.particulars.address,
        merchant_name: asked.particulars.merchant_name,
    };
    Ok(account::change(ports, asked.id, &change)?)
}

fn limits(ports: &Ports, asked: &AccountLimits) -> Result<Account, Failure> {
    let changed = |change: Option<LimitChange>, now| change.map_or(now, |LimitChange(to)| to);
    let guard = asked.duplicate_guard_minutes;
    Ok(account::agree(ports, asked.id, |now| Agreed {
        limits: LimitOverrides {
            per_transaction: changed(asked.per_transaction, now.limits.per_transaction),
            per_withdrawal: changed(asked.withdrawal, now.limits.per_withdrawal),
            withdrawals_per_day: changed(asked.withdrawal_per_day, now.limits.withdrawals_per_day),
        },
        duplicate_guard_minutes: guard
            .map_or(now.duplicate_guard_minutes, |GuardChange(minutes)| minutes),
        ..now
    })?)
}

fn fees(ports: &Ports, asked: &AccountFees) -> Result<Account, Failure> {
    let changed = |change: Option<FeeChange>, now| change.map_or(now, |FeeChange(to)| to);
    Ok(account::agree(ports, asked.id, |now| Agreed {
        fees: FeeOverrides {
            pix: changed(asked.pix, now.fees.pix),
            checkout: changed(asked.checkout, now.fees.checkout),
            boleto: changed(asked.boleto, now.fees.boleto),
            withdrawal: changed(asked.withdrawal, now.fees.withdrawal),
            bill_provider: changed(asked.bill_provider, now.fees.bill_provider),
            bill_service: changed(asked.bill_service, now.fees.bill_service),
        },
        ..now
    })?)
}

/// An account as operators see it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    id: String,
    name: String,
    email: String,
    document: Option<String>,
    city: String,
    address: Option<String>,
    merchant_name: Option<String>,
    suspended_at: Option<String>,
    fees: ShownFees,
    limits: ShownLimits,
    created_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownFees {
    pix: ShownFee,
    checkout: ShownFee,
    boleto: ShownFee,
    withdrawal: ShownFee,
    bill_provider: ShownFee,
    bill_service: ShownFee,
}

/// A fee that counts, and whether it was agreed with this account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownFee {
    fixed: i64,
    basis_points: i64,
    agreed: bool,
}

impl ShownFee {
    fn new(agreed: Option<Fee>, otherwise: Fee) -> Self {
        let fee = agreed.unwrap_or(otherwise);
        Self {
            fixed: fee.fixed(),
            basis_points: fee.basis_points(),
            agreed: agreed.is_some(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownLimits {
    per_transaction: ShownLimit,
    withdrawal: ShownLimit,
    withdrawal_per_day: ShownLimit,
    duplicate_guard_minutes: Option<i64>,
}

/// A limit that counts, and whether it was agreed with this account.
#[derive(Serialize)]
struct ShownLimit {
    centavos: i64,
    agreed: bool,
}

impl ShownLimit {
    fn new(agreed: Option<Centavos>, otherwise: Centavos) -> Self {
        Self {
            centavos: agreed.unwrap_or(otherwise).get(),
            agreed: agreed.is_some(),
        }
    }
}

impl Shown {
    fn new(account: &Account, policy: &Policy) -> Self {
        let (fees, limits) = (&account.fees, &account.limits);
        let name = |name: &vintem_domain::text::Name| name.to_string();
        Self {
            id: account.id.to_string(),
            name: name(&account.name),
            email: account.email.as_str().to_owned(),
            document: account.document.as_ref().map(ToString::to_string),
            city: name(&account.city),
            address: account.address.as_ref().map(name),
            merchant_name: account.merchant_name.as_ref().map(name),
            suspended_at: account.suspended_at.map(|at| at.to_string()),
            fees: ShownFees {
                pix: ShownFee::new(fees.pix, policy.fees.pix),
                checkout: ShownFee::new(fees.checkout, policy.fees.checkout),
                boleto: ShownFee::new(fees.boleto, policy.fees.boleto),
                withdrawal: ShownFee::new(fees.withdrawal, policy.fees.withdrawal),
                bill_provider: ShownFee::new(fees.bill_provider, policy.fees.bill_provider),
                bill_service: ShownFee::new(fees.bill_service, policy.fees.bill_service),
            },
            limits: ShownLimits {
                per_transaction: ShownLimit::new(
                    limits.per_transaction,
                    policy.limits.per_transaction,
                ),
                withdrawal: ShownLimit::new(limits.per_withdrawal, policy.limits.per_withdrawal),
                withdrawal_per_day: ShownLimit::new(
                    limits.withdrawals_per_day,
                    policy.limits.withdrawals_per_day,
                ),
                duplicate_guard_minutes: account.duplicate_guard_minutes,
            },
            created_at: account.created_at.to_string(),
        }
    }
}
