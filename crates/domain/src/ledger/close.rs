//! The last step of a unit of work: money, event and head.

use crate::account::Owner;
use crate::error::Error;
use crate::event::{self, Moments, News};
use crate::ledger::Movement;
use crate::ports::{Closing, Tx};
use crate::webhook::{Delivery, FirstAttempt};

/// Posts the movement and tells the news under the lock of the owner's head, and moves the head once.
///
/// Everything that can be read before is read before: the head is what all payments of an owner wait for.
pub(crate) fn close(
    tx: &mut dyn Tx,
    owner: Owner,
    movement: Option<Movement>,
    news: Option<News<'_>>,
    at: Moments,
) -> Result<(), Error> {
    close_and_send(tx, owner, movement, news, None, at)
}

/// [`close`], and the first attempt to deliver the news is begun if there is a place for it.
pub(crate) fn close_and_send(
    tx: &mut dyn Tx,
    owner: Owner,
    movement: Option<Movement>,
    news: Option<News<'_>>,
    first: Option<&mut FirstAttempt<'_>>,
    at: Moments,
) -> Result<(), Error> {
    let endpoint = match news {
        Some(_) => tx.endpoint(owner)?,
        None => None,
    };
    let mut head = tx
        .head_for_update(owner)?
        .ok_or_else(|| Error::bug("a ledger has no head"))?;
    let entry = movement.map(|movement| head.post(movement)).transpose()?;
    let event = news
        .map(|news| event::tell(&mut head, news, at))
        .transpose()?;
    let delivery = event
        .as_ref()
        .zip(endpoint)
        .map(|(event, endpoint)| match first {
            Some(first) => first.delivery(&endpoint, event),
            None => Delivery::new(owner, event.id, at.real_now),
        });
    tx.save_closing(&Closing {
        head,
        entry,
        event,
        delivery,
    })
}
