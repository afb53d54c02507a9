//! The domain's `Store` on a [`Database`].

use vintem_domain::Error;
use vintem_domain::ports::{Read, Sharing, Store, UnitOfWork};

use crate::conn::Moment;
use crate::database::Database;
use crate::failure::Failure;
use crate::view::View;

impl Store for Database {
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.transact(&mut |session| work(&mut View::new(session)))
    }

    fn run_shared(&self, sharing: Sharing, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.transact_shared(sharing, &mut |session| work(&mut View::new(session)))
    }

    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error> {
        self.read(Moment::Each, &mut |session| work(&mut View::new(session)))
    }

    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.read(Moment::Same, &mut |session| work(&mut View::new(session)))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        if failure.is_passing() {
            Self::Unavailable(failure.to_string().into())
        } else {
            Self::Bug(failure.to_string().into())
        }
    }
}
