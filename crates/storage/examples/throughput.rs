//! How many charges a database takes: `cargo run --release -p vintem-storage --example throughput -- URL [THREADS] [SECONDS] [WHAT]`.
//!
//! `creations` read the account and insert the charge; `payments` are a creation and then receipt, ledger entry, event and delivery in one
//! unit of work. Without WHAT both are measured. Every commit is durable. The database should be empty and is not cleaned up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use vintem_domain::account::{Account, AccountId, FeeOverrides, LimitOverrides, Origin};
use vintem_domain::brcode::{EndToEndId, TxId};
use vintem_domain::charge::{Charge, ChargeId, ChargeKind, Customer, Payment, Receipt, Status};
use vintem_domain::event::{Event, EventId, EventKind};
use vintem_domain::id::Ulid;
use vintem_domain::ledger::{EntryId, EntryKind, Head, LedgerAccount, Movement, PostingSet};
use vintem_domain::ports::{Store, Transact};
use vintem_domain::provider::Payer;
use vintem_domain::text::{Email, Name};
use vintem_domain::webhook::{Delivery, Endpoint, WebhookUrl};
use vintem_domain::{Centavos, Environment, Error, Owner, Time};
use vintem_storage::{Database, Options};

type Anything = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Anything> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("which database?")?;
    let threads: usize = arguments.next().map_or(Ok(16), |text| text.parse())?;
    let seconds: u64 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let only = arguments.next();
    let wanted = |what| only.as_deref().is_none_or(|only| only == what);
    let database = Database::open(&url, &Options::default())?;
    database.migrate()?;
    for accounts in [1, 100] {
        let owners = make_accounts(&database, accounts)?;
        if wanted("creations") {
            measure(&database, "creations", &owners, threads, seconds, create)?;
        }
        if wanted("payments") {
            measure(
                &database,
                "payments",
                &owners,
                threads,
                seconds,
                |store, owner| pay(store, create(store, owner)?),
            )?;
        }
    }
    Ok(())
}

fn measure<T>(
    database: &Database,
    what: &str,
    owners: &[Owner],
    threads: usize,
    seconds: u64,
    work: impl Fn(&dyn Store, Owner) -> Result<T, Error> + Sync,
) -> Result<(), Anything> {
    let done = AtomicU64::new(0);
    let batches = database.stats().batches.load(Ordering::Relaxed);
    let units = database.stats().units.load(Ordering::Relaxed);
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds);
    thread::scope(|scope| -> Result<(), Anything> {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (done, work) = (&done, &work);
                scope.spawn(move || -> Result<(), Error> {
                    let mut turn = thread;
                    while Instant::now() < end {
                        turn += 1;
                        work(database, owners[turn % owners.len()])?;
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_panic| "a worker panicked")??;
        }
        Ok(())
    })?;
    let rate = u128::from(done.load(Ordering::Relaxed)) * 1_000 / start.elapsed().as_millis();
    let units = database.stats().units.load(Ordering::Relaxed) - units;
    let batches = database.stats().batches.load(Ordering::Relaxed) - batches;
    eprintln!(
        "{}: {rate} {what}/s, {threads} threads, {} accounts, {} units a commit",
        database.kind(),
        owners.len(),
        units / batches.max(1),
    );
    Ok(())
}

fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn ulid() -> Ulid {
    let number = number();
    let random = u128::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) >> 48;
    Ulid::from_parts(1_790_000_000_000 + number / 16, random)
}

fn digest() -> [u8; 32] {
    let mut bytes = [0; 32];
    let scattered = number().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bytes[..8].copy_from_slice(&scattered.to_be_bytes());
    bytes
}

fn now() -> Time {
    Time::from_millis(1_790_000_000_000)
}

fn make_accounts(store: &dyn Store, count: usize) -> Result<Vec<Owner>, Anything> {
    let name = |text| Name::parse(text).ok().flatten().ok_or("a name");
    let mut owners = Vec::new();
    for _ in 0..count {
        let account = Account {
            id: AccountId(ulid()),
            name: name("Loja da Ana")?,
            email: Email::parse("ana@example.com")?,
            document: None,
            city: name("SAO PAULO")?,
            address: None,
            merchant_name: None,
            suspended_at: None,
            fees: FeeOverrides::default(),
            limits: LimitOverrides::default(),
            duplicate_guard_minutes: None,
            clock_offset_ms: 0,
            created_at: now(),
        };
        let owner = Owner {
            account: account.id,
            environment: Environment::Live,
        };
        let endpoint = Endpoint {
            owner,
            url: WebhookUrl::parse("https://example.com/hook")?,
            sealed_secret: vec![0; 80],
            previous: None,
            disabled: None,
            failing_since: None,
            created_at: now(),
        };
        store.transact(|tx| {
            tx.insert_account(&account)?;
            tx.insert_head(&Head::empty(owner))?;
            tx.save_endpoint(&endpoint)
        })?;
        owners.push(owner);
    }
    Ok(owners)
}

fn create(store: &dyn Store, owner: Owner) -> Result<Charge, Error> {
    store.read(|read| read.account(owner.account))?;
    let charge = Charge {
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
        br_code: "0".repeat(180),
        expires_at: now().plus_seconds(86_400),
        created_at: now(),
        status: Status::Pending,
    };
    store.transact(|tx| tx.insert_charge(&charge))?;
    Ok(charge)
}

/// What the use case does when money arrives.
fn pay(store: &dyn Store, charge: Charge) -> Result<(), Error> {
    let payment = Payment {
        paid_at: now(),
        payer: Payer::default(),
        end_to_end_id: EndToEndId::parse(&format!("E00000000202609211413{:011}", number()))
            .map_err(|error| Error::bug(error.to_string()))?
            .into(),
    };
    let receipt = Receipt {
        owner: charge.owner,
        charge: charge.id,
        end_to_end_id: payment.end_to_end_id.clone(),
        amount: charge.amount,
        paid_at: now(),
        payer: Payer::default(),
        returned: None,
        received_at: now(),
    };
    let (entry_id, event_id) = (EntryId(ulid()), EventId(ulid()));
    let paid = Charge {
        status: Status::Paid(payment),
        ..charge
    };
    store.read(|read| read.charge_by_txid(&paid.txid))?;
    store.transact(|tx| {
        tx.charge_for_update(paid.owner, paid.id)?;
        tx.account(paid.owner.account)?;
        tx.receipt(&receipt.end_to_end_id)?;
        tx.insert_receipt(&receipt)?;
        tx.save_charge(&paid)?;
        let mut head = tx
            .head_for_update(paid.owner)?
            .ok_or_else(|| Error::bug("no head"))?;
        let entry = head.post(Movement {
            id: entry_id,
            kind: EntryKind::ChargePaid,
            reference: paid.id.0,
            postings: PostingSet::balanced(&[
                (LedgerAccount::Clearing, Centavos::new(-5_000)),
                (LedgerAccount::Available, Centavos::new(4_920)),
                (LedgerAccount::Fees, Centavos::new(80)),
            ])?,
            at: now(),
        })?;
        tx.insert_entry(&entry)?;
        tx.insert_event(&Event {
            id: event_id,
            owner: paid.owner,
            sequence: head.next_event()?,
            kind: EventKind::PixQrCodePaid,
            object: paid.id.0,
            body: "x".repeat(450),
            recorded_at: now(),
        })?;
        tx.endpoint(paid.owner)?;
        tx.insert_delivery(&Delivery::new(paid.owner, event_id, now()))?;
        tx.save_head(&head)
    })
}
