//! A small world for rule tests: the in-memory store, doubles for the other ports, one account.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::account::{self, Account, Environment, NewAccount, Origin, Owner, Policy};
use crate::bill::{BillAmounts, BillCode};
use crate::boleto::{BankCode, FreeField, Title};
use crate::brcode::Location;
use crate::calendar::Time;
use crate::calendar::{BankCalendar, Date};
use crate::charge::{self, Charge, ChargeAmount, Customer, ExpiresIn, NewCharge};
use crate::document::Document;
use crate::error::{Error, ProviderFailure};
use crate::memory::MemoryStore;
use crate::memory::doubles::{CountingIds, NoSignals, OpenCipher, OpenPasswords, StillClock};
use crate::money::Centavos;
use crate::payout::{Payout, PayoutAnswer, PayoutId};
use crate::pix_key::{PixKey, PixKeyKind};
use crate::ports::{Ports, Transact};
use crate::provider::{
    BillProvider, BillTerms, BoletoProvider, BoletoRequest, KeyOwner, PayoutProvider, PixNotice,
    PixProvider, PixRequest, Providers, RegisteredBoleto, ReturnRequest, SlipIssuer,
};
use crate::text::{Email, Name};

/// When every test begins.
pub(crate) const START: i64 = 1_790_000_000_000;

/// What becomes of money that goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Settles,
    Fails,
    /// The call times out, but the money was sent.
    TimesOut,
    /// The call times out, and nothing was received.
    IsLost,
}

/// A bank that does as it is told, and can be switched off.
pub(crate) struct Bank {
    down: AtomicBool,
    fate: Mutex<Fate>,
    /// What it was told to send, and how often.
    pub(crate) sent: Mutex<BTreeMap<PayoutId, (Fate, u32)>>,
}

impl Default for Bank {
    fn default() -> Self {
        Self {
            down: AtomicBool::new(false),
            fate: Mutex::new(Fate::Settles),
            sent: Mutex::default(),
        }
    }
}

impl Bank {
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    pub(crate) fn set_fate(&self, fate: Fate) {
        *self.fate.lock().unwrap() = fate;
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

impl PayoutProvider for Bank {
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        self.answer()?;
        let document = Document::parse(if key.kind() == PixKeyKind::Cpf {
            key.as_str()
        } else {
            "00000000191"
        });
        Ok(Some(KeyOwner {
            document: document.unwrap(),
            name: None,
        }))
    }

    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        let fate = *self.fate.lock().unwrap();
        if fate != Fate::IsLost {
            self.sent
                .lock()
                .unwrap()
                .entry(payout.id)
                .or_insert((fate, 0))
                .1 += 1;
        }
        match fate {
            Fate::Settles | Fate::Fails => Ok(PayoutAnswer::UnderWay),
            Fate::TimesOut | Fate::IsLost => Err(ProviderFailure::Unknown.into()),
        }
    }

    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        Ok(match self.sent.lock().unwrap().get(&payout.id) {
            None => PayoutAnswer::NeverReceived,
            Some((Fate::Fails, _)) => PayoutAnswer::Failed {
                reason: "account closed".to_owned(),
            },
            Some(_) => PayoutAnswer::Settled {
                authentication: payout.authentication(START).unwrap(),
            },
        })
    }
}

impl BoletoProvider for Bank {
    fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error> {
        self.answer()?;
        let title = Title {
            bank: BankCode::parse("001").unwrap(),
            free_field: FreeField::parse("1234567890123456789012345").unwrap(),
            amount: Some(request.amount),
            due_date: Some(request.due_date),
        };
        Ok(RegisteredBoleto {
            wallet: "17".to_owned(),
            our_number: "123".to_owned(),
            barcode: title.barcode().unwrap(),
            location: Location::parse(&format!("bank.example/{}", request.txid)).unwrap(),
        })
    }

    fn slip_issuer(&self) -> SlipIssuer {
        SlipIssuer {
            bank_name: "Bank".to_owned(),
            bank_code: "001-9".to_owned(),
            agency: "1 / 2".to_owned(),
        }
    }
}

impl BillProvider for Bank {
    fn terms(&self, _: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error> {
        self.answer()?;
        let original = bill.amount().unwrap_or(Centavos::ZERO);
        let none = Centavos::ZERO;
        let amounts = BillAmounts {
            original,
            interest: none,
            fine: none,
            discount: none,
            rebate: none,
            total: original,
        };
        Ok(BillTerms {
            bank: None,
            beneficiary: None,
            due_date: bill.due_date(day),
            payable: true,
            amounts,
        })
    }
}

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
