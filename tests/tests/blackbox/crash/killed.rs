//! `kill -9`, again and again, at any instruction.

use std::sync::Mutex;
use std::time::Duration;

use vintem_tests::Backend;
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Acknowledged, Load, assert_one_event_each, events};

const ROUNDS: u32 = 20;

vintem_tests::on_both!(twenty_kills_under_load_lose_nothing);

fn twenty_kills_under_load_lose_nothing(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let merchant = site.merchant(&server);
    // Now and then an endpoint stumbles, too.
    let receiver = Receiver::scripted(|before, _| {
        if before % 11 == 5 {
            Answer::Drop
        } else {
            Answer::Status(200)
        }
    });
    merchant.webhook("live", &receiver.url());
    let acknowledged = Mutex::new(Acknowledged::default());
    for round in 0..ROUNDS {
        let merchant = merchant.at(server.address());
        let before = acknowledged.lock().unwrap().paid.len();
        let load = Load {
            merchant: &merchant,
            acknowledged: &acknowledged,
            persistent: false,
        };
        load.run(|_| {
            // Each round dies a little later after its work has begun, so that many instructions are hit.
            wait::until("payments are acknowledged", wait::SOON, || {
                (acknowledged.lock().unwrap().paid.len() >= before + 3).then_some(())
            });
            std::thread::sleep(Duration::from_micros(u64::from(round) * 1_700));
            server.kill();
        });
        server = site.serve();
    }
    let merchant = merchant.at(server.address());
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.paid.len() >= 60, "{}", acknowledged.paid.len());
    assert_eq!(
        acknowledged.refused.keys().collect::<Vec<_>>(),
        Vec::<&u16>::new()
    );
    let paid = acknowledged.assert_kept(&merchant);
    // Leases of the dead last 30 s, a failed attempt is made again after 5 s.
    wait::until("every event arrives", Duration::from_secs(90), || {
        (events(&receiver.deliveries()).0.len() >= paid.len()).then_some(())
    });
    assert_one_event_each(&receiver.deliveries(), &paid);
}
