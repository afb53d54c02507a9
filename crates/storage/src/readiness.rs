//! The row that a readiness check writes.

use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl};

use crate::conn::{Session, on};
use crate::failure::{Failure, Kind};
use crate::schema::readiness;

/// Bytes that must find room before a disk that was full counts as one with room: about what a full batch of payments writes.
const FILLING: usize = 1 << 20;

/// Counts one probe, and gives room back that a server took and did not live to. That little finds room on a disk on which nothing else
/// does.
pub(crate) fn probe(session: &mut Session<'_>) -> Result<(), Failure> {
    one_row(session.ask(|conn| {
        on!(conn, c => diesel::update(readiness::table.find(1))
            .set((
                readiness::probes.eq(readiness::probes + 1),
                readiness::filling.eq(&[] as &[u8]),
            ))
            .execute(c))
    })?)
}

/// Takes as much room as payments would.
pub(crate) fn fill(session: &mut Session<'_>) -> Result<(), Failure> {
    set_filling(session, &vec![0; FILLING])
}

/// Gives the room back.
pub(crate) fn empty(session: &mut Session<'_>) -> Result<(), Failure> {
    set_filling(session, &[])
}

fn set_filling(session: &mut Session<'_>, filling: &[u8]) -> Result<(), Failure> {
    one_row(session.ask(|conn| {
        on!(conn, c => diesel::update(readiness::table.find(1))
            .set(readiness::filling.eq(filling))
            .execute(c))
    })?)
}

fn one_row(rows: usize) -> Result<(), Failure> {
    match rows {
        1 => Ok(()),
        _ => Err(Failure::new(Kind::Broken, "the readiness row is missing")),
    }
}
