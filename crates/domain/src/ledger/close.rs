//! The last step of a unit of work: money, event and head.

use crate::account::Owner;
use crate::error::Error;
use crate::event::{self, Moments, News};
use crate::ledger::Movement;
use crate::ports::Tx;

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
    let has_endpoint = news.is_some() && tx.endpoint(owner)?.is_some();
    let mut head = tx
        .head_for_update(owner)?
        .ok_or_else(|| Error::bug("a ledger has no head"))?;
    if let Some(movement) = movement {
        let entry = head.post(movement)?;
        tx.insert_entry(&entry)?;
    }
    if let Some(news) = news {
        event::emit(tx, &mut head, news, has_endpoint, at)?;
    }
    tx.save_head(&head)
}
