//! SIGTERM and SIGINT: what was begun is finished, nothing new is taken.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::client::{Client, connect};
use vintem_tests::receiver::{Answer, Receiver};
use vintem_tests::site::Site;
use vintem_tests::wait;

use crate::database::sql;

vintem_tests::on_both!(
    a_stopping_server_finishes_its_requests,
    a_stopping_server_gives_up_its_leases,
    idle_and_slow_clients_do_not_hold_a_server_up,
    a_slow_client_is_cut_off,
);

const LONGEST: Duration = Duration::from_secs(10);

fn a_stopping_server_finishes_its_requests(on: Backend) {
    for signal in ["TERM", "INT"] {
        let site = Site::new(on);
        let mut server = site.serve();
        let merchant = site.merchant(&server);
        merchant
            .bank
            .post("/psp/stub/state", &json!({ "latencyMs": 2000 }))
            .data();
        let status = std::thread::scope(|scope| {
            let begun = Instant::now();
            let slow = scope.spawn(|| merchant.live.create(&json!({ "amountCents": 4990 })));
            wait::until("the request waits for the bank", LONGEST, || {
                let shown = Client::anonymous(server.address()).get("/metrics").text();
                shown
                    .contains("vintem_http_lane_in_use{lane=\"provider\"} 1")
                    .then_some(())
            });
            server.signal(signal);
            wait::until("no new connection is taken", LONGEST, || {
                connect(server.address()).is_err().then_some(())
            });
            let answer = slow.join().unwrap();
            assert!(begun.elapsed() >= Duration::from_secs(2));
            answer.data();
            server.wait(LONGEST)
        });
        assert_eq!(status.code(), Some(0), "{signal}");
        assert_eq!(sql(&site, "SELECT count(*) FROM charges"), "1");
    }
}

fn a_stopping_server_gives_up_its_leases(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let merchant = site.merchant(&server);
    let receiver =
        Receiver::scripted(|_, _| Answer::After(Duration::from_mins(1), Box::new(Answer::Drop)));
    merchant.webhook("test", &receiver.url());
    for _ in 0..3 {
        crate::webhook::pay_one(&merchant);
    }
    receiver.wait_for(3);
    server.signal("TERM");
    assert_eq!(server.wait(LONGEST).code(), Some(0));
    assert_eq!(
        sql(
            &site,
            "SELECT count(*) FROM deliveries WHERE leased_by IS NOT NULL"
        ),
        "0"
    );
    receiver.answer(|_, _| Answer::Status(200));
    sql(&site, "UPDATE deliveries SET due_at = 1000");
    let _server = site.serve();
    // Without waiting for the end of leases.
    receiver.wait_for_within(6, Duration::from_secs(15));
}

fn idle_and_slow_clients_do_not_hold_a_server_up(on: Backend) {
    let site = Site::new(on);
    let mut server = site.serve();
    let mut idle = connect(server.address()).unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut buffer = [0; 1024];
    assert!(idle.read(&mut buffer).unwrap() > 0);
    let mut half = connect(server.address()).unwrap();
    half.write_all(b"POST /v1/pixQrCode/create HTTP/1.1\r\nHost: x\r\nContent-Le")
        .unwrap();
    server.signal("TERM");
    assert_eq!(server.wait(LONGEST).code(), Some(0));
}

fn a_slow_client_is_cut_off(on: Backend) {
    let site = Site::new(on).with("VINTEM_REQUEST_TIMEOUT", "2s");
    let server = site.serve();
    let merchant = site.merchant(&server);
    let key = merchant.test.authorization().unwrap();
    let begun = Instant::now();
    let head = connect(server.address()).unwrap();
    let body = connect(server.address()).unwrap();
    std::thread::scope(|scope| {
        let cut = |mut stream: std::net::TcpStream, first: String| {
            stream.write_all(first.as_bytes()).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_millis(500)))
                .unwrap();
            let mut buffer = [0; 4096];
            while begun.elapsed() < Duration::from_secs(15) {
                // One byte every half second: alive, but of no use.
                match stream.read(&mut buffer) {
                    Ok(0) => return true,
                    Ok(_) => {}
                    Err(error)
                        if matches!(
                            error.kind(),
                            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                        ) =>
                    {
                        if stream.write_all(b"x").is_err() {
                            return true;
                        }
                    }
                    Err(_) => return true,
                }
            }
            false
        };
        let head = scope.spawn(move || cut(head, "GET /v1/store HTTP/1.1\r\nX-Slow: ".to_owned()));
        let first = format!(
            "POST /v1/pixQrCode/create HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\nContent-Length: 100000\r\n\r\n{{"
        );
        let body = scope.spawn(move || cut(body, first));
        assert!(head.join().unwrap(), "a head that never ends");
        assert!(body.join().unwrap(), "a body that never ends");
    });
    merchant.test.store();
}
