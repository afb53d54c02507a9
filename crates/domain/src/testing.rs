//! A small world for rule tests: the in-memory store, doubles for the other ports, one account.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::account::{self, Account, Environment, NewAccount, Origin, Owner, Policy};
use crate::brcode::Location;
use crate::calendar::Time;
use crate::charge::{self, Charge, ChargeAmount, Customer, ExpiresIn, NewCharge};
use crate::error::{Error, ProviderFailure};
use crate::memory::MemoryStore;
use crate::memory::doubles::{CountingIds, NoSignals, OpenCipher, OpenPasswords, StillClock};
use crate::ports::Ports;
use crate::provider::{PixNotice, PixProvider, PixRequest, Providers, ReturnRequest};
use crate::text::{Email, Name};

/// When every test begins.
pub(crate) const START: i64 = 1_790_000_000_000;

/// A bank that does as it is told, and can be switched off.
#[derive(Default)]
pub(crate) struct Bank {
    down: AtomicBool,
}

impl Bank {
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    fn answer(&self) -> Result<(), Error> {
        if self.down.load(Ordering::SeqCst) {
            Err(ProviderFailure::Down.into())
        } else {
            Ok(())
        }
    }
}

impl PixProvider for Bank {
    fn register(&self, request: &PixRequest) -> Result<Location, Error> {
        self.answer()?;
        Ok(Location::parse(&format!("bank.example/{}", request.txid)).unwrap())
    }

    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error> {
        self.answer()?;
        Ok(format!("back:{}", request.return_id))
    }
}

pub(crate) struct World {
    pub(crate) store: MemoryStore,
    pub(crate) clock: StillClock,
    pub(crate) ids: CountingIds,
    pub(crate) bank: Bank,
    policy: Policy,
    pub(crate) account: Account,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = MemoryStore::new();
        let clock = StillClock::at(Time::from_millis(START));
        let ids = CountingIds::default();
        let bank = Bank::default();
        let policy = Policy::DEFAULT;
        let ports = ports(&store, &clock, &ids, &bank, &policy);
        let account = account::create(&ports, &new_account("ana@example.com")).unwrap();
        Self {
            store,
            clock,
            ids,
            bank,
            policy,
            account,
        }
    }

    pub(crate) fn ports(&self) -> Ports<'_> {
        ports(
            &self.store,
            &self.clock,
            &self.ids,
            &self.bank,
            &self.policy,
        )
    }

    pub(crate) fn owner(&self, environment: Environment) -> Owner {
        Owner {
            account: self.account.id,
            environment,
        }
    }

    pub(crate) fn charge(&self, environment: Environment) -> Charge {
        let made = charge::create(
            &self.ports(),
            self.owner(environment),
            Origin::Api,
            &new_charge(4_990),
            None,
        );
        made.unwrap().object
    }
}

/// The notice of a payment that is right in every way.
pub(crate) fn notice(charge: &Charge, payment: u8) -> PixNotice {
    let id = charge::sandbox_end_to_end_id(Time::from_millis(START), [payment; 32]).unwrap();
    PixNotice {
        txid: charge.txid.clone(),
        end_to_end_id: id,
        amount: charge.amount,
        paid_at: charge.created_at,
        payer: charge::sandbox_payer(),
    }
}

fn ports<'a>(
    store: &'a MemoryStore,
    clock: &'a StillClock,
    ids: &'a CountingIds,
    bank: &'a Bank,
    policy: &'a Policy,
) -> Ports<'a> {
    let providers = Providers {
        sandbox: bank,
        live: bank,
    };
    Ports {
        store,
        clock,
        ids,
        cipher: &OpenCipher,
        passwords: &OpenPasswords,
        providers,
        signals: &NoSignals,
        policy,
    }
}

pub(crate) fn new_account(email: &str) -> NewAccount {
    NewAccount {
        name: Name::parse("Padaria São João").unwrap().unwrap(),
        email: Email::parse(email).unwrap(),
        password: "a long password".to_owned(),
        document: None,
        city: None,
        address: None,
        merchant_name: None,
    }
}

pub(crate) fn new_charge(centavos: i64) -> NewCharge {
    NewCharge {
        amount: ChargeAmount::parse(centavos).unwrap(),
        description: None,
        expires_in: ExpiresIn::DEFAULT,
        customer: Customer::default(),
        metadata: None,
        pass_fee: false,
    }
}
