//! The domain's ports in memory, and a dispatcher over them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use vintem_domain::account::Policy;
use vintem_domain::calendar::BankCalendar;
use vintem_domain::event::{Event, EventId, EventKind};
use vintem_domain::id::Ulid;
use vintem_domain::memory::MemoryStore;
use vintem_domain::memory::doubles::{NoProvider, NoSignals, OpenPasswords};
use vintem_domain::ports::{Cipher, Clock, Ids, Read, Store, Transact, UnitOfWork};
use vintem_domain::webhook::{
    Attempt, Claimed, Delivery, Endpoint, LEASE_MS, Lease, ServerId, WebhookSecret, WebhookUrl,
};
use vintem_domain::{AccountId, Environment, Error, Owner, SharedPorts, Time};
use vintem_webhook::{
    AddressPolicy, AddressRules, Client, ClientSettings, Dispatcher, DispatcherSettings, Metrics,
    Setup, Wake,
};

use crate::receiver::{NOW, SECRET};

/// Two servers of one world share everything but their wakes.
pub(crate) struct World {
    pub(crate) ports: SharedPorts,
    pub(crate) wake: Wake,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) store: Arc<FlakyStore>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) settings: DispatcherSettings,
    pub(crate) client: ClientSettings,
    sequence: AtomicI64,
    servers: AtomicU64,
}

impl World {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(TestClock(AtomicI64::new(NOW * 1_000)));
        let store = Arc::new(FlakyStore::default());
        let private = AddressPolicy {
            allow_private: true,
        };
        Self {
            ports: SharedPorts {
                store: store.clone(),
                clock: clock.clone(),
                ids: Arc::new(Counter::default()),
                cipher: Arc::new(NoCipher),
                passwords: Arc::new(OpenPasswords),
                sandbox_provider: Arc::new(NoProvider),
                live_provider: Arc::new(NoProvider),
                signals: Arc::new(NoSignals),
                policy: Arc::new(Policy::DEFAULT),
                calendar: Arc::new(BankCalendar::national()),
            },
            wake: Wake::new(),
            clock,
            store,
            metrics: Arc::default(),
            settings: DispatcherSettings {
                limit: 256,
                poll_interval: Duration::from_millis(10),
                addresses: AddressRules {
                    sandbox: private,
                    live: private,
                },
            },
            client: ClientSettings::default(),
            sequence: AtomicI64::new(0),
            servers: AtomicU64::new(1),
        }
    }

    /// One that looks for work by itself so seldom that only a wake can have been the reason.
    pub(crate) fn that_never_polls() -> Self {
        let mut world = Self::new();
        world.settings.poll_interval = Duration::from_hours(1);
        world
    }

    /// Starts a server.
    pub(crate) fn start(&self) -> Dispatcher {
        let number = self.servers.fetch_add(1, Ordering::Relaxed);
        Dispatcher::start(Setup {
            ports: self.ports.clone(),
            server: ServerId(Ulid(number.into())),
            client: Client::new(&self.client).unwrap(),
            wake: self.wake.clone(),
            metrics: self.metrics.clone(),
            settings: self.settings.clone(),
        })
    }

    pub(crate) fn set_endpoint(&self, owner: Owner, url: &str) {
        let endpoint = Endpoint {
            owner,
            url: WebhookUrl::parse(url).unwrap(),
            sealed_secret: SECRET.as_bytes().to_vec(),
            previous: None,
            disabled: None,
            failing_since: None,
            created_at: Time::EPOCH,
        };
        self.ports
            .store
            .transact(|tx| tx.save_endpoint(&endpoint))
            .unwrap();
    }

    pub(crate) fn endpoint(&self, owner: Owner) -> Endpoint {
        let found = self.ports.store.read(|read| read.endpoint(owner));
        found.unwrap().unwrap()
    }

    /// Commits events without telling anybody.
    pub(crate) fn commit(&self, owner: Owner, count: usize) -> Vec<EventId> {
        let now = self.clock.now();
        self.ports
            .store
            .transact(|tx| {
                let mut ids = Vec::new();
                for _ in 0..count {
                    let sequence = self.sequence.fetch_add(1, Ordering::Relaxed);
                    let id = EventId(self.ports.ids.ulid());
                    tx.insert_event(&Event {
                        id,
                        owner,
                        sequence,
                        kind: EventKind::PixQrCodePaid,
                        object: Ulid(1),
                        body: format!(r#"{{"id":"{id}"}}"#),
                        recorded_at: now,
                    })?;
                    tx.insert_delivery(&Delivery::new(owner, id, now))?;
                    ids.push(id);
                }
                Ok(ids)
            })
            .unwrap()
    }

    /// Commits events and tells the dispatcher.
    pub(crate) fn emit(&self, owner: Owner, count: usize) -> Vec<EventId> {
        let ids = self.commit(owner, count);
        self.wake.deliveries_due(owner);
        ids
    }

    /// Commits an event whose first attempt is under way already, in the name of this server.
    pub(crate) fn commit_begun(&self, owner: Owner, server: ServerId) -> Claimed {
        let event = self.commit(owner, 1)[0];
        let now = self.clock.now();
        let until = now.plus_millis(LEASE_MS);
        let delivery = Delivery {
            attempts: 1,
            tries: 1,
            lease: Some(Lease { by: server, until }),
            ..self.delivery(owner, event)
        };
        self.ports
            .store
            .transact(|tx| tx.save_deliveries(std::slice::from_ref(&delivery)))
            .unwrap();
        Claimed {
            owner,
            event,
            number: 1,
            url: self.endpoint(owner).url,
            secret: WebhookSecret::of([7; 32]),
            previous_secret: None,
            body: format!(r#"{{"id":"{event}"}}"#),
            started_at: now,
            due_at: now,
            lease_until: until,
            failing: false,
        }
    }

    pub(crate) fn delivery(&self, owner: Owner, event: EventId) -> Delivery {
        let found = self.ports.store.read(|read| read.delivery(owner, event));
        found.unwrap().unwrap()
    }

    pub(crate) fn attempts(&self, owner: Owner, event: EventId) -> Vec<Attempt> {
        self.ports
            .store
            .read(|read| read.attempts(owner, event))
            .unwrap()
    }
}

pub(crate) fn owner(number: u128) -> Owner {
    Owner {
        account: AccountId(Ulid(number)),
        environment: Environment::Sandbox,
    }
}

/// Waits until it is true, for ten seconds at most.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(10), "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// A store in memory that can be away.
#[derive(Default)]
pub(crate) struct FlakyStore {
    inner: MemoryStore,
    away: AtomicBool,
}

impl FlakyStore {
    pub(crate) fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    fn reach(&self) -> Result<(), Error> {
        if self.away.load(Ordering::SeqCst) {
            return Err(Error::Unavailable("pulled out".into()));
        }
        Ok(())
    }
}

impl Store for FlakyStore {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.reach()?;
        self.inner.run(work)
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        self.inner.look(work)
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.inner.look(work)
    }
}

#[derive(Default)]
struct Counter(AtomicU64);

impl Ids for Counter {
    fn ulid(&self) -> Ulid {
        Ulid(self.0.fetch_add(1, Ordering::Relaxed).into())
    }

    fn random(&self) -> [u8; 32] {
        [0; 32]
    }
}

/// A cipher that hides nothing.
struct NoCipher;

impl Cipher for NoCipher {
    fn seal(&self, _purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(plain.to_vec())
    }

    fn open(&self, _purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(sealed.to_vec())
    }
}
