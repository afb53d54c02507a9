//! One simulated world: merchants, their payers, a bank, servers that may die, and a clock that jumps.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vintem_domain::account::{
    self, AccountId, Environment, LimitOverrides, NewAccount, Owner, Policy,
};
use vintem_domain::calendar::{BankCalendar, DAY_MS};
use vintem_domain::document::Document;
use vintem_domain::memory::MemoryStore;
use vintem_domain::memory::doubles::{CountingIds, OpenCipher, OpenPasswords, StillClock};
use vintem_domain::ports::{Clock, Ports, Transact};
use vintem_domain::provider::Providers;
use vintem_domain::text::{Email, Name};
use vintem_domain::{Centavos, Error, Time};

use crate::actors::{self, Inbox, Memory};
use crate::bank::Bank;
use crate::crash::{self, End};
use crate::dice::Dice;
use crate::hostile::Temper;
use crate::invariants::{self, Depth, Seen};
use crate::narration::Diary;
use crate::sabotage::Sabotage;
use crate::servers::Servers;
use crate::tally;

/// 2026-01-01T03:00:00Z. Worlds begin within three years from then.
const FIRST_DAY: i64 = 1_767_236_400_000;

/// How often the whole past is read again, in steps.
const FULL_CHECK_EVERY: u64 = 40;

/// Opens a lock; a process that died with it left nothing half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A merchant: an account with its two environments.
#[derive(Clone)]
pub(crate) struct Merchant {
    pub(crate) account: AccountId,
    pub(crate) name: &'static str,
}

/// What shall be simulated.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) steps: u64,
    /// Whether every step is told in words.
    pub(crate) told: bool,
    /// Whether the whole past is read again after every step.
    pub(crate) thorough: bool,
    /// A rule that is broken on purpose.
    pub(crate) sabotage: Option<Sabotage>,
}

/// What came of a simulation.
pub(crate) struct Report {
    /// The first step after which an invariant did not hold, and what was wrong.
    pub(crate) failed: Option<(u64, Vec<String>)>,
    pub(crate) story: Vec<String>,
    pub(crate) tally: BTreeMap<&'static str, u64>,
}

pub(crate) struct World {
    /// What really is stored, without mishaps: for the checks.
    pub(crate) store: MemoryStore,
    pub(crate) clock: StillClock,
    pub(crate) ids: CountingIds,
    policy: Policy,
    pub(crate) calendar: BankCalendar,
    pub(crate) merchants: Vec<Merchant>,
    pub(crate) temper: Temper,
    pub(crate) sabotage: Option<Sabotage>,
    pub(crate) bank: Mutex<Bank>,
    pub(crate) memory: Mutex<Memory>,
    pub(crate) inbox: Mutex<Inbox>,
    pub(crate) servers: Mutex<Servers>,
    pub(crate) seen: Mutex<Seen>,
    pub(crate) diary: Diary,
    dice: Mutex<Dice>,
    faults: Mutex<Vec<String>>,
    tally: Mutex<BTreeMap<&'static str, u64>>,
    /// How many processes are under way: the second works while the first waits in a call.
    processes: AtomicUsize,
    deaths: AtomicU64,
    calm: AtomicBool,
}

impl World {
    fn new(plan: &Plan) -> Self {
        let mut dice = Dice::of(plan.seed);
        let begin = FIRST_DAY + dice.between(0, 3 * 365) * DAY_MS + dice.between(0, DAY_MS - 1);
        let temper = Temper::draw(&mut dice);
        let memory = Memory::draw(&mut dice, Time::from_millis(begin));
        let mut world = Self {
            store: MemoryStore::new(),
            clock: StillClock::at(Time::from_millis(begin)),
            ids: CountingIds::default(),
            policy: Policy::DEFAULT,
            calendar: BankCalendar::national(),
            merchants: Vec::new(),
            temper,
            sabotage: plan.sabotage,
            bank: Mutex::new(Bank::draw(&mut dice)),
            memory: Mutex::new(memory),
            inbox: Mutex::default(),
            servers: Mutex::new(Servers::draw(&mut dice)),
            seen: Mutex::default(),
            diary: Diary::new(plan.told),
            dice: Mutex::new(dice),
            faults: Mutex::default(),
            tally: Mutex::default(),
            processes: AtomicUsize::new(0),
            deaths: AtomicU64::new(0),
            calm: AtomicBool::new(true),
        };
        let names = ["Padaria", "Oficina", "Livraria"];
        let count = 1 + usize::try_from(world.below(3)).unwrap();
        for name in &names[..count] {
            let merchant = world.open_account(name).expect("an account opens");
            world.merchants.push(merchant);
        }
        actors::fund(&world);
        world.calm.store(false, Ordering::SeqCst);
        world
    }

    fn open_account(&self, name: &'static str) -> Result<Merchant, Error> {
        let new = NewAccount {
            name: Name::parse(name).unwrap().unwrap(),
            email: Email::parse(&format!("{}@example.com", name.to_lowercase())).unwrap(),
            password: "a long password".to_owned(),
            document: Document::parse("00000000191").ok(),
            city: None,
            address: Name::parse("Rua Direita 1").unwrap(),
            merchant_name: None,
        };
        let account = account::create(&self.ports(), &new)?.id;
        let limits = LimitOverrides {
            withdrawals_per_day: self.chance(500).then_some(Centavos::new(60_000)),
            ..LimitOverrides::default()
        };
        account::override_limits(&self.ports(), account, limits)?;
        let guard = self.chance(300).then_some(30);
        account::guard_duplicates(&self.ports(), account, guard)?;
        Ok(Merchant { account, name })
    }

    /// The ports every use case gets: the hostile ones.
    pub(crate) fn ports(&self) -> Ports<'_> {
        Ports {
            store: self,
            clock: &self.clock,
            ids: &self.ids,
            cipher: &OpenCipher,
            passwords: &OpenPasswords,
            providers: Providers {
                sandbox: self,
                live: self,
            },
            signals: self,
            policy: &self.policy,
            calendar: &self.calendar,
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Now, as this owner's environment has it.
    pub(crate) fn time_of(&self, owner: Owner) -> Time {
        let real_now = self.now();
        let time = self
            .store
            .read(|read| account::time_of(read, owner, real_now));
        time.expect("every owner has an account")
    }

    /// Every ledger of this world.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> + '_ {
        let both = |merchant: &Merchant| {
            let account = merchant.account;
            Environment::ALL.map(|environment| Owner {
                account,
                environment,
            })
        };
        self.merchants.iter().flat_map(both)
    }

    pub(crate) fn name(&self, owner: Owner) -> String {
        let known = self
            .merchants
            .iter()
            .find(|merchant| merchant.account == owner.account);
        let name = known.map_or("nobody", |merchant| merchant.name);
        format!("{name} ({})", owner.environment.as_str())
    }

    pub(crate) fn below(&self, end: u64) -> u64 {
        locked(&self.dice).below(end)
    }

    pub(crate) fn between(&self, low: i64, high: i64) -> i64 {
        locked(&self.dice).between(low, high)
    }

    /// Whether something happens that does so many times out of 1000.
    pub(crate) fn chance(&self, per_mille: u64) -> bool {
        per_mille > 0 && self.below(1_000) < per_mille
    }

    pub(crate) fn weighted<T: Copy>(&self, things: &[(u64, T)]) -> T {
        locked(&self.dice).weighted(things)
    }

    /// One of them; none when there are none.
    pub(crate) fn pick<T: Clone>(&self, things: &[T]) -> Option<T> {
        if things.is_empty() {
            return None;
        }
        let place = self.below(u64::try_from(things.len()).unwrap());
        things.get(usize::try_from(place).unwrap()).cloned()
    }

    /// No mishaps: for what has to come to its end.
    pub(crate) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::SeqCst)
    }

    /// Notes that something happened, so that nobody believes in a simulation in which it never does.
    pub(crate) fn count(&self, what: &'static str) {
        *locked(&self.tally).entry(what).or_default() += 1;
    }

    pub(crate) fn tell(&self, words: impl FnOnce() -> String) {
        let deep = self.process_number() > 1;
        self.diary.tell(|| {
            let indent = if deep { "        | " } else { "    " };
            format!("{indent}{}", words())
        });
    }

    /// An invariant does not hold.
    pub(crate) fn fault(&self, wrong: String) {
        locked(&self.faults).push(wrong);
    }

    /// What somebody got for an answer, in words. A broken promise inside the program is a fault.
    pub(crate) fn answered<T>(&self, what: &str, answer: Result<T, Error>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(error) => {
                if let Error::Bug(bug) = &error {
                    self.fault(format!("{what}: internal error: {bug}"));
                }
                if self.is_calm() && matches!(error, Error::Unavailable(_)) {
                    self.fault(format!("{what}: the store is away in calm weather"));
                }
                self.tell(|| format!("  -> {error}"));
                if let Some(what) = tally::refused(&error) {
                    self.count(what);
                }
                None
            }
        }
    }

    /// The process that works now: the second works while the first waits. None is the operator, who prepares the world.
    pub(crate) fn process_number(&self) -> usize {
        self.processes.load(Ordering::SeqCst)
    }

    /// Whether somebody else may work while the present process waits.
    pub(crate) fn is_alone(&self) -> bool {
        self.process_number() == 1
    }

    /// Lets a process live until it ends or dies; says whether it died.
    pub(crate) fn process(&self, process: impl FnOnce()) -> bool {
        self.processes.fetch_add(1, Ordering::SeqCst);
        let end = crash::live(process);
        self.gave_its_places_back();
        let died = matches!(end, End::Died);
        if died {
            self.deaths.fetch_add(1, Ordering::SeqCst);
            self.server_died();
            self.count("a process died");
        }
        if let End::Panicked(words) = end {
            self.fault(format!("the program panicked: {words}"));
        }
        self.processes.fetch_sub(1, Ordering::SeqCst);
        died
    }

    fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.faults))
    }

    /// One step, and whether somebody died in it.
    fn step(&self, step: u64) -> bool {
        let deaths = self.deaths.load(Ordering::SeqCst);
        let now = self.now();
        self.diary.tell(|| {
            let local = now.in_sao_paulo();
            let minutes = local.since_midnight_ms / 60_000;
            format!(
                "step {step}, {} {:02}:{:02}:{:02} in Sao Paulo",
                local.date,
                minutes / 60,
                minutes % 60,
                local.since_midnight_ms / 1_000 % 60
            )
        });
        self.process(|| {
            if self.server_is_up() {
                actors::act(self);
            }
        });
        self.deaths.load(Ordering::SeqCst) > deaths
    }

    /// Everything comes to its end: the bank works, nobody dies, and time passes.
    fn come_to_rest(&self) {
        self.calm.store(true, Ordering::SeqCst);
        self.diary.tell(|| "everything comes to its end".to_owned());
        self.process(|| {
            if self.server_is_up() {
                actors::come_to_rest(self);
            }
        });
        invariants::check_rest(self);
    }
}

/// Simulates a world and says whether its invariants held.
pub(crate) fn simulate(plan: &Plan) -> Report {
    let world = World::new(plan);
    let mut failed = None;
    for step in 1..=plan.steps {
        let died = world.step(step);
        let full = plan.thorough || died || step % FULL_CHECK_EVERY == 0;
        invariants::check(&world, if full { Depth::Full } else { Depth::News });
        let faults = world.take_faults();
        if !faults.is_empty() {
            failed = Some((step, faults));
            break;
        }
    }
    if failed.is_none() {
        world.come_to_rest();
        invariants::check(&world, Depth::Full);
        let faults = world.take_faults();
        if !faults.is_empty() {
            failed = Some((plan.steps + 1, faults));
        }
    }
    let tally = std::mem::take(&mut *locked(&world.tally));
    Report {
        failed,
        story: world.diary.lines(),
        tally,
    }
}

/// A failure in words: what, where, and how to see it again.
pub(crate) fn words(plan: &Plan, step: u64, faults: &[String], story: &[String]) -> String {
    let mut words = format!("seed {} fails at step {step} of {}:", plan.seed, plan.steps);
    for fault in faults {
        let _ = write!(words, "\n  {fault}");
    }
    let last = &story[story.len().saturating_sub(40)..];
    let _ = write!(words, "\nthe last of its story:\n{}", last.join("\n"));
    let _ = write!(
        words,
        "\nSEED={} STEPS={} make simulate tells all of it",
        plan.seed, plan.steps
    );
    words
}
