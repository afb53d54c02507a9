//! Objects with sane contents. Every call gives new identifiers.

use std::sync::atomic::{AtomicU64, Ordering};

use vintem_domain::account::{
    Account, AccountId, FeeOverrides, LimitOverrides, Origin, User, UserId,
};
use vintem_domain::bill::{BillAmounts, BillCode, ExternalId, Quote, QuoteId};
use vintem_domain::boleto::{BankCode, Barcode, Cep, FreeField, Slip, SlipPayer, Title};
use vintem_domain::brcode::{EndToEndId, TxId};
use vintem_domain::calendar::Date;
use vintem_domain::charge::{
    Charge, ChargeId, ChargeKind, Customer, Payment, PaymentId, Receipt, Return, ReturnKey,
    ReturnReason, ReturnState, Status,
};
use vintem_domain::document::Document;
use vintem_domain::event::{Event, EventId, EventKind};
use vintem_domain::id::Ulid;
use vintem_domain::key::{ApiKey, KeyDigest, KeyId, Scopes};
use vintem_domain::ledger::{EntryId, EntryKind, Head, LedgerAccount, Movement, PostingSet};
use vintem_domain::payout::{
    BillOrder, Payout, PayoutId, PayoutStatus, Phase, Purpose, Step, Withdrawal,
};
use vintem_domain::ports::{Store, Transact};
use vintem_domain::provider::{KeyOwner, Payer};
use vintem_domain::refund::{Refund, RefundId};
use vintem_domain::text::{Email, Name};
use vintem_domain::webhook::{Delivery, Endpoint, WebhookUrl};
use vintem_domain::{Centavos, Environment, Owner, Time};

/// A number nobody had before.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A ULID later than those before.
pub(crate) fn ulid() -> Ulid {
    let number = number();
    Ulid::from_parts(1_790_000_000_000 + number, u128::from(number))
}

/// So many milliseconds after a moment in 2026.
pub(crate) fn at(millis: i64) -> Time {
    Time::from_millis(1_790_000_000_000 + millis)
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap().unwrap()
}

/// 32 bytes nobody had before.
pub(crate) fn digest() -> [u8; 32] {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&number().to_be_bytes());
    bytes
}

pub(crate) fn owner() -> Owner {
    Owner {
        account: AccountId(ulid()),
        environment: Environment::Live,
    }
}

/// The other environment of the same account.
pub(crate) fn other_environment(owner: Owner) -> Owner {
    let environment = match owner.environment {
        Environment::Live => Environment::Sandbox,
        Environment::Sandbox => Environment::Live,
    };
    Owner {
        environment,
        ..owner
    }
}

pub(crate) fn account() -> Account {
    Account {
        id: AccountId(ulid()),
        name: name("Loja da Ana"),
        email: Email::parse("ana@example.com").unwrap(),
        document: None,
        city: name("SAO PAULO"),
        address: None,
        merchant_name: None,
        suspended_at: None,
        fees: FeeOverrides::default(),
        limits: LimitOverrides::default(),
        duplicate_guard_minutes: None,
        clock_offset_ms: 0,
        created_at: at(0),
    }
}

/// An account in the store, for what refers to one.
pub(crate) fn kept_account(store: &dyn Store) -> Account {
    let account = account();
    store.transact(|tx| tx.insert_account(&account)).unwrap();
    account
}

pub(crate) fn user() -> User {
    User {
        id: UserId(ulid()),
        email: Email::parse(&format!("user{}@example.com", number())).unwrap(),
        password_hash: "$argon2id$v=19$…".to_owned(),
        created_at: at(3),
    }
}

pub(crate) fn key(account: AccountId, environment: Environment) -> ApiKey {
    ApiKey {
        id: KeyId(ulid()),
        owner: Owner {
            account,
            environment,
        },
        scopes: Scopes::all(),
        digest: KeyDigest(digest()),
        encrypted: None,
        hint: "ab2c".to_owned(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        created_at: at(5),
    }
}

pub(crate) fn charge(owner: Owner) -> Charge {
    Charge {
        id: ChargeId(ulid()),
        kind: ChargeKind::PixQrCode,
        owner,
        origin: Origin::Api,
        amount: Centavos::new(5_000),
        net_amount: Centavos::new(4_920),
        description: None,
        customer: Customer::default(),
        metadata: None,
        txid: TxId::from_bytes(&digest()),
        br_code: "00020101021226…6304ABCD".to_owned(),
        expires_at: at(86_400_000),
        created_at: at(0),
        status: Status::Pending,
    }
}

/// A title nobody had before.
pub(crate) fn barcode() -> Barcode {
    let title = Title {
        bank: BankCode::parse("999").unwrap(),
        free_field: FreeField::parse(&format!("{:025}", number())).unwrap(),
        amount: Some(Centavos::new(5_000)),
        due_date: Some(Date::from_parts(2026, 9, 24).unwrap()),
    };
    title.barcode().unwrap()
}

pub(crate) fn slip() -> Slip {
    Slip {
        payer: SlipPayer {
            name: name("José D'Ávila"),
            document: Document::parse("52998224725").unwrap(),
            cep: Cep::parse("01310100").unwrap(),
        },
        wallet: "09".to_owned(),
        our_number: format!("{:011}", number()),
        barcode: barcode(),
        due_date: Date::from_parts(2026, 9, 24).unwrap(),
        pdf_token: format!("{:032x}", number()),
    }
}

pub(crate) fn boleto(owner: Owner, slip: Slip) -> Charge {
    Charge {
        kind: ChargeKind::Boleto(Box::new(slip)),
        ..charge(owner)
    }
}

pub(crate) fn withdrawal(owner: Owner) -> Payout {
    Payout {
        id: PayoutId(ulid()),
        owner,
        origin: Origin::Api,
        purpose: Purpose::Withdrawal(Withdrawal {
            pix_key: "ana@example.com".to_owned(),
            pix_key_kind: "EMAIL",
            beneficiary_name: None,
            description: None,
            payee: KeyOwner {
                document: Document::parse("00000000191").unwrap(),
                name: None,
            },
        }),
        amount: Centavos::new(1_000),
        net_amount: Centavos::new(900),
        fee: Centavos::new(100),
        status: PayoutStatus::Pending,
        step: Step {
            phase: Phase::Unsent,
            tries: 0,
            due_at: at(0),
        },
        created_at: at(0),
    }
}

pub(crate) fn bill_payment(owner: Owner) -> Payout {
    Payout {
        purpose: Purpose::Bill(BillOrder {
            quote: QuoteId(ulid()),
            barcode: barcode().as_str().to_owned(),
            external_id: ExternalId::parse("conta 7 – ção").unwrap(),
        }),
        net_amount: Centavos::new(1_000),
        ..withdrawal(owner)
    }
}

/// The payout when its money has arrived.
pub(crate) fn settled(payout: Payout) -> Payout {
    let status = PayoutStatus::Paid {
        at: at(2_000),
        authentication: end_to_end_id().to_string(),
    };
    ended(payout, status)
}

/// The payout when its money has come back.
pub(crate) fn failed(payout: Payout) -> Payout {
    let status = PayoutStatus::Failed {
        at: at(2_000),
        reason: "conta encerrada".to_owned(),
    };
    ended(payout, status)
}

fn ended(payout: Payout, status: PayoutStatus) -> Payout {
    let step = Step {
        phase: Phase::Over,
        tries: 3,
        ..payout.step
    };
    Payout {
        status,
        step,
        ..payout
    }
}

pub(crate) fn refund_of(owner: Owner) -> Refund {
    Refund {
        id: RefundId(ulid()),
        owner,
        charge: ChargeId(ulid()),
        payment_id: end_to_end_id(),
        amount: Centavos::new(1_234),
        reason: None,
        status: PayoutStatus::Pending,
        step: Step {
            phase: Phase::Unsent,
            tries: 0,
            due_at: at(0),
        },
        created_at: at(5),
    }
}

pub(crate) fn quote(owner: Owner) -> Quote {
    Quote {
        id: QuoteId(ulid()),
        owner,
        code: BillCode::Boleto(barcode()),
        bank: Some("Banco do Povo".to_owned()),
        beneficiary: Some("Sandbox Beneficiary".to_owned()),
        due_date: Date::from_parts(2026, 9, 1).unwrap(),
        payable: true,
        amounts: BillAmounts {
            original: Centavos::new(5_000),
            interest: Centavos::new(33),
            fine: Centavos::new(100),
            discount: Centavos::new(5),
            rebate: Centavos::new(7),
            total: Centavos::new(5_121),
        },
        provider_fee: Centavos::new(60),
        service_fee: Centavos::new(90),
        expires_at: at(300_000),
        created_at: at(0),
    }
}

pub(crate) fn end_to_end_id() -> PaymentId {
    EndToEndId::parse(&format!("E00000000202609211413{:011}", number()))
        .unwrap()
        .into()
}

pub(crate) fn payer() -> Payer {
    Payer {
        name: Some("José da Silva".to_owned()),
        document: Some("***.456.789-**".to_owned()),
        bank: None,
    }
}

pub(crate) fn payment() -> Payment {
    Payment {
        paid_at: at(60_000),
        payer: payer(),
        end_to_end_id: end_to_end_id(),
    }
}

pub(crate) fn receipt(charge: &Charge) -> Receipt {
    Receipt {
        owner: charge.owner,
        charge: charge.id,
        end_to_end_id: end_to_end_id(),
        amount: charge.amount,
        paid_at: at(60_000),
        payer: payer(),
        returned: None,
        received_at: at(60_100),
    }
}

pub(crate) fn returned(charge: &Charge, due_at: Time) -> Return {
    Return {
        id: ReturnKey(ulid()),
        owner: charge.owner,
        charge: charge.id,
        end_to_end_id: end_to_end_id(),
        amount: charge.amount,
        reason: ReturnReason::Late,
        state: ReturnState::Open,
        tries: 0,
        due_at,
        created_at: at(60_000),
    }
}

pub(crate) fn movement(available: i64, reference: Ulid) -> Movement {
    let postings = PostingSet::balanced(&[
        (LedgerAccount::Available, Centavos::new(available)),
        (LedgerAccount::Fees, Centavos::new(80)),
        (LedgerAccount::Clearing, Centavos::new(-available - 80)),
    ]);
    Movement {
        id: EntryId(ulid()),
        kind: EntryKind::ChargePaid,
        reference,
        postings: postings.unwrap(),
        at: at(7),
    }
}

/// The head of a new ledger, in the store.
pub(crate) fn kept_head(store: &dyn Store, owner: Owner) -> Head {
    let head = Head::empty(owner);
    store.transact(|tx| tx.insert_head(&head)).unwrap();
    head
}

pub(crate) fn event(owner: Owner, sequence: i64) -> Event {
    Event {
        id: EventId(ulid()),
        owner,
        sequence,
        kind: EventKind::PixQrCodePaid,
        object: ulid(),
        body: format!("{{\"sequence\":{sequence},\"metadata\":{{\"ção\":\"\\u0000\"}}}}"),
        recorded_at: at(sequence),
    }
}

/// An event in the store, with a delivery that is due at a moment.
pub(crate) fn kept_delivery(
    store: &dyn Store,
    owner: Owner,
    sequence: i64,
    due_at: Time,
) -> Delivery {
    let event = event(owner, sequence);
    let delivery = Delivery::new(owner, event.id, due_at);
    store
        .transact(|tx| {
            tx.insert_event(&event)?;
            tx.insert_delivery(&delivery)
        })
        .unwrap();
    delivery
}

pub(crate) fn endpoint(owner: Owner) -> Endpoint {
    Endpoint {
        owner,
        url: WebhookUrl::parse("https://example.com/hook?a=b").unwrap(),
        sealed_secret: vec![0, 1, 2, 255],
        previous: None,
        disabled: None,
        failing_since: None,
        created_at: at(9),
    }
}
