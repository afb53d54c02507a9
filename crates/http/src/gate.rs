//! What keeps a promise about money that goes out: once the caller was told that nothing was done, nothing is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use vintem_domain::Error;
use vintem_domain::error::ProviderFailure;
use vintem_domain::ports::{Read, Sharing, Store, UnitOfWork};

const OPEN: u8 = 0;
const PASSED: u8 = 1;
const SHUT: u8 = 2;

/// A gate before the first write of a request. Either the request passes it, and then its outcome is waited for, or it
/// is shut because it took too long, and then the request writes nothing. Clones are the same gate.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<AtomicU8>);

impl Gate {
    /// Whether the request may write.
    fn pass(&self) -> bool {
        self.move_to(PASSED)
    }

    /// Passes, or fails when the gate is shut.
    fn enter(&self) -> Result<(), Error> {
        self.pass()
            .then_some(())
            .ok_or(Error::Provider(ProviderFailure::Unknown))
    }

    /// Whether the request will never write, if it has not begun to.
    pub(crate) fn shut(&self) -> bool {
        self.move_to(SHUT)
    }

    fn move_to(&self, wanted: u8) -> bool {
        let moved = self
            .0
            .compare_exchange(OPEN, wanted, Ordering::SeqCst, Ordering::SeqCst);
        moved.is_ok() || moved == Err(wanted)
    }

    /// The store behind this gate.
    pub(crate) fn before<'a>(&'a self, store: &'a dyn Store) -> Gated<'a> {
        Gated { gate: self, store }
    }
}

/// A store whose writes wait behind a gate.
pub(crate) struct Gated<'a> {
    gate: &'a Gate,
    store: &'a dyn Store,
}

impl Store for Gated<'_> {
    // The gate is passed inside: whoever only waits for its turn has not begun.
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.store.run(&mut |tx| {
            self.gate.enter()?;
            work(tx)
        })
    }

    fn run_shared(&self, sharing: Sharing, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.store.run_shared(sharing, &mut |tx| {
            self.gate.enter()?;
            work(tx)
        })
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        self.store.look(work)
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.store.look_at_one_moment(work)
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::memory::MemoryStore;

    use super::*;

    /// A store whose caller has lost patience by the time its turn comes.
    struct Late<'a> {
        gate: &'a Gate,
        store: MemoryStore,
    }

    impl Store for Late<'_> {
        fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
            assert!(self.gate.shut(), "whoever waits for its turn has not begun");
            self.store.run(work)
        }

        fn look(
            &self,
            work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
        ) -> Result<(), Error> {
            self.store.look(work)
        }

        fn look_at_one_moment(
            &self,
            work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
        ) -> Result<(), Error> {
            self.store.look_at_one_moment(work)
        }
    }

    #[test]
    fn what_was_given_up_in_the_queue_never_runs() {
        let gate = Gate::default();
        let late = Late {
            gate: &gate,
            store: MemoryStore::new(),
        };
        let mut ran = false;
        let answer = gate.before(&late).run(&mut |_| {
            ran = true;
            Ok(())
        });
        assert!(matches!(
            answer,
            Err(Error::Provider(ProviderFailure::Unknown))
        ));
        assert!(!ran);
    }

    #[test]
    fn a_gate_is_passed_or_shut_for_good() {
        let passed = Gate::default();
        assert!(passed.pass());
        assert!(passed.pass(), "a unit of work may run again");
        assert!(!passed.clone().shut());
        let shut = Gate::default();
        assert!(shut.shut());
        assert!(!shut.pass());
    }
}
