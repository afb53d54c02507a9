//! Everybody who does something: merchants and their agents, payers, the bank, workers, operators.

mod merchant;
mod payer;
mod refund;
mod request;
mod webhooks;
mod worker;

use std::collections::BTreeMap;

use vintem_domain::account::Owner;
use vintem_domain::bill::{BillCode, QuoteId};
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::charge::Charge;
use vintem_domain::id::Ulid;
use vintem_domain::{Centavos, Time};

use crate::bank::Mood;
use crate::clock;
use crate::dice::Dice;
use crate::world::{World, locked};

pub(crate) use payer::is_known as is_told;
pub(crate) use request::Request;
pub(crate) use webhooks::Inbox;

/// What people outside remember: codes they can pay, requests they made, answers they got.
pub(crate) struct Memory {
    /// Every request that was made.
    pub(crate) requests: Vec<Request>,
    /// The one that is just being served.
    pub(crate) current: Option<Request>,
    /// Charges a merchant was told of, and gave to payers.
    pub(crate) charges: Vec<Charge>,
    /// Quotes a merchant was told of.
    pub(crate) quotes: Vec<(Owner, QuoteId)>,
    /// Titles of third parties.
    pub(crate) titles: Vec<BillCode>,
    /// Which body and which object an idempotency key or an `externalId` stands for.
    pub(crate) answers: BTreeMap<(Owner, &'static str, String), (String, Ulid)>,
    /// What was acknowledged, and must be there for ever.
    pub(crate) acknowledged: Vec<(Owner, Ulid)>,
    /// How many names were given.
    pub(crate) names: u64,
}

impl Memory {
    pub(crate) fn draw(dice: &mut Dice, begin: Time) -> Self {
        let today = begin.in_sao_paulo().date;
        let mut titles: Vec<BillCode> = (0..6)
            .map(|number| {
                let centavos = dice.weighted(&[(8, Some(0)), (1, None), (1, Some(3_000_001))]);
                let small = dice.between(100, 30_000);
                let title = Title {
                    bank: BankCode::parse("237").unwrap(),
                    free_field: FreeField::parse(&format!("{number:025}")).unwrap(),
                    amount: centavos.map(|some| Centavos::new(some.max(small))),
                    due_date: Some(today.plus_days(dice.between(-20, 10))),
                };
                BillCode::Boleto(title.barcode().unwrap())
            })
            .collect();
        // A water bill of R$ 24,61, and one whose code names no amount.
        titles.extend(
            [
                "846100000005246100291102005460339004695895061080",
                "817800000009100000552024610200000004000004560009",
            ]
            .map(|line| BillCode::parse(line).unwrap()),
        );
        Self {
            requests: Vec::new(),
            current: None,
            charges: Vec::new(),
            quotes: Vec::new(),
            titles,
            answers: BTreeMap::new(),
            acknowledged: Vec::new(),
            names: 0,
        }
    }
}

type Act = fn(&World);

/// Somebody does something.
pub(crate) fn act(world: &World) {
    let act: Act = world.weighted(&[
        (12, merchant::asks_for_a_charge as Act),
        (6, merchant::issues_a_boleto),
        (16, merchant::withdraws),
        (6, merchant::asks_what_a_title_costs),
        (14, merchant::pays_a_title),
        (6, request::repeats_a_request),
        (3, merchant::simulates_a_payment),
        (3, merchant::looks),
        (20, payer::pays),
        (24, payer::is_told_of),
        (2, worker::bank_removes_a_charge),
        (16, worker::settles),
        (8, worker::gives_back),
        (8, refund::refunds),
        (10, worker::refunds),
        (4, refund::cancels),
        (10, webhooks::deliver),
        (4, webhooks::administer),
        (4, bank_changes_its_mood),
        (2, worker::operator_changes_fees),
        (2, worker::server_ends),
        (2, clock::move_test_clock),
        (16, clock::pass),
    ]);
    act(world);
}

/// Somebody does something while another process waits for its store or its bank.
pub(crate) fn meanwhile(world: &World) {
    let act: Act = world.weighted(&[
        (8, request::sends_the_current_request_too as Act),
        (3, merchant::withdraws),
        (3, merchant::pays_a_title),
        (6, payer::is_told_of),
        (8, worker::settles),
        (6, worker::takes_over),
        (3, worker::gives_back),
        (6, worker::refunds),
        (2, refund::refunds),
        (1, refund::cancels),
        (3, webhooks::deliver),
        (2, worker::bank_removes_a_charge),
    ]);
    act(world);
}

fn bank_changes_its_mood(world: &World) {
    let seed = world.below(u64::MAX);
    let mood = Mood::draw(&mut Dice::of(seed));
    locked(&world.bank).mood = mood;
    world.tell(|| {
        format!(
            "the bank is {}; of 1000 calls {} are slow, {} never heard, {} never answered, {} refused",
            if mood.up { "up" } else { "down" },
            mood.slow,
            mood.deaf,
            mood.mute,
            mood.unwilling
        )
    });
}

/// Many a merchant begins with money to spend.
pub(crate) fn fund(world: &World) {
    webhooks::some_are_set(world);
    for _ in 0..world.below(4) {
        merchant::asks_for_a_large_charge(world);
        payer::pays(world);
    }
    payer::all_is_told(world);
}

/// Everything that is under way comes to its end.
pub(crate) fn come_to_rest(world: &World) {
    locked(&world.bank).mood = Mood::GOOD;
    payer::all_is_told(world);
    for _ in 0..25 {
        worker::works_until_nothing_is_due(world);
        webhooks::deliver_all(world);
        world.clock.advance(3 * vintem_domain::calendar::HOUR_MS);
    }
}
