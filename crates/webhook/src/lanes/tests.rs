use super::*;
use vintem_domain::id::Ulid;
use vintem_domain::{AccountId, Environment};

const MOMENT: Duration = Duration::from_millis(1);

fn owner(number: u128) -> Owner {
    Owner {
        account: AccountId(Ulid(number)),
        environment: Environment::Live,
    }
}

fn start_all(lanes: &mut Lanes<u32>, owner: Owner) -> usize {
    std::iter::from_fn(|| lanes.start_next(owner)).count()
}

/// Makes one lane full. Claims for others bring nothing.
fn fill(lanes: &mut Lanes<u32>, owner: Owner) -> usize {
    lanes.due(owner);
    for (claimed, count) in lanes.next_claim() {
        let brought = if claimed == owner { count } else { 0 };
        lanes.claimed(claimed, vec![0; brought]);
    }
    start_all(lanes, owner)
}

#[test]
fn a_lane_has_eight_under_way_at_most() {
    let mut lanes = Lanes::new(100);
    lanes.due(owner(1));
    assert_eq!(lanes.next_claim(), [(owner(1), 8)]);
    // Whatever a claim brings.
    lanes.claimed(owner(1), (0..20).collect());
    assert_eq!(start_all(&mut lanes, owner(1)), 8);
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(lanes.start_next(owner(1)), Some(8));
    assert_eq!(lanes.start_next(owner(1)), None);
}

#[test]
fn nothing_is_claimed_twice_at_the_same_time_for_one_lane() {
    let mut lanes = Lanes::<u32>::new(100);
    lanes.due(owner(1));
    assert_eq!(lanes.next_claim(), [(owner(1), 8)]);
    lanes.due(owner(1));
    assert_eq!(lanes.next_claim(), []);
}

#[test]
fn what_becomes_due_during_a_claim_is_claimed_after_it() {
    let mut lanes = Lanes::new(100);
    lanes.due(owner(1));
    lanes.next_claim();
    lanes.due(owner(1));
    lanes.claimed(owner(1), vec![1]);
    assert_eq!(lanes.next_claim(), [(owner(1), 7)]);
    lanes.claimed(owner(1), vec![]);
    assert_eq!(lanes.next_claim(), []);
}

#[test]
fn a_full_claim_is_followed_by_another_as_soon_as_there_is_room() {
    let mut lanes = Lanes::new(100);
    assert_eq!(fill(&mut lanes, owner(1)), 8);
    assert_eq!(lanes.next_claim(), []);
    lanes.ended(owner(1), false, MOMENT);
    assert_eq!(lanes.next_claim(), [(owner(1), 1)]);
}

#[test]
fn a_quick_endpoint_is_claimed_ahead_for() {
    let mut lanes = Lanes::new(100);
    fill(&mut lanes, owner(1));
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(lanes.next_claim(), [(owner(1), 25)]);
    lanes.claimed(owner(1), vec![0; 25]);
    assert_eq!(start_all(&mut lanes, owner(1)), 1);
    lanes.ended(owner(1), true, SLOW);
    assert_eq!(lanes.next_claim(), []);
}

#[test]
fn a_failed_claim_is_made_again() {
    let mut lanes = Lanes::<u32>::new(100);
    lanes.due(owner(1));
    lanes.next_claim();
    lanes.claim_failed(owner(1));
    assert_eq!(lanes.next_claim(), [(owner(1), 8)]);
}

#[test]
fn lanes_are_served_in_turn() {
    let mut lanes = Lanes::<u32>::new(1_000);
    for number in 0..100 {
        lanes.due(owner(number));
    }
    let first = lanes.next_claim();
    assert_eq!(first.len(), LANES_PER_CLAIM);
    let second = lanes.next_claim();
    let all: Vec<_> = first
        .iter()
        .chain(&second)
        .map(|(owner, _)| *owner)
        .collect();
    assert_eq!(all, (0..100).map(owner).collect::<Vec<_>>());
}

#[test]
fn all_lanes_together_stay_within_the_limit() {
    let mut lanes = Lanes::<u32>::new(20);
    for number in 0..10 {
        lanes.due(owner(number));
    }
    let claims = lanes.next_claim();
    let counts: Vec<_> = claims.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [8, 8, 4]);
    assert_eq!(lanes.next_claim(), []);
    lanes.claimed(owner(0), vec![]);
    assert_eq!(lanes.next_claim(), [(owner(3), 8)]);
}

#[test]
fn dead_endpoints_leave_half_of_the_limit_to_the_living() {
    let mut lanes = Lanes::new(40);
    for number in 0..5 {
        assert_eq!(fill(&mut lanes, owner(number)), 8);
        for _ in 0..8 {
            lanes.ended(owner(number), false, MOMENT);
        }
    }
    for number in 0..5 {
        lanes.due(owner(number));
    }
    let claims = lanes.next_claim();
    assert_eq!(claims.iter().map(|(_, count)| count).sum::<usize>(), 20);
    lanes.due(owner(9));
    assert_eq!(lanes.next_claim(), [(owner(9), 8)]);
    // Who was crowded out has its turn when one of the others is done.
    lanes.claimed(claims[0].0, vec![]);
    let next = lanes.next_claim();
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].1, 8);
    assert!(claims.iter().all(|(owner, _)| *owner != next[0].0));
}

#[test]
fn what_was_not_started_is_handed_back_at_the_end() {
    let mut lanes = Lanes::new(100);
    lanes.due(owner(1));
    lanes.next_claim();
    lanes.claimed(owner(1), (0..8).collect());
    assert_eq!(lanes.start_next(owner(1)), Some(0));
    assert_eq!(lanes.take_waiting(), (1..8).collect::<Vec<_>>());
    assert_eq!(lanes.start_next(owner(1)), None);
    assert_eq!(lanes.taken, 1);
}

#[test]
fn idle_lanes_are_forgotten() {
    let mut lanes = Lanes::new(100);
    lanes.due(owner(1));
    lanes.next_claim();
    lanes.claimed(owner(1), vec![1]);
    lanes.start_next(owner(1));
    lanes.ended(owner(1), true, MOMENT);
    assert!(lanes.all.is_empty());
    assert_eq!((lanes.taken, lanes.taken_slow), (0, 0));
}

#[test]
fn what_was_begun_without_a_claim_takes_its_turn_and_its_room() {
    let mut lanes = Lanes::new(100);
    for number in 0..10 {
        lanes.begun(owner(1), number);
    }
    assert_eq!(start_all(&mut lanes, owner(1)), 8);
    lanes.due(owner(1));
    assert_eq!(lanes.next_claim(), [], "the lane is full");
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(lanes.start_next(owner(1)), Some(8));
}

#[test]
fn everybody_is_told_of_lanes_that_are_full_or_slow_and_of_their_recovery() {
    let told = |lanes: &mut Lanes<u32>| lanes.room().lanes;
    let mut lanes = Lanes::new(100);
    lanes.begun(owner(1), 0);
    assert_eq!(told(&mut lanes), []);
    for number in 1..8 {
        lanes.begun(owner(1), number);
    }
    assert_eq!(told(&mut lanes), [(owner(1), true)], "full");
    start_all(&mut lanes, owner(1));
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(told(&mut lanes), [(owner(1), false)]);
    lanes.ended(owner(1), false, MOMENT);
    assert_eq!(told(&mut lanes), [(owner(1), true)], "failing");
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(told(&mut lanes), [(owner(1), false)]);
    assert!(lanes.room().is_unchanged());
}

#[test]
fn everybody_is_told_when_there_is_no_room_at_all() {
    let mut lanes = Lanes::new(2);
    lanes.begun(owner(1), 0);
    lanes.begun(owner(2), 0);
    assert_eq!(lanes.room().full, Some(true));
    lanes.start_next(owner(1));
    lanes.ended(owner(1), true, MOMENT);
    assert_eq!(lanes.room().full, Some(false));
}
