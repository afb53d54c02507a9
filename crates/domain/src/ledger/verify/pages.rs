//! Objects, each with all rows about it: the tables are read side by side, a page at a time.

use std::collections::VecDeque;

use super::{PAGE, Walk};
use crate::account::Owner;
use crate::charge::{Charge, Receipt, Return};
use crate::error::Error;
use crate::event::Event;
use crate::ledger::{Entry, Found};
use crate::payout::Payout;
use crate::ports::{Read, Rows};
use crate::refund::Refund;

/// Where a row stands in its table.
trait Place: Clone {
    /// The object it is about.
    fn object(&self) -> &str;

    /// What tells it from the others.
    fn name(&self) -> String;
}

impl Place for String {
    fn object(&self) -> &str {
        self
    }

    fn name(&self) -> String {
        self.clone()
    }
}

impl<N: ToString + Clone> Place for (String, N) {
    fn object(&self) -> &str {
        &self.0
    }

    fn name(&self) -> String {
        self.1.to_string()
    }
}

/// The rows of a kind about one object.
pub(super) struct About<T> {
    /// Those that can be read.
    pub(super) rows: Vec<T>,
    /// Whether these are all.
    pub(super) complete: bool,
}

impl<T> About<T> {
    /// Whether there is nothing, not even what cannot be read.
    fn is_nothing(&self) -> bool {
        self.rows.is_empty() && self.complete
    }
}

type ReadPage<P, T> = fn(&mut dyn Read, Owner, Option<P>, usize) -> Result<Rows<P, T>, Error>;

/// One table.
struct Pages<P, T> {
    /// What its unreadable rows are called; nothing where they are named elsewhere.
    word: Option<&'static str>,
    read: ReadPage<P, T>,
    /// What was read and not yet taken.
    rows: VecDeque<(P, Found<T>)>,
    /// The place of the last row that was read.
    last: Option<P>,
    ended: bool,
}

impl<P: Place, T> Pages<P, T> {
    fn new(word: Option<&'static str>, read: ReadPage<P, T>) -> Self {
        Self {
            word,
            read,
            rows: VecDeque::new(),
            last: None,
            ended: false,
        }
    }

    /// The object of the next row; reads a page if none is left of the one before.
    fn next(&mut self, read: &mut dyn Read, owner: Owner) -> Result<Option<&str>, Error> {
        if self.rows.is_empty() && !self.ended {
            let page = (self.read)(read, owner, self.last.take(), PAGE)?;
            self.ended = page.len() < PAGE;
            self.last = page.last().map(|(place, _)| place.clone());
            self.rows = page.into();
        }
        Ok(self.rows.front().map(|(place, _)| place.object()))
    }

    /// All rows about the object, if it is the next.
    fn take(
        &mut self,
        read: &mut dyn Read,
        walk: &mut Walk,
        object: &str,
    ) -> Result<About<T>, Error> {
        let mut about = About {
            rows: Vec::new(),
            complete: true,
        };
        while self.next(read, walk.owner)? == Some(object) {
            match self.rows.pop_front() {
                Some((_, Ok(row))) => about.rows.push(row),
                Some((place, Err(unreadable))) => {
                    about.complete = false;
                    if let Some(word) = self.word {
                        walk.fault(
                            format_args!("{word} {}", place.name()),
                            unreadable.to_string(),
                        );
                    }
                }
                None => {}
            }
        }
        Ok(about)
    }
}

/// An object, or the place of one, with all that is about it.
pub(super) struct Object {
    /// Its id, without prefix.
    pub(super) id: String,
    /// It is a charge, and so on; of these there is one at most.
    pub(super) charge: About<Charge>,
    pub(super) payout: About<Payout>,
    pub(super) refund: About<Refund>,
    pub(super) receipts: About<Receipt>,
    pub(super) returns: About<Return>,
    /// What of it was refunded.
    pub(super) refunds: About<Refund>,
    pub(super) entries: About<Entry>,
    pub(super) events: About<Event>,
}

impl Object {
    /// Whether there is such an object, be it unreadable.
    pub(super) fn is_there(&self) -> bool {
        !(self.charge.is_nothing() && self.payout.is_nothing() && self.refund.is_nothing())
    }
}

/// All tables.
pub(super) struct Tables {
    charges: Pages<String, Charge>,
    payouts: Pages<String, Payout>,
    refunds: Pages<String, Refund>,
    receipts: Pages<(String, i64), Receipt>,
    returns: Pages<(String, String), Return>,
    refunds_by_charge: Pages<(String, String), Refund>,
    entries: Pages<(String, i64), Entry>,
    events: Pages<(String, i64), Event>,
}

impl Tables {
    pub(super) fn new() -> Self {
        Self {
            charges: Pages::new(Some("charge"), |read, owner, after, limit| {
                read.charges_found(owner, after, limit)
            }),
            payouts: Pages::new(Some("payout"), |read, owner, after, limit| {
                read.payouts_found(owner, after, limit)
            }),
            refunds: Pages::new(Some("refund"), |read, owner, after, limit| {
                read.refunds_found(owner, after, limit)
            }),
            receipts: Pages::new(Some("receipt"), |read, owner, after, limit| {
                read.receipts_found(owner, after, limit)
            }),
            returns: Pages::new(Some("return"), |read, owner, after, limit| {
                read.returns_found(owner, after, limit)
            }),
            refunds_by_charge: Pages::new(None, |read, owner, after, limit| {
                read.refunds_by_charge_found(owner, after, limit)
            }),
            // Those are named where their chain is recomputed.
            entries: Pages::new(None, |read, owner, after, limit| {
                read.entries_by_object_found(owner, after, limit)
            }),
            events: Pages::new(Some("event"), |read, owner, after, limit| {
                read.events_by_object_found(owner, after, limit)
            }),
        }
    }

    /// The next object in the order of ids.
    pub(super) fn next(
        &mut self,
        read: &mut dyn Read,
        walk: &mut Walk,
    ) -> Result<Option<Object>, Error> {
        let owner = walk.owner;
        let next = [
            self.charges.next(read, owner)?,
            self.payouts.next(read, owner)?,
            self.refunds.next(read, owner)?,
            self.receipts.next(read, owner)?,
            self.returns.next(read, owner)?,
            self.refunds_by_charge.next(read, owner)?,
            self.entries.next(read, owner)?,
            self.events.next(read, owner)?,
        ];
        let Some(id) = next.into_iter().flatten().min().map(str::to_owned) else {
            return Ok(None);
        };
        Ok(Some(Object {
            charge: self.charges.take(read, walk, &id)?,
            payout: self.payouts.take(read, walk, &id)?,
            refund: self.refunds.take(read, walk, &id)?,
            receipts: self.receipts.take(read, walk, &id)?,
            returns: self.returns.take(read, walk, &id)?,
            refunds: self.refunds_by_charge.take(read, walk, &id)?,
            entries: self.entries.take(read, walk, &id)?,
            events: self.events.take(read, walk, &id)?,
            id,
        }))
    }
}
