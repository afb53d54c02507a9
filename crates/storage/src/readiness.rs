//! The row that a readiness check writes.

use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl};

use crate::conn::{Session, on};
use crate::failure::{Failure, Kind};
use crate::schema::readiness;

/// Counts one probe.
pub(crate) fn probe(session: &mut Session<'_>) -> Result<(), Failure> {
    let rows = session.ask(|conn| {
        on!(conn, c => diesel::update(readiness::table.find(1))
            .set(readiness::probes.eq(readiness::probes + 1))
            .execute(c))
    })?;
    match rows {
        1 => Ok(()),
        _ => Err(Failure::new(Kind::Broken, "the readiness row is missing")),
    }
}
