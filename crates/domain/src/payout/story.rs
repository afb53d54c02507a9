//! Everything that happened to a payout, for operators.

use crate::bill::Quote;
use crate::charge::EventStory;
use crate::error::{Error, Missing};
use crate::ledger::Entry;
use crate::payout::{Payout, PayoutId, Purpose};
use crate::ports::{Ports, Transact};

/// A payout's whole story.
#[derive(Clone, Debug)]
pub struct Story {
    /// The payout.
    pub payout: Payout,
    /// The quote it pays; none for a withdrawal.
    pub quote: Option<Quote>,
    /// What was posted to the ledger.
    pub entries: Vec<Entry>,
    /// What was told to the merchant.
    pub events: Vec<EventStory>,
}

/// Tells a payout's whole story, whoever owns it.
///
/// # Errors
/// [`Missing::Payout`].
pub fn story(ports: &Ports, id: PayoutId) -> Result<Story, Error> {
    ports.store.read_at_one_moment(|read| {
        let payout = read
            .payout_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Payout))?;
        let owner = payout.owner;
        let quote = match &payout.purpose {
            Purpose::Bill(order) => read.quote(owner, order.quote)?,
            Purpose::Withdrawal(_) => None,
        };
        Ok(Story {
            quote,
            entries: read.entries_for(owner, id.0)?,
            events: EventStory::all_about(read, owner, id.0)?,
            payout,
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::account::{Environment, Origin};
    use crate::bill::{self, BillCode, ExternalId};
    use crate::calendar::SECOND_MS;
    use crate::error::{Error, Missing};
    use crate::id::Ulid;
    use crate::payout::{Backlog, Payout, PayoutId, Round, settle_due, story};
    use crate::ports::Transact;
    use crate::testing::{Fate, World};

    /// A water bill, paid in the sandbox.
    fn paid_bill(world: &World) -> Payout {
        let owner = world.owner(Environment::Sandbox);
        let line = "846100000005246100291102005460339004695895061080";
        let code = BillCode::parse(line).unwrap();
        let (quote, _) = bill::query(&world.ports(), owner, &code).unwrap();
        let name = ExternalId::parse("a").unwrap();
        bill::pay(
            &world.ports(),
            owner,
            Origin::Api,
            Some(quote.id),
            &name,
            None,
        )
        .unwrap()
        .object
    }

    fn work(world: &World) -> Round {
        settle_due(&world.ports(), 10).unwrap()
    }

    fn backlog(world: &World) -> Backlog {
        let now = world.ports().clock.now();
        world.store.read(|read| read.payout_backlog(now)).unwrap()
    }

    #[test]
    fn a_story_tells_quote_postings_and_events() {
        let world = World::new();
        let id = paid_bill(&world).id;
        assert_eq!(
            work(&world),
            Round {
                taken: 1,
                paid: 0,
                failed: 0
            }
        );
        world.clock.advance(SECOND_MS);
        assert_eq!(
            work(&world),
            Round {
                taken: 1,
                paid: 1,
                failed: 0
            }
        );
        let story = story(&world.ports(), id).unwrap();
        assert_eq!(story.payout.status.as_str(), "PAID");
        assert!(story.quote.is_some());
        let kinds: Vec<_> = story
            .entries
            .iter()
            .map(|entry| entry.kind.as_str())
            .collect();
        assert_eq!(kinds, ["payout_debited", "payout_settled"]);
        assert_eq!(story.events.len(), 1);
        let nobodys = PayoutId(Ulid::nil());
        assert!(matches!(
            super::story(&world.ports(), nobodys),
            Err(Error::NotFound(Missing::Payout))
        ));
    }

    #[test]
    fn what_waits_is_counted_and_what_nobody_answers_is_stuck() {
        let world = World::new();
        assert_eq!(backlog(&world), Backlog::default());
        let due_at = paid_bill(&world).step.due_at;
        let expected = Backlog {
            pending: 1,
            due: 1,
            stuck: 0,
            oldest_due_at: Some(due_at),
        };
        assert_eq!(backlog(&world), expected);
        world.bank.set_fate(Fate::Fails);
        work(&world);
        assert_eq!((backlog(&world).pending, backlog(&world).due), (1, 0));
        world.bank.set_down(true);
        for _ in 1..Backlog::STUCK_TRIES {
            assert_eq!(backlog(&world).stuck, 0);
            world.clock.advance(120 * SECOND_MS);
            work(&world);
        }
        assert_eq!(backlog(&world).stuck, 1);
        world.bank.set_down(false);
        world.clock.advance(120 * SECOND_MS);
        assert_eq!(work(&world).failed, 1);
        assert_eq!(backlog(&world), Backlog::default());
    }

    #[test]
    fn ids_of_both_kinds_are_read() {
        for text in [
            "wd_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "bp_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        ] {
            assert_eq!(PayoutId::parse(text).unwrap().0.to_string(), text[3..]);
        }
        let error = PayoutId::parse("chg_01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap_err();
        assert_eq!(error.to_string(), "must be wd_ or bp_ followed by a ULID");
    }
}
