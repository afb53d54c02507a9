//! A small world for rule tests: the in-memory store, doubles for the other ports, one account.

mod bank;

use crate::account::{self, Account, Environment, NewAccount, Origin, Owner, Policy};
use crate::boleto::{self, BoletoAmount, Cep, DueDays, NewBoleto, SlipPayer};
use crate::calendar::{BankCalendar, Time};
use crate::charge::{self, Charge, ChargeAmount, Customer, ExpiresIn, NewCharge};
use crate::document::Document;
use crate::memory::MemoryStore;
use crate::memory::doubles::{CountingIds, NoSignals, OpenCipher, OpenPasswords, StillClock};
use crate::ports::{Ports, Transact};
use crate::provider::{PixNotice, Providers};
use crate::text::{Email, Name};

pub(crate) use bank::{Bank, Fate, MockBank};

/// When every test begins.
pub(crate) const START: i64 = 1_790_000_000_000;

pub(crate) struct World {
    calendar: BankCalendar,
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
        let calendar = BankCalendar::national();
        let ports = ports(&store, &clock, &ids, &bank, (&policy, &calendar));
        let account = account::create(&ports, &new_account("ana@example.com")).unwrap();
        Self {
            calendar,
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
            (&self.policy, &self.calendar),
        )
    }

    /// The same world with another bank.
    pub(crate) fn ports_with<'a>(&'a self, bank: &'a MockBank) -> Ports<'a> {
        let providers = Providers {
            sandbox: bank,
            live: bank,
        };
        Ports {
            providers,
            ..self.ports()
        }
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

    /// A boleto of R$ 100,00.
    pub(crate) fn boleto(&self, environment: Environment) -> Charge {
        let made = boleto::create(
            &self.ports(),
            self.owner(environment),
            Origin::Api,
            &new_boleto(),
            None,
        );
        made.unwrap().object
    }
}

pub(crate) fn new_boleto() -> NewBoleto {
    NewBoleto {
        amount: BoletoAmount::parse(10_000).unwrap(),
        description: None,
        payer: SlipPayer {
            name: Name::parse("Ana Souza").unwrap().unwrap(),
            document: Document::parse("00000000191").unwrap(),
            cep: Cep::parse("01310100").unwrap(),
        },
        due_days: DueDays::DEFAULT,
        pass_fee: false,
        metadata: None,
    }
}

/// The notice of a payment that is right in every way.
pub(crate) fn notice(charge: &Charge, payment: u8) -> PixNotice {
    let id = charge::sandbox_end_to_end_id(Time::from_millis(START), [payment; 32]).unwrap();
    PixNotice {
        txid: charge.txid.clone(),
        payment_id: id.into(),
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
    (policy, calendar): (&'a Policy, &'a BankCalendar),
) -> Ports<'a> {
    let providers = Providers {
        sandbox: bank,
        live: bank,
    };
    Ports {
        calendar,
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

/// Gives a live account this much to spend, by a paid charge; the fee of R$ 0,80 comes off.
pub(crate) fn fund(world: &World, centavos: i64) {
    let owner = world.owner(Environment::Live);
    let made = charge::create(
        &world.ports(),
        owner,
        Origin::Api,
        &new_charge(centavos),
        None,
    )
    .unwrap();
    let nth = u8::try_from(
        world
            .store
            .read(|read| read.head(owner))
            .unwrap()
            .unwrap()
            .ledger_sequence,
    )
    .unwrap();
    charge::receive(&world.ports(), &notice(&made.object, 100 + nth)).unwrap();
}

pub(crate) fn balance(world: &World, environment: Environment) -> i64 {
    world
        .store
        .read(|read| read.head(world.owner(environment)))
        .unwrap()
        .unwrap()
        .available
        .get()
}
