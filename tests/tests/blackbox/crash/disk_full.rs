//! The disk under the embedded database is full for a while.

use std::process::Command;
use std::sync::Mutex;

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::server::Server;
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Acknowledged, Load};

/// Limits how large a file the server may write, or lifts the limit: what a full disk is to a database.
///
/// A small file system would need a mount, and so rights that few who run these tests have.
fn limit_files(server: &Server, bytes: Option<u64>) {
    let limit = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let status = Command::new("prlimit")
        .args([
            "--pid",
            &server.pid().to_string(),
            &format!("--fsize={limit}:"),
        ])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "prlimit");
}

#[test]
fn a_full_disk_is_answered_503_and_nothing_acknowledged_is_lost() {
    let site = Site::new(Backend::Sqlite);
    // Writing beyond the limit shall fail, as on a full disk, rather than kill.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    let mut server = site
        .serve_through(shell)
        .unwrap_or_else(|refusal| panic!("{}", refusal.stderr));
    let merchant = site.merchant(&server);
    let acknowledged = Mutex::new(Acknowledged::default());
    let load = Load {
        merchant: &merchant,
        acknowledged: &acknowledged,
        persistent: true,
    };
    load.run(|_| {
        wait::until("payments go through", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= 20).then_some(())
        });
        // Nothing can grow any more: the log of the database is larger than this already.
        limit_files(&server, Some(4096));
        wait::until("writes are refused", wait::SOON, || {
            (acknowledged.lock().unwrap().refused.get(&503) >= Some(&10)).then_some(())
        });
        let refused = merchant.live.create(&json!({ "amountCents": 4990 }));
        refused.error(503);
        assert!(refused.header("Retry-After").is_some());
        wait::until("not ready", wait::SOON, || {
            (server.anonymous().get("/readyz").status == 503).then_some(())
        });
        assert_eq!(server.anonymous().get("/healthz").status, 200);
        assert_eq!(
            merchant.live.get("/v1/store").status,
            200,
            "what is there can be read"
        );
        limit_files(&server, None);
        wait::until("ready again", wait::SOON, || {
            (server.anonymous().get("/readyz").status == 200).then_some(())
        });
        let before = acknowledged.lock().unwrap().paid.len();
        wait::until("payments go through again", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= before + 20).then_some(())
        });
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(
        acknowledged.refused.keys().all(|status| *status == 503),
        "{:?}",
        acknowledged.refused
    );
    acknowledged.assert_kept(&merchant);
    server.kill();
    let server = site.serve();
    acknowledged.assert_kept(&merchant.at(server.address()));
}
