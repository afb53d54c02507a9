//! What was acknowledged survives: processes that die, databases that go away, disks that are full.

mod database_away;
mod disk_full;
mod killed;
mod two_servers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde_json::json;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::receiver::Delivery;

/// What clients were told, and what they asked without getting an answer.
#[derive(Debug, Default)]
pub(crate) struct Acknowledged {
    /// Charges whose creation was answered, by idempotency key.
    pub(crate) created: BTreeMap<String, String>,
    /// Charges whose payment was answered.
    pub(crate) paid: BTreeSet<String>,
    /// Statuses other than 200, with how often they came.
    pub(crate) refused: BTreeMap<u16, u32>,
}

/// Four clients that create charges and pay them, until told to stop or their server is gone for good.
pub(crate) struct Load<'a> {
    pub(crate) merchant: &'a Merchant<'a>,
    pub(crate) acknowledged: &'a Mutex<Acknowledged>,
    /// Go on after an error instead of ending.
    pub(crate) persistent: bool,
}

impl Load<'_> {
    const CLIENTS: u32 = 4;

    /// Runs until `stop`; `meanwhile` runs beside it and sets it.
    pub(crate) fn run(&self, meanwhile: impl FnOnce(&AtomicBool)) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..Self::CLIENTS {
                scope.spawn(|| self.one_client(&stop));
            }
            // A test that fails must not leave its clients running.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| meanwhile(&stop)));
            stop.store(true, Ordering::SeqCst);
            if let Err(panic) = ended {
                std::panic::resume_unwind(panic);
            }
        });
    }

    fn one_client(&self, stop: &AtomicBool) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        while !stop.load(Ordering::SeqCst) {
            let key = format!("load-{}", NEXT.fetch_add(1, Ordering::SeqCst));
            if !self.create_and_pay(&key) && !self.persistent {
                return;
            }
        }
    }

    /// Whether both were answered, well or not.
    fn create_and_pay(&self, key: &str) -> bool {
        let create = self
            .merchant
            .live
            .request("POST", "/v1/pixQrCode/create")
            .header("Idempotency-Key", key);
        let Ok(created) = create.json(&json!({ "amountCents": 4990 })).try_send() else {
            return false;
        };
        if created.status != 200 {
            return self.refused(created.status);
        }
        let id = text(&created.data()["id"]);
        self.acknowledged
            .lock()
            .unwrap()
            .created
            .insert(key.to_owned(), id.clone());
        let pay = self.merchant.bank.request("POST", "/psp/stub/pix");
        let Ok(paid) = pay.json(&json!({ "chargeId": id })).try_send() else {
            return false;
        };
        if paid.status != 200 {
            return self.refused(paid.status);
        }
        assert_eq!(paid.data()["outcome"], "paid");
        self.acknowledged.lock().unwrap().paid.insert(id);
        true
    }

    fn refused(&self, status: u16) -> bool {
        *self
            .acknowledged
            .lock()
            .unwrap()
            .refused
            .entry(status)
            .or_default() += 1;
        std::thread::sleep(std::time::Duration::from_millis(20));
        true
    }
}

impl Acknowledged {
    /// Everything that was acknowledged is there.
    #[track_caller]
    pub(crate) fn assert_charges(&self, merchant: &Merchant) {
        for (key, id) in &self.created {
            let checked = merchant.live.check(id);
            assert_eq!(
                checked.status, 200,
                "{id} of {key} was acknowledged and is lost"
            );
        }
        for id in &self.paid {
            assert_eq!(
                merchant.live.check(id).data()["status"],
                "PAID",
                "{id} was paid"
            );
        }
        // A repeat finds the charge it was told of.
        for (key, id) in self.created.iter().take(20) {
            let repeat = merchant.live.post_once(
                "/v1/pixQrCode/create",
                &json!({ "amountCents": 4990 }),
                key,
            );
            assert_eq!(text(&repeat.data()["id"]), *id);
        }
    }

    /// Everything that was acknowledged is there and the books agree; returns all paid charges, acknowledged or not.
    #[track_caller]
    fn assert_kept(&self, merchant: &Merchant) -> BTreeSet<String> {
        self.assert_charges(merchant);
        merchant.site.verify_ledger();
        let paid = all_paid(merchant);
        assert!(self.paid.is_subset(&paid));
        let balance = merchant.live.store()["balance"].as_i64().unwrap();
        assert_eq!(balance, 4910 * i64::try_from(paid.len()).unwrap());
        paid
    }
}

/// Every charge the list shows as paid.
fn all_paid(merchant: &Merchant) -> BTreeSet<String> {
    let mut paid = BTreeSet::new();
    let mut next = Some("/v1/transaction/list?limit=1000".to_owned());
    while let Some(path) = next {
        let page = merchant.live.get(&path);
        for item in page.data().as_array().unwrap() {
            if item["status"] == "PAID" {
                paid.insert(text(&item["id"]));
            }
        }
        let link = page.header("Link");
        next =
            link.map(|link| link[link.find("/v1/").unwrap()..link.find('>').unwrap()].to_owned());
    }
    paid
}

/// The ids of the events about each charge, and the sequences of all.
fn events(deliveries: &[Delivery]) -> (BTreeMap<String, BTreeSet<String>>, BTreeSet<i64>) {
    let mut of_charge: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut sequences = BTreeSet::new();
    for delivery in deliveries {
        let body = delivery.json();
        of_charge
            .entry(text(&body["data"]["id"]))
            .or_default()
            .insert(text(&body["id"]));
        sequences.insert(body["sequence"].as_i64().unwrap());
    }
    (of_charge, sequences)
}

/// Every paid charge has exactly one event, and they are numbered without a gap.
#[track_caller]
fn assert_one_event_each(deliveries: &[Delivery], paid: &BTreeSet<String>) {
    let (of_charge, sequences) = events(deliveries);
    assert_eq!(of_charge.keys().cloned().collect::<BTreeSet<_>>(), *paid);
    for (charge, ids) in &of_charge {
        assert_eq!(ids.len(), 1, "{charge} has more than one event: {ids:?}");
    }
    let last = i64::try_from(paid.len()).unwrap();
    assert_eq!(sequences, (1..=last).collect(), "a gap in the sequence");
}
