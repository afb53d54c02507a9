//! The product's HTTP side on a store that keeps nothing: what a request costs without a database.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use vintem_domain::account::{self, Environment, NewAccount, Owner, Policy};
use vintem_domain::calendar::BankCalendar;
use vintem_domain::id::Ulid;
use vintem_domain::key::{self, Lifetime, Scopes};
use vintem_domain::memory::MemoryStore;
use vintem_domain::memory::doubles::{NoSignals, OpenCipher, OpenPasswords};
use vintem_domain::ports::{Clock, Ids, Read, Store, UnitOfWork};
use vintem_domain::text::{Email, Name};
use vintem_domain::{Error, SharedPorts, Time};
use vintem_http::{HttpSettings, KeyCache, Metrics, Parts, Readiness, serve};
use vintem_providers::stub::Stub;

/// The argument that makes this program such a server.
pub(crate) const COMMAND: &str = "without-storage";

/// What stands before the key on standard output.
const KEY: &str = "key ";

/// Serves until it is killed; prints a live key and the address.
#[expect(
    clippy::print_stdout,
    reason = "standard output is how its parent learns both"
)]
pub(crate) fn run() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let memory = Arc::new(MemoryStore::new());
    let mut shared = ports(memory.clone());
    let key = open_account(&shared).context("no account")?;
    shared.store = Arc::new(Forgetful(memory));
    let parts = Parts {
        settings: HttpSettings {
            public_url: Some(format!("http://{address}")),
            ..HttpSettings::default()
        },
        ports: shared,
        stub: None,
        readiness: Arc::new(AlwaysReady),
        metrics: Metrics::new("bench", "none"),
        keys: KeyCache::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = serve(listener, parts)?;
        println!("{KEY}{key}\nlistening on http://{address}");
        Ok(server.await?)
    })
}

/// The key in what such a server printed.
pub(crate) fn key_in(stdout: &str) -> Result<String> {
    let found = stdout.lines().find_map(|line| line.strip_prefix(KEY));
    Ok(found
        .context("the server without storage printed no key")?
        .to_owned())
}

/// Reads as a store does, and forgets what it is told to keep.
struct Forgetful(Arc<MemoryStore>);

impl Store for Forgetful {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        let mut answer = Ok(());
        // The store in memory keeps nothing of a unit of work that fails.
        let _forgotten = self.0.run(&mut |tx| {
            answer = work(tx);
            Err(Error::Unavailable("forgotten".into()))
        });
        answer
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        self.0.look(work)
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.0.look_at_one_moment(work)
    }
}

struct AlwaysReady;

impl Readiness for AlwaysReady {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

fn ports(memory: Arc<MemoryStore>) -> SharedPorts {
    let bank = Arc::new(Stub::new(memory.clone(), Arc::new(RealClock)));
    SharedPorts {
        store: memory,
        clock: Arc::new(RealClock),
        ids: Arc::new(RandomIds(Mutex::new(Ulid::nil()))),
        cipher: Arc::new(OpenCipher),
        passwords: Arc::new(OpenPasswords),
        sandbox_provider: bank.clone(),
        live_provider: bank,
        signals: Arc::new(NoSignals),
        policy: Arc::new(Policy::DEFAULT),
        calendar: Arc::new(BankCalendar::national()),
    }
}

fn open_account(ports: &SharedPorts) -> Result<String> {
    let ports = ports.ports();
    let new = NewAccount {
        name: Name::parse("Café do João")
            .map_err(|error| anyhow::anyhow!("{error}"))?
            .context("a name")?,
        email: Email::parse("bench@example.com").map_err(|error| anyhow::anyhow!("{error}"))?,
        password: "none".to_owned(),
        document: None,
        city: None,
        address: None,
        merchant_name: None,
    };
    let owner = Owner {
        account: account::create(&ports, &new)?.id,
        environment: Environment::Live,
    };
    let new = key::create(&ports, owner, Scopes::all(), Lifetime::Forever)?;
    Ok(new.secret.reveal().to_owned())
}

/// Real time, as the product reads it.
struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Time {
        let since = std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or_default())
    }
}

/// Ids and random bytes at the price the product pays for them: one call of the system each.
struct RandomIds(Mutex<Ulid>);

impl Ids for RandomIds {
    fn ulid(&self) -> Ulid {
        let now_ms = u64::try_from(RealClock.now().millis()).unwrap_or_default();
        let fresh = Ulid::from_parts(now_ms, u128::from_le_bytes(random()));
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = if fresh > *last {
            fresh
        } else {
            last.increment().unwrap_or(fresh)
        };
        *last
    }

    fn random(&self) -> [u8; 32] {
        random()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is an adapter that owns randomness"
)]
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without them the ids would collide, which nothing here would notice or mind.
    let _ = getrandom::fill(&mut bytes);
    bytes
}
