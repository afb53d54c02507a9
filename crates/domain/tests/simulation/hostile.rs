//! The store as a server meets it, and what happens between two calls: others work, time passes, processes die.

use vintem_domain::Error;
use vintem_domain::calendar::SECOND_MS;
use vintem_domain::ports::{Read, Sharing, Store, Tx, UnitOfWork};

use crate::actors;
use crate::crash::die;
use crate::dice::Dice;
use crate::sabotage::Sabotage;
use crate::world::World;

/// How often calls go wrong in a world, times of 1000.
#[derive(Clone, Copy)]
pub(crate) struct Temper {
    pub(crate) dies: u64,
    away: u64,
    again: u64,
    meanwhile: u64,
    stalls: u64,
    shares: u64,
    /// How often a lane of webhooks has a place.
    pub(crate) room: u64,
}

impl Temper {
    pub(crate) fn draw(dice: &mut Dice) -> Self {
        let mut often = |most| dice.weighted(&[(1, 0), (2, most / 4), (2, most)]);
        Self {
            dies: often(24),
            away: often(32),
            again: often(100),
            meanwhile: often(80),
            stalls: often(60),
            shares: often(200),
            room: dice.weighted(&[(1, 0), (2, 300), (3, 900)]),
        }
    }
}

/// What happens to a unit of work.
#[derive(Clone, Copy)]
enum Mishap {
    None,
    DiesBefore,
    DiesBeforeTheCommit,
    DiesAfter,
    AwayBefore,
    /// It was committed, but the caller is told that nobody knows.
    AwayAfter,
    /// A conflict: the work is undone and done again.
    Again,
}

fn away() -> Error {
    Error::Unavailable("the simulated database is away".into())
}

impl World {
    fn mishap(&self) -> Mishap {
        use Mishap::{Again, AwayAfter, AwayBefore, DiesAfter, DiesBefore, DiesBeforeTheCommit};
        if self.is_calm() {
            return Mishap::None;
        }
        let temper = self.temper;
        let roll = self.below(1_000);
        let (kinds, what): (&[Mishap], _) = if roll < temper.dies {
            (&[DiesBefore, DiesBeforeTheCommit, DiesAfter], "a death")
        } else if roll < temper.dies + temper.away {
            (&[AwayBefore, AwayAfter], "the store was away")
        } else if roll < temper.dies + temper.away + temper.again {
            (&[Again], "a unit of work ran twice")
        } else {
            return Mishap::None;
        };
        self.count(what);
        self.pick(kinds).unwrap_or(Mishap::None)
    }

    /// Between two calls: time passes, and others work.
    fn gap(&self) {
        if self.is_calm() {
            return;
        }
        // What others do meanwhile takes no time of its own: it is the time the first one hangs.
        if self.is_alone() && self.chance(self.temper.stalls) {
            let (short, long) = ((1, 30), (60, 100));
            let (least, most) = self.weighted(&[(1, short), (1, long)]);
            let seconds = self.between(least, most);
            self.clock.advance(seconds * SECOND_MS);
            self.tell(|| format!("~ the process hangs for {seconds} s"));
            self.count("a process hung between two calls");
            // Whoever hangs is overtaken.
            self.meanwhile(500);
        }
        self.meanwhile(self.temper.meanwhile);
    }

    pub(crate) fn meanwhile(&self, per_mille: u64) {
        if !self.is_alone() || !self.can_serve_another() || !self.chance(per_mille) {
            return;
        }
        let is_same = self.has_one_server();
        let (whose, what) = if is_same {
            ("on the same server", "a server did two things at once")
        } else {
            ("another server", "two servers worked at once")
        };
        self.tell(|| format!("~ meanwhile, {whose}:"));
        self.count(what);
        for _ in 0..self.between(1, 3) {
            let died = self.process(|| actors::meanwhile(self));
            if died && is_same {
                die()
            }
        }
    }

    /// A unit of work runs in a transaction it shares, perhaps after another one like it, and a third one fails: nothing
    /// of it happened. Says whether it had run well.
    fn run_in_vain(&self, work: &mut UnitOfWork<'_>) -> bool {
        self.tell(|| "~ the transaction it shares with others is rolled back".to_owned());
        self.count("a shared transaction was rolled back");
        let times = self.weighted(&[(2, 1), (1, 2)]);
        let mut ran = false;
        let _undone = self.store.run(&mut |tx| {
            for _ in 0..times {
                ran = work(tx).is_ok();
            }
            Err(away())
        });
        self.meanwhile(300);
        ran
    }

    fn look_at(&self, look: impl FnOnce(&dyn Store) -> Result<(), Error>) -> Result<(), Error> {
        self.gap();
        match self.mishap() {
            Mishap::DiesBefore | Mishap::DiesBeforeTheCommit | Mishap::DiesAfter => {
                self.tell(|| "† the process dies before it reads".to_owned());
                die()
            }
            Mishap::AwayBefore | Mishap::AwayAfter => {
                self.tell(|| "~ the store is away".to_owned());
                Err(away())
            }
            Mishap::None | Mishap::Again => look(&self.store),
        }
    }
}

impl Store for World {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.gap();
        let mut work = |tx: &mut dyn Tx| {
            work(tx)?;
            self.sabotage_unit(tx)
        };
        match self.mishap() {
            Mishap::None => self.store.run(&mut work),
            Mishap::DiesBefore => {
                self.tell(|| "† the process dies before its unit of work".to_owned());
                die()
            }
            Mishap::DiesBeforeTheCommit => {
                self.tell(|| "† the process dies before its commit".to_owned());
                self.store.run(&mut |tx| {
                    work(tx)?;
                    die()
                })
            }
            Mishap::DiesAfter => {
                self.tell(|| "† the process dies after its commit".to_owned());
                self.store.run(&mut work)?;
                die()
            }
            Mishap::AwayBefore => {
                self.tell(|| "~ the store is away".to_owned());
                Err(away())
            }
            Mishap::AwayAfter => {
                self.tell(|| "~ the store commits but does not answer".to_owned());
                self.store.run(&mut work)?;
                Err(away())
            }
            Mishap::Again => {
                let _undone = self.store.run(&mut |tx| {
                    work(tx)?;
                    Err(away())
                });
                self.meanwhile(300);
                self.store.run(&mut work)
            }
        }
    }

    fn run_shared(&self, _sharing: Sharing, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        if !self.is_calm() && self.chance(self.temper.shares) {
            let ran = self.run_in_vain(work);
            if ran && self.sabotage == Some(Sabotage::ForgetsCompany) {
                return Ok(());
            }
        }
        let answer = self.run(work);
        // Whoever commits for others tells them late.
        self.gap();
        answer
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        self.look_at(|store| store.look(work))
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.look_at(|store| store.look_at_one_moment(work))
    }
}
