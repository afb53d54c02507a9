//! Events must say what their objects are.

use serde_json::{Map, Value};

use super::Walk;
use super::books::{list, settles};
use super::pages::{About, Object};
use crate::charge::{Charge, Status};
use crate::error::Error;
use crate::event::{Event, EventKind, Said, SaidPayer};
use crate::payout::{Payout, PayoutStatus, payout_news};

impl Walk {
    /// A charge is told once, when it is paid or, but for a boleto, fails.
    pub(super) fn told_of_charge(&mut self, charge: &Charge, is: &str, object: &Object) {
        let id = charge.public_id();
        let Some(event) = self.only(&id, is, charge.event_due(), &object.events) else {
            return;
        };
        let at = match &charge.status {
            Status::Pending => None,
            Status::Failed(failure) => Some(failure.failed_at),
            // It was told in the unit of work that kept the payment.
            Status::Paid(_) => {
                let mut kept = object.receipts.rows.iter();
                kept.find(|receipt| settles(receipt, charge))
                    .map(|receipt| receipt.received_at)
            }
        };
        let due = match (charge.news(event.id), at) {
            (Ok(Some(news)), Some(at)) => news.body(event.sequence, &at.to_string()),
            // The payment is missing, which is a fault of its own.
            (Ok(Some(news)), None) => {
                said(event).and_then(|said| news.body(event.sequence, &said.created_at))
            }
            (Ok(None), _) => return,
            (Err(error), _) => Err(error),
        };
        self.says(&id, event, due);
    }

    /// A payout is told once, when it ends.
    pub(super) fn told_of_payout(&mut self, payout: &Payout, events: &About<Event>) {
        let (id, is) = (payout.public_id(), payout.status.as_str());
        let (kind, at) = match &payout.status {
            PayoutStatus::Pending => (None, None),
            PayoutStatus::Paid { at, .. } => (Some(EventKind::WithdrawDone), Some(at)),
            PayoutStatus::Failed { at, .. } => (Some(EventKind::WithdrawFailed), Some(at)),
        };
        let (Some(event), Some(at)) = (self.only(&id, is, kind, events), at) else {
            return;
        };
        // Who pays is the account as it was called then, which is kept nowhere else.
        let due = said(event).and_then(|said| {
            let payer = said.data.payer.as_ref().map(SaidPayer::data);
            payout_news(payout, payer, event.id).body(event.sequence, &at.to_string())
        });
        self.says(&id, event, due);
    }

    /// Events about what has none.
    pub(super) fn events_of_nothing(&mut self, object: &Object) {
        for event in &object.events.rows {
            let (kind, id) = (event.kind.as_str(), &object.id);
            let wrong = format!("tells {kind} of {id}, of which there is nothing to tell");
            self.fault(event.id, wrong);
        }
    }

    /// The one event that must have been told of an object; a fault if it was not, or if more was.
    fn only<'a>(
        &mut self,
        id: &str,
        is: &str,
        due: Option<EventKind>,
        events: &'a About<Event>,
    ) -> Option<&'a Event> {
        if !events.complete {
            return None;
        }
        match (due, events.rows.as_slice()) {
            (None, []) => return None,
            (Some(kind), [event]) if event.kind == kind => return Some(event),
            (Some(_) | None, _) => {}
        }
        let told = |event: &Event| format!("{} {}", event.kind.as_str(), event.id);
        let told = list(events.rows.iter().map(told));
        self.fault(id, format!("is {is}, but what was told of it is {told}"));
        None
    }

    fn says(&mut self, id: &str, event: &Event, due: Result<String, Error>) {
        match due {
            Ok(due) if due == event.body => {}
            Ok(due) => {
                let differs = differences(&event.body, &due);
                let wrong = format!("does not say what {id} is: its body differs in {differs}");
                self.fault(event.id, wrong);
            }
            Err(error) => self.fault(event.id, format!("cannot be compared with {id}: {error}")),
        }
    }
}

/// What a stored body says that is kept nowhere else.
fn said(event: &Event) -> Result<Said, Error> {
    serde_json::from_str(&event.body).map_err(|_unreadable| Error::bug("its body is no event's"))
}

/// Where two bodies differ, and never what they say.
fn differences(stored: &str, due: &str) -> String {
    let read = |body: &str| serde_json::from_str::<Map<String, Value>>(body).unwrap_or_default();
    let mut differing = Vec::new();
    compare("", &read(stored), &read(due), &mut differing);
    if differing.is_empty() {
        "how it is written".to_owned()
    } else {
        differing.join(", ")
    }
}

fn compare(
    within: &str,
    stored: &Map<String, Value>,
    due: &Map<String, Value>,
    to: &mut Vec<String>,
) {
    for (name, value) in due {
        match (stored.get(name), value) {
            (Some(Value::Object(stored)), Value::Object(due)) if within.is_empty() => {
                compare("data.", stored, due, to);
            }
            (Some(stored), due) if stored == due => {}
            (Some(_) | None, _) => to.push(format!("{within}{name}")),
        }
    }
    if stored.keys().any(|name| !due.contains_key(name)) {
        to.push(format!(
            "what is added to {}",
            if within.is_empty() { "it" } else { "its data" }
        ));
    }
}
